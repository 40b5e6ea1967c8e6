"""Real apps that keep to one switch at a time are reduced by it, and what they lead to stays the same."""

from pathlib import Path
from typing import Any

import pytest

from sdnloom import Scenario, app_scenario
from sdnloom.engine.result import SearchOptions
from tests.reduction_comparison import compare

KNOWN = {"no_arp": True, "profile": "reference"}  # hosts know all addresses, and switches buffer packets


def line(ryu: Path, app: str, switches: int, **options: Any) -> Scenario:
    return app_scenario(f"ryu.app.{app}", path=[str(ryu)], topology=f"linear,{switches}", **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("app", "full"), [("simple_switch", 13_688), ("simple_switch_13", 8_262), ("simple_monitor_13", 8_262)]
)
def test_a_line_of_switches_comes_to_rest_in_the_same_states(ryu: Path, app: str, full: int) -> None:
    sizes = compare(line(ryu, app, 3, **KNOWN))
    assert sizes is not None
    assert sizes.full == full
    assert sizes.factor > 20


@pytest.mark.parametrize("app", ["simple_switch", "simple_switch_13"])
def test_a_line_comes_to_rest_in_the_same_states_when_hosts_resolve_addresses(ryu: Path, app: str) -> None:
    sizes = compare(line(ryu, app, 3))
    assert sizes is not None
    assert (sizes.full, sizes.reduced) == (2_027, 237)


def test_with_a_reduction_a_line_does_not_grow_beyond_reach(ryu: Path) -> None:
    transitions = []
    for switches in (2, 4, 6):
        scenario = line(ryu, "simple_switch_13", switches, **KNOWN)
        report = Scenario(scenario.network, scenario.program, (), SearchOptions(reduce=True)).check()
        transitions.append(report.result.statistics.transitions)
    two, four, six = transitions
    assert four < 3 * two
    assert six < 3 * four
