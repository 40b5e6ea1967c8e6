"""Tests of a controller: every order of events in small networks, within seconds. Run: pytest examples/pytest"""

from pathlib import Path

import pytest

from sdnloom import Scenario, app_scenario, load_scenario, report_text

HERE = Path(__file__).parent
APP = HERE.parent / "apps" / "learning_switch_fixed.py"


def assert_holds(scenario: Scenario) -> None:
    report = scenario.check()
    assert report.verdict == "holds", report_text(report)


@pytest.mark.parametrize("topology", ["single,2", "linear,2", "tree,2,2"])
def test_every_ping_arrives(topology: str) -> None:
    assert_holds(app_scenario(APP, topology=topology))


def test_no_packet_makes_a_handler_raise() -> None:
    scenario = app_scenario(APP, topology="single,2", properties=["NoHandlerException"])
    assert_holds(scenario.discovering())


def test_nothing_is_lost_for_good_when_a_link_fails() -> None:
    assert_holds(load_scenario(HERE / "failing_link.toml"))


@pytest.mark.xfail(reason="the switch knows no spanning tree", raises=AssertionError, strict=True)
def test_no_packet_goes_round() -> None:
    assert_holds(app_scenario(APP, topology="ring,3"))
