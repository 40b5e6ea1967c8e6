"""Messages and events of any kind as short text, with host names instead of addresses."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeGuard

from sdnloom.actors.network.packets import NamedPacket
from sdnloom.engine.stable_text import stable_text
from sdnloom.network import events
from sdnloom.network.openflow import Match, messages
from sdnloom.network.packet.headers import Packet
from sdnloom.network.program import SwitchDown, SwitchUp
from sdnloom.network.switch_component import Carrier, EpochMessage, EpochSwitchUp
from sdnloom.network.text import NO_NAMES as NO_NAMES
from sdnloom.network.text import Names as Names
from sdnloom.network.text import actions_words as actions_words
from sdnloom.network.text import counted as counted
from sdnloom.network.text import fields_words, plain_packet_words
from sdnloom.network.text import flow_rows as flow_rows
from sdnloom.network.text import instructions_words as instructions_words
from sdnloom.network.text import match_words as match_words
from sdnloom.network.text import message_words as message_words
from sdnloom.network.text import prefix_bits as prefix_bits
from sdnloom.network.value import Value


def packet_words(packet: Packet | NamedPacket, names: Names = NO_NAMES) -> str:
    """A packet: source, destination, protocol and payload, in parentheses after its name if it has one."""
    if isinstance(packet, NamedPacket):
        return f"{packet.name} ({plain_packet_words(packet.packet, names)})"
    return plain_packet_words(packet, names)


def words(value: Any, names: Names = NO_NAMES) -> str:
    """Any message as short text: those of a network in words, others as their kind and fields."""
    match value:
        case Packet() | NamedPacket():
            return packet_words(value, names)
        case messages.OpenFlowMessage():
            return message_words(value, names)
        case Match():
            return match_words(value, names)
        case EpochMessage():
            return words(value.message, names)
        case EpochSwitchUp():
            return words(value.joined, names)
        case Carrier():
            return f"port {value.port} {'is up again' if value.up else 'goes down'}"
        case SwitchUp():
            return f"{value.switch} joins"
        case SwitchDown():
            return f"{value.switch} leaves"
        case Value():
            return fields_words(value, names)
        case str():
            return value
    return _other(value, names)


def _other(value: Any, names: Names) -> str:
    """A value of a type that a user wrote: `Kind field=value ...`; plain values are as in Python."""
    if isinstance(value, tuple):
        if at_ports(value):
            return "; ".join(f"port {port}: {packet_words(packet, names)}" for port, packet in value)
        if is_at_port(value):  # a host's task: its number and a packet
            return packet_words(value[1], names)
        if hasattr(value, "_fields"):
            return _fields(type(value).__name__, zip(value._fields, value, strict=True), names)
        return f"({', '.join(words(each, names) for each in value)})"
    has_own_text = not hasattr(type(value).__repr__, "__wrapped__")  # a generated repr is wrapped
    if is_dataclass(value) and not isinstance(value, type) and not has_own_text:
        shown = ((each.name, getattr(value, each.name)) for each in fields(value) if each.repr)
        return _fields(type(value).__name__, shown, names)
    return stable_text(value)


def _fields(kind: str, pairs: Any, names: Names) -> str:
    return " ".join([kind, *(f"{name}={_inner(content, names)}" for name, content in pairs)])


def _inner(value: Any, names: Names) -> str:
    text = words(value, names)
    return f"({text})" if " " in text and not text.startswith("(") else text


def is_at_port(value: Any) -> TypeGuard[tuple[int, Packet]]:
    """Whether a value is a number and a packet: of a port, or of a host's task."""
    return type(value) is tuple and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], Packet)


def at_ports(value: Any) -> TypeGuard[tuple[tuple[int, Packet], ...]]:
    """Whether a value is packets at ports of a switch, as one step takes them."""
    return isinstance(value, tuple) and bool(value) and all(map(is_at_port, value))


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


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
