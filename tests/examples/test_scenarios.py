"""The three applications for os-ken: the thirteen published defects are found, and their corrections hold."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom import load_scenario
from tests.check.test_reduction import SCENARIOS
from tests.cli.running import CommandLine
from tests.examples.expected import BUGS, EXAMPLES, EXPECTED, FAULTS, FOLDERS

LIMIT = ("--max-states", 200_000)  # a state space that has become endless fails, and does not hang


def file_of(name: str) -> Path:
    return EXAMPLES / f"{name}.toml"


def test_every_scenario_has_an_expected_verdict() -> None:
    files = [file for folder in FOLDERS for file in (EXAMPLES / folder).glob("*.toml")]
    found = {f"{file.parent.name}/{file.stem}" for file in files if not file.name.endswith(".part.toml")}
    assert found == EXPECTED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_scenario_has_the_expected_verdict_and_counts_and_its_trace_replays(sdnloom: CommandLine, name: str) -> None:
    expected = EXPECTED[name]
    run = sdnloom("check", file_of(name), "--format", "json", *LIMIT)
    found = json.loads(run.out)
    assert run.code == {"holds": 0, "violated": 1}[expected.verdict]
    assert (found["verdict"], found["property"]) == (expected.verdict, expected.property)
    assert (found["states"], found["transitions"]) == (expected.states, expected.transitions)
    for violation in found["violations"]:
        assert (violation["steps"], violation["shortest"]) == (expected.steps, True)
        replayed = sdnloom("replay", violation["trace"])
        assert replayed.code == 1
        assert replayed.out.startswith(f"CONFIRMED {violation['property']}: {violation['message']}\n")


# -- the thirteen defects ------------------------------------------------------------------------------------------

PUBLISHED = {  # defect -> the properties that the paper names
    "I": {"NoBlackHoles", "NoBlackHolesMobile"},
    "II": {"StrictDirectPaths"},
    "III": {"NoForwardingLoops"},
    **{bug: {"NoForgottenPackets"} for bug in ("IV", "V", "VI", "VII", "VIII", "XI", "XIII")},
    "IX": {"FlowAffinity"},
    "X": {"NoForgottenPackets", "NoBlackHoles"},
    "XII": {"UseCorrectRoutingTable"},
}


@pytest.mark.parametrize("bug", BUGS)
def test_the_defect_violates_a_property_that_the_paper_names(bug: str) -> None:
    assert EXPECTED[BUGS[bug][0]].property in PUBLISHED[bug]


def properties_of(name: str) -> list[str]:
    return [one.name for one in load_scenario(file_of(name)).system().properties]


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_cure_holds_for_the_same_properties(bug: str) -> None:
    defect, corrections = BUGS[bug]
    assert properties_of(corrections[0]) == properties_of(defect)
    assert {EXPECTED[correction].verdict for correction in corrections} == {"holds"}


def test_half_cures_do_not_hold() -> None:
    halves = (
        "mac_learning_osken/bug1_hard_timeout_transient",
        "mac_learning_osken/bug2_reverse_second",
        "traffic_engineering/bug11_reversed",
    )
    assert [EXPECTED[name].verdict for name in halves] == ["violated"] * 3


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_changes_the_verdict_and_nothing_else_differs(fault: str) -> None:
    without, faulty = (load_scenario(file_of(name)) for name in FAULTS[fault])
    cured = replace(faulty.network, link_faults=(), switch_faults=())
    assert cured == without.network
    assert faulty.code == without.code
    assert [EXPECTED[name].verdict for name in FAULTS[fault]] == ["holds", "violated"]


# -- reduction -----------------------------------------------------------------------------------------------------

# check/test_reduction.py compares violated properties and quiescent states of most scenarios. Here are the others, and
# of each app one that does not hold and one that does, as a user checks them.
REDUCED = [name for name in EXPECTED if name not in SCENARIOS] + [
    "mac_learning_osken/bug2",
    "mac_learning_osken/bug2_fixed",
    "load_balancer/bug9",
    "load_balancer/bug7_fixed",
    "traffic_engineering/bug12",
    "traffic_engineering/bug13_fixed",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", REDUCED)
def test_a_reduction_changes_no_verdict_and_what_holds_is_not_vacuous(name: str) -> None:
    scenario = load_scenario(file_of(name))
    report = replace(scenario, options=replace(scenario.options, reduce=True)).check()
    assert report.verdict == EXPECTED[name].verdict
    if report.verdict == "holds":
        assert report.result.incomplete is None
        assert report.result.never == ()
        assert report.result.statistics.states <= EXPECTED[name].states
