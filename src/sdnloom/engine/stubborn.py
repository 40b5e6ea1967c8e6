"""Stubborn sets, derived from what actions declare.

In a state, a stubborn set T of actions is enough to explore if (1) what is outside T can neither change nor be changed
by an enabled action of T, (2) it cannot enable a disabled one, and (3) one enabled action of T stays enabled until
something of T happens. Then every path's first step in T can be moved to the front (Valmari). The derivation below is
the slow, obvious closure over a few rules. It depends on a state only through the status of each action, so
its result is memoised on these classes by the engines.

What is kept: every quiescent state, every set of events on the way to one, and the order of the actions that a property
watches. What is not: states in between and shortest paths.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from sdnloom.engine.model import ALL, Action, Cell, Channel, Component, Mode, Needs, System
from sdnloom.errors import SdnloomError


class Status(IntEnum):
    """Why an action can or cannot happen in its component's present place."""

    EMPTY = 0  # the channel it takes from offers nothing
    REFUSED = 1  # its step has no outcome on what the channel offers
    ENABLED = 2


class Class(NamedTuple):
    """All that the derivation needs to know of a component's place."""

    statuses: tuple[Status, ...]  # of its actions
    undisturbed: tuple[frozenset[str] | None, ...]  # of its channels: the senders that do not change what is offered


class Refused(SdnloomError):  # noqa: N818 (a refusal, said by name)
    """The reduction cannot keep what a property needs."""


class Acting:
    """An action with its place in the system."""

    def __init__(self, number: int, component: Component, action: Action, channels: dict[str, Channel]) -> None:
        self.number, self.component, self.action = number, component, action
        self.name = (component.name, action.name)
        self.takes = None if action.take is None else channels[action.take]
        self.sends = {channels[name] for name in action.sends}


def overlap(these: frozenset[Cell], those: frozenset[Cell]) -> bool:
    """Whether two sets of cells share one; ALL is every cell."""
    if not these or not those:
        return False
    return bool(these & those) or bool(ALL & (these | those))


# Conflicts: why two actions may not commute.


def shared_cells(one: Acting, other: Acting) -> bool:
    """One writes what the other reads or writes, in the same core."""
    return one.component is other.component and (
        overlap(one.action.writes, other.action.reads)
        or overlap(one.action.reads, other.action.writes)
        or overlap(one.action.writes, other.action.writes)
    )


def shared_input(one: Acting, other: Acting) -> bool:
    """Both take from one channel, so each may consume the other's message."""
    return one.takes is not None and one.takes == other.takes


def shared_output(one: Acting, other: Acting) -> bool:
    """Both send on one channel and the order of their messages shows."""
    return any(
        one.component is other.component or not channel.discipline.many_senders for channel in one.sends & other.sends
    )


def feeds(one: Acting, other: Acting) -> bool:
    """One sends on the channel that the other takes from, and so may spoil a reception that could happen before."""
    return other.takes in one.sends and other.takes is not None and not other.takes.discipline.push_keeps


def watched_together(system: System) -> Callable[[Acting, Acting], bool]:
    """Both are watched by one property, whose memory may depend on their order."""

    def together(one: Acting, other: Acting) -> bool:
        return any(one.name in prop.watches and other.name in prop.watches for prop in system.properties)

    return together


# What must happen before a disabled action can.


def changers(one: Acting, other: Acting) -> bool:
    """The other may write a cell that the step reads, so the step may no longer refuse."""
    return one.component is other.component and overlap(other.action.writes, one.action.reads)


def rivals(one: Acting, other: Acting) -> bool:
    """The other may take the message away that the step refuses, and uncover another."""
    return shared_input(one, other)


Rule: TypeAlias = Callable[[Acting, Acting], bool]


@dataclass(frozen=True)
class Rules:
    """The rules of the derivation: for an action of the set, which others must be in it too.

    `disturbers` are the senders whose messages change what the action's channel offers: for an enabled action they are
    conflicts, for a disabled one they may enable it.
    """

    enabled: tuple[Rule, ...] = (shared_cells, shared_input, shared_output, feeds)
    refused: tuple[Rule, ...] = (changers, rivals)
    disturbers: frozenset[Status] = frozenset(Status)  # the statuses for which disturbers count
    watched: bool = True  # actions watched by one property conflict
    keys: frozenset[Mode] = frozenset({Mode.MUST})


class Stubborn:
    """The reduction of one system. Refuses by name a property that it cannot keep."""

    def __init__(self, system: System, rules: Rules | None = None, keep_state_properties: bool = False) -> None:
        rules = rules or Rules()
        for prop in () if keep_state_properties else system.properties:
            if prop.needs is Needs.STATE:
                raise Refused(
                    f"property {prop.name!r} is asked in every state, and a reduction leaves states out; "
                    "search without reduction"
                )
            if prop.needs is Needs.ORDER and not prop.watches:
                raise Refused(
                    f"property {prop.name!r} depends on the order of events but watches no action; "
                    "name the actions in `watches` or search without reduction"
                )
        channels = {channel.name: channel for channel in system.channels}
        pairs = [(component, action) for component in system.components for action in component.actions]
        self.actions = [Acting(number, *pair, channels) for number, pair in enumerate(pairs)]
        self._rules = rules
        conflicts = (*rules.enabled, watched_together(system)) if rules.watched else rules.enabled
        self._fixed = {
            Status.ENABLED: [self._related(one, conflicts) for one in self.actions],
            Status.REFUSED: [self._related(one, rules.refused) for one in self.actions],
            Status.EMPTY: [0 for _ in self.actions],
        }
        # For each action that takes: (bit, sender's name) of those that send on its channel.
        self._senders = [
            [(1 << other.number, other.component.name) for other in self.actions if one.takes in other.sends]
            for one in self.actions
        ]
        inboxes = {c.name: [channel for channel in system.channels if channel.to == c.name] for c in system.components}
        self._slots = [
            None if one.takes is None else inboxes[one.component.name].index(one.takes) for one in self.actions
        ]
        places = {component.name: number for number, component in enumerate(system.components)}
        self._components = [places[one.component.name] for one in self.actions]

    def subset(self, classes: tuple[Class, ...]) -> int | None:
        """The bit set of actions to explore in a state of these classes, None for all of them."""
        statuses = [status for one in classes for status in one.statuses]
        active = [
            one
            for one, status in zip(self.actions, statuses, strict=True)
            if status is Status.ENABLED and one.action.mode is not Mode.IDLE
        ]
        enabled = sum(1 << one.number for one in active)
        needed = self.needed(classes)
        closures = [closure(one.number, needed) & enabled for one in active if one.action.mode in self._rules.keys]
        # A quiescent state has no key: it counts by itself, and all that may follow is explored.
        best = min(closures, key=lambda bits: (bits.bit_count(), bits), default=enabled)
        return None if best == enabled else best

    def needed(self, classes: tuple[Class, ...]) -> list[int]:
        """For each action, the bit set of those that must be in a set together with it."""
        statuses = [status for one in classes for status in one.statuses]
        return [self._needed(one, status, classes) for one, status in zip(self.actions, statuses, strict=True)]

    def _related(self, one: Acting, rules: tuple[Rule, ...]) -> int:
        others = (other for other in self.actions if other is not one and any(rule(one, other) for rule in rules))
        return sum(1 << other.number for other in others)

    def _needed(self, one: Acting, status: Status, classes: tuple[Class, ...]) -> int:
        """The actions that must be in a set together with this one."""
        if one.action.mode is Mode.IDLE:
            return 0  # it waits until the key, too, is no longer enabled, so something of the set comes first
        bits = self._fixed[status][one.number]
        slot = self._slots[one.number]
        if slot is not None and status in self._rules.disturbers:
            undisturbed = classes[self._components[one.number]].undisturbed[slot]
            if undisturbed is not None:
                for bit, sender in self._senders[one.number]:
                    if sender not in undisturbed:
                        bits |= bit
        return bits


def closure(key: int, needed: Sequence[int]) -> int:
    """The least set of actions that contains the key and, for each of its actions, what that one needs."""
    reached, work = 1 << key, [key]
    while work:
        fresh = needed[work.pop()] & ~reached
        reached |= fresh
        while fresh:
            bit = fresh & -fresh
            work.append(bit.bit_length() - 1)
            fresh ^= bit
    return reached
