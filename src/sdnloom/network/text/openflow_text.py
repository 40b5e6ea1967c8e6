"""OpenFlow messages, matches, actions and instructions as short text; none prints as Python."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sdnloom.network.openflow import actions as of_actions
from sdnloom.network.openflow import messages, stats
from sdnloom.network.openflow.constants import (
    NO_BUFFER,
    BandType,
    FlowCommand,
    FlowRemovedReason,
    GroupCommand,
    GroupId,
    GroupType,
    MeterCommand,
    Port,
    PortReason,
    Role,
)
from sdnloom.network.openflow.match import Match
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.network.packet import decode
from sdnloom.network.text.count_text import counted
from sdnloom.network.text.packet_text import NO_NAMES, Names, bytes_words, plain_packet_words
from sdnloom.network.value import Value, ip4_text, shown_field, shown_fields

_MAC_FIELDS = ("eth_src", "eth_dst", "arp_sha", "arp_tha")
_IP_FIELDS = ("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa")
_RESERVED = {int(port): port.name.lower() for port in Port}
_DEFAULT_PRIORITY = 0x8000


def message_words(message: messages.OpenFlowMessage, names: Names = NO_NAMES) -> str:
    """An OpenFlow message: its kind and its most important fields."""
    match message:
        case messages.PacketIn():
            return f"PacketIn port {message.in_port}{_buffer(message.buffer_id)}: {data_words(message.data, names)}"
        case messages.PacketOut():
            data = f": {data_words(message.data, names)}" if message.data else ""
            return f"PacketOut{_buffer(message.buffer_id)} {actions_words(message.actions, names)}{data}"
        case messages.FlowMod():
            return _flow_mod(message, names)
        case messages.FlowRemoved():
            return f"FlowRemoved {match_words(message.match, names)} ({_member(FlowRemovedReason, message.reason)})"
        case messages.PortStatus():
            down = " down" if message.desc.state & 1 else ""
            return f"PortStatus port {message.desc.port_no} {_member(PortReason, message.reason)}{down}"
        case messages.Error():
            return f"Error {message.type} {message.code}"
        case messages.GroupMod():
            kind, command = _member(GroupType, message.type), _member(GroupCommand, message.command)
            does = f" ({kind}): {buckets_words(message.buckets, names)}" if message.buckets else ""
            return f"GroupMod {command} group {_group(message.group_id)}{does}"
        case messages.MeterMod():
            does = f": {bands_words(message.bands)}" if message.bands else ""
            return f"MeterMod {_member(MeterCommand, message.command)} meter {message.meter_id}{does}"
        case messages.RoleRequest() | messages.RoleReply():
            return f"{type(message).__name__} {_member(Role, message.role)}"
        case stats.FlowStatsRequest() | stats.AggregateRequest():
            return f"{type(message).__name__} {match_words(message.match, names)}"
        case stats.FlowStatsReply():
            return f"FlowStatsReply {', '.join(flow_rows(message, names)) or 'without entries'}"
        case stats.TableStatsReply():
            rows = [f"table{row.table_id} has {counted(row.active_count, 'entry')}" for row in message.tables]
            used = [text for row, text in zip(message.tables, rows, strict=True) if row.active_count]
            return f"TableStatsReply {', '.join(used) or 'without entries'}"
    return fields_words(message, names)


def _flow_mod(message: messages.FlowMod, names: Names) -> str:
    table = f" table {message.table_id}" if message.table_id else ""
    priority = f" priority {message.priority}" if message.priority != _DEFAULT_PRIORITY else ""
    adds = message.command <= FlowCommand.MODIFY_STRICT
    does = f": {instructions_words(message.instructions, names)}" if adds else ""
    parts = [
        f"{name} {value} s" for name, value in (("idle", message.idle_timeout), ("hard", message.hard_timeout)) if value
    ]
    timeouts = f" ({', '.join(parts)})" if parts else ""
    start = f"FlowMod {_member(FlowCommand, message.command)}{_buffer(message.buffer_id)}{table}{priority}"
    return f"{start} {match_words(message.match, names)}{does}{timeouts}"


def _buffer(number: int | None) -> str:
    return "" if number in (NO_BUFFER, None) else f" buffer {number}"


def data_words(data: bytes, names: Names = NO_NAMES) -> str:
    """The packet that bytes hold."""
    return plain_packet_words(decode(data), names)


def flow_rows(reply: stats.FlowStatsReply, names: Names = NO_NAMES) -> list[str]:
    """The entries in a reply, numbered as the names of their counters are: "flow1 is eth_dst=h2: port 2"."""
    found = []
    for number, row in enumerate(reply.flows, 1):
        place = (f"table {row.table_id} " if row.table_id else "") + f"priority {row.priority}"
        counts = [counted(row.packet_count, "packet"), counted(row.byte_count, "byte")]
        tail = f" ({', '.join(counts)})" if row.packet_count or row.byte_count else ""
        does = instructions_words(row.instructions, names)
        found.append(f"flow{number} is {place} {match_words(row.match, names)}: {does}{tail}")
    return found


def match_words(match: Match, names: Names = NO_NAMES) -> str:
    """A match: `*` matches everything."""
    return ",".join(f"{name}={_field(name, value, mask, names)}" for name, value, mask in match.fields) or "*"


def _field(name: str, value: int, mask: int | None, names: Names) -> str:
    if mask is None and name in (*_MAC_FIELDS, *_IP_FIELDS):
        return names.mac(value) if name in _MAC_FIELDS else names.ip(value)
    if name in _IP_FIELDS and mask is not None and (bits := prefix_bits(mask)) is not None:
        return f"{ip4_text(value)}/{bits}"
    known = FIELDS.get(name)
    text = known.show(value) if known else hex(value)
    return _unquoted(text) + ("" if mask is None else f"/{mask:#x}")


def _unquoted(text: str) -> str:
    """An address or a constant as people write it: `mac('00:00:00:00:00:01')` and `Port.ANY` are Python's."""
    if found := re.fullmatch(r"(?:mac|ip)\('(.*)'\)", text):
        return found[1]
    if found := re.fullmatch(r"[A-Z]\w*\.([A-Z]\w*)", text):
        return found[1].lower().replace("_", " ")
    return text


# Fields that say which protocol a match is about -> the name of the protocol.
_PROTOCOLS: Mapping[str, str] = {
    "eth_type=0x800,ip_proto=1": "icmp",
    "eth_type=0x800,ip_proto=6": "tcp",
    "eth_type=0x800,ip_proto=17": "udp",
    "eth_type=0x800": "ip",
    "eth_type=0x806": "arp",
    "eth_type=0x86dd": "ipv6",
    "eth_type=0x88cc": "lldp",
}
_PROTOCOL = re.compile(rf"\b(?:{'|'.join(_PROTOCOLS)})\b(?!/)")


def brief_match_words(text: str) -> str:
    """The text of a message or match with the names of protocols instead of their numbers: `tcp,ipv4_dst=h2`."""
    return _PROTOCOL.sub(lambda found: _PROTOCOLS[found[0]], text)


def prefix_bits(mask: int) -> int | None:
    """The prefix length of an IPv4 mask; None if the mask is no prefix."""
    rest = mask ^ 0xFFFFFFFF
    return None if rest & (rest + 1) else 32 - rest.bit_length()


def instructions_words(instructions: tuple[of_actions.Instruction, ...], names: Names = NO_NAMES) -> str:
    """The instructions of a flow entry."""
    return "; ".join(_instruction(one, names) for one in instructions) or "drop"


def _instruction(one: of_actions.Instruction, names: Names) -> str:
    match one:
        case of_actions.ApplyActions():
            return actions_words(one.actions, names)
        case of_actions.WriteActions():
            return f"write({actions_words(one.actions, names)})"
        case of_actions.GotoTable():
            return f"goto table {one.table_id}"
        case of_actions.WriteMetadata():
            mask = "" if one.mask == 0xFFFFFFFFFFFFFFFF else f"/{one.mask:#x}"
            return f"metadata:={one.metadata:#x}{mask}"
        case of_actions.ClearActions():
            return "clear actions"
        case of_actions.Meter():
            return f"meter {one.meter_id}"
    return fields_words(one, names)


# Actions without arguments that matter.
_BARE_ACTIONS: Mapping[type[of_actions.OpenFlowAction], str] = {
    of_actions.PushVlan: "push VLAN",
    of_actions.PopVlan: "pop VLAN",
    of_actions.PushMpls: "push MPLS",
    of_actions.PopMpls: "pop MPLS",
    of_actions.PushPbb: "push PBB",
    of_actions.PopPbb: "pop PBB",
    of_actions.DecNwTtl: "decrement TTL",
    of_actions.DecMplsTtl: "decrement MPLS TTL",
    of_actions.CopyTtlOut: "copy TTL outwards",
    of_actions.CopyTtlIn: "copy TTL inwards",
}


def actions_words(actions: tuple[of_actions.OpenFlowAction, ...], names: Names = NO_NAMES) -> str:
    """A list of actions."""
    return ", ".join(_action(one, names) for one in actions) or "drop"


def _action(one: of_actions.OpenFlowAction, names: Names) -> str:
    match one:
        case of_actions.Output():
            return port_words(one.port)
        case of_actions.SetField():
            return f"{one.field}:={_field(one.field, one.value, None, names)}"
        case of_actions.Group():
            return f"group {_group(one.group_id)}"
        case of_actions.SetQueue():
            return f"queue {one.queue_id}"
        case of_actions.Enqueue():
            return f"{port_words(one.port)} queue {one.queue_id}"
        case of_actions.SetNwTtl():
            return f"TTL:={one.ttl}"
        case of_actions.SetMplsTtl():
            return f"MPLS TTL:={one.ttl}"
    return _BARE_ACTIONS.get(type(one)) or fields_words(one, names)


def port_words(port: int) -> str:
    """A port that packets are sent to: `port 2`, or the name of a reserved one."""
    return _RESERVED.get(port) or f"port {port}"


def _group(number: int) -> str:
    return {int(each): each.name.lower() for each in GroupId}.get(number) or str(number)


def buckets_words(buckets: Iterable[messages.Bucket], names: Names = NO_NAMES) -> str:
    """The buckets of a group, between bars."""
    shown = []
    for each in buckets:
        notes = [f"weight {each.weight}"] if each.weight else []
        notes += [f"watch port {each.watch_port}"] if each.watch_port != Port.ANY else []
        notes += [f"watch group {each.watch_group}"] if each.watch_group != GroupId.ANY else []
        shown.append(actions_words(each.actions, names) + (f" ({', '.join(notes)})" if notes else ""))
    return " | ".join(shown) or "no buckets"


def bands_words(bands: Iterable[messages.MeterBand]) -> str:
    """The bands of a meter."""
    return ", ".join(f"{_member(BandType, each.type)} above {each.rate}" for each in bands) or "no bands"


def fields_words(value: Value, names: Names = NO_NAMES) -> str:
    """Any value of the network: its kind, and the fields that have no default."""
    fields = [
        f"{name}={_content(content, shown, names)}" for name, content, shown in shown_fields(value) if name != "xid"
    ]
    return " ".join([type(value).__name__, *fields])


def field_words(value: Value, name: str, names: Names = NO_NAMES) -> str:
    """One field of a value of the network; bytes are whole."""
    content = getattr(value, name)
    return content.hex() if isinstance(content, bytes) else _content(content, shown_field(value, name), names)


def _content(content: Any, shown: str, names: Names) -> str:
    match content:
        case Match():
            return match_words(content, names)
        case of_actions.OpenFlowAction():
            return _action(content, names)
        case of_actions.Instruction():
            return _instruction(content, names)
        case Value():
            return fields_words(content, names)
        case bytes():
            return bytes_words(content)
        case tuple():
            return f"[{', '.join(_item(each, names) for each in content)}]"
        case str():
            return content
    return _unquoted(shown)


def _item(content: Any, names: Names) -> str:
    """An item of a list. The list's name says what it is: `ports=[port_no=1, port_no=2 tx_bytes=60]`."""
    text = _content(content, str(content), names)
    is_plain = isinstance(content, Value) and text.startswith(f"{type(content).__name__} ")
    return text.partition(" ")[2] if is_plain else text


def _member(kind: Any, number: int) -> str:
    try:
        name: str = kind(number).name
    except ValueError:
        return str(number)
    return name.lower().replace("_", " ")
