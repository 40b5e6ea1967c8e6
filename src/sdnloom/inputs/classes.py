"""What is asked about a handler, and what comes back: the classes of packets that it treats alike.

Whoever answers is an `Explorer`: the concolic engine in practice, the enumeration of a small domain in tests.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sdnloom.inputs.domains import Domain
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.network.openflow import PacketIn, PortStatsReply

Pattern = tuple[tuple[str, int, int], ...]  # (field, value, mask): a packet agrees if it does on every line


class HandlerQuestion(NamedTuple):
    """Which packets of a skeleton does a program in this state tell apart, if they come in this way?

    `message` is the message that brings the packet to the controller; its data are of no account. With a reply to a
    request for statistics it is the counters in it that are of no account, and the skeleton says what they may be.
    """

    core: Hashable
    switch: str
    message: PacketIn | PortStatsReply
    skeleton: Skeleton


class InputClass(Protocol):
    """Packets that take one path through a handler."""

    @property
    def witness(self) -> Mapping[str, int]:
        """The values of one member."""

    def repeats(self, other: "InputClass") -> bool:
        """Whether the handler does not tell it from that class of another skeleton."""

    def member(self, within: Mapping[str, Domain], avoiding: Sequence[Pattern]) -> Mapping[str, int] | None:
        """The values of a member in these domains that agrees with none of the patterns; None if there is none."""


@dataclass(frozen=True)
class PacketClasses:
    """The classes, and the reasons why there may be others; none means that these are all."""

    classes: tuple[InputClass, ...] = ()
    gaps: tuple[str, ...] = ()


class Explorer(Protocol):
    """Answers questions about one program."""

    def explore(self, question: HandlerQuestion) -> PacketClasses:
        """The classes of packets. Equal questions have equal answers."""


def agrees(values: Mapping[str, int], pattern: Pattern) -> bool:
    """Whether a packet with these values agrees with a pattern."""
    return all(name in values and values[name] & mask == value for name, value, mask in pattern)
