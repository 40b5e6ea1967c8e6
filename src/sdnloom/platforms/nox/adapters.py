"""Adapters of `register_for_*`: they turn a handler with arguments into a handler of an event."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from sdnloom.platforms.nox import openflow
from sdnloom.platforms.nox.events import CONTINUE, UINT32_MAX, Event
from sdnloom.platforms.nox.octets import octet_array
from sdnloom.platforms.nox.packet.ethernet import ethernet

Handler: TypeAlias = Callable[..., Any]
OnEvent: TypeAlias = Callable[[Any], Any]


def _spread(names: tuple[str, ...], handler: Handler, event: Event) -> Any:
    """Call a handler with attributes of an event."""
    return _answer(handler(*(getattr(event, name) for name in names)))


def _answer(found: Any) -> Any:
    return CONTINUE if found is None else found


def _packet_in(handler: Handler, event: Any) -> Any:
    buffer_id = None if event.buffer_id == UINT32_MAX else event.buffer_id
    packet = ethernet(octet_array(event.buf))
    arguments = (event.datapath_id, event.in_port, event.reason, event.total_len, buffer_id, packet)
    return _answer(handler(*arguments))


def _datapath_join(handler: Handler, event: Any) -> Any:
    ports = [_with_words(dict(port)) for port in event.ports]
    attrs = {
        "n_bufs": event.n_buffers,
        "n_tables": event.n_tables,
        "caps": event.capabilities,
        "actions": event.actions,
        "ports": ports,
    }
    return _answer(handler(event.datapath_id, attrs))


def _port_status(handler: Handler, event: Any) -> Any:
    return _answer(handler(event.datapath_id, event.reason, _with_words(dict(event.port))))


def _with_words(port: dict[str, Any]) -> dict[str, Any]:
    """Add the fields of a port in words."""
    port["link"] = port["state"] & openflow.OFPPS_LINK_DOWN == 0
    port["enabled"] = port["config"] & openflow.OFPPC_PORT_DOWN == 0
    port["flood"] = port["config"] & openflow.OFPPC_NO_FLOOD == 0
    return port


def _table(names: tuple[str, ...], handler: Handler, event: Event) -> Any:
    """Call a handler with the switch and a dictionary of attributes."""
    attributes = vars(event)
    return _answer(handler(attributes["datapath_id"], {name: attributes[name] for name in names}))


def _flow_mod(handler: Handler, event: Any) -> Any:
    names = ("match", "command", "idle_timeout", "hard_timeout", "buffer_id", "priority", "cookie")
    return _answer(handler(event.datapath_id, *(event.flow_mod[name] for name in names)))


def gen_packet_in_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, inport, reason, length, buffer_id or None, packet)."""
    return partial(_packet_in, handler)


def gen_datapath_join_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, attributes)."""
    return partial(_datapath_join, handler)


def gen_datapath_leave_callback(handler: Handler) -> OnEvent:
    """For handler(dpid)."""
    return partial(_spread, ("datapath_id",), handler)


def gen_port_status_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, reason, port)."""
    return partial(_port_status, handler)


def gen_flow_removed_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, flow, priority, reason, cookie, seconds, nanoseconds, bytes, packets)."""
    names = ("datapath_id", "flow", "priority", "reason", "cookie", "duration_sec", "duration_nsec")
    return partial(_spread, (*names, "byte_count", "packet_count"), handler)


def gen_flow_mod_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, flow, command, idle timeout, hard timeout, buffer_id, priority, cookie)."""
    return partial(_flow_mod, handler)


def gen_barrier_reply_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, xid)."""
    return partial(_spread, ("datapath_id", "xid"), handler)


def gen_error_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, type, code, data, xid)."""
    return partial(_spread, ("datapath_id", "type", "code", "data", "xid"), handler)


def gen_table_stats_in_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, tables)."""
    return partial(_spread, ("datapath_id", "tables"), handler)


def gen_port_stats_in_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, ports)."""
    return partial(_spread, ("datapath_id", "ports"), handler)


def gen_flow_stats_in_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, flows, more, xid)."""
    return partial(_spread, ("datapath_id", "flows", "more", "xid"), handler)


def gen_aggr_stats_in_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, sums)."""
    return partial(_table, ("packet_count", "byte_count", "flow_count"), handler)


def gen_desc_stats_in_callback(handler: Handler) -> OnEvent:
    """For handler(dpid, texts)."""
    return partial(_table, ("mfr_desc", "hw_desc", "sw_desc", "dp_desc", "serial_num"), handler)


def gen_switch_mgr_callback(handler: Handler) -> OnEvent:
    """For handler(number of the management connection)."""
    return partial(_spread, ("mgmt_id",), handler)
