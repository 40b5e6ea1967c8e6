"""Outputs without what an agent cannot show."""

from sdnloom.crosscheck.output import FRAME, AgentEvent, seen_output

FRAMES = ((AgentEvent(FRAME, (("port", 2), ("data", b"x"))), AgentEvent("Error", (("type", 1), ("data", b"y")))), ())


def test_everything_is_seen_unless_something_is_not() -> None:
    assert seen_output(FRAMES, ()) == FRAMES


def test_a_kind_of_events_that_is_not_seen_is_left_out() -> None:
    assert seen_output(FRAMES, ("frame",)) == ((FRAMES[0][1],), ())


def test_a_field_that_is_not_seen_is_left_out_of_its_kind_alone() -> None:
    assert seen_output(FRAMES, ("frame.data",)) == ((AgentEvent(FRAME, (("port", 2),)), FRAMES[0][1]), ())


def test_a_field_of_list_elements_is_named_without_a_number() -> None:
    reply = AgentEvent("PortStatsReply", (("ports.count", 1), ("ports[0].port_no", 1), ("ports[0].tx_packets", 7)))
    seen = AgentEvent("PortStatsReply", (("ports.count", 1), ("ports[0].port_no", 1)))
    assert seen_output(((reply,),), ("PortStatsReply.ports.tx_packets",)) == ((seen,),)
