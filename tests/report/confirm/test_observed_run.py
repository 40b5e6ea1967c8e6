"""The observed run as captures and as a trace: everything that was sent, once, where and when it was sent."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.confirm.outcome import Confirmation, Contrast, SentBytes
from sdnloom.engine.model import Event
from sdnloom.network import events
from sdnloom.network.openflow import V10, Error, PacketOut, encode
from sdnloom.network.packet import decode
from sdnloom.network.packet.headers import Tcp
from sdnloom.network.topology import SwitchPort
from sdnloom.report.confirm.captures import run_captures
from sdnloom.report.confirm.observed_trace import observed_finding, observed_transitions
from sdnloom.report.pcapng import INBOUND, OUTBOUND
from tests.report.confirm.made_runs import (
    BEGAN,
    agreed,
    checked,
    confirmed,
    different,
    finding,
    not_possible,
    observed,
    transitions,
)
from tests.report.crosscheck.test_pcapng import Packet, read


def captures(made: Confirmation) -> dict[str, list[Packet]]:
    return {name: read(data) for name, data in run_captures(made, checked().scenario.network.topology).items()}


def messages(packets: list[Packet]) -> list[tuple[bytes, int, int]]:
    """What was sent in the connection, in which direction, and when in milliseconds since the start."""
    found = [(decode(packet.data), packet) for packet in packets]
    return [
        (inner.payload, packet.direction, round(packet.microseconds / 1000 - BEGAN * 1000))
        for inner, packet in found
        if inner.payload and isinstance(inner.headers[2], Tcp)
    ]


def test_there_is_one_capture_for_each_connection_link_and_host_with_every_message_once() -> None:
    found = captures(confirmed())
    assert {*found} == {
        "s1-controller.pcapng",
        "s2-controller.pcapng",
        "h1-s1_1.pcapng",
        "s1_2-s2_2.pcapng",
        "h2-s2_1.pcapng",
    }
    [up], [down] = observed(2).sent, observed(3).sent
    assert messages(found["s1-controller.pcapng"]) == [(up.data, OUTBOUND, 500), (down.data, INBOUND, 750)]
    [frame] = found["s1_2-s2_2.pcapng"]
    [sent] = observed(4).sent
    assert (frame.interface, frame.data, frame.direction) == ("s1:2 - s2:2", sent.data, OUTBOUND)
    assert frame.microseconds == round((BEGAN + 1) * 1_000_000) + 1
    assert frame.comment == "step 4: s1: obeys PacketOut of step 3 -> out 2"
    [to_host], [of_host] = found["h2-s2_1.pcapng"], found["h1-s1_1.pcapng"]
    assert (to_host.interface, to_host.direction) == ("h2 - s2:1", INBOUND)
    assert (of_host.interface, of_host.direction, of_host.data) == ("h1 - s1:1", OUTBOUND, sent.data)


def test_the_other_direction_of_a_link_and_a_port_that_leads_nowhere_are_captured() -> None:
    frame = observed(4).sent[0].data
    back = replace(observed(1), sent=(SentBytes("s1.in", frame, SwitchPort("s2", 2)),))
    nowhere = replace(observed(2), sent=(SentBytes("", frame, SwitchPort("s2", 7)),))
    found = captures(replace(confirmed(), steps=(back, nowhere)))
    assert [each.direction for each in found["s1_2-s2_2.pcapng"]] == [INBOUND]
    assert [each.interface for each in found["s2_7.pcapng"]] == ["s2:7"]


PORTS = [SwitchPort("s1", 1), SwitchPort("s1", 2), SwitchPort("s2", 2), SwitchPort("s2", 9)]
SENT = st.one_of(
    st.builds(SentBytes, st.sampled_from(["s1.up", "s1.of", "s2.up", "s2.of"]), st.binary(max_size=3000)),
    st.builds(SentBytes, st.just(""), st.binary(min_size=1, max_size=60), st.sampled_from(PORTS)),
)


@given(st.lists(st.tuples(st.lists(SENT, max_size=4), st.floats(0, 2)), max_size=6))
def test_whatever_is_sent_is_captured_once_in_order(given_steps: list[tuple[list[SentBytes], float]]) -> None:
    steps, now = [], 0.0
    for sent, later in given_steps:
        now += later
        steps.append(replace(observed(2), sent=tuple(sent), seconds=now))
    found = captures(replace(confirmed(), steps=tuple(steps)))
    everything = [each for sent, _ in given_steps for each in sent]
    for switch in ("s1", "s2"):
        packets = found[f"{switch}-controller.pcapng"]
        for channel, direction in ((f"{switch}.up", OUTBOUND), (f"{switch}.of", INBOUND)):
            stream = b"".join(decode(each.data).payload for each in packets if each.direction == direction)
            assert stream == b"".join(each.data for each in everything if each.channel == channel)
    frames = {name: packets for name, packets in found.items() if "controller" not in name}
    wires = {"h1-s1_1": PORTS[:1], "s1_2-s2_2": PORTS[1:3], "s2_9": PORTS[3:]}
    for name, ports in wires.items():
        sent_here = [each.data for each in everything if each.port in ports]
        assert [each.data for each in frames.pop(f"{name}.pcapng", [])] == sent_here
    assert frames == {}
    times = [each.microseconds for packets in found.values() for each in packets]
    assert all(BEGAN * 1e6 <= time <= (BEGAN + now) * 1e6 + 100 for time in times)


def test_wireshark_reads_a_connection_and_finds_no_mistake(tmp_path: Path, need_tool: Callable[[str], None]) -> None:
    need_tool("tshark")
    data = run_captures(confirmed(), checked().scenario.network.topology)["s1-controller.pcapng"]
    (tmp_path / "a.pcapng").write_bytes(data)
    fields = ("frame.time_epoch", "openflow_1_0.type", "tcp.analysis.flags", "tcp.checksum.status")
    run = subprocess.run(
        ["tshark", "-r", "a.pcapng", "-o", "tcp.check_checksum:TRUE", "-T", "fields"]
        + [part for name in fields for part in ("-e", name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    assert [(row[0][:14], row[1]) for row in rows if row[1]] == [("1700000000.500", "10"), ("1700000000.750", "13")]
    assert {(row[2], row[3]) for row in rows} == {("", "1")}


def test_the_trace_of_a_confirmed_run_has_the_events_of_the_model_and_the_finding() -> None:
    assert observed_transitions(confirmed()) == list(transitions())
    assert observed_finding(confirmed()) == finding()
    assert observed_finding(agreed()) is None


def test_the_trace_of_a_run_that_ended_early_has_the_steps_that_were_taken_and_no_finding() -> None:
    assert observed_transitions(not_possible(4)) == list(transitions()[:3])
    assert observed_finding(not_possible(4)) is None


def with_sent(number: int, *sent: SentBytes) -> tuple[Event, ...]:
    """The events of a step that differs because it sent this."""
    made = different(number, Contrast("", "", ""))
    assert made.difference is not None
    step = replace(made.difference.step, sent=sent, raised=(), answers=())
    made = replace(made, steps=(*made.steps[:-1], step), difference=replace(made.difference, step=step))
    assert observed_finding(made) is None
    return observed_transitions(made)[-1].events


def test_the_step_that_differs_has_the_events_that_were_observed() -> None:
    frame = observed(4).sent[0].data
    applied = [event for event in transitions()[3].events if isinstance(event, events.MessageApplied)]
    assert with_sent(4, SentBytes("s2.in", frame, SwitchPort("s1", 3))) == (
        *applied,
        events.Forwarded("s1", 3, decode(frame)),
    )
    refused = SentBytes("s1.up", encode(Error("bad_action", "bad_out_port"), V10))
    assert with_sent(4, refused) == (*applied, events.MessageRefused("s1", "bad_action", "bad_out_port"))
    sent = PacketOut(data=frame, in_port=1)
    handled = transitions()[2].events[0]
    assert with_sent(3, SentBytes("s1.of", encode(sent, V10))) == (handled, events.MessageSent("s1", sent))
    other = SentBytes("s1.up", b"\x01\x02")
    assert with_sent(2, observed(2).sent[0], other)[-1] == events.ToController("s1", 1, decode(frame))


def test_exceptions_and_answers_are_events_of_the_step_that_differs() -> None:
    *_, raised, answered = observed_transitions(different(3, Contrast("", "", "")))[-1].events
    assert raised == events.HandlerRaised("", "the app", "apps/hub.py", 12, "KeyError: 5")
    assert answered == events.CallAnswered("PUT /x", 404, "no such thing")
