"""OpenFlow 1.0 messages as NOX writes them, and dictionaries of received ones."""

import struct
from collections.abc import Callable, Iterable
from typing import Any

from sdnloom.network.openflow import Match, OpenFlowMessage, PortDesc, decode
from sdnloom.network.openflow.constants import V10
from sdnloom.network.openflow.match10 import port_to_16, write_match10
from sdnloom.platforms.nox import openflow
from sdnloom.platforms.nox.octets import Octets, octets
from sdnloom.platforms.nox.util import convert_to_eaddr, convert_to_ipaddr


def actions_bytes(actions: Iterable[Any]) -> bytes:
    """Return a list of [type, argument] as bytes; RuntimeError for a type that OpenFlow 1.0 does not have."""
    return b"".join(map(_action, actions))


def _action(action: Any) -> bytes:
    kind = action[0]
    if len(action) != (1 if kind == openflow.OFPAT_STRIP_VLAN else 2) and kind in _ACTIONS:
        raise RuntimeError(f"action {kind} expected {1 if kind == openflow.OFPAT_STRIP_VLAN else 2} arguments")
    if kind not in _ACTIONS:
        raise RuntimeError(f"invalid action type: {kind}")
    content = _ACTIONS[kind](action[1] if len(action) > 1 else None)
    return struct.pack("!HH", kind, 4 + len(content)) + content


def _output(argument: Any) -> bytes:
    """A port, or [length for the controller, port]."""
    length, port = (0, argument) if isinstance(argument, int) else argument
    return struct.pack("!HH", port, length)


def _ethernet(argument: Any) -> bytes:
    address = convert_to_eaddr(argument)
    if address is None:
        raise RuntimeError("invalid ethernet addr")
    return address.octet + bytes(6)


def _network(argument: Any) -> bytes:
    address = convert_to_ipaddr(argument)
    if address is None:
        raise RuntimeError("invalid ip addr")
    return struct.pack("=I", address)


def _short(argument: Any) -> bytes:
    return struct.pack("!H2x", argument)


def _byte(argument: Any) -> bytes:
    return struct.pack("!B3x", argument)


_ACTIONS: dict[int, Callable[[Any], bytes]] = {
    openflow.OFPAT_OUTPUT: _output,
    openflow.OFPAT_SET_VLAN_VID: _short,
    openflow.OFPAT_SET_VLAN_PCP: _byte,
    openflow.OFPAT_STRIP_VLAN: lambda _: bytes(4),
    openflow.OFPAT_SET_DL_SRC: _ethernet,
    openflow.OFPAT_SET_DL_DST: _ethernet,
    openflow.OFPAT_SET_NW_SRC: _network,
    openflow.OFPAT_SET_NW_DST: _network,
    openflow.OFPAT_SET_NW_TOS: _byte,
    openflow.OFPAT_SET_TP_SRC: _short,
    openflow.OFPAT_SET_TP_DST: _short,
    openflow.OFPAT_ENQUEUE: lambda argument: struct.pack("!H6xI", argument[0], argument[1]),
}


def message_of(kind: int, body: bytes) -> OpenFlowMessage:
    """Return the message of a type and a body."""
    return decode(struct.pack("!BBHI", openflow.OFP_VERSION, kind, 8 + len(body), 0) + body, V10)


def packet_out(buffer_id: int, in_port: int, actions: Any, data: Any = b"") -> OpenFlowMessage:
    """Return the message that releases a buffer or sends a packet."""
    content = octets(actions)
    head = struct.pack("!IHH", buffer_id, in_port, len(content))
    return message_of(openflow.OFPT_PACKET_OUT, head + content + octets(data))


def flow_mod(
    match: openflow.ofp_match, command: int, idle: int, hard: int, priority: int, buffer_id: int, actions: Any
) -> OpenFlowMessage:
    """Return the message that changes a flow table. NOX does not ask for a flow-removed message."""
    head = struct.pack("!QHHHHIHH", 0, command, idle, hard, priority, buffer_id, openflow.OFPP_NONE, 0)
    return message_of(openflow.OFPT_FLOW_MOD, match.pack() + head + octets(actions))


def stats_request(kind: int, body: bytes = b"") -> OpenFlowMessage:
    """Return a request for statistics."""
    return message_of(openflow.OFPT_STATS_REQUEST, struct.pack("!HH", kind, 0) + body)


def port_mod(port: int, address: Any, mask: int, config: int) -> OpenFlowMessage:
    """Return the message that changes a port."""
    body = struct.pack("!H6sIII4x", port, address.octet, config, mask, 0)
    return message_of(openflow.OFPT_PORT_MOD, body)


def port_dict(desc: PortDesc) -> dict[str, Any]:
    """Return a port as apps get it."""
    return {
        "port_no": port_to_16(desc.port_no),
        "speed": _speed(desc.curr),
        "config": desc.config,
        "state": desc.state,
        "curr": desc.curr,
        "advertised": desc.advertised,
        "supported": desc.supported,
        "peer": desc.peer,
        "hw_addr": Octets(desc.hw_addr.to_bytes(6, "big")),
        "name": desc.name,
    }


def _speed(curr: int) -> int:
    """The speed in Mbit/s of the feature bits of a port."""
    speeds = ((0x40, 10_000), (0x30, 1000), (0x0C, 100), (0x03, 10))
    return next((speed for bits, speed in speeds if curr & bits), 0)


def flow_dict(match: Match) -> dict[str, Any]:
    """Return a match as apps get it: only the fields that are matched, addresses as numbers."""
    raw = write_match10(match).to_bytes(openflow.ofp_match.SIZE, "big")
    values = dict(zip(_NAMES, struct.unpack("!IH6s6sHBxHBB2xIIHH", raw), strict=True))
    wildcards = values.pop("wildcards")
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name in _PREFIX:
            ignored = wildcards >> _PREFIX[name] & 0x3F
            if ignored < 32:
                found |= {name: value, f"{name}_n_wild": ignored}
        elif not wildcards & getattr(openflow, f"OFPFW_{name.upper()}"):
            found[name] = int.from_bytes(value, "big") if isinstance(value, bytes) else value
    return found


_NAMES = (
    "wildcards",
    "in_port",
    "dl_src",
    "dl_dst",
    "dl_vlan",
    "dl_vlan_pcp",
    "dl_type",
    "nw_tos",
    "nw_proto",
    "nw_src",
    "nw_dst",
    "tp_src",
    "tp_dst",
)
_PREFIX = {"nw_src": openflow.OFPFW_NW_SRC_SHIFT, "nw_dst": openflow.OFPFW_NW_DST_SHIFT}
