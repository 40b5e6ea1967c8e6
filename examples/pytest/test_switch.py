"""Tests of a controller: every order of events in small networks, within seconds. Run: pytest examples/pytest"""

import pytest

from sdnloom import SdnloomFixture

pytestmark = pytest.mark.sdnloom(app="../apps/learning_switch_fixed.py", time_limit=60)  # of every check below


@pytest.mark.parametrize("topology", ["single,2", "linear,2", "tree,2,2"])
def test_every_ping_arrives(sdnloom: SdnloomFixture, topology: str) -> None:
    sdnloom.check(topology=topology)


def test_no_packet_makes_a_handler_raise(sdnloom: SdnloomFixture) -> None:
    sdnloom.check(topology="single,2", properties=["NoHandlerException"], discover=True)


def test_nothing_is_lost_for_good_when_a_link_fails(sdnloom: SdnloomFixture) -> None:
    report = sdnloom.check("failing_link.toml")
    assert "link s1:2-s2:2 fails at most once" in report.bounds


@pytest.mark.xfail(reason="the switch knows no spanning tree", strict=True)
def test_no_packet_goes_round(sdnloom: SdnloomFixture) -> None:
    sdnloom.check(topology="ring,3")
