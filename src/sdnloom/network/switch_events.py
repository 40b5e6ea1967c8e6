"""Events of a switch step, found by comparing the core before and after."""

from collections.abc import Iterator

from sdnloom.network.events import (
    BufferDiscarded,
    BufferReleased,
    EntryInstalled,
    EntryRemoved,
    Forwarded,
    MessageRefused,
    NetworkEvent,
    OverlapMattered,
    PacketBuffered,
    ToController,
)
from sdnloom.network.openflow import NO_BUFFER, Error, FlowRemovedReason, PacketIn
from sdnloom.network.packet import Packet, decode
from sdnloom.network.switch import Ambiguous, BufferExpired, FlowEntry, SwitchCore, SwitchOutcome

_REASONS = {FlowRemovedReason.IDLE_TIMEOUT: "idle timeout", FlowRemovedReason.HARD_TIMEOUT: "hard timeout"}


def step_events(
    switch: str, before: SwitchCore, outcome: SwitchOutcome, reason: str = "by message"
) -> tuple[NetworkEvent, ...]:
    """Return the events of an outcome: tables first, then buffers, then packets and messages in order."""
    return (
        *_tables(switch, before, outcome.core, reason),
        *_buffers(switch, before, outcome),
        *_traffic(switch, outcome),
    )


def _tables(switch: str, before: SwitchCore, after: SwitchCore, reason: str) -> Iterator[NetworkEvent]:
    if before.flows is after.flows or before.flows == after.flows:
        return
    old = {entry.key: _content(entry) for entry in before.flows}
    new = {entry.key: _content(entry) for entry in after.flows}
    for entry in before.flows:
        if entry.key not in new:
            yield EntryRemoved(switch, entry.table, entry.priority, entry.match, reason)
    for entry in after.flows:
        if old.get(entry.key) != new[entry.key]:
            yield EntryInstalled(switch, entry.table, entry.priority, entry.match)


def _content(entry: FlowEntry) -> object:
    """Return the content of an entry without counters and timers, whose change is no event."""
    return entry.instructions, entry.cookie, entry.flags, entry.idle_timeout, entry.hard_timeout


def _buffers(switch: str, before: SwitchCore, outcome: SwitchOutcome) -> Iterator[NetworkEvent]:
    if before.buffers == outcome.core.buffers:
        return
    expired = {event.buffer_id for event in outcome.events if isinstance(event, BufferExpired)}
    old = {each.buffer_id: each.packet for each in before.buffers}
    new = {each.buffer_id: each.packet for each in outcome.core.buffers}
    for number, packet in old.items():
        if new.get(number) != packet:
            yield (BufferDiscarded if number in expired else BufferReleased)(switch, number, packet)
    for number, packet in new.items():
        if old.get(number) != packet:
            yield PacketBuffered(switch, number, packet)


def _traffic(switch: str, outcome: SwitchOutcome) -> Iterator[NetworkEvent]:
    for event in outcome.events:
        if isinstance(event, Ambiguous):
            yield OverlapMattered(switch, event.table, event.priority, event.matches)
    for port, packet in outcome.outputs:
        yield Forwarded(switch, port, packet)
    for message in outcome.messages:
        if isinstance(message, PacketIn):
            yield ToController(switch, message.in_port, whole_packet(message, outcome.core))
        elif isinstance(message, Error):
            yield MessageRefused(switch, message.type, message.code)


def whole_packet(message: PacketIn, core: SwitchCore) -> Packet:
    """Return the whole packet of a PacketIn; if it was truncated, the buffer has all of it."""
    if message.buffer_id != NO_BUFFER:
        for each in core.buffers:
            if each.buffer_id == message.buffer_id:
                return each.packet
    return decode(message.data)


def removal_reason(reason: int) -> str:
    """Return the reason of an EntryRemoved event for a number of OpenFlow."""
    return _REASONS.get(FlowRemovedReason(reason), "by message")
