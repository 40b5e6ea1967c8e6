"""The tables of differences and modifications say what the agents do."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sdnloom.crosscheck.agents.compact.differences import CATEGORIES, DIFFERENCES, DIFFERENCES13, DifferenceRow
from sdnloom.crosscheck.agents.compact.modifications import MODIFICATIONS, Modification
from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.output import CRASH, AgentOutput
from sdnloom.crosscheck.test_document import built_in_tests, load_test

PAGE = Path(__file__).parents[3] / "docs" / "crosscheck-agents.md"
EXAMPLES: Mapping[str, tuple[str, Mapping[str, int]]] = {
    "hello": ("test", {}),
    "timeout": ("test", {"m1.idle_timeout": 1, "m1.flags": 1}),
    "ingress": ("untagged", {"m1.in_port": 0}),
    "long-time": ("test", {"m1.hard_timeout": 0x8000}),
    "miss-length": ("test", {"m1.miss_send_len": 0}),
    "port-zero": ("port_body", {"m1.body": 0}),
    "advertise": ("test", {"m1.advertise": 1}),
}


def output_of(agent: str, test: str, case: str, values: Mapping[str, int]) -> AgentOutput:
    document = load_test(test)
    chosen = document.case(case)
    with load_agent(agent).open(document.version) as opened:
        return run_case(opened, chosen, document.version, {**chosen.defaults(), **values})


def crashes(output: AgentOutput) -> bool:
    return any(event.kind == CRASH for step in output for event in step)


@pytest.mark.parametrize("row", [*DIFFERENCES, *DIFFERENCES13], ids=lambda row: f"{row.test}-{row.name}")
def test_a_row_of_the_table_is_a_difference(row: DifferenceRow) -> None:
    reference, ovs = (output_of(name, row.test, row.case, dict(row.values)) for name in ("reference-like", "ovs-like"))
    assert reference != ovs
    assert (crashes(reference), crashes(ovs)) == (row.crashes, False)


def test_the_table_has_every_category_of_soft_and_three_crashes() -> None:
    assert {row.category for row in DIFFERENCES} == set(CATEGORIES)
    assert sum(row.crashes for row in DIFFERENCES) == 3
    assert len({row.name for row in DIFFERENCES}) == len(DIFFERENCES) == 28
    assert len({row.name for row in DIFFERENCES13}) == len(DIFFERENCES13) == 11


def test_harmless_inputs_show_no_difference_but_in_what_the_agents_say_of_themselves_and_in_vendor_statistics() -> None:
    different = set()
    for name in built_in_tests():
        test = load_test(name)
        for case in test.cases:
            if output_of("reference-like", name, case.name, {}) != output_of("ovs-like", name, case.name, {}):
                different.add((name, case.name))
    itself = {("self-description", case) for case in ("features", "description", "tables")}
    with_features = {("concrete", "test"), ("port-mod", "test")}
    assert different == itself | with_features | {("stats-request", "no_body"), ("stats-request", "vendor_body")}


@pytest.mark.parametrize("row", MODIFICATIONS.values(), ids=lambda row: row.name)
def test_a_modification_shows_in_its_test_alone_and_with_the_others(row: Modification) -> None:
    case, values = EXAMPLES[row.name]
    reference, alone, together = (
        output_of(agent, row.test, case, values) for agent in ("reference-like", f"modified:{row.name}", "modified")
    )
    assert reference != alone == together
    if row.name != "hello":
        assert output_of("modified", row.test, case, {}) == output_of("reference-like", row.test, case, {})


def test_there_are_seven_modifications_of_different_behaviours() -> None:
    assert len(MODIFICATIONS) == len({row.change[0] for row in MODIFICATIONS.values()}) == 7
    assert {row.test for row in MODIFICATIONS.values()} >= {"hello", "timeouts"}


def test_the_page_shows_both_tables_and_the_example() -> None:
    lines = PAGE.read_text().splitlines()
    rows = [f"| `{row.name}` | {row.message} | {row.fields} | {row.reference} | {row.ovs} |" for row in DIFFERENCES] + [
        f"| `{row.name}` | {row.message} | {row.field} | {row.reference} | {row.modified} | {row.test} |"
        for row in MODIFICATIONS.values()
    ]
    assert [line for line in lines if line.startswith("| `") and line.count("|") in (6, 7)] == rows
    assert f"{', '.join(f'`{row.name}`' for row in DIFFERENCES13)}." in " ".join(lines)
    example = (PAGE.parents[1] / "examples" / "crosscheck" / "tiny_switch.py").read_text()
    assert f"```python\n{example}```\n" in PAGE.read_text()
