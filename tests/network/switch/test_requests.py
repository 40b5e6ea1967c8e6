"""Statistics, simple requests and wrong configurations."""

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow import (
    V10,
    V13,
    AggregateReply,
    AggregateRequest,
    BarrierReply,
    BarrierRequest,
    Bucket,
    DescReply,
    DescRequest,
    EchoReply,
    EchoRequest,
    ExperimenterStatsRequest,
    FeaturesReply,
    FeaturesRequest,
    FlowStatsReply,
    FlowStatsRequest,
    GetAsyncRequest,
    GetConfigReply,
    GetConfigRequest,
    Group,
    GroupDescReply,
    GroupDescRequest,
    GroupFeaturesReply,
    GroupFeaturesRequest,
    GroupMod,
    GroupStatsReply,
    GroupStatsRequest,
    Hello,
    Match,
    OpaqueMessage,
    OpaqueStatsRequest,
    OpenFlowMessage,
    PacketQueue,
    Port,
    PortDescReply,
    PortDescRequest,
    PortStatsReply,
    PortStatsRequest,
    QueueGetConfigReply,
    QueueGetConfigRequest,
    QueueStatsReply,
    QueueStatsRequest,
    RoleRequest,
    TableMod,
    TableStatsReply,
    TableStatsRequest,
)
from sdnloom.network.switch import (
    Switch,
    SwitchCore,
    initial_switch_core,
    pass_time,
    plain_ports,
    receive_message,
    receive_packet,
)
from tests.network.switch.build import (
    OUT2,
    OUT3,
    SIZE,
    TCP,
    add,
    after,
    error,
    only,
    switch,
)

BOTH = pytest.mark.parametrize("version", [V10, V13])


def answer(config: Switch, message: OpenFlowMessage, core: SwitchCore | None = None) -> OpenFlowMessage:
    """Return the one reply to a request, which changes nothing."""
    state = initial_switch_core(config) if core is None else core
    outcome = only(receive_message(config, state, message))
    assert outcome.core == state
    (reply,) = outcome.messages
    assert reply.xid == message.xid
    return reply


@BOTH
def test_simple_requests_are_answered(version: int) -> None:
    config = switch(version, buffers=7, miss_send_len=99)
    assert answer(config, EchoRequest(b"abc", xid=3)) == EchoReply(b"abc", xid=3)
    assert answer(config, BarrierRequest(xid=4)) == BarrierReply(xid=4)
    assert answer(config, GetConfigRequest()) == GetConfigReply(0, 99)
    features = answer(config, FeaturesRequest())
    assert isinstance(features, FeaturesReply)
    assert (features.datapath_id, features.n_buffers, features.n_tables) == (1, 7, 1 if version == V10 else 254)
    assert features.ports == (config.ports if version == V10 else ())
    assert isinstance(answer(config, DescRequest()), DescReply)
    for silent in (Hello(), EchoReply(b"")):
        assert only(receive_message(config, initial_switch_core(config), silent)).messages == ()
    assert error(config, OpaqueMessage(99)) == ("bad_request", "bad_type")
    assert error(config, OpaqueStatsRequest(99)) == ("bad_request", "bad_multipart")
    assert error(config, ExperimenterStatsRequest(7)) == ("bad_request", "bad_experimenter")


def test_messages_of_1_3_do_not_exist_in_1_0() -> None:
    config = switch(V10)
    for message in (GroupMod(1), RoleRequest(), GetAsyncRequest(), TableMod(0)):
        assert error(config, message) == ("bad_request", "bad_type")
    for request in (GroupDescRequest(), PortDescRequest()):
        assert error(config, request) == ("bad_request", "bad_multipart")


@BOTH
def test_statistics_count_what_happened(version: int) -> None:
    config = switch(version, counters=True)
    core = after(config, add(OUT2, match=Match.of(in_port=1), cookie=3), add(OUT3, match=Match.of(in_port=2)))
    core = only(receive_packet(config, core, 1, TCP)).core
    core = pass_time(config, core, 1500).core
    aggregate = answer(config, AggregateRequest(), core)
    assert aggregate == AggregateReply(1, SIZE, 2)
    flows = answer(config, FlowStatsRequest(out_port=2), core)
    assert isinstance(flows, FlowStatsReply)
    (flow,) = flows.flows
    assert (flow.packet_count, flow.byte_count, flow.duration_sec, flow.duration_nsec) == (1, SIZE, 1, 500_000_000)
    tables = answer(config, TableStatsRequest(), core)
    assert isinstance(tables, TableStatsReply)
    assert [tables.tables[0].active_count, tables.tables[0].lookup_count, tables.tables[0].matched_count] == [2, 1, 1]
    ports = answer(config, PortStatsRequest(), core)
    assert isinstance(ports, PortStatsReply)
    counted = [(each.port_no, each.rx_packets, each.tx_packets, each.tx_bytes) for each in ports.ports]
    assert counted == [(1, 1, 0, 0), (2, 0, 1, SIZE), (3, 0, 0, 0), (Port.LOCAL, 0, 0, 0)]
    one = answer(config, PortStatsRequest(2), core)
    assert isinstance(one, PortStatsReply)
    assert len(one.ports) == 1


def test_without_counters_packets_leave_no_trace_in_the_state() -> None:
    config = switch(V13)
    core = after(config, add(OUT2))
    assert only(receive_packet(config, core, 1, TCP)).core == core
    assert answer(config, AggregateRequest(), core) == AggregateReply(0, 0, 1)


def test_groups_are_described_and_counted() -> None:
    config = switch(V13, counters=True)
    core = after(config, GroupMod(5, buckets=(Bucket((OUT2,)), Bucket((OUT3,)))), add(Group(5)))
    core = only(receive_packet(config, core, 1, TCP)).core
    described = answer(config, GroupDescRequest(), core)
    assert isinstance(described, GroupDescReply)
    assert [each.group_id for each in described.groups] == [5]
    stats = answer(config, GroupStatsRequest(), core)
    assert isinstance(stats, GroupStatsReply)
    (counted,) = stats.groups
    assert (counted.ref_count, counted.packet_count, counted.buckets) == (1, 1, ((1, SIZE), (1, SIZE)))
    assert isinstance(answer(config, GroupFeaturesRequest()), GroupFeaturesReply)
    ports = answer(config, PortDescRequest())
    assert isinstance(ports, PortDescReply)
    assert ports.ports == config.ports


@BOTH
def test_queues_are_listed_by_port(version: int) -> None:
    config = switch(version, queues=(PacketQueue(3, 2),))
    reply = answer(config, QueueGetConfigRequest(2))
    assert isinstance(reply, QueueGetConfigReply)
    assert [queue.queue_id for queue in reply.queues] == [3]
    assert error(config, QueueGetConfigRequest(9)) == ("queue_op_failed", "bad_port")
    stats = answer(config, QueueStatsRequest(2))
    assert isinstance(stats, QueueStatsReply)
    assert [(each.port_no, each.queue_id) for each in stats.queues] == [(2, 3)]
    assert error(config, QueueStatsRequest(9)) == ("queue_op_failed", "bad_port")
    assert error(config, QueueStatsRequest(2, 8)) == ("queue_op_failed", "bad_queue")


def test_table_mod_has_nothing_to_configure() -> None:
    config = switch(V13)
    assert after(config, TableMod(0, 3)) == initial_switch_core(config)
    assert error(config, TableMod(0, 4)) == ("table_mod_failed", "bad_config")
    assert error(config, TableMod(254)) == ("table_mod_failed", "bad_table")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"version": 2}, "version=2"),
        ({"n_tables": 0}, "n_tables=0"),
        ({"n_tables": 255}, "n_tables=255"),
        ({"buffers": -1}, "buffers=-1"),
        ({"max_groups": -1}, "max_groups=-1"),
        ({"buffer_timeout": 0}, "buffer_timeout=0"),
        ({"overlap": "last"}, "overlap='last'"),
        ({"ports": plain_ports(1, 1)}, "ports [1, 1]"),
        ({"ports": plain_ports(0)}, "port 0"),
        ({"ports": plain_ports(Port.FLOOD)}, "port 4294967291"),
        ({"ports": plain_ports(0xFF00), "version": V10}, "port 65280"),
    ],
)
def test_impossible_switches_are_refused_with_the_value(options: dict[str, object], expected: str) -> None:
    given = {"datapath_id": 1, "ports": plain_ports(1)} | options
    with pytest.raises(SdnloomError) as found:
        Switch(**given)  # type: ignore[arg-type]
    assert expected in str(found.value)
