"""What happens in a network, as facts for properties, strategies and reports. No step ever reads them.

Every event is a named tuple of names and values, so it prints as Python and compares by value. A packet in an event is
the packet as it was there and then; `identity.py` tells which packet it is, where packets have an identity.
"""

from typing import NamedTuple, TypeAlias

from sdnloom.network.openflow import Match, Message
from sdnloom.network.packet import Packet
from sdnloom.network.topology.spec import Place


class Sent(NamedTuple):
    """A host sent a packet."""

    host: str
    packet: Packet


class Received(NamedTuple):
    """A packet reached a host, whether it was meant for it or not."""

    host: str
    packet: Packet


class Arrived(NamedTuple):
    """A packet came in at a port of a switch."""

    switch: str
    port: int
    packet: Packet


class Forwarded(NamedTuple):
    """A switch sent a packet out of a port."""

    switch: str
    port: int
    packet: Packet


class ToController(NamedTuple):
    """A switch sent a packet to the controller."""

    switch: str
    port: int
    packet: Packet


class Dropped(NamedTuple):
    """A switch did nothing with a packet that came in, or was told to release it nowhere: no fault was involved."""

    switch: str
    packet: Packet


class Lost(NamedTuple):
    """A packet ended where the world, not a rule, ended it.

    The reasons: "moved" (the host is no longer there), "no host" (nothing was ever plugged in there), "port down",
    "switch down", "no controller" (its switch was not connected). The first two are not faults.
    """

    place: Place
    packet: Packet
    reason: str

    @property
    def by_fault(self) -> bool:
        """Whether a fault of the network took the packet."""
        return self.reason in ("port down", "switch down", "no controller")


class Buffered(NamedTuple):
    """A switch keeps a packet for the controller."""

    switch: str
    buffer_id: int
    packet: Packet


class Released(NamedTuple):
    """A switch was told what to do with a packet it kept."""

    switch: str
    buffer_id: int
    packet: Packet


class Discarded(NamedTuple):
    """A switch threw a kept packet away because nobody asked for it in time."""

    switch: str
    buffer_id: int
    packet: Packet


class Installed(NamedTuple):
    """A switch has a new or changed flow entry."""

    switch: str
    table: int
    priority: int
    match: Match


class Removed(NamedTuple):
    """A flow entry is gone. The reasons: "told", "idle timeout", "hard timeout", "switch failed", "connection lost"."""

    switch: str
    table: int
    priority: int
    match: Match
    reason: str


class Told(NamedTuple):
    """The program sent a message to a switch."""

    switch: str
    message: Message


class Obeyed(NamedTuple):
    """A switch took a message of the program, whether it accepted it or not."""

    switch: str
    message: Message


class Handled(NamedTuple):
    """The program has handled a message from a switch."""

    switch: str
    message: Message


class Refused(NamedTuple):
    """A switch answered a message with an error."""

    switch: str
    type: str | int
    code: str | int


class HandlerRaised(NamedTuple):
    """An exception escaped from a handler of the program."""

    program: str
    handler: str
    file: str
    line: int
    text: str


class Moved(NamedTuple):
    """A host went from one place to another."""

    host: str
    old: Place
    new: Place


class Rested(NamedTuple):
    """The network has come to rest after a host moved: whatever the move brought about has happened."""

    host: str


class LinkFailed(NamedTuple):
    """A link went down."""

    one: Place
    other: Place


class LinkRestored(NamedTuple):
    """A link came back."""

    one: Place
    other: Place


class SwitchFailed(NamedTuple):
    """A switch lost its power, and with it all it knew."""

    switch: str


class SwitchLeft(NamedTuple):
    """A switch lost its connection to the controller but goes on working."""

    switch: str


class SwitchJoined(NamedTuple):
    """A switch connected to the controller."""

    switch: str


class TimerFired(NamedTuple):
    """A timer of the program fired."""

    name: str


class Called(NamedTuple):
    """Something outside the network called the program."""

    name: str


class OverlapMattered(NamedTuple):
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
    | Buffered
    | Released
    | Discarded
    | Installed
    | Removed
    | Told
    | Obeyed
    | Handled
    | Refused
    | HandlerRaised
    | Moved
    | Rested
    | LinkFailed
    | LinkRestored
    | SwitchFailed
    | SwitchLeft
    | SwitchJoined
    | TimerFired
    | Called
    | OverlapMattered
)
