"""Labels, vector clocks and traces (section 3.3 of the thesis).

Element i that acts alone counts up its own place i. When i reconfigures k, i counts up, k takes the larger of both
clocks at every place and then counts up: only the receiver learns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import ChannelMessage
from sdnloom.races.search.behaviour import Tables

Clock: TypeAlias = tuple[int, ...]
Clocks: TypeAlias = tuple[Clock, ...]


@dataclass(frozen=True, slots=True)
class ProcessLabel:
    """Element processed packets with its tables; an element given by a term has one, the policy of its action."""

    element: int
    tables: Tables

    @property
    def source(self) -> int:
        return self.element


@dataclass(frozen=True, slots=True)
class ReconfigureLabel:
    """`sender` gave `receiver` the policy on the channel: rcfg(channel, policy, sender, receiver)."""

    channel: str
    policy: Policy
    sender: int
    receiver: int

    @property
    def source(self) -> int:
        return self.sender

    @property
    def message(self) -> ChannelMessage:
        return ChannelMessage(self.channel, self.policy)


Label: TypeAlias = ProcessLabel | ReconfigureLabel


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One transition: its label and, if it replaced a table of the receiver, which."""

    label: Label
    table: int | None = None


def initial_clocks(elements: int) -> Clocks:
    """Return the clocks of the first state."""
    return ((0,) * elements,) * elements


def advance_clocks(clocks: Clocks, label: Label) -> Clocks:
    """Return the clocks after a transition."""
    if isinstance(label, ProcessLabel):
        return _replace(clocks, label.element, _tick(clocks[label.element], label.element))
    sent = _tick(clocks[label.sender], label.sender)
    merged = tuple(map(max, sent, clocks[label.receiver]))
    return _replace(_replace(clocks, label.sender, sent), label.receiver, _tick(merged, label.receiver))


def incomparable(one: Clock, other: Clock, p: int, q: int) -> bool:
    """Return whether the clocks disagree at places p and q about who is ahead."""
    return (one[p] < other[p] and one[q] > other[q]) or (one[p] > other[p] and one[q] < other[q])


@dataclass(frozen=True)
class RaceTrace:
    """A run from the first state: events, and the tables that each element starts with."""

    events: tuple[TraceEvent, ...]
    first_tables: tuple[Tables, ...]

    @cached_property
    def clocks(self) -> tuple[Clocks, ...]:
        """The clocks before the first event and after each one."""
        found = [initial_clocks(len(self.first_tables))]
        for event in self.events:
            found.append(advance_clocks(found[-1], event.label))
        return tuple(found)

    def tables(self, element: int, events: int) -> Tables:
        """Return the element's tables after that many events."""
        tables = list(self.first_tables[element])
        for event in self.events[:events]:
            if (
                event.table is not None
                and isinstance(event.label, ReconfigureLabel)
                and event.label.receiver == element
            ):
                tables[event.table] = event.label.policy
        return tuple(tables)


def _tick(clock: Clock, place: int) -> Clock:
    return (*clock[:place], clock[place] + 1, *clock[place + 1 :])


def _replace(clocks: Sequence[Clock], place: int, clock: Clock) -> Clocks:
    return (*clocks[:place], clock, *clocks[place + 1 :])
