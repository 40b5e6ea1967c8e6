"""What sdnloom supplies because the real switch does not have it: packet buffers, counters, a description.

Open vSwitch keeps no packets for the controller. A scenario whose switches do is confirmed with buffers that the wire
keeps: a PacketIn gets the buffer id and the length that the trace says, and a message that releases a buffer is sent
with the packet in it. Counters in statistics and in FlowRemoved are inputs of a scenario, so they are those of the
trace; so is the order of their rows, which OpenFlow leaves open. A switch of profile `reference` describes itself as
in the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, TypeVar

from sdnloom.confirm.comparison import observed_message
from sdnloom.network.openflow import (
    NO_BUFFER,
    V10,
    V13,
    ApplyActions,
    DescReply,
    Error,
    FeaturesReply,
    FlowCommand,
    FlowMod,
    FlowRemoved,
    GetConfigReply,
    GroupFeaturesReply,
    GroupStats,
    MeterFeaturesReply,
    MeterStats,
    OpenFlowMessage,
    Output,
    PacketIn,
    PacketOut,
    Port,
    PortDesc,
    PortDescReply,
    PortMod,
    PortState,
    PortStatsReply,
    PortStatus,
    StatsReply,
    TableStatsReply,
    encode,
)
from sdnloom.network.statistics import COUNTERS
from sdnloom.network.switch import Switch

_TRAFFIC = ("packet_count", "byte_count", "packet_in_count", "byte_in_count", "lookup_count", "matched_count")
_COUNTERS = frozenset((*COUNTERS, *_TRAFFIC, "duration_sec", "duration_nsec"))
_PARTS = {GroupStats: "buckets", MeterStats: "bands"}  # pairs of counters in a row
_DESCRIPTIONS = (
    FeaturesReply,
    DescReply,
    GroupFeaturesReply,
    MeterFeaturesReply,
    PortDescReply,
    TableStatsReply,
)
_MISS_SEND_LEN = 128  # of Open vSwitch, until the controller sets another one
_BUFFERS = "packet buffers: Open vSwitch keeps no packets for the controller, so the wire keeps them"
_SUPPLIED_COUNTERS = "counters, and the order of rows in statistics: the controller gets those of the trace"
_DESCRIPTION = (
    "the description of the switches: their profile is reference, so they describe themselves as in the model"
)
_PORT_STATUS = "the PortStatus after a PortMod: Open vSwitch reports no change that the controller has made itself"
_FLOW_MOD_BUFFER = {V10: 64, V13: 32}  # where the messages have the id of the buffer
_PACKET_OUT_BUFFER = 8
_USED_BUFFER = Error("bad_request", "buffer_empty")
_NO_SUCH_BUFFER = Error("bad_request", "buffer_unknown")
_V = TypeVar("_V")


class KeptPacket(NamedTuple):
    """A packet that the wire keeps for the controller."""

    in_port: int
    frame: bytes


class SuppliedParts:
    """The buffers of all switches, and what has been supplied so far (`notes`)."""

    def __init__(self, configs: Mapping[str, Switch]) -> None:
        self._configs = configs
        self._buffers: dict[str, dict[int, KeptPacket]] = {name: {} for name in configs}
        self._notes: dict[str, None] = {}

    def copy(self) -> "SuppliedParts":
        """The same parts, for an attempt that may fail."""
        copied = SuppliedParts(self._configs)
        copied._buffers = {name: dict(each) for name, each in self._buffers.items()}
        copied._notes = dict(self._notes)
        return copied

    @property
    def notes(self) -> tuple[str, ...]:
        """What has been supplied so far, in words."""
        return tuple(self._notes)

    def buffers(self, switch: str) -> Mapping[int, KeptPacket]:
        """The packets that the wire keeps for a switch."""
        return self._buffers[switch]

    def forget(self, switch: str, buffer_id: int | None = None) -> None:
        """Drop a packet, or without an id all of them: its time is up, or the switch has lost its power."""
        if buffer_id is None:
            self._buffers[switch].clear()
        else:
            self._buffers[switch].pop(buffer_id, None)

    def describes(self, switch: str) -> bool:
        """Whether the switch describes itself as in the model."""
        if self._configs[switch].profile == "openvswitch":
            return False
        self._notes[_DESCRIPTION] = None
        return True

    def from_switch(self, switch: str, expected: OpenFlowMessage, observed: OpenFlowMessage) -> OpenFlowMessage:
        """A message of a real switch with what is supplied; as it is, where the trace expects another one."""
        if type(expected) is not type(observed):
            return observed
        if isinstance(expected, PacketIn) and isinstance(observed, PacketIn):
            if expected.buffer_id == NO_BUFFER or observed.buffer_id != NO_BUFFER:
                return observed
            self._notes[_BUFFERS] = None
            self._buffers[switch][expected.buffer_id] = KeptPacket(observed.in_port, observed.data)
            return replace(observed, buffer_id=expected.buffer_id, data=observed.data[: len(expected.data)])
        if isinstance(expected, _DESCRIPTIONS) and self.describes(switch):
            described = replace(expected, xid=observed.xid)
            if isinstance(described, FeaturesReply | PortDescReply) and isinstance(observed, type(described)):
                return replace(described, ports=tuple(_described_ports(described.ports, observed.ports)))
            return described
        if isinstance(expected, GetConfigReply) and isinstance(observed, GetConfigReply):
            own = self._configs[switch].miss_send_len
            changed = own == _MISS_SEND_LEN or observed.miss_send_len != _MISS_SEND_LEN
            return observed if changed or not self.describes(switch) else replace(observed, miss_send_len=own)
        if isinstance(expected, PortStatus) and isinstance(observed, PortStatus) and self.describes(switch):
            return replace(observed, desc=_described(expected.desc, observed.desc))
        if isinstance(expected, Error) and isinstance(observed, Error) and _is_about(expected, _USED_BUFFER):
            # A switch without buffers does not know which were used.
            return replace(observed, code=expected.code) if _is_about(observed, _NO_SUCH_BUFFER) else observed
        return self._counted(switch, expected, observed)

    def once(self, switch: str, observed: Sequence[OpenFlowMessage]) -> list[bool]:
        """Which messages of a real switch are kept: of two PortStatus of one port only the last.

        Open vSwitch 1.3 tells in two messages that a link went down, the specification's switch in one.
        """
        ports = [each.desc.port_no if isinstance(each, PortStatus) else None for each in observed]
        kept = [port is None or port not in ports[place + 1 :] for place, port in enumerate(ports)]
        return kept if not all(kept) and self.describes(switch) else [True] * len(kept)

    def is_missing(self, switch: str, given: object, expected: OpenFlowMessage) -> bool:
        """Whether a message that the real switch does not send is supplied: the PortStatus after a PortMod.

        The specification's switch tells the controller of every change of a port, Open vSwitch not of those that the
        controller has made.
        """
        if not isinstance(expected, PortStatus) or not isinstance(given, PortMod) or not self.describes(switch):
            return False
        self._notes[_PORT_STATUS] = None
        return True

    def _counted(self, switch: str, expected: OpenFlowMessage, observed: OpenFlowMessage) -> OpenFlowMessage:
        if isinstance(expected, FlowRemoved):
            counted: OpenFlowMessage = _with_counters(expected, observed)
        elif isinstance(expected, StatsReply):
            counted = _with_counters(expected, observed)
            for field in fields(observed):
                rows = getattr(observed, field.name)
                if isinstance(rows, tuple) and all(map(is_dataclass, rows)):
                    if isinstance(observed, PortStatsReply) and self.describes(switch):
                        rows = tuple(row for row in rows if row.port_no != Port.LOCAL)
                    changed: dict[str, Any] = {field.name: tuple(_rows(getattr(expected, field.name), rows))}
                    counted = replace(counted, **changed)
        else:
            return observed
        if counted != observed:
            self._notes[_SUPPLIED_COUNTERS] = None
        return counted

    def to_switch(self, switch: str, data: bytes) -> Iterator[bytes]:
        """Yield the messages that a switch without buffers gets instead of one that may release a buffer.

        The next one is asked for only if the switch has taken the one before without an error.
        """
        version = self._configs[switch].version
        message = observed_message(data, version)
        buffers = self._buffers[switch]
        if not isinstance(message, PacketOut | FlowMod) or message.buffer_id not in buffers:
            yield data
        elif isinstance(message, PacketOut):
            kept = buffers.pop(message.buffer_id)
            end = len(data) - len(message.data)  # beside a buffer its packet does not count
            yield _without_buffer(data[:end], _PACKET_OUT_BUFFER, kept.frame)
        else:
            yield _without_buffer(data, _FLOW_MOD_BUFFER[version])
            if message.command < FlowCommand.DELETE:
                kept = buffers.pop(message.buffer_id)
                yield encode(_release(message, kept, version), version)


def _without_buffer(data: bytes, at: int, packet: bytes = b"") -> bytes:
    """The bytes of a message without its buffer id, and with a packet at its end; all else as it was sent."""
    size = (len(data) + len(packet)).to_bytes(2, "big")
    return data[:2] + size + data[4:at] + NO_BUFFER.to_bytes(4, "big") + data[at + 4 :] + packet


def _release(message: FlowMod, kept: KeptPacket, version: int) -> PacketOut:
    """The message that lets a kept packet go as a FlowMod says: by its actions in 1.0, through the tables in 1.3."""
    if version != V10:
        return PacketOut((Output(Port.TABLE),), kept.frame, kept.in_port)
    actions = tuple(
        action for each in message.instructions if isinstance(each, ApplyActions) for action in each.actions
    )
    return PacketOut(actions, kept.frame, kept.in_port)


def _is_about(error: Error, same: Error) -> bool:
    return (error.type, error.code) == (same.type, same.code)


def _described(expected: PortDesc, observed: PortDesc) -> PortDesc:
    """An observed port as the model describes it; its number, configuration and link are those observed."""
    link = observed.state & PortState.LINK_DOWN | expected.state & ~PortState.LINK_DOWN
    return replace(expected, port_no=observed.port_no, config=observed.config, state=int(link))


def _described_ports(expected: tuple[PortDesc, ...], observed: tuple[PortDesc, ...]) -> Iterator[PortDesc]:
    """Yield the observed ports as the model describes them, without LOCAL if the model has it not."""
    seen = {port.port_no: port for port in observed}
    for port in expected:
        if port.port_no in seen:
            yield _described(port, seen.pop(port.port_no))
    yield from (port for port in seen.values() if port.port_no != Port.LOCAL)


def _counters(value: Any) -> list[str]:
    """The names of the counters of a message or row."""
    parts = _PARTS.get(type(value))
    return [field.name for field in fields(value) if field.name in _COUNTERS or field.name == parts]


def _with_counters(expected: Any, observed: _V) -> _V:
    """A value with the counters of another one."""
    assert is_dataclass(observed)
    assert not isinstance(observed, type)
    return replace(observed, **{name: getattr(expected, name) for name in _counters(observed)})


def _rows(expected: tuple[Any, ...], observed: tuple[Any, ...]) -> Iterator[Any]:
    """Yield observed rows of a reply, with the counters and in the order of those expected."""
    known = {str(_without_counters(row)): (place, row) for place, row in enumerate(expected)}
    found = []
    for row in observed:
        place, like = known.get(str(_without_counters(row)), (len(known), row))
        found.append((place, _with_counters(like, row)))
    yield from (row for _, row in sorted(found, key=lambda each: each[0]))


def _without_counters(row: Any) -> Any:
    return replace(row, **dict.fromkeys(_counters(row), 0))
