"""Events of a network: facts about transitions for properties, strategies and reports. No step reads them.

Every event prints as Python and compares by class and value. A packet in an event is the packet as it was at that
moment; `packet_id.py` tells packets apart where they carry ids.
"""

from dataclasses import dataclass, field
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
    """A host received a packet, whether or not the packet was addressed to it."""

    host: str
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class Arrived(Value):
    """A packet arrived at a port of a switch."""

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
    """A switch dropped a packet because of its flow tables or a message, not because of a fault."""

    switch: str
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class Lost(Value):
    """The network lost a packet, for a reason other than a flow entry.

    The reasons: "moved" (the host has left the port), "no host" (nothing was ever plugged into the port), "port down",
    "switch down", "no controller" (the switch was not connected), "labelled" (a host got a packet with an MPLS label),
    "sent to LOCAL only, which is down", "too short for a frame" (without an Ethernet header: no wire carries it, and
    the kernel's datapath refuses it). The first two and the last three are not faults.
    """

    port: SwitchPort
    packet: Packet
    reason: str

    @property
    def by_fault(self) -> bool:
        """Whether a fault of the network lost the packet."""
        return self.reason in ("port down", "switch down", "no controller")


@dataclass(frozen=True, slots=True, repr=False)
class PacketBuffered(Value):
    """A switch buffered a packet for the controller."""

    switch: str
    buffer_id: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class BufferReleased(Value):
    """A switch released a buffered packet because a message of the program named its buffer."""

    switch: str
    buffer_id: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class BufferDiscarded(Value):
    """A switch discarded a buffered packet because its time was up."""

    switch: str
    buffer_id: int
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class EntryInstalled(Value):
    """A switch installed or changed a flow entry."""

    switch: str
    table: int
    priority: int
    match: Match


@dataclass(frozen=True, slots=True, repr=False)
class EntryRemoved(Value):
    """A switch removed a flow entry.

    The reasons: "by message", "idle timeout", "hard timeout", "switch failed", "connection lost".
    """

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
    """A switch processed a message of the program: it applied or refused it."""

    switch: str
    message: OpenFlowMessage


@dataclass(frozen=True, slots=True, repr=False)
class MessageHandled(Value):
    """The program handled a message from a switch."""

    switch: str
    message: OpenFlowMessage


@dataclass(frozen=True, slots=True, repr=False)
class MessageRefused(Value):
    """A switch answered a message with an error."""

    switch: str
    type: str | int
    code: str | int


CONNECTION_ENDS = "the connection to the switch ends"  # an effect of an exception


@dataclass(frozen=True, slots=True, repr=False)
class HandlerRaised(Value):
    """A handler of the program raised an exception and did not catch it.

    File and line are in the program's own code; `library` is the "file:line" of the library that raised it, if one
    did; `effect` is the effect on the program, if the platform knows it.
    """

    program: str
    handler: str
    file: str
    line: int
    text: str
    library: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Printed(Value):
    """The program printed or logged a line. There are such events only if output is to be shown.

    Its text does not count when events are compared: what a program prints about a state makes no other state.
    """

    text: str = field(compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class ProgramEnded(Value):
    """The program ended its own process, at a line of its code; from then on the controller handles nothing."""

    program: str
    how: str
    file: str
    line: int


def exception_text(event: HandlerRaised | ProgramEnded) -> str:
    """An exception, or the end of the program, with its line."""
    if isinstance(event, ProgramEnded):
        return f"{event.file}:{event.line}: {event.program} ends its own process: {event.how}"
    return f"{event.file}:{event.line}: {event.handler} of {event.program} raised {event.text}"


@dataclass(frozen=True, slots=True, repr=False)
class HostMoved(Value):
    """A host moved from one port to another."""

    host: str
    old: SwitchPort
    new: SwitchPort


@dataclass(frozen=True, slots=True, repr=False)
class NetworkRested(Value):
    """The network came to rest after a host had moved: all consequences of the move have happened."""

    host: str


@dataclass(frozen=True, slots=True, repr=False)
class LinkFailed(Value):
    """A link failed."""

    one: SwitchPort
    other: SwitchPort


@dataclass(frozen=True, slots=True, repr=False)
class LinkRestored(Value):
    """A link works again."""

    one: SwitchPort
    other: SwitchPort


@dataclass(frozen=True, slots=True, repr=False)
class SwitchFailed(Value):
    """A switch lost its power and with it its whole state."""

    switch: str


@dataclass(frozen=True, slots=True, repr=False)
class SwitchLeft(Value):
    """A switch lost its connection to the controller and keeps forwarding."""

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
    """An external (an operator or a REST client) called the program."""

    name: str


@dataclass(frozen=True, slots=True, repr=False)
class CallAnswered(Value):
    """The program answered an external call."""

    name: str
    status: int
    body: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class PacketMade(Value):
    """The program sent a packet that it had made itself. Only before the search (`startup.violation`)."""

    switch: str
    packet: Packet


@dataclass(frozen=True, slots=True, repr=False)
class OverlapMattered(Value):
    """Several entries of equal priority matched one packet, and the choice between them made a difference."""

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
    | ProgramEnded
    | Printed
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
    | PacketMade
    | OverlapMattered
)
