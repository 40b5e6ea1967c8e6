"""Reports of crosschecks: what they say of incomplete and unconfirmed results, and that names cannot break out."""

import ast
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sdnloom.crosscheck.comparison import Comparison, Inconsistency, RootCause
from sdnloom.crosscheck.output import AgentEvent
from sdnloom.crosscheck.partition import PartitionStatistics
from sdnloom.crosscheck.result import CrosscheckResult, PartitionSummary, pair_verdict
from sdnloom.crosscheck.test_document import load_test
from sdnloom.crosscheck.witness_file import SwitchWitness, parse_witness
from sdnloom.report.crosscheck.html import crosscheck_html
from sdnloom.report.crosscheck.json_format import crosscheck_json
from sdnloom.report.crosscheck.pytest_file import expected_test, pair_test
from sdnloom.report.crosscheck.text import crosscheck_text
from sdnloom.report.crosscheck.view import CrosscheckView, confirmed_words, listed, number_of_tests
from sdnloom.report.file_name import file_name, file_names

TEST = load_test("set-config")
[CASE] = TEST.cases
VALUES = CASE.defaults() | {CASE.variables[0].name: 3}
OUTPUTS = (((), (AgentEvent("crash"),)), ((), ()))
INCONSISTENCY = Inconsistency(TEST.name, CASE.name, "flags == 3", VALUES, OUTPUTS, True)  # type: ignore[arg-type]
CAUSE = RootCause(
    "Set Config",
    ("flags",),
    "Set Config, flags == 3",
    "a crashes, b does nothing",
    TEST.name,
    CASE.name,
    VALUES,
    OUTPUTS,  # type: ignore[arg-type]
    (0,),
    confirmed=True,
)
DIFFER = Comparison(("a", "b"), (TEST,), True, (), (INCONSISTENCY,), (CAUSE,))
AGREE = Comparison(("a", "b"), (TEST,), True)
INCOMPLETE = Comparison(("a", "b"), (TEST,), False, ("a: the budget is used up",))


def result(*comparisons: Comparison, agents: tuple[str, ...] = ("a", "b"), kind: str = "paths") -> CrosscheckResult:
    partitions = tuple(
        PartitionSummary(name, TEST.name, kind, 5, True, (), PartitionStatistics(5, 0.1))  # type: ignore[arg-type]
        for name in agents
    )
    return CrosscheckResult(agents, (TEST,), partitions, comparisons)


@pytest.mark.parametrize(
    ("comparisons", "verdict"),
    [
        ((AGREE,), "agree"),
        ((INCOMPLETE,), "incomplete"),
        ((DIFFER,), "differ"),
        ((AGREE, INCOMPLETE), "incomplete"),
        ((INCOMPLETE, DIFFER, AGREE), "differ"),
        ((replace(DIFFER, complete=False, reasons=("x",)),), "differ"),
    ],
)
def test_the_verdict_is_the_worst_of_all_pairs(comparisons: tuple[Comparison, ...], verdict: str) -> None:
    found = result(*comparisons)
    assert found.verdict == verdict
    assert found.complete == all(pair.complete for pair in comparisons)
    assert {pair_verdict(pair) for pair in comparisons} >= {verdict}


def test_an_incomplete_comparison_says_why_and_never_that_it_is_complete() -> None:
    reasons = tuple(f"reason {number}" for number in range(12))
    text = crosscheck_text(result(replace(INCOMPLETE, reasons=reasons)))
    assert text.startswith("INCOMPLETE a and b: no difference so far, but not every input was compared\n")
    assert text.count("  not complete: reason ") == 10
    assert "  and 2 more reasons\n" in text
    assert "complete: every input" not in text


@pytest.mark.parametrize(
    ("states", "cause", "words"),
    [
        ((True, True), True, "2 inconsistencies, confirmed"),
        ((True,), None, "1 inconsistency, 1 not replayed"),
        ((None, None), None, "2 inconsistencies, not replayed"),
        ((True, False), True, "2 inconsistencies, 1 NOT CONFIRMED: a replay gave another output"),
        ((True,), False, "1 inconsistency, 1 NOT CONFIRMED: a replay gave another output"),
    ],
)
def test_what_was_not_confirmed_is_said_loudly(states: tuple[bool | None, ...], cause: bool | None, words: str) -> None:
    found = [replace(INCONSISTENCY, confirmed=state) for state in states]
    assert confirmed_words(found, replace(CAUSE, confirmed=cause)) == words


def test_of_many_ways_to_differ_the_text_has_three() -> None:
    ways = "; ".join(f"a sends {number}, b does nothing" for number in range(5))
    text = crosscheck_text(result(replace(DIFFER, root_causes=(replace(CAUSE, difference=ways),))))
    assert (
        "     a sends 0, b does nothing; a sends 1, b does nothing; a sends 2, b does nothing; and 2 more ways" in text
    )
    document = json.loads(crosscheck_json(result(replace(DIFFER, root_causes=(replace(CAUSE, difference=ways),)))))
    assert document["root_causes"][0]["difference"] == ways


def test_the_number_of_tests_is_that_of_inputs_tried_if_there_is_a_black_box() -> None:
    assert number_of_tests(result(AGREE)) == 10
    mixed = result(AGREE)
    tried = replace(mixed.partitions[1], kind="inputs", classes=1000)
    assert number_of_tests(replace(mixed, partitions=(mixed.partitions[0], tried))) == 1000


@pytest.mark.parametrize(("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_names_are_listed(names: list[str], text: str) -> None:
    assert listed(names) == text


def test_the_same_result_gives_the_same_reports() -> None:
    found = result(DIFFER)
    for report in (crosscheck_text, crosscheck_json, crosscheck_html):
        assert report(found) == report(found)


# -- Names of strangers ------------------------------------------------------------------------------------------------

EVIL = "</style><script>alert('1')</script>\"\"\"'''\\"


class Tags(HTMLParser):
    """The tags of a page; it checks that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("count", [2, 3])
def test_html_is_well_formed_and_names_are_escaped(count: int) -> None:
    cause = replace(CAUSE, condition=EVIL, difference=EVIL)
    evil = replace(DIFFER, agents=(EVIL, "b"), complete=False, reasons=(EVIL,), root_causes=(cause,) * 4)
    view = CrosscheckView(True, {(0, 0): Path(EVIL)}, {"b": EVIL})
    page = crosscheck_html(result(*[evil] * (1 if count == 2 else 3), agents=(EVIL, "b", "c")[:count]), view)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in tags.seen
    assert page.count("<style>") == page.count("</style>") == 1


WITNESS = SwitchWitness(TEST, CASE.name, VALUES, (EVIL, "b"), OUTPUTS, EVIL)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [pair_test(WITNESS, (EVIL, "b")), expected_test(WITNESS, EVIL)], ids=["pair", "one"])
def test_a_pytest_file_is_python_in_which_names_stay_texts(text: str) -> None:
    tree = ast.parse(text)
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds[:3] == ["Expr", "ImportFrom", "Assign"]  # docstring, import, witness
    assert set(kinds[3:]) == {"Assign", "FunctionDef"}
    call = tree.body[2].value  # type: ignore[attr-defined]
    assert parse_witness(ast.literal_eval(call.args[0])) == WITNESS
    names = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    assert EVIL in {ast.literal_eval(value) for name, value in names.items() if name != "WITNESS"}
    assert max(map(len, text.splitlines()[:6])) <= 120


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("ovs-like", "ovs-like"),
        ("a/../../b.py:Class", "a-..-..-b.py-Class"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("\x1b[2J", "2J"),
        ("...", "unnamed"),
        ("x" * 100, "x" * 40),
    ],
)
def test_names_of_files_are_no_paths(name: str, part: str) -> None:
    assert file_name(name) == part


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a"], ["a", "a"]),
        (["a/b", "a:b"], ["a-b-1", "a-b-2"]),
        (["old/" + "x" * 40, "new/" + "x" * 40], ["x" * 40 + "-1", "x" * 40 + "-2"]),
    ],
)
def test_different_names_have_different_files(names: list[str], parts: list[str]) -> None:
    assert file_names(names) == parts


def test_json_lists_every_inconsistency_and_files_of_causes() -> None:
    view = CrosscheckView(False, {(0, 0): Path("found/cause.json")})
    document = json.loads(crosscheck_json(result(DIFFER), view))
    assert document["root_causes"][0]["witness_file"] == "found/cause.json"
    assert document["root_causes"][0]["inconsistencies"] == [0]
    assert len(document["inconsistencies"]) == 1
