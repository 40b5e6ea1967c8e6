"""Messages from switches as NOX's events."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from sdnloom.network.openflow import (
    AggregateReply,
    BarrierReply,
    DescReply,
    Error,
    FlowMod,
    FlowRemoved,
    FlowStatsReply,
    OpenFlowMessage,
    PacketIn,
    PortStatsReply,
    PortStatus,
    TableStatsReply,
    error_numbers,
)
from sdnloom.network.openflow.constants import V10
from sdnloom.network.openflow.match10 import port_to_16
from sdnloom.network.program import SwitchUp
from sdnloom.platforms.nox import events, openflow
from sdnloom.platforms.nox.octets import Octets
from sdnloom.platforms.nox.wire import flow_dict, port_dict

# The features of a switch that joins without any.
N_BUFFERS, N_TABLES = 256, 1
CAPABILITIES = openflow.OFPC_FLOW_STATS | openflow.OFPC_TABLE_STATS | openflow.OFPC_PORT_STATS
ACTIONS = (1 << openflow.OFPAT_ENQUEUE) - 1


def join_event(given: SwitchUp) -> events.Event:
    """Return the event of a switch that connected."""
    features = given.features
    return events.Datapath_join_event(
        datapath_id=given.datapath_id,
        n_buffers=N_BUFFERS if features is None else features.n_buffers,
        n_tables=N_TABLES if features is None else features.n_tables,
        capabilities=CAPABILITIES if features is None else features.capabilities,
        actions=ACTIONS if features is None else features.actions,
        ports=[port_dict(each) for each in given.ports],
    )


def message_event(datapath_id: int, message: OpenFlowMessage) -> events.Event | None:
    """Return the event of a message, or None if NOX has none for it."""
    make = _EVENTS.get(type(message))
    if make is None:
        return None
    kind, attributes = make(message)
    return kind(datapath_id=datapath_id, **attributes)


def flow_mod_event(datapath_id: int, message: FlowMod) -> events.Event:
    """Return the event of a change of a flow table that the program sends."""
    names = ("command", "idle_timeout", "hard_timeout", "buffer_id", "priority", "cookie")
    values = {name: int(getattr(message, name)) for name in names}
    return events.Flow_mod_event(
        datapath_id=datapath_id, flow_mod={"match": flow_dict(message.match), "reserved": 0, **values}
    )


Made = tuple[type[events.Event], Mapping[str, Any]]


def _packet_in(message: PacketIn) -> Made:
    return events.Packet_in_event, {
        "in_port": port_to_16(message.in_port),
        "total_len": message.total_len,
        "reason": int(message.reason),
        "buffer_id": message.buffer_id,
        "buf": Octets(message.data),
    }


def _port_status(message: PortStatus) -> Made:
    return events.Port_status_event, {"reason": int(message.reason), "port": port_dict(message.desc)}


def _flow_removed(message: FlowRemoved) -> Made:
    names = ("priority", "cookie", "duration_sec", "duration_nsec", "idle_timeout", "packet_count", "byte_count")
    values = {name: int(getattr(message, name)) for name in names}
    return events.Flow_removed_event, {"flow": flow_dict(message.match), "reason": int(message.reason), **values}


def _barrier(message: BarrierReply) -> Made:
    return events.Barrier_reply_event, {"xid": message.xid}


def _error(message: Error) -> Made:
    kind, code = error_numbers(V10, message.type, message.code)
    return events.Error_event, {"type": kind, "code": code, "data": Octets(message.data), "xid": message.xid}


def _tables(message: TableStatsReply) -> Made:
    names = ("table_id", "name", "max_entries", "active_count", "lookup_count", "matched_count")
    return events.Table_stats_in_event, {
        "tables": [{name: getattr(each, name) for name in names} for each in message.tables]
    }


def _ports(message: PortStatsReply) -> Made:
    names = [each.name for each in fields(message.ports[0])] if message.ports else []
    wanted = [name for name in names if not name.startswith(("port_no", "duration"))]
    return events.Port_stats_in_event, {
        "ports": [
            {"port_no": port_to_16(each.port_no), **{name: getattr(each, name) for name in wanted}}
            for each in message.ports
        ]
    }


def _flows(message: FlowStatsReply) -> Made:
    names = ("table_id", "cookie", "duration_sec", "duration_nsec", "priority", "idle_timeout", "hard_timeout")
    flows = [
        {"match": flow_dict(each.match)}
        | {name: int(getattr(each, name)) for name in (*names, "packet_count", "byte_count")}
        for each in message.flows
    ]
    more = bool(message.flags & openflow.OFPSF_REPLY_MORE)
    return events.Flow_stats_in_event, {"flows": flows, "more": more, "xid": message.xid}


def _sums(message: AggregateReply) -> Made:
    names = ("packet_count", "byte_count", "flow_count")
    return events.Aggregate_stats_in_event, {name: getattr(message, name) for name in names}


def _texts(message: DescReply) -> Made:
    names = ("mfr_desc", "hw_desc", "sw_desc", "dp_desc", "serial_num")
    return events.Desc_stats_in_event, {name: getattr(message, name) for name in names}


_EVENTS: dict[type[OpenFlowMessage], Callable[[Any], Made]] = {
    PacketIn: _packet_in,
    PortStatus: _port_status,
    FlowRemoved: _flow_removed,
    BarrierReply: _barrier,
    Error: _error,
    TableStatsReply: _tables,
    PortStatsReply: _ports,
    FlowStatsReply: _flows,
    AggregateReply: _sums,
    DescReply: _texts,
}
