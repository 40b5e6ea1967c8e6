"""Answers to statistics (1.0) and multipart (1.3) requests."""

from collections.abc import Callable
from typing import Any

from sdnloom.network.openflow import (
    ALL_QUEUES,
    ALL_TABLES,
    V10,
    AggregateReply,
    AggregateRequest,
    DescReply,
    DescRequest,
    ExperimenterStatsRequest,
    FlowStats,
    FlowStatsReply,
    FlowStatsRequest,
    Group,
    GroupDesc,
    GroupDescReply,
    GroupDescRequest,
    GroupFeaturesReply,
    GroupFeaturesRequest,
    GroupId,
    GroupStats,
    GroupStatsReply,
    GroupStatsRequest,
    GroupType,
    MeterConfig,
    MeterConfigReply,
    MeterConfigRequest,
    MeterFeaturesReply,
    MeterFeaturesRequest,
    MeterFlag,
    MeterId,
    MeterStats,
    MeterStatsReply,
    MeterStatsRequest,
    OpaqueStatsRequest,
    Port,
    PortDescReply,
    PortDescRequest,
    PortStats,
    PortStatsReply,
    PortStatsRequest,
    QueueStats,
    QueueStatsReply,
    QueueStatsRequest,
    StatsReply,
    StatsRequest,
    TableStats,
    TableStatsReply,
    TableStatsRequest,
)
from sdnloom.network.switch.checks import check_match
from sdnloom.network.switch.core import EMERGENCY, NO_TRAFFIC, FlowEntry, GroupEntry, MeterEntry
from sdnloom.network.switch.counters import traffic_of_port
from sdnloom.network.switch.step import RefusedMessage, SwitchStep
from sdnloom.network.switch.tables.flow_table import instruction_actions, outputs_to, uses_group, uses_meter
from sdnloom.network.switch.tables.lookup import covers
from sdnloom.network.switch.tables.meter_mod import BAND_TYPES, MAX_BANDS, MAX_METERS

_V10_WILDCARDS = 0x3FFFFF
# Actions by the number that group features give them: output, times to live, VLAN, MPLS, queue, group, set-field.
_GROUP_ACTIONS = sum(1 << number for number in (0, *range(15, 26)))
_COPY_TTL = 1 << 11 | 1 << 12


def _desc(step: SwitchStep, request: DescRequest) -> StatsReply:
    manufacturer, hardware, software, serial, datapath = step.config.traits.description
    datapath = datapath or f"switch {step.config.datapath_id:#x}"
    return DescReply(manufacturer, hardware, software, serial, datapath, xid=request.xid)


def _flows(step: SwitchStep, request: FlowStatsRequest) -> StatsReply:
    return FlowStatsReply(tuple(_flow(step, entry) for entry in _selected(step, request)), xid=request.xid)


def _flow(step: SwitchStep, entry: FlowEntry) -> FlowStats:
    return FlowStats(
        match=entry.match,
        instructions=entry.instructions,
        table_id=entry.table,
        priority=entry.wire_priority,
        cookie=entry.cookie,
        duration_sec=entry.age // 1000,
        duration_nsec=entry.age % 1000 * 1_000_000,
        idle_timeout=entry.idle_timeout,
        hard_timeout=entry.hard_timeout,
        packet_count=entry.traffic.packets,
        byte_count=entry.traffic.bytes,
        entry_flags=0 if step.config.version == V10 else entry.flags,
    )


def _aggregate(step: SwitchStep, request: AggregateRequest) -> StatsReply:
    entries = _selected(step, request)
    packets = sum(entry.traffic.packets for entry in entries)
    size = sum(entry.traffic.bytes for entry in entries)
    return AggregateReply(packets, size, len(entries), xid=request.xid)


def _selected(step: SwitchStep, request: FlowStatsRequest | AggregateRequest) -> list[FlowEntry]:
    match = check_match(step, request.match)
    if request.table_id != ALL_TABLES and request.table_id >= step.config.n_tables:
        if step.config.version == V10:
            return []
        raise RefusedMessage("bad_request", "bad_table_id")
    table = None if request.table_id == ALL_TABLES else request.table_id
    step.reads.add(("region", table, match))
    if step.config.counters:
        step.reads.add("time")
    mask = 0 if step.config.version == V10 else request.cookie_mask
    return [
        entry
        for entry in step.core.flows
        if entry.table != EMERGENCY
        and table in (None, entry.table)
        and covers(match, entry.match)
        and not (entry.cookie ^ request.cookie) & mask
        and (request.out_port == Port.ANY or outputs_to(entry, request.out_port))
        and (request.out_group == GroupId.ANY or uses_group(entry, request.out_group))
    ]


def _tables(step: SwitchStep, request: TableStatsRequest) -> StatsReply:
    step.reads |= {("region", None, check_match(step, _EVERYTHING)), "counts"}
    counts = {table: (lookups, hits) for table, lookups, hits in step.core.counts.tables}
    active: dict[int, int] = {}
    for entry in step.core.flows:
        active[entry.table] = active.get(entry.table, 0) + 1
    old = step.config.version == V10
    traits = step.config.traits
    limit = traits.table_limit if step.config.max_entries is None else step.config.max_entries
    rows = (
        TableStats(
            table_id=table,
            name=f"table{table}" if old and traits.table_names else "",
            wildcards=_V10_WILDCARDS if old else 0,
            max_entries=limit if old else 0,
            active_count=active.get(table, 0),
            lookup_count=counts.get(table, (0, 0))[0],
            matched_count=counts.get(table, (0, 0))[1],
        )
        for table in range(traits.tables if old else step.config.n_tables)
    )
    return TableStatsReply(tuple(rows), xid=request.xid)


_EVERYTHING = FlowStatsRequest().match


def _ports(step: SwitchStep, request: PortStatsRequest) -> StatsReply:
    step.reads.add("ports")
    wanted = [port.port_no for port in step.ports if request.port_no in (Port.ANY, port.port_no)]
    rows = []
    for number in wanted:
        received, sent = traffic_of_port(step, number)
        rows.append(PortStats(number, received.packets, sent.packets, received.bytes, sent.bytes))
    return PortStatsReply(tuple(rows), xid=request.xid)


def _queues(step: SwitchStep, request: QueueStatsRequest) -> StatsReply:
    any_port = (Port.ANY, Port.ALL)  # 1.0 says ALL, 1.3 says ANY
    if request.port_no not in any_port and step.port(request.port_no) is None:
        raise RefusedMessage("queue_op_failed", "bad_port")
    found = [
        queue
        for queue in step.config.queues
        if request.port_no in (*any_port, queue.port) and request.queue_id in (ALL_QUEUES, queue.queue_id)
    ]
    if not found and request.queue_id != ALL_QUEUES:
        raise RefusedMessage("queue_op_failed", "bad_queue")
    return QueueStatsReply(tuple(QueueStats(queue.port, queue.queue_id) for queue in found), xid=request.xid)


def _group_stats(step: SwitchStep, request: GroupStatsRequest) -> StatsReply:
    step.reads |= {"groups", ("region", None, _EVERYTHING)}
    found = [group for group in step.core.groups if request.group_id in (GroupId.ALL, group.group_id)]
    return GroupStatsReply(tuple(_group(step, group) for group in found), xid=request.xid)


def _group(step: SwitchStep, group: GroupEntry) -> GroupStats:
    if step.config.counters:
        step.reads.add("time")
    used = [action for entry in step.core.flows for action in instruction_actions(entry.instructions)]
    used += [action for other in step.core.groups for bucket in other.buckets for action in bucket.actions]
    traffic = group.traffic or (NO_TRAFFIC,) * (1 + len(group.buckets))
    return GroupStats(
        group_id=group.group_id,
        ref_count=sum(isinstance(action, Group) and action.group_id == group.group_id for action in used),
        packet_count=traffic[0].packets,
        byte_count=traffic[0].bytes,
        duration_sec=group.age // 1000,
        duration_nsec=group.age % 1000 * 1_000_000,
        buckets=tuple((each.packets, each.bytes) for each in traffic[1:]),
    )


def _group_desc(step: SwitchStep, request: GroupDescRequest) -> StatsReply:
    step.reads.add("groups")
    rows = (GroupDesc(group.group_id, group.type, group.buckets) for group in step.core.groups)
    return GroupDescReply(tuple(rows), xid=request.xid)


def _group_features(step: SwitchStep, request: GroupFeaturesRequest) -> StatsReply:
    limit = int(GroupId.MAX) if step.config.max_groups is None else step.config.max_groups
    types = sum(1 << kind for kind in GroupType)
    traits = step.config.traits
    actions = _GROUP_ACTIONS | (_COPY_TTL if traits.full_mpls else 0)
    return GroupFeaturesReply(types, traits.group_capabilities, (limit,) * 4, (actions,) * 4, xid=request.xid)


def _meter_stats(step: SwitchStep, request: MeterStatsRequest) -> StatsReply:
    step.reads.add(("region", None, _EVERYTHING))
    return MeterStatsReply(
        tuple(
            MeterStats(
                meter_id=meter.meter_id,
                flow_count=sum(uses_meter(entry, meter.meter_id) for entry in step.core.flows),
                packet_in_count=meter.traffic.packets,
                byte_in_count=meter.traffic.bytes,
                duration_sec=meter.age // 1000,
                duration_nsec=meter.age % 1000 * 1_000_000,
                bands=((0, 0),) * len(meter.bands),
            )
            for meter in _meters(step, request.meter_id)
        ),
        xid=request.xid,
    )


def _meter_config(step: SwitchStep, request: MeterConfigRequest) -> StatsReply:
    rows = (MeterConfig(each.meter_id, each.flags, each.bands) for each in _meters(step, request.meter_id))
    return MeterConfigReply(tuple(rows), xid=request.xid)


def _meters(step: SwitchStep, meter_id: int) -> list[MeterEntry]:
    """Return one meter or all; a meter that does not exist is refused."""
    step.reads.add("meters")
    if step.config.counters:
        step.reads.add("time")
    found = [meter for meter in step.core.meters if meter_id in (MeterId.ALL, meter.meter_id)]
    if not found and meter_id != MeterId.ALL:
        raise RefusedMessage("meter_mod_failed", "unknown_meter")
    return found


def _meter_features(step: SwitchStep, request: MeterFeaturesRequest) -> StatsReply:
    kinds = sum(1 << kind for kind in BAND_TYPES)
    return MeterFeaturesReply(MAX_METERS, kinds, sum(MeterFlag), MAX_BANDS, 0, xid=request.xid)


def _port_desc(step: SwitchStep, request: PortDescRequest) -> StatsReply:
    step.reads.add("ports")
    return PortDescReply(step.ports, xid=request.xid)


def _experimenter(step: SwitchStep, request: ExperimenterStatsRequest) -> StatsReply:
    raise RefusedMessage("bad_request", "bad_experimenter")


def _opaque(step: SwitchStep, request: OpaqueStatsRequest) -> StatsReply:
    raise RefusedMessage("bad_request", "bad_multipart")


_BOTH: dict[type[StatsRequest], Callable[[SwitchStep, Any], StatsReply]] = {
    DescRequest: _desc,
    FlowStatsRequest: _flows,
    AggregateRequest: _aggregate,
    TableStatsRequest: _tables,
    PortStatsRequest: _ports,
    QueueStatsRequest: _queues,
    ExperimenterStatsRequest: _experimenter,
    OpaqueStatsRequest: _opaque,
}
_ONLY_13: dict[type[StatsRequest], Callable[[SwitchStep, Any], StatsReply]] = {
    GroupStatsRequest: _group_stats,
    GroupDescRequest: _group_desc,
    GroupFeaturesRequest: _group_features,
    MeterStatsRequest: _meter_stats,
    MeterConfigRequest: _meter_config,
    MeterFeaturesRequest: _meter_features,
    PortDescRequest: _port_desc,
}


def answer_statistics(step: SwitchStep, request: StatsRequest) -> None:
    """Answer a request for statistics; refuse a request that the version does not have."""
    known = _BOTH if step.config.version == V10 else _BOTH | _ONLY_13
    answer = known.get(type(request))
    if answer is None:
        raise RefusedMessage("bad_request", "bad_multipart")
    step.messages.append(answer(step, request))
