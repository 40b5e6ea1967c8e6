"""Labels, vector clocks and traces (section 3.3 of the thesis).

An element i that acts alone increments its own entry i. When i reconfigures k, i increments its entry, k takes the
entrywise maximum of both clocks and then increments its own: only the receiver learns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import ChannelMessage
from sdnloom.races.search.behaviour import SwitchTables

VectorClock: TypeAlias = tuple[int, ...]
VectorClocks: TypeAlias = tuple[VectorClock, ...]


@dataclass(frozen=True, slots=True)
class ProcessLabel:
    """An element processes packets with its tables; an element given by a term has one, the policy of its action."""

    element: int
    tables: SwitchTables

    @property
    def source(self) -> int:
        return self.element


@dataclass(frozen=True, slots=True)
class ReconfigureLabel:
    """`sender` sends `receiver` the policy on the channel: rcfg(channel, policy, sender, receiver)."""

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
    """One transition: its label and the index of the receiver's table that it replaced, if any."""

    label: Label
    table: int | None = None


def initial_clocks(elements: int) -> VectorClocks:
    """Return the clocks of the initial state."""
    return ((0,) * elements,) * elements


def advance_clocks(clocks: VectorClocks, label: Label) -> VectorClocks:
    """Return the clocks after a transition."""
    if isinstance(label, ProcessLabel):
        return _replace(clocks, label.element, _tick(clocks[label.element], label.element))
    sent = _tick(clocks[label.sender], label.sender)
    merged = tuple(map(max, sent, clocks[label.receiver]))
    return _replace(_replace(clocks, label.sender, sent), label.receiver, _tick(merged, label.receiver))


def incomparable(a: VectorClock, b: VectorClock, p: int, q: int) -> bool:
    """Return whether each clock is ahead of the other in one of the entries p and q."""
    return (a[p] < b[p] and a[q] > b[q]) or (a[p] > b[p] and a[q] < b[q])


@dataclass(frozen=True)
class RaceTrace:
    """A path from the initial state: events, and the tables that each element starts with."""

    events: tuple[TraceEvent, ...]
    first_tables: tuple[SwitchTables, ...]

    @cached_property
    def clocks(self) -> tuple[VectorClocks, ...]:
        """The clocks before the first event and after each one."""
        found = [initial_clocks(len(self.first_tables))]
        for event in self.events:
            found.append(advance_clocks(found[-1], event.label))
        return tuple(found)

    def tables(self, element: int, events: int) -> SwitchTables:
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


def _tick(clock: VectorClock, entry: int) -> VectorClock:
    return (*clock[:entry], clock[entry] + 1, *clock[entry + 1 :])


def _replace(clocks: Sequence[VectorClock], entry: int, clock: VectorClock) -> VectorClocks:
    return (*clocks[:entry], clock, *clocks[entry + 1 :])
