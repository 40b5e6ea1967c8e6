"""Normalisation: what counts, and that symbolic messages have the fields of concrete ones."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.crosscheck.agent import AgentError, Close, Crash, Wait
from sdnloom.crosscheck.normalise import events_of
from sdnloom.crosscheck.output import AgentEvent, concrete_output
from sdnloom.network.openflow import (
    ApplyActions,
    BarrierReply,
    EchoReply,
    Error,
    FeaturesReply,
    FlowRemoved,
    FlowStats,
    FlowStatsReply,
    Hello,
    Match,
    OpenFlowMessage,
    PacketIn,
    PortDesc,
    UnknownAction,
    encode,
)
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.openflow.stats import PortStats, PortStatsReply
from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.terms.constructors import concat, const, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.values.make import octet_terms, symbolic_bytes
from tests.network.openflow.generators import MESSAGES, matches


def only(message: OpenFlowMessage, version: int = V10) -> AgentEvent:
    (event,) = events_of([encode(message, version)], version)
    return event


def test_messages_keep_their_order_and_frames_follow_by_port() -> None:
    reply = encode(BarrierReply(xid=5), V10)
    seen = events_of([(2, b"b"), reply, (1, b"x"), (2, b"a"), Crash("reason")], V10)
    assert [(event.kind, *event.values().values()) for event in seen] == [
        ("BarrierReply", 5),
        ("frame", 1, b"x"),
        ("frame", 2, b"b"),
        ("frame", 2, b"a"),
        ("crash",),
    ]
    assert seen[-1].note == "reason"


def test_several_messages_in_one_piece_are_separated() -> None:
    data = encode(BarrierReply(xid=5), V10) + encode(EchoReply(b"ab", xid=6), V10) + b"\1\2"
    assert [event.kind for event in events_of([data], V10)] == ["BarrierReply", "EchoReply", "Message"]


def test_close_and_wait_are_events() -> None:
    assert [event.kind for event in events_of([Close(), Wait()], V10)] == ["close", "wait"]


def test_only_whether_there_is_a_buffer_counts() -> None:
    match = Match.of(in_port=1)
    without, first, second = (only(PacketIn(match, b"x", buffer_id=number)) for number in (0xFFFFFFFF, 0, 77))
    assert first == second != without
    assert (first.values()["buffered"], without.values()["buffered"]) == (1, 0)


def test_the_xid_counts_in_answers_only() -> None:
    assert only(BarrierReply(xid=1)) != only(BarrierReply(xid=2))
    assert only(FlowRemoved(Match(), xid=1)) == only(FlowRemoved(Match(), xid=2))
    assert only(Hello(xid=1)) == only(Hello(xid=2))


def test_the_version_of_a_hello_counts() -> None:
    seen = [events_of([encode(Hello(), version)], V10)[0].values() for version in (1, 4, 9)]
    assert [values["version"] for values in seen] == [1, 4, 9]


def test_64_bytes_of_an_error_count_and_none_of_hello_failed() -> None:
    assert only(Error("bad_request", "bad_len", bytes(70))) == only(Error("bad_request", "bad_len", bytes(64)))
    assert only(Error("bad_request", "bad_len", bytes(64))) != only(Error("bad_request", "bad_len", bytes(63)))
    assert only(Error("hello_failed", "incompatible", b"text")) == only(Error("hello_failed", "incompatible"))


def test_what_a_switch_says_of_itself_counts_field_by_field() -> None:
    first = FeaturesReply(1, 256, 2, ports=(PortDesc(2, 5, "a"), PortDesc(1, 6, "b", config=1)))
    second = FeaturesReply(9, 256, 2, ports=(PortDesc(1, 7, "c", config=1), PortDesc(2, 8, "d")))
    assert only(first) == only(second)
    values = only(first).values()
    assert (values["n_buffers"], values["ports.count"], values["ports[0].port_no"], values["ports[0].config"]) == (
        256, 2, 1, 1,
    )  # fmt: skip
    assert not {"datapath_id", "ports[0].hw_addr", "ports[0].name"} & values.keys()


def test_durations_do_not_count_but_counters_do() -> None:
    flows = [FlowStats(Match.of(in_port=1), duration_sec=second, packet_count=3) for second in (1, 2)]
    assert only(FlowStatsReply((flows[0],))) == only(FlowStatsReply((flows[1],)))
    assert only(FlowStatsReply((flows[0],))).values()["flows[0].packet_count"] == 3


def test_the_order_of_flow_entries_and_ports_does_not_count() -> None:
    flows = (FlowStats(Match.of(in_port=1)), FlowStats(Match.of(in_port=2), priority=3))
    assert only(FlowStatsReply(flows)) == only(FlowStatsReply(flows[::-1]))
    ports = (PortStats(1, rx_packets=9), PortStats(2))
    assert only(PortStatsReply(ports), V13) == only(PortStatsReply(ports[::-1]), V13)


def test_flow_entries_are_sorted_where_some_values_are_symbolic() -> None:
    """The last octet of each of two actions of an unknown type, one of them symbolic."""
    flows = tuple(
        FlowStats(Match.of(in_port=1), (ApplyActions((UnknownAction(0x300, bytes(3) + bytes((last,))),)),))
        for last in (5, 9)
    )
    data = encode(FlowStatsReply(flows), V10)
    for value in (1, 9, 200):
        changed = data[:-1] + bytes((value,))
        symbolic, model = _symbolic(changed, [len(changed) - 1])
        with Execution(model).active():
            output = (events_of([symbolic], V10),)
        assert concrete_output(output, model) == (events_of([changed], V10),)
        assert output[0][0].values()["flows.count"] == 2


def test_bytes_that_are_no_message_are_kept() -> None:
    (event,) = events_of([bytes((1, 99, 0, 9, 0, 0, 0, 1, 7))], V10)
    assert (event.kind, event.values()) == ("Message", {"version": 1, "type": 99, "length": 9, "body": b"\7"})
    (other,) = events_of([encode(BarrierReply(), V13)], V10)
    assert (other.kind, other.values()["version"]) == ("Message", 4)


@pytest.mark.parametrize("wrong", [5, None, "text", (1,), (1, 2), (-1, b""), (1 << 32, b""), [b""]])
def test_other_values_are_no_observations(wrong: object) -> None:
    with pytest.raises(AgentError, match="the agent returned"):
        events_of([wrong], V10)


@settings(max_examples=40)
@given(matches(V10), matches(V10))
def test_matches_of_1_0_are_equal_exactly_if_they_mean_the_same(first: Match, second: Match) -> None:
    assert (only(FlowRemoved(first)) == only(FlowRemoved(second))) == (first == second)


@given(st.binary(min_size=40, max_size=40), st.integers(0, 319), st.sampled_from((0, 0x0800, 0x0806)))
def test_raw_matches_of_1_0_are_equal_exactly_if_they_mean_the_same(raw: bytes, bit: int, kind: int) -> None:
    from sdnloom.network.openflow.match10 import read_match10

    raw = raw[:22] + kind.to_bytes(2, "big") + raw[24:25] + bytes((6 if raw[25] & 1 else raw[25],)) + raw[26:]
    raw = bytes((0, raw[1] & 0x3F if kind else raw[1])) + raw[2:]
    other = (int.from_bytes(raw, "big") ^ 1 << bit).to_bytes(40, "big")
    seen = []
    for each in (raw, other):
        data = bytes((1, 11)) + (88).to_bytes(2, "big") + bytes(4) + each + bytes(40)
        seen.append((events_of([data], V10), read_match10(int.from_bytes(each, "big"))))
    assert (seen[0][0] == seen[1][0]) == (seen[0][1] == seen[1][1])


def _symbolic(data: bytes, chosen: list[int]) -> tuple[bytes, dict[str, int]]:
    """The bytes with symbolic ones at some places, and the model of them."""
    parts = [var(f"b{place}", 8) if place in chosen else const(octet, 8) for place, octet in enumerate(data)]
    model = {f"b{place}": data[place] for place in chosen}
    return symbolic_bytes(data, octet_terms(concat(*parts))), model


@pytest.mark.parametrize("version", [V10, V13])
@settings(max_examples=60)
@given(choice=st.data())
def test_a_symbolic_message_has_the_fields_of_the_concrete_one(version: int, choice: st.DataObject) -> None:
    """For the input of the run, and for every other input that takes the same path."""
    kind = choice.draw(st.sampled_from(sorted(MESSAGES[version], key=lambda each: each.__name__)))
    data = encode(choice.draw(MESSAGES[version][kind]), version)
    draw = random.Random(choice.draw(st.integers(0, 1 << 32)))
    chosen = sorted(draw.sample(range(4, len(data)), min(len(data) - 4, draw.choice((1, 3, 30)))))
    symbolic, model = _symbolic(data, chosen)
    execution = Execution(model)
    with execution.active():
        output = (events_of([symbolic], version),)
    assert concrete_output(output, model) == (events_of([data], version),)
    assert not execution.concretisations
    for _ in range(10):
        other = dict(model)
        for name in draw.sample(sorted(other), min(len(other), draw.choice((1, 2, 8)))):
            other[name] = draw.choice((0, 1, 255, other[name] ^ 1, draw.randrange(256)))
        if all(bool(evaluate_term(branch.condition, other)) is branch.taken for branch in execution.branches):
            changed = bytes(other.get(f"b{place}", octet) for place, octet in enumerate(data))
            assert concrete_output(output, other) == (events_of([changed], version),)


def test_a_symbolic_header_costs_a_path_for_each_kind_of_message_and_not_for_each_number() -> None:
    """Version, type, length and number are symbolic; a message that nobody knows keeps them as terms."""
    data = encode(EchoReply(b"abcd", xid=9), V10)
    variables = [var(f"b{place}", 8) for place in range(8)]

    def run(execution: Execution) -> tuple[AgentEvent, ...]:
        octets = bytes(execution.value(f"b{place}") for place in range(8)) + data[8:]
        parts = [*variables, *(const(octet, 8) for octet in data[8:])]
        return events_of([symbolic_bytes(octets, octet_terms(concat(*parts)))], V10)

    found = explore(run, variables, initial={f"b{place}": data[place] for place in range(8)})
    assert (found.complete, len(found.classes)) == (True, 122)
    assert {event.kind for each in found.classes for event in each.output} >= {"EchoReply", "Hello", "Message", "Error"}


def test_a_symbolic_code_of_an_error_stays_a_term_without_a_fork() -> None:
    data = encode(Error("bad_action", "bad_type", b"abc", xid=9), V10)
    symbolic, model = _symbolic(data, [6, 11, 13])
    execution = Execution(model)
    with execution.active():
        (event,) = events_of([symbolic], V10)
    assert execution.branches == []
    assert concrete_output(((event,),), {"b6": 1, "b11": 5, "b13": 0})[0][0].values() == {
        "xid": 0x0109, "type": 2, "code": 5, "data": b"a\0c",
    }  # fmt: skip
