"""The visible effects of a step, of the model and of Open vSwitch, in one form that can be compared for equality."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sdnloom.network.openflow import (
    Error,
    FlowRemoved,
    FlowRemovedReason,
    FlowStatsReply,
    GroupDescReply,
    MeterConfigReply,
    MeterStatsReply,
    OpenFlowMessage,
    PacketIn,
)
from sdnloom.network.openflow.codec import decode
from sdnloom.network.openflow.errors import ERROR_DATA
from sdnloom.network.packet import IpProto, IPv4
from sdnloom.network.packet import decode as decode_packet
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch import SwitchOutcome
from sdnloom.network.switch.tables.lookup import is_fragment
from sdnloom.switches.bridge import SwitchReaction


@dataclass(frozen=True)
class View:
    """What both sides show of one step, in a form that can be compared for equality."""

    frames: tuple[tuple[int, tuple[bytes, ...]], ...]
    messages: tuple[OpenFlowMessage, ...]

    def __str__(self) -> str:
        frames = [f"  port {port}: {frame.hex()}" for port, frames in self.frames for frame in frames]
        return "\n".join([*frames, *(f"  {message!r}" for message in self.messages)]) or "  nothing"


def view_of_model(outcome: SwitchOutcome) -> View:
    """Return the model's side of a step."""
    frames = [(port, encode_packet(packet)) for port, packet in outcome.outputs]
    return View(_by_port(frames), _comparable(outcome.messages))


def view_of_switch(observed: SwitchReaction, version: int) -> View:
    """Return Open vSwitch's side of a step."""
    return View(_by_port(observed.frames), _comparable(decode(message, version) for message in observed.messages))


def _by_port(frames: Iterable[tuple[int, bytes]]) -> tuple[tuple[int, tuple[bytes, ...]], ...]:
    """Order across ports is not observable: each port writes its own capture."""
    ports: dict[int, list[bytes]] = {}
    for port, frame in frames:
        ports.setdefault(port, []).append(without_fragment_checksum(frame))
    return tuple((port, tuple(ports[port])) for port in sorted(ports))


def _comparable(messages: Iterable[OpenFlowMessage]) -> tuple[OpenFlowMessage, ...]:
    """Return messages in a comparable order: removals are reported in no defined order, so they go last and sorted.

    The switch numbers its own messages as it likes: their xid is dropped. Entries of a table have no order either.
    """
    kept: list[OpenFlowMessage] = []
    removed: list[OpenFlowMessage] = []
    for message in messages:
        if isinstance(message, FlowRemoved):
            removed.append(_removal(message))
        elif isinstance(message, FlowStatsReply):
            flows = tuple(sorted(message.flows, key=repr))
            if kept and isinstance(kept[-1], FlowStatsReply):  # a reply in several parts
                flows = tuple(sorted(kept.pop().flows + flows, key=repr))  # type: ignore[attr-defined]
            kept.append(replace(message, flows=flows, flags=0))
        elif isinstance(message, Error):
            kept.append(replace(message, data=message.data[:ERROR_DATA]))  # both versions ask for at least that much
        elif isinstance(message, GroupDescReply):
            kept.append(replace(message, groups=tuple(sorted(message.groups, key=lambda group: group.group_id))))
        elif isinstance(message, MeterConfigReply | MeterStatsReply):
            meters: Iterable[Any] = sorted(message.meters, key=lambda meter: meter.meter_id)
            kept.append(replace(message, meters=tuple(meters)))
        elif isinstance(message, PacketIn):
            kept.append(replace(message, data=without_fragment_checksum(message.data)))
        else:
            kept.append(message)
    return (*kept, *sorted(removed, key=repr))


def without_fragment_checksum(frame: bytes) -> bytes:
    """Return a frame with two bytes of a fragment's payload blanked, others as they are.

    The rule "checksum-in-fragment": Open vSwitch corrects the transport checksum that a whole datagram has there.
    """
    packet = decode_packet(frame)
    offset = next((_CHECKSUM.get(each.proto) for each in packet.headers if isinstance(each, IPv4)), None)
    if offset is None or not is_fragment(packet):
        return frame
    start = len(frame) - len(packet.payload) - len(packet.trailer) + offset
    return frame[:start] + bytes(2) + frame[start + 2 :]


_CHECKSUM: dict[int, int] = {IpProto.TCP: 16, IpProto.UDP: 6}


def _removal(message: FlowRemoved) -> FlowRemoved:
    """Open vSwitch looks for expired entries periodically, so the duration it reports is not that of the deadline."""
    timed_out = message.reason in (FlowRemovedReason.IDLE_TIMEOUT, FlowRemovedReason.HARD_TIMEOUT)
    return replace(message, xid=0, duration_nsec=0 if timed_out else message.duration_nsec)
