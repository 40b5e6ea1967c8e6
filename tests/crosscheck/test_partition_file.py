"""Partition files: written and read as an equal partition; anything else is refused with the reason, at little cost."""

import gzip
import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.exploration import explore_agent
from sdnloom.crosscheck.output import AgentEvent
from sdnloom.crosscheck.partition import BehaviourClass, Partition, PartitionStatistics
from sdnloom.crosscheck.partition_file import read_partition, write_partition
from sdnloom.crosscheck.partition_lines import PartitionFileError
from sdnloom.crosscheck.test_document import load_test, read_test
from sdnloom.symbolic.terms.constructors import const, eq, extract, ult, var, zero_extend
from tests.symbolic.core.recipes import build, truths

TEST = read_test(
    {
        "name": "file",
        "openflow": "1.0",
        "step": [{"message": "set_config", "flags": "symbolic", "miss_send_len": "symbolic"}],
    }
)
FLAGS, LENGTH = var("m1.flags", 16), var("m1.miss_send_len", 16)
DEFAULTS = TEST.cases[0].defaults()


def made(**changes: Any) -> Partition:
    """A small partition: two classes with an output of terms, bytes and text, and a crash."""
    small = ult(FLAGS, const(3, 16))
    fields = (("type", 3), ("length", zero_extend(LENGTH, 32)), ("text", "a\u00e9\U0001f600"), ("data", LENGTH))
    event = AgentEvent("Error", (*fields, ("body", b"\x00\xff")))
    classes = (
        BehaviourClass("test", {**DEFAULTS, "m1.flags": 1}, ((event,),), (small,)),
        BehaviourClass("test", {**DEFAULTS, "m1.flags": 3}, ((AgentEvent("crash", (), "why"),),), (eq_not(small),)),
    )
    found = Partition("own", TEST, "paths", classes, True, (), PartitionStatistics(2, 0.5, 0.25, 7))
    return replace(found, **changes)


def eq_not(term: Any) -> Any:
    return eq(term, eq(const(1, 1), const(0, 1)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_partition(made(), tmp_path / "own.jsonl")
    return tmp_path / "own.jsonl"


def refusal(file: Path) -> str:
    with pytest.raises(PartitionFileError) as caught:
        read_partition(file)
    assert str(caught.value).startswith(str(file))
    return str(caught.value)


@pytest.mark.parametrize(
    "partition",
    [
        made(),
        made(classes=(), complete=False, reasons=("the budget of 1 paths is used up", "another")),
        made(kind="inputs", complete=False, reasons=("a black box",), unseen=("frame", "PacketIn.data")),
    ],
)
def test_what_was_written_is_read(tmp_path: Path, partition: Partition) -> None:
    if partition.kind == "inputs":
        partition = replace(partition, classes=tuple(replace(each, condition=()) for each in partition.classes))
    write_partition(partition, tmp_path / "file")
    found = read_partition(tmp_path / "file")
    assert found == partition
    assert [event.note for each in found.classes for event in each.output[0]] == [
        event.note for each in partition.classes for event in each.output[0]
    ]


@pytest.mark.parametrize("test", ["set-config", "stats-request", "timeouts", "self-description"])
def test_what_was_explored_is_read(tmp_path: Path, test: str) -> None:
    partition = explore_agent(load_agent("ovs-like"), load_test(test))
    write_partition(partition, tmp_path / "file")
    found = read_partition(tmp_path / "file")
    assert found == partition
    assert found.complete


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(truths(3), max_size=4))
def test_conditions_of_any_shape_are_read(tmp_path: Path, recipes: list[Any]) -> None:
    """Variables of the recipes stand for bits of those of the test."""
    from sdnloom.symbolic.terms.evaluate import evaluate_term
    from sdnloom.symbolic.terms.node import postorder
    from sdnloom.symbolic.terms.substitute import substitute

    literals = []
    for recipe in recipes:
        term = build(recipe)
        bits = {node.args[0]: node.width for node in postorder(term) if node.op == "var"}
        term = substitute(
            term,
            {
                name: extract(FLAGS, width - 1, 0) if width <= 16 else zero_extend(LENGTH, width)
                for name, width in bits.items()
            },
        )
        literals.append(term if evaluate_term(term, DEFAULTS) else eq_not(term))
    partition = made(classes=(BehaviourClass("test", DEFAULTS, ((),), tuple(literals)),))
    write_partition(partition, tmp_path / "file")
    assert read_partition(tmp_path / "file") == partition


def test_classes_of_several_cases_keep_their_order(tmp_path: Path) -> None:
    several = read_test(
        {
            "name": "several",
            "openflow": "1.0",
            "case": [
                {"name": name, "step": [{"message": "raw", "header": {"type": 2}, "body": {"size": size}}]}
                for name, size in (("a", 2), ("b", 20))  # one variable in both, with other bits
            ],
        }
    )
    classes = []
    for name in ("a", "b", "a", "b", "b"):
        case = several.case(name)
        terms = [var(each.name, each.bits) for each in case.variables]
        condition = tuple(ult(term, const(9, term.width)) for term in terms)
        output = ((AgentEvent("frame", (("port", len(classes) % 2), ("data", terms[0]))),),)
        classes.append(BehaviourClass(name, case.defaults(), output, condition))
    partition = made(test=several, classes=tuple(classes))
    write_partition(partition, tmp_path / "file")
    assert read_partition(tmp_path / "file") == partition


def test_names_and_reasons_of_any_text_can_be_written(tmp_path: Path) -> None:
    odd = made(agent="a\nb\x00\udc80", complete=False, reasons=("x" * 20_000, "line\r\nline"))
    write_partition(odd, tmp_path / "file")
    found = read_partition(tmp_path / "file")
    assert (found.agent, found.reasons) == ("a b  ", ("x" * 10_000, "line  line"))


def test_a_file_is_replaced_when_the_new_one_is_whole(file: Path) -> None:
    before = file.read_text()
    broken = made(classes=(BehaviourClass("test", {}, ((),)),))  # no values: writing fails
    with pytest.raises(KeyError):
        write_partition(broken, file)
    assert file.read_text() == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PartitionFileError, match="cannot write the partition file: No such file"):
        write_partition(made(), tmp_path / "no" / "folder")
    with pytest.raises(PartitionFileError, match="cannot write the partition file"):
        write_partition(made(), tmp_path)


def test_every_cut_of_a_file_is_refused(file: Path) -> None:
    data = file.read_bytes()
    for size in range(0, len(data), 7):
        file.write_bytes(data[:size])
        refusal(file)
    lines = data.splitlines(keepends=True)
    for number in range(len(lines)):
        file.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
        refusal(file)
    file.write_bytes(data)
    assert read_partition(file) == made()


def test_every_changed_byte_is_refused_or_read(file: Path) -> None:
    """No byte of a file leads to anything but a partition or a reason."""
    data = file.read_bytes()
    for place in range(0, len(data), 2):
        other = data[place] ^ 1 if place % 4 else 0x22
        file.write_bytes(data[:place] + bytes((other,)) + data[place + 1 :])
        with suppress(PartitionFileError):
            read_partition(file)


def change(number: int, edit: Callable[[Any], None]) -> Callable[[list[str]], list[str]]:
    """A change of one line of the file, as JSON."""

    def changed(lines: list[str]) -> list[str]:
        document = json.loads(lines[number])
        edit(document)
        lines[number] = json.dumps(document)
        return lines

    return changed


def header(**items: Any) -> Callable[[list[str]], list[str]]:
    return change(0, lambda document: document.update(items))


def end(**items: Any) -> Callable[[list[str]], list[str]]:
    return change(-1, lambda document: document["end"].update(items))


def first_class(**items: Any) -> Callable[[list[str]], list[str]]:
    return change(4, lambda document: document["class"].update(items))


def terms(*texts: Any) -> Callable[[list[str]], list[str]]:
    return change(2, lambda document: document.update(terms=list(texts)))


def line(number: int, text: str) -> Callable[[list[str]], list[str]]:
    def changed(lines: list[str]) -> list[str]:
        lines[number] = text
        return lines

    return changed


def added(number: int, text: str) -> Callable[[list[str]], list[str]]:
    return lambda lines: [*lines[:number], text, *lines[number:]]


OUTPUT = [[{"kind": "frame", "fields": {"port": 1}}]]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (lambda lines: [], "the file is empty"),
        (lambda lines: ["{}"], "this is no partition file"),
        (lambda lines: ["[]"], "expected an object"),
        (lambda lines: ["5"], "expected an object"),
        (header(version=2), "version 2 of the format; this sdnloom reads version 1"),
        (header(version=True), "version True of the format"),
        (header(version="1"), "version '1' of the format"),
        (header(format="sdnloom-witness"), "this is no partition file"),
        (header(kind="code"), "kind: found 'code', expected one of paths, inputs"),
        (header(kind=["paths"]), "kind: found"),
        (header(agent=""), "agent: expected one line of text"),
        (header(agent="a\nb"), "agent: expected one line of text"),
        (header(agent="\ud800"), "agent: expected one line of text"),
        (header(agent="a" * 10_001), "agent: expected one line of text"),
        (header(agent=5), "agent: expected one line of text"),
        (header(unseen=["../../etc"]), "unseen: expected names"),
        (header(unseen="frame"), "unseen: expected a list of texts"),
        (header(test=5), "test: expected an object"),
        (header(test={"name": "x"}), "line 1: "),
        (header(more=1), "the header: found"),
        (line(0, '{"format":"sdnloom-partition","format":1}'), "an object has a key twice"),
        (line(1, '{"case":"other"}'), "case: found 'other', expected one of test"),
        (line(1, '{"case":["test"]}'), "case: found"),
        (lambda lines: [lines[0], *lines[2:]], "found 'terms', expected the line of a case first"),
        (line(1, "{}"), "found '', expected"),
        (line(1, '{"case":"test","more":1}'), "found 'case, more', expected one of"),
        (added(2, '{"import":"os"}'), "found 'import', expected one of case, terms, output, class, end"),
        (added(2, '{"terms":"$0"}'), "terms: expected a list of texts"),
        (added(2, '{"terms":[1]}'), "terms: expected a list of texts"),
        (terms("(bvult m1.flags #x0003"), "the term ends inside of 1 parentheses"),
        (terms("os.system"), "found 'os.system', expected a variable of the test"),
        (terms("$0"), "found '$0', expected a variable"),
        (terms("(_ bv1 1000000000)"), "1,000,000,000 bits"),
        (terms("m1.flags"), "condition: found a bit vector, expected truth values"),
        (terms("(= m1.flags #x0007)"), "the witness does not satisfy the condition"),
        (first_class(witness=[1]), "witness: expected a list of 2 numbers"),
        (first_class(witness={"m1.flags": 1}), "witness: expected a list of 2 numbers"),
        (first_class(witness=[1, 65536]), "witness: m1.miss_send_len is '65536', expected a number of 16 bits"),
        (first_class(witness=[1, -1]), "witness: m1.miss_send_len is '-1'"),
        (first_class(witness=[1, True]), "witness: m1.miss_send_len is 'True'"),
        (first_class(witness=[1, "7"]), "witness: m1.miss_send_len is '7'"),
        (first_class(witness=[1, 1.0]), "witness: m1.miss_send_len is '1.0'"),
        (first_class(output=2), "output: found '2', expected the number of an earlier output"),
        (first_class(output=-1), "output: found '-1'"),
        (first_class(output=None), "output: found 'None'"),
        (first_class(condition="true"), "condition: expected a list of texts"),
        (first_class(more=1), "class: found"),
        (line(4, '{"class":5}'), "class: expected an object"),
        (line(4, json.dumps({"output": []})), "line 5: output: no class has the output before"),
        (line(3, json.dumps({"output": 5})), "output: found '5', expected a list"),
        (change(3, lambda d: d["output"][0][0].update(kind="../x")), "expected the name of a message"),
        (change(3, lambda d: d["output"][0][0].update(fields={"a b": 1})), "expected the name of a field"),
        (change(3, lambda d: d["output"][0][0].update(fields={"a": {"term": "true"}})), "expected a bit vector"),
        (
            change(3, lambda d: d["output"][0][0].update(fields={"data": {"term": "((_ extract 2 0) m1.flags)"}})),
            "expected whole octets",
        ),
        (change(3, lambda d: d["output"][0][0].update(fields={"a": {"term": "z"}})), "expected a variable"),
        (change(3, lambda d: d["output"][0][0].update(fields={"a": 1 << 200})), "a number of 201 bits"),
        (change(3, lambda d: d["output"][0][0].update(fields={"a": None})), "expected a number, a text or hex"),
        (end(classes=1), "the file has 2 classes, its end says 1"),
        (end(classes=2.0), "the file has 2 classes, its end says 2.0"),
        (end(complete=False), "a partition is complete if there is no reason why not"),
        (end(complete=1), "a partition is complete if there is no reason why not"),
        (end(reasons=["why"]), "a partition is complete if there is no reason why not"),
        (end(reasons=[5], complete=False), "reasons: expected a list of texts"),
        (end(reasons=["r"] * 1001, complete=False), "1,001 reasons"),
        (end(statistics={}), "statistics: found"),
        (end(statistics={"runs": -1, "seconds": 0, "solver_seconds": 0, "checked": 0}), "statistics: runs is '-1'"),
        (end(statistics={"runs": 1.5, "seconds": 0, "solver_seconds": 0, "checked": 0}), "runs is '1.5'"),
        (end(statistics={"runs": 1, "seconds": "1", "solver_seconds": 0, "checked": 0}), "seconds is '1'"),
        (line(-1, '{"end":5}'), "end: expected an object"),
        (lambda lines: [*lines, lines[-1]], "there are lines behind the end"),
        (lambda lines: [*lines, ""], "not a line of JSON"),
        (lambda lines: lines[:-1], "the file is cut off: it has no line with its end"),
        (end(statistics={"runs": float("nan"), "seconds": 0, "solver_seconds": 0, "checked": 0}), "NaN is no number"),
        (line(1, '{"case":' + "9" * 5_000 + "}"), "not a line of JSON"),
        (line(1, '{"case":1.' + "0" * 50 + "}"), "a number of more than 40 characters"),
        (line(1, "[" * 100_000), "nested too deeply"),
        (line(1, "[" * 900 + "]" * 900), "expected an object"),
    ],
)
def test_a_changed_file_is_refused_with_the_reason(
    file: Path, changed: Callable[[list[str]], list[str]], reason: str
) -> None:
    lines = changed(file.read_text().splitlines())
    file.write_text("".join(f"{line}\n" for line in lines))
    assert reason in refusal(file)


def test_other_files_are_refused(tmp_path: Path, file: Path) -> None:
    assert "found a directory" in refusal(tmp_path)
    assert "No such file" in refusal(tmp_path / "nothing")
    assert "found a device or pipe" in refusal(Path("/dev/zero"))
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert "line 1: the file is compressed" in refusal(packed)
    packed.write_bytes(b"\xff\xfe" + file.read_bytes())
    assert "not a line of JSON" in refusal(packed)
    packed.write_bytes(bytes(100))
    assert "cut off" in refusal(packed)


def hostile_lines() -> dict[str, str]:
    keys = ",".join(f'"k{number}":0' for number in range(50_000))
    return {
        "keys": "{" + keys + "}",
        "lists": '{"terms":[' + ",".join(["[]"] * 500_001) + "]}",
        "values": '{"terms":[' + ",".join(["0"] * 100_000) + "]}",
        "wide": json.dumps({"terms": ["((_ zero_extend 65000) m1.flags)"] * 18_000}),
        "doubled": json.dumps({"terms": ["m1.flags", *(f"(concat ${n} ${n})" for n in range(60))]}),
        "longer": json.dumps({"terms": ["m1.flags", *(f"(concat ${n} m1.flags)" for n in range(1_500))]}),
        "open": json.dumps({"terms": ["(" * 100_000]}),
        "text": '{"case":"' + "x" * 1_000_000 + '"}',
    }


@pytest.mark.parametrize("name", sorted(hostile_lines()))
def test_a_hostile_line_costs_little_memory(file: Path, name: str) -> None:
    lines = file.read_text().splitlines()
    file.write_text("".join(f"{each}\n" for each in [*lines[:2], hostile_lines()[name]]))
    tracemalloc.start()
    try:
        refusal(file)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 60 * file.stat().st_size + 30_000_000  # a reader's budget of terms


def test_a_line_has_a_largest_number_of_values(file: Path) -> None:
    """A list of empty lists is read into twenty times its size."""
    lines = file.read_text().splitlines()
    file.write_text("".join(f"{each}\n" for each in [*lines[:2], hostile_lines()["lists"]]))
    assert "line 3: a line of more than 1,000,000 values" in refusal(file)


def test_a_line_and_a_file_have_a_largest_size(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.crosscheck.partition_lines._MOST_LINE", 100)
    assert "a line of more than 100 bytes" in refusal(file)
    monkeypatch.setattr("sdnloom.crosscheck.partition_file._MOST_BYTES", 100)
    assert "bytes; expected at most 100" in refusal(file)


def test_the_number_of_classes_and_the_work_of_checking_them_have_limits(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("sdnloom.crosscheck.partition_lines._MOST_CLASSES", 1)
        assert "more than 1 classes" in refusal(file)
    monkeypatch.setattr("sdnloom.crosscheck.partition_lines._MOST_STEPS", 4)
    assert "the conditions are too large to be checked" in refusal(file)
