"""Strategies together with discovery: their counterexamples replay, and the verdict names what they skip."""

import json
from typing import NamedTuple

import pytest

from tests.cli.running import CommandLine
from tests.examples.expected import EXAMPLES


class Found(NamedTuple):
    """Steps to the violation, states and transitions of the whole search, for the defect and for its correction."""

    steps: int
    states: int
    transitions: int
    cured_states: int
    cured_transitions: int


DEFECT, CURE = EXAMPLES / "mac_learning_osken/bug3.toml", EXAMPLES / "mac_learning_osken/bug3_fixed.toml"
FOUND = {
    "no-delay": Found(14, 331, 358, 295, 1016),
    "unusual": Found(14, 303, 405, 211, 772),
    "flow-ir": Found(14, 576, 1039, 355, 1688),
    "no-delay,flow-ir": Found(14, 331, 358, 295, 1016),
}
SKIPPED = {
    "no-delay": "the strategy NO-DELAY skips delays of messages between controller and switches",
    "unusual": "the strategy UNUSUAL skips orders in which the controller's messages arrive in time and in order",
    "flow-ir": "the strategy FLOW-IR skips orders in which packets of different flows overlap",
}
DISCOVERED = [f"ethernet eth.dst={each}" for each in ("02:ff:00:00:00:fe", "ff:ff:ff:ff:ff:ff", "h2", "h3")]


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "engine"), [*((each, "loop") for each in FOUND), ("no-delay,flow-ir", "kernel")])
def test_a_defect_is_found_with_discovered_packets_and_its_trace_replays(
    sdnloom: CommandLine, strategy: str, engine: str
) -> None:
    run = sdnloom("check", DEFECT, *given(strategy), "--engine", engine, "--format", "json")
    found = json.loads(run.out)
    assert (run.code, found["verdict"], found["property"]) == (1, "violated", "NoForwardingLoops")
    (violation,) = found["violations"]
    size = violation["steps"], found["states"], found["transitions"]
    assert size == FOUND[strategy][:3]
    assert sorted(found["discovery"]["packets"]["h1 at s1:1"]) == DISCOVERED
    replayed = sdnloom("replay", violation["trace"])
    assert (replayed.code, replayed.out.splitlines()[0]) == (1, f"CONFIRMED NoForwardingLoops: {violation['message']}")


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["no-delay", "unusual", "flow-ir"])
def test_a_search_that_finds_nothing_is_incomplete_and_names_what_it_skips(sdnloom: CommandLine, strategy: str) -> None:
    run = sdnloom("check", CURE, *given(strategy), "--format", "json")
    found = json.loads(run.out)
    assert (run.code, found["verdict"]) == (3, "incomplete")
    assert (found["states"], found["transitions"]) == FOUND[strategy][3:]
    assert found["bounds"][-1] == f"searched in part: {'; '.join(SKIPPED[one] for one in strategy.split(','))}"


def given(strategy: str) -> list[str]:
    flows = ["--same-flow", "same_connection"] if "flow-ir" in strategy else []
    return ["--discover-only", "--strategy", strategy, *flows]
