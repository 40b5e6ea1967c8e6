"""The scenarios in `examples/`, run through the real command line: verdicts, exact counts, traces that replay."""

import json
from pathlib import Path

import pytest

from tests.cli.running import CommandLine

EXAMPLES = Path(__file__).parents[2] / "examples"

# Scenario -> verdict, steps of the shortest counterexample, states, transitions.
EXPECTED = {
    "mac_learning/bug1": ("violated", 25, 5674, 12988),
    "mac_learning/bug1_persistent": ("violated", 21, 1865, 4107),
    "mac_learning/bug1_hard_timeout": ("holds", None, 6117, 15809),
    "mac_learning/bug1_hard_timeout_transient": ("violated", 25, 6103, 13636),
    "mac_learning/bug1_fixed": ("holds", None, 15109, 39075),
    "mac_learning/bug2": ("violated", 18, 561, 1164),
    "mac_learning/bug2_reverse_second": ("violated", 18, 629, 1303),
    "mac_learning/bug2_fixed": ("holds", None, 8794, 20994),
    "mac_learning/bug3": ("violated", 14, 611, 1292),
    "mac_learning/bug3_mininet": ("violated", 14, 611, 1292),
    "mac_learning/bug3_fixed": ("holds", None, 4765, 14310),
}
LIMIT = ("--max-states", 100_000)  # a state space that has become endless fails, and does not hang


def test_every_scenario_has_an_expected_verdict() -> None:
    files = [file for file in EXAMPLES.glob("mac_learning/*.toml") if not file.name.endswith(".part.toml")]
    assert {str(file.relative_to(EXAMPLES).with_suffix("")) for file in files} == EXPECTED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_example_has_the_expected_verdict_and_counts(sdnloom: CommandLine, name: str) -> None:
    verdict, steps, states, transitions = EXPECTED[name]
    run = sdnloom("check", EXAMPLES / f"{name}.toml", "--format", "json", *LIMIT)
    found = json.loads(run.out)
    assert run.code == {"holds": 0, "violated": 1}[verdict]
    assert (found["verdict"], found["states"], found["transitions"]) == (verdict, states, transitions)
    if verdict == "violated":
        [violation] = found["violations"]
        assert (violation["steps"], violation["shortest"]) == (steps, True)
        replayed = sdnloom("replay", violation["trace"])
        assert replayed.code == 1
        assert replayed.out.startswith(f"CONFIRMED {violation['property']}: {violation['message']}\n")


# tests/check/test_reduction.py compares the others state by state.
@pytest.mark.parametrize("name", ["mac_learning/bug2", "mac_learning/bug3", "mac_learning/bug3_mininet"])
def test_a_reduction_changes_no_verdict(sdnloom: CommandLine, name: str) -> None:
    found = json.loads(
        sdnloom("check", EXAMPLES / f"{name}.toml", "--format", "json", "--reduce", "--no-trace", *LIMIT).out
    )
    verdict, _, states, _ = EXPECTED[name]
    assert found["verdict"] == verdict
    assert verdict == "violated" or found["states"] <= states


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name][0] == "holds"])
def test_what_holds_is_not_vacuous(sdnloom: CommandLine, name: str) -> None:
    out = sdnloom("check", EXAMPLES / f"{name}.toml").out
    assert "seen: sometimes " in out
    assert "NEVER SEEN" not in out
