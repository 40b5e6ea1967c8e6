"""The MAC-learning switch for NOX: the three published defects are found and their cures hold, state by state as in
the same switch written in plain Python."""

from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom.check.load import load_scenario
from sdnloom.engine.result import Holds, Violated
from sdnloom.engine.search import search
from tests.cli.running import CommandLine

EXAMPLES = Path(__file__).parents[3] / "examples"
# Scenario -> states, transitions, length of the shortest counterexample (None: it holds).
EXPECTED = {
    "bug1": (5674, 12988, 25),
    "bug1_fixed": (15109, 39075, None),
    "bug2": (561, 1164, 18),
    "bug2_fixed": (8794, 20994, None),
    "bug3": (611, 1292, 14),
    "bug3_fixed": (4765, 14310, None),
}


def run(example, name, engine):
    scenario = load_scenario(EXAMPLES / example / f"{name}.toml")
    result = search(scenario.system(), replace(scenario.options, engine=engine))
    found = result.verdict
    assert isinstance(found, Holds | Violated)
    length = len(found.counterexample.path) if isinstance(found, Violated) else None
    return result.statistics.states, result.statistics.transitions, length


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["loop", "kernel"])
@pytest.mark.parametrize("name", EXPECTED)
def test_the_verdict_and_the_size_of_the_search_are_exact(name, engine):
    assert run("mac_learning_nox", name, engine) == EXPECTED[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_the_same_switch_in_plain_python_has_as_many_states(name):
    assert run("mac_learning", name, "loop") == EXPECTED[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_a_scenario_says_what_is_wrong_and_replays_it(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    broken = EXPECTED[name][2] is not None
    sdnloom = CommandLine(monkeypatch, capsys)
    found = sdnloom("check", EXAMPLES / "mac_learning_nox" / f"{name}.toml")
    assert found.code == int(broken)
    assert found.out.startswith("VIOLATED" if broken else "HOLDS")
    traces = list(tmp_path.glob("*.sdnloom-trace.json"))
    assert len(traces) == int(broken)
    for trace in traces:
        assert sdnloom("replay", trace).code == 1
