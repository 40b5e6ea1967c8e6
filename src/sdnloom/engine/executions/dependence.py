"""Dependence of steps: their footprints, and which of them conflict.

Law, on which `executions` rests: where two steps do not conflict, either of them is possible before the other if it is
possible after it, with the same footprint, and both orders lead to the same state.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from sdnloom.engine.model import NONE, Action, Cell, Component, Fault, System
from sdnloom.engine.reduction.place_classes import meet
from sdnloom.engine.semantics import Transition


class Dependence(Protocol):
    """Defines conflicts. One that is finer than `DeclaredDependence` has fewer traces. A footprint is hashable."""

    def done(self, transition: Transition) -> Hashable:
        """The footprint of a step that happened: only the data that `conflict` needs."""

    def possible(self, component: Component, action: Action) -> Hashable:
        """A footprint that conflicts with every step that some step of the action conflicts with."""

    def awaited(self, component: Component, action: Action) -> Hashable:
        """A footprint that conflicts with steps that may enable or disable the action or change its footprint.

        `possible` is always correct; a smaller one makes the exploration faster.
        """

    def conflict(self, one: Any, other: Any) -> bool:
        """Whether the order of two steps with these footprints may matter. Symmetric."""


@dataclass(frozen=True)
class StepFootprint:
    """The cells and channels of a step."""

    component: str
    reads: frozenset[Cell]
    writes: frozenset[Cell]
    takes: str | None
    sends: frozenset[str]
    faults: frozenset[str]  # channels on which a message that was sent met a fault
    watched: frozenset[str]  # properties whose memory depends on the order of such steps


class DeclaredDependence:
    """Dependence by declarations, refined by the cells and sends that an outcome reports.

    Two steps conflict if one writes a cell of the same core that the other reads or writes; if one takes from a channel
    that the other takes from or sends on; if both send on a channel, and are of one component, or pushes of different
    senders do not commute, or one of them met a fault, because they share its budget; if one ORDER property watches
    both.
    """

    def __init__(self, system: System) -> None:
        self._meeting = {component.name: component.conflict for component in system.components}
        self._unordered = frozenset(channel.name for channel in system.channels if channel.discipline.many_senders)
        watched: dict[tuple[str, str], set[str]] = {}
        for prop in system.properties:
            for pair in prop.watches:
                watched.setdefault(pair, set()).add(prop.name)
        self._watched = {pair: frozenset(names) for pair, names in watched.items()}

    def done(self, transition: Transition) -> StepFootprint:
        """The cells and channels that the step touched, as its outcome reports them."""
        component, action, outcome = transition.component, transition.action, transition.outcome
        sends = frozenset(channel for channel, _ in outcome.sends)
        return StepFootprint(
            component.name,
            action.reads if outcome.reads is None else outcome.reads,
            action.writes if outcome.writes is None else outcome.writes,
            action.take,
            sends,
            frozenset(e.channel for e in transition.events if isinstance(e, Fault) and e.channel in sends),
            self._watched.get((component.name, action.name), frozenset()),
        )

    def possible(self, component: Component, action: Action) -> StepFootprint:
        """The footprint that the action declares."""
        watched = self._watched.get((component.name, action.name), frozenset())
        return StepFootprint(
            component.name, action.reads, action.writes, action.take, action.sends, action.sends, watched
        )

    def awaited(self, component: Component, action: Action) -> StepFootprint:
        """The cells that the action may read, and its channels: its writes do not decide whether it is enabled."""
        return StepFootprint(component.name, action.reads, NONE, action.take, action.sends, action.sends, frozenset())

    def conflict(self, one: StepFootprint, other: StepFootprint) -> bool:
        """Whether the order of the two may matter."""
        if one.component == other.component:
            share = self._meeting[one.component]
            pairs = ((one.writes, other.writes), (one.writes, other.reads), (one.reads, other.writes))
            if any(meet(these, those, share) for these, those in pairs):
                return True
        if one.takes is not None and (one.takes == other.takes or one.takes in other.sends):
            return True
        if other.takes is not None and other.takes in one.sends:
            return True
        if not one.watched.isdisjoint(other.watched):
            return True
        both = one.sends & other.sends
        if one.component != other.component:
            both = both - self._unordered | both & (one.faults | other.faults)
        return bool(both)
