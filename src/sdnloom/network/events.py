"""What happens in a network, as facts for properties, strategies and reports. No step ever reads them.

Every event prints as Python and compares by kind and value. A packet in an event is the packet as it was there and
then; `identity.py` tells which packet it is, where packets have an identity.
"""

from dataclasses import dataclass
from typing import TypeAlias

from sdnloom.network.openflow import Match, OpenFlowMessage
from sdnloom.network.packet import Packet
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.network.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Sent(Value):
    """A host sent a packet."""

    host: str
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class Received(Value):
    """A packet reached a host, whether it was meant for it or not."""

    host: str
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class Arrived(Value):
    """A packet came in at a port of a switch."""

    switch: str
    port: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class Forwarded(Value):
    """A switch sent a packet out of a port."""

    switch: str
    port: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class ToController(Value):
    """A switch sent a packet to the controller."""

    switch: str
    port: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class Dropped(Value):
    """A switch did nothing with a packet that came in, or was told to release it nowhere: no fault was involved."""

    switch: str
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class Lost(Value):
    """A packet ended where the world, not a rule, ended it.

    The reasons: "moved" (the host is no longer there), "no host" (nothing was ever plugged in there), "port down",
    "switch down", "no controller" (its switch was not connected). The first two are not faults.
    """

    port: SwitchPort
    packet: Packet
    reason: str

    @property
    def by_fault(self) -> bool:
        """Whether a fault of the network took the packet."""
        return self.reason in ("port down", "switch down", "no controller")


@dataclass(frozen=True, slots=True, repr=False)
class PacketBuffered(Value):
    """A switch keeps a packet for the controller."""

    switch: str
    buffer_id: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class BufferReleased(Value):
    """A switch was told what to do with a packet it kept."""

    switch: str
    buffer_id: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class BufferDiscarded(Value):
    """A switch threw a kept packet away because nobody asked for it in time."""

    switch: str
    buffer_id: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class EntryInstalled(Value):
    """A switch has a new or changed flow entry."""

    switch: str
    table: int
    priority: int
    match: Match


@dataclass(frozen=True, slots=True, repr=False)
class EntryRemoved(Value):
    """A flow entry is gone. The reasons: "told", "idle timeout", "hard timeout", "switch failed", "connection lost"."""

    switch: str
    table: int
    priority: int
    match: Match
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class MessageSent(Value):
    """The program sent a message to a switch."""

    switch: str
    message: OpenFlowMessage


@dataclass(frozen=True, slots=True, repr=False)
class MessageApplied(Value):
    """A switch took a message of the program, whether it accepted it or not."""

    switch: str
    message: OpenFlowMessage


@dataclass(frozen=True, slots=True, repr=False)
class MessageHandled(Value):
    """The program has handled a message from a switch."""

    switch: str
    message: OpenFlowMessage


@dataclass(frozen=True, slots=True, repr=False)
class MessageRefused(Value):
    """A switch answered a message with an error."""

    switch: str
    type: str | int
    code: str | int


@dataclass(frozen=True, slots=True, repr=False)
class HandlerRaised(Value):
    """An exception escaped from a handler of the program.

    File and line are those of the program's own code; `library` is the "file:line" of a library that raised it, and
    `effect` what becomes of the program, where the platform knows.
    """

    program: str
    handler: str
    file: str
    line: int
    text: str
    library: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class HostMoved(Value):
    """A host went from one port to another."""

    host: str
    old: SwitchPort
    new: SwitchPort


@dataclass(frozen=True, slots=True, repr=False)
class NetworkRested(Value):
    """The network has come to rest after a host moved: whatever the move brought about has happened."""

    host: str


@dataclass(frozen=True, slots=True, repr=False)
class LinkFailed(Value):
    """A link went down."""

    one: SwitchPort
    other: SwitchPort


@dataclass(frozen=True, slots=True, repr=False)
class LinkRestored(Value):
    """A link came back."""

    one: SwitchPort
    other: SwitchPort


@dataclass(frozen=True, slots=True, repr=False)
class SwitchFailed(Value):
    """A switch lost its power, and with it all it knew."""

    switch: str


@dataclass(frozen=True, slots=True, repr=False)
class SwitchLeft(Value):
    """A switch lost its connection to the controller but goes on working."""

    switch: str


@dataclass(frozen=True, slots=True, repr=False)
class SwitchJoined(Value):
    """A switch connected to the controller."""

    switch: str


@dataclass(frozen=True, slots=True, repr=False)
class TimerFired(Value):
    """A timer of the program fired."""

    name: str


@dataclass(frozen=True, slots=True, repr=False)
class ExternalCalled(Value):
    """Something outside the network called the program."""

    name: str


@dataclass(frozen=True, slots=True, repr=False)
class CallAnswered(Value):
    """The program answered a call from outside."""

    name: str
    status: int
    body: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class OverlapMattered(Value):
    """Several entries of equal priority matched one packet, and which one answered made a difference."""

    switch: str
    table: int
    priority: int
    matches: tuple[Match, ...]


NetworkEvent: TypeAlias = (
    Sent
    | Received
    | Arrived
    | Forwarded
    | ToController
    | Dropped
    | Lost
    | PacketBuffered
    | BufferReleased
    | BufferDiscarded
    | EntryInstalled
    | EntryRemoved
    | MessageSent
    | MessageApplied
    | MessageHandled
    | MessageRefused
    | HandlerRaised
    | HostMoved
    | NetworkRested
    | LinkFailed
    | LinkRestored
    | SwitchFailed
    | SwitchLeft
    | SwitchJoined
    | TimerFired
    | ExternalCalled
    | CallAnswered
    | OverlapMattered
)
