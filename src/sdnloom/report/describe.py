"""Packets, messages and events as short text, with host names instead of addresses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sdnloom.actors.network.packets import NamedPacket
from sdnloom.engine.stable_text import stable_text
from sdnloom.network import events
from sdnloom.network.openflow import actions as of_actions
from sdnloom.network.openflow import messages, stats
from sdnloom.network.openflow.constants import NO_BUFFER, FlowCommand, FlowRemovedReason, Port, PortReason
from sdnloom.network.openflow.match import Match
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.network.packet import decode
from sdnloom.network.packet.headers import Arp, Ethernet, Icmp, IPv4, IPv6, Lldp, Mpls, Packet, Tcp, TcpFlag, Udp, Vlan
from sdnloom.network.packet_id import written_id
from sdnloom.network.program import SwitchDown, SwitchUp
from sdnloom.network.switch_component import Carrier, EpochMessage, EpochSwitchUp
from sdnloom.network.topology import Topology
from sdnloom.network.value import ip4_text, ip6_text, mac_text

_BROADCAST = 0xFFFFFFFFFFFF
_ECHO = {(8, 0): "echo request", (0, 0): "echo reply"}
_MAC_FIELDS = ("eth_src", "eth_dst", "arp_sha", "arp_tha")
_IP_FIELDS = ("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa")
_RESERVED = {int(port): port.name.lower() for port in Port}


def counted(count: int, noun: str) -> str:
    """A number of things: "1 step", "2 steps", "1,000 classes"."""
    if count != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith(("ry", "cy")) else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,} {noun}"


@dataclass(frozen=True)
class Names:
    """The names of hosts by their addresses."""

    macs: Mapping[int, str] = field(default_factory=dict)
    ips: Mapping[int, str] = field(default_factory=dict)

    @staticmethod
    def of(topology: Topology) -> "Names":
        """The names of a topology's hosts."""
        return Names({host.mac: host.name for host in topology.hosts}, {host.ip: host.name for host in topology.hosts})

    def mac(self, address: int) -> str:
        """The host's name, or the address."""
        return "everyone" if address == _BROADCAST else self.macs.get(address) or mac_text(address)

    def ip(self, address: int) -> str:
        """The host's name, or the address."""
        return self.ips.get(address) or ip4_text(address)


NO_NAMES = Names()


def words(value: Any, names: Names = NO_NAMES) -> str:
    """Any message of a network as short text; values of other types print as Python."""
    if isinstance(value, Packet):
        return packet_words(value, names)
    if isinstance(value, messages.OpenFlowMessage):
        return message_words(value, names)
    if isinstance(value, EpochMessage):
        return words(value.message, names)
    if isinstance(value, EpochSwitchUp):
        return words(value.joined, names)
    if isinstance(value, Carrier):
        return f"port {value.port} {'has a carrier again' if value.up else 'loses its carrier'}"
    if isinstance(value, SwitchUp):
        return f"{value.switch} joins"
    if isinstance(value, SwitchDown):
        return f"{value.switch} leaves"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        if value and all(map(_at_port, value)):
            return "; ".join(f"port {port}: {packet_words(packet, names)}" for port, packet in value)
        if _at_port(value):  # a host's task: its number and a packet
            return packet_words(value[1], names)
    return value if isinstance(value, str) else stable_text(value)


def _at_port(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], Packet)


def packet_words(packet: Packet | NamedPacket, names: Names = NO_NAMES) -> str:
    """A packet: its name if it has one, source, destination, protocol and payload."""
    if isinstance(packet, NamedPacket):
        return f"{packet.name}: {packet_words(packet.packet, names)}"
    parts = []
    for header in packet.headers:
        match header:
            case Ethernet():
                parts.append(f"{names.mac(header.src)} > {names.mac(header.dst)}")
                if len(packet.headers) == 1 and header.type:
                    parts.append(f"type {header.type:#x}")
            case Vlan():
                parts.append(f"VLAN {header.vid}")
            case Mpls():
                parts.append(f"MPLS {header.label}")
            case Arp():
                asks = f"ARP who is {names.ip(header.tpa)}"
                tells = f"ARP {names.ip(header.spa)} is {mac_text(header.sha)}"
                parts.append(asks if header.op == 1 else tells)
            case IPv4():
                parts += _addresses(header.src, header.dst, packet, names)
            case IPv6():
                parts.append(f"IPv6 {ip6_text(header.src)} > {ip6_text(header.dst)}")
            case Icmp():
                known = _ECHO.get((header.type, header.code), f"type {header.type} code {header.code}")
                parts.append(f"ICMP {known}" + (f" {header.rest}" if header.rest else ""))
            case Tcp():
                flags = "+".join(flag.name or "" for flag in TcpFlag if header.flags & flag) or "no flags"
                parts.append(f"TCP {header.src} > {header.dst} {flags}")
            case Udp():
                parts.append(f"UDP {header.src} > {header.dst}")
            case Lldp():
                parts.append("LLDP")
            case _:
                parts.append(repr(header))
    name = written_id(packet)
    rest = packet.payload[: -len(name.encode()) - 1] if name else packet.payload
    if rest:
        parts.append(f"payload {_bytes(rest)}")
    if name:
        parts.append(f"#{name}")
    return " ".join(parts) or "an empty packet"


def _addresses(src: int, dst: int, packet: Packet, names: Names) -> list[str]:
    """IP addresses, unless the MAC addresses name the same hosts."""
    first = packet.headers[0] if packet.headers else None
    if isinstance(first, Ethernet) and (names.mac(first.src), names.mac(first.dst)) == (names.ip(src), names.ip(dst)):
        return []
    return [f"IP {names.ip(src)} > {names.ip(dst)}"]


def _bytes(content: bytes) -> str:
    return content.hex() if len(content) <= 8 else f"{content[:8].hex()}... ({len(content)} bytes)"


def message_words(message: messages.OpenFlowMessage, names: Names = NO_NAMES) -> str:
    """An OpenFlow message: its kind and its most important fields."""
    match message:
        case messages.PacketIn():
            kept = "" if message.buffer_id == NO_BUFFER else f" buffer {message.buffer_id}"
            return f"PacketIn port {message.in_port}{kept}: {_data(message.data, names)}"
        case messages.PacketOut():
            data = f": {_data(message.data, names)}" if message.data else ""
            kept = "" if message.buffer_id == NO_BUFFER else f" buffer {message.buffer_id}"
            return f"PacketOut{kept} {actions_words(message.actions, names)}{data}"
        case messages.FlowMod():
            command = _member(FlowCommand, message.command)
            kept = "" if message.buffer_id == NO_BUFFER else f" buffer {message.buffer_id}"
            adds = message.command <= FlowCommand.MODIFY_STRICT
            does = f": {instructions_words(message.instructions, names)}" if adds else ""
            timeouts = _timeouts(message.idle_timeout, message.hard_timeout)
            return f"FlowMod {command}{kept} {match_words(message.match, names)}{does}{timeouts}"
        case messages.FlowRemoved():
            return f"FlowRemoved {match_words(message.match, names)} ({_member(FlowRemovedReason, message.reason)})"
        case messages.PortStatus():
            down = " down" if message.desc.state & 1 else ""
            return f"PortStatus port {message.desc.port_no} {_member(PortReason, message.reason)}{down}"
        case messages.Error():
            return f"Error {message.type} {message.code}"
        case stats.FlowStatsReply():
            return f"FlowStatsReply {', '.join(flow_rows(message, names)) or 'without entries'}"
        case stats.TableStatsReply():
            rows = [f"table{row.table_id} has {counted(row.active_count, 'entry')}" for row in message.tables]
            used = [text for row, text in zip(message.tables, rows, strict=True) if row.active_count]
            return f"TableStatsReply {', '.join(used) or 'without entries'}"
        case messages.BarrierRequest() | messages.BarrierReply() | messages.FeaturesRequest():
            return type(message).__name__
    return repr(message)


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
    parts = []
    for name, value, mask in match.fields:
        if name in _MAC_FIELDS and mask is None:
            text = names.mac(value)
        elif name in _IP_FIELDS and mask is None:
            text = names.ip(value)
        elif name in _IP_FIELDS and mask is not None and (bits := prefix_bits(mask)) is not None:
            text = f"{ip4_text(value)}/{bits}"
        else:
            known = FIELDS.get(name)
            text = (known.show(value) if known else hex(value)) + ("" if mask is None else f"/{mask:#x}")
        parts.append(f"{name}={text}")
    return ",".join(parts) or "*"


def prefix_bits(mask: int) -> int | None:
    """The prefix length of an IPv4 mask; None if the mask is no prefix."""
    rest = mask ^ 0xFFFFFFFF
    return None if rest & (rest + 1) else 32 - rest.bit_length()


def instructions_words(instructions: tuple[of_actions.Instruction, ...], names: Names = NO_NAMES) -> str:
    """The instructions of a flow entry."""
    parts = []
    for one in instructions:
        match one:
            case of_actions.ApplyActions():
                parts.append(actions_words(one.actions, names))
            case of_actions.WriteActions():
                parts.append(f"write({actions_words(one.actions, names)})")
            case of_actions.GotoTable():
                parts.append(f"goto table {one.table_id}")
            case _:
                parts.append(repr(one))
    return "; ".join(parts) or "drop"


def actions_words(actions: tuple[of_actions.OpenFlowAction, ...], names: Names = NO_NAMES) -> str:
    """A list of actions."""
    parts = []
    for one in actions:
        match one:
            case of_actions.Output():
                parts.append(_RESERVED.get(one.port) or f"port {one.port}")
            case of_actions.SetField():
                value = names.mac(one.value) if one.field in _MAC_FIELDS else repr(one.value)
                parts.append(f"{one.field}:={names.ip(one.value) if one.field in _IP_FIELDS else value}")
            case _:
                parts.append(repr(one))
    return ", ".join(parts) or "drop"


def event_words(event: Any, names: Names = NO_NAMES) -> str | None:
    """The text that an event adds to the line of its step; None if the line has it already."""
    match event:
        case events.Sent():
            return packet_words(event.packet, names)
        case events.Forwarded():
            return f"out {event.port}"
        case events.ToController():
            return "to the controller"
        case events.Dropped():
            return "dropped"
        case events.Lost():
            return f"lost ({event.reason})"
        case events.MessageSent():
            return f"{event.switch}: {message_words(event.message, names)}"
        case events.MessageRefused():
            return f"refused ({event.type} {event.code})"
        case events.BufferDiscarded():
            return f"buffer {event.buffer_id} discarded"
        case events.EntryRemoved():
            return f"removed {match_words(event.match, names)} ({event.reason})"
        case events.CallAnswered():
            return f"answer {event.status}{f' {_shortened(event.body)}' if event.body else ''}"
        case events.HostMoved():
            return f"from {event.old} to {event.new}"
        case events.LinkFailed():
            return f"link {event.one}-{event.other} fails"
        case events.LinkRestored():
            return f"link {event.one}-{event.other} is back"
        case events.HandlerRaised():
            return f"{event.handler} raised {event.text} ({Path(event.file).name}:{event.line})"
        case events.ProgramEnded():
            return f"{event.program} ends its own process: {event.how} ({Path(event.file).name}:{event.line})"
        case events.Printed():
            return f"prints {event.text!r}"
        case events.OverlapMattered():
            return f"{len(event.matches)} entries of priority {event.priority} match"
    return None


def _data(data: bytes, names: Names) -> str:
    return packet_words(decode(data), names)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def _member(kind: Any, number: int) -> str:
    try:
        name: str = kind(number).name
    except ValueError:
        return str(number)
    return name.lower().replace("_", " ")


def _timeouts(idle: int, hard: int) -> str:
    parts = [f"{name} {value} s" for name, value in (("idle", idle), ("hard", hard)) if value]
    return f" ({', '.join(parts)})" if parts else ""
