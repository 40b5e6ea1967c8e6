"""Questions about a handler and their answers: the classes of inputs that it treats alike.

Concolic execution implements `Explorer`; tests also use an enumeration of small domains.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sdnloom.inputs.domains import Domain
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.network.openflow import OpenFlowMessage, PacketIn, StatsReply
from sdnloom.symbolic.execution import Site
from sdnloom.symbolic.result import NO_SIDES, SidesMet
from sdnloom.symbolic.terms.node import Term


class HandlerQuestion(NamedTuple):
    """Which packets of a skeleton does a program in this state tell apart, if they come in such a message?

    `message` carries the packet to the controller; its data is ignored. If it is a reply to a request for statistics,
    its counters are ignored and the skeleton holds their domains.
    """

    core: Hashable
    switch: str
    message: PacketIn | StatsReply
    skeleton: Skeleton


HandlerMessages = tuple[tuple[str, OpenFlowMessage], ...]  # each with its switch


class InputClass(Protocol):
    """Inputs that take one path through a handler."""

    @property
    def condition(self) -> tuple[Term, ...]:
        """Return the conditions that exactly the members satisfy, among the inputs of the skeleton."""

    @property
    def trail(self) -> Hashable:
        """Return the path: equal for classes of two skeletons that take the same one."""

    @property
    def samples(self) -> tuple[tuple[Mapping[str, int], HandlerMessages], ...]:
        """Return the witness and perhaps other members, each with the messages that the handler then sends."""

    @property
    def witness(self) -> Mapping[str, int]:
        """Return the values of one member."""

    def member(self, within: Mapping[str, Domain]) -> Mapping[str, int] | None:
        """Return the values of a member in these domains, usual ones if possible; None if there is none."""


class ConstantUse(NamedTuple):
    """A constant that the program compares a field with."""

    field: str
    value: int
    site: Site


@dataclass(frozen=True)
class InputClasses:
    """The classes found, and the reasons why there may be more; without gaps these are all."""

    classes: tuple[InputClass, ...] = ()
    gaps: tuple[str, ...] = ()
    sides: SidesMet = NO_SIDES  # sides of branches that were taken, and those that no packet of the domains takes
    constants: frozenset[ConstantUse] = frozenset()


class Explorer(Protocol):
    """Answers questions about one program."""

    def explore(self, question: HandlerQuestion) -> InputClasses:
        """Return the input classes. Law: equal questions have equal answers."""
