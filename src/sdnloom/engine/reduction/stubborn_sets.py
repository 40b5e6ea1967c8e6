"""Stubborn sets, derived from the declarations of actions and from their present footprints.

In a state, a set T of actions is enough to explore if (1) actions outside T neither conflict with an enabled action of
T nor (2) enable a disabled one, and (3) one enabled action of T stays enabled until an action of T happens. Then the
first step in T of every path can be moved to the front (Valmari). The derivation below is the slow, obvious closure
over a few rules. It depends on a state only through the classes of its places (`place_classes.py`), on which the
engines memoise the result.

An enabled action of T counts with its present footprint: no action outside T writes what it reads, so the footprint
stays. An action outside T counts with all it may still do, but not always as a whole: what it would do with messages
still to be sent, or after a change of what it reads, cannot happen before the senders or writers act, so it is enough
that these are in T; and if the action itself is in T, not even that is needed.

The reduction keeps every quiescent state, every set of events on the way to one, and the order of the actions that a
property watches. It does not keep the states in between, nor shortest paths.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeAlias

from sdnloom.engine.model import Action, Channel, Component, Mode, Needs, System
from sdnloom.engine.reduction.place_classes import ActionClass, ActionPart, Classifier, ClassRules, PlaceClass, Status
from sdnloom.errors import SdnloomError


class ReductionRefused(SdnloomError):  # noqa: N818 (a refusal, not an error)
    """The reduction does not support a property; the message names it."""


class NumberedAction:
    """An action with its number in the system."""

    def __init__(self, number: int, component: Component, action: Action, channels: dict[str, Channel]) -> None:
        self.number, self.component, self.action = number, component, action
        self.name = (component.name, action.name)
        self.takes = None if action.take is None else channels[action.take]
        self.sends = {channels[name] for name in action.sends}


@dataclass(frozen=True)
class StubbornRules:
    """The rules of the derivation; a test leaves one out to see that the mistake is noticed.

    An enabled action needs the actions that share cells with it, take from its channel, send where it sends, or take
    what it sends. One that refuses its message needs those that may write what it reads or take the message. Both, and
    an action without a message, need the senders that change what its channel offers.
    """

    enabled: frozenset[str] = frozenset({"cells", "input", "output", "feeds"})
    refused: frozenset[str] = frozenset({"cells", "input"})
    disturbers: frozenset[Status] = frozenset(Status)  # the statuses for which disturbers count
    changed: bool = True  # a different handling waits for a change
    coming: bool = True  # a message still to be sent waits for its sender
    watched: bool = True  # actions watched by one property conflict
    keys: frozenset[Mode] = frozenset({Mode.MUST})
    sleep_sets: bool = True
    cycle_proviso: bool | None = None  # None: if a property is checked at events
    classes: ClassRules = field(default_factory=ClassRules)


Node: TypeAlias = tuple[NumberedAction, ActionPart]


class StubbornSets:
    """The reduction of one system by stubborn sets. Raises ReductionRefused for a property that it cannot keep."""

    name = "stubborn sets"

    def __init__(self, system: System, rules: StubbornRules | None = None, keep_state_properties: bool = False) -> None:
        self.rules = rules or StubbornRules()
        for prop in () if keep_state_properties else system.properties:
            if prop.needs is Needs.STATE:
                raise ReductionRefused(
                    f"property {prop.name!r} is checked in every state, and a reduction leaves states out; "
                    "search without reduction"
                )
            if prop.needs is Needs.ORDER and not prop.watches:
                raise ReductionRefused(
                    f"property {prop.name!r} depends on the order of events but watches no action; "
                    "name the actions in `watches` or search without reduction"
                )
        self.sleep_sets = self.rules.sleep_sets
        # Without the proviso only events can be lost.
        at_events = any(prop.needs in (Needs.EVENT, Needs.ORDER) for prop in system.properties)
        self.cycle_proviso = at_events if self.rules.cycle_proviso is None else self.rules.cycle_proviso
        channels = {channel.name: channel for channel in system.channels}
        pairs = [(component, action) for component in system.components for action in component.actions]
        self.actions = [NumberedAction(number, *pair, channels) for number, pair in enumerate(pairs)]
        self._channels = channels
        self._senders = {
            channel.name: [one for one in self.actions if channel in one.sends] for channel in system.channels
        }
        self._takers = {
            channel.name: [one for one in self.actions if one.takes == channel] for channel in system.channels
        }
        inboxes = {c.name: [channel for channel in system.channels if channel.to == c.name] for c in system.components}
        self._slots = [
            -1 if one.takes is None else inboxes[one.component.name].index(one.takes) for one in self.actions
        ]
        numbers = {component.name: number for number, component in enumerate(system.components)}
        self._components = [numbers[one.component.name] for one in self.actions]
        self._first = [self._components.index(number) for number in self._components]  # of the action's component
        self._watched = [
            [two for two in self.actions if two is not one and self._watched_together(system, one, two)]
            for one in self.actions
        ]
        # What an action needs depends on the classes of these components only, so its needs are kept by them.
        self._related = [itemgetter(*sorted(self._components_near(one))) for one in self.actions]
        self._needs: dict[tuple[int, Any], int] = {}
        self._commutes: dict[tuple[int, int, int, int], bool] = {}
        self._alive: dict[int, PlaceClass] = {}  # the classes that were met, by their ids, which so stay theirs

    def _components_near(self, one: NumberedAction) -> set[int]:
        """The components of the action, and of those at the other ends of its channels."""
        ends = [one, *(self._senders[one.takes.name] if one.takes is not None else ())]
        for channel in one.sends:
            ends += self._senders[channel.name] + self._takers[channel.name]
        return {self._components[each.number] for each in ends}

    def classifier(self, component: Component) -> Classifier:
        """The classification of a component's places."""
        return Classifier(component, tuple(self._channels.values()), self.rules.classes)

    def subset(self, classes: tuple[PlaceClass, ...]) -> int | None:
        """The bit set of actions to explore in a state of these classes, None for all of them."""
        action_classes = [action_class for one in classes for action_class in one.actions]
        active = self._active(action_classes)
        enabled = sum(1 << one.number for one in active)
        keys = [one.number for one in active if one.action.mode in self.rules.keys]
        needed = _Needed(self, self._ids(classes), classes, action_classes)
        # Whole actions or parts of them may give the smaller set: both are tried.
        count = len(self.actions)
        best = enabled  # a quiescent state has no key: all enabled actions are explored
        for some in (_Wholly(needed, count), needed):
            for key in keys:
                found = closure(key, some, count, enabled, best.bit_count()) & enabled
                best = min(best, found, key=lambda bits: (bits.bit_count(), bits))
        return None if best == enabled else best

    def _active(self, action_classes: Sequence[ActionClass]) -> list[NumberedAction]:
        """The enabled actions, without IDLE ones."""
        return [
            one
            for one, action_class in zip(self.actions, action_classes, strict=True)
            if action_class.status is Status.ENABLED and one.action.mode is not Mode.IDLE
        ]

    def _ids(self, classes: tuple[PlaceClass, ...]) -> tuple[int, ...]:
        """Numbers of the classes; those of one object are the same, those of different objects never."""
        ids = tuple(map(id, classes))
        self._alive.update(zip(ids, classes, strict=True))
        return ids

    def needs(
        self, node: int, ids: tuple[int, ...], classes: tuple[PlaceClass, ...], action_classes: Sequence[ActionClass]
    ) -> int:
        """The bit set of the nodes that a node needs in the set.

        The nodes are the whole actions, then the other parts of all actions.
        """
        part, number = divmod(node, len(self.actions))
        key = node, self._related[number](ids)
        known = self._needs.get(key)
        if known is None:
            one = self.actions[number]
            nodes: Iterable[Node] = ()
            if part == ActionPart.WHOLE:
                slot = self._slots[number]
                here = frozenset[str]() if slot < 0 else classes[self._components[number]].undisturbed[slot]
                nodes = self._for_whole(one, action_classes, here)
            elif part == ActionPart.CHANGED and self.rules.changed:
                nodes = self._own(one, action_classes[number].changers)
            elif part == ActionPart.COMING and self.rules.coming:
                nodes = self._for_coming(one, action_classes)
            known = self._needs[key] = self._bits(nodes)
        return known

    def commuting(self, classes: tuple[PlaceClass, ...]) -> list[int]:
        """For each enabled action, the bit set of the enabled actions that commute with it; IDLE actions never do.

        Only the present footprints of the two count.
        """
        action_classes = [action_class for one in classes for action_class in one.actions]
        ids, places, known = self._ids(classes), self._components, self._commutes
        results = [0] * len(self.actions)
        for one, other in itertools.combinations(self._active(action_classes), 2):
            first, second = one.number, other.number
            key = first, second, ids[places[first]], ids[places[second]]
            commute = known.get(key)
            if commute is None:
                commute = known[key] = not self._clash(one, other, action_classes) and not any(
                    self._disturbs(*pair, action_classes, classes) for pair in ((one, other), (other, one))
                )
            if commute:
                results[first] |= 1 << second
                results[second] |= 1 << first
        return results

    def _clash(self, one: NumberedAction, other: NumberedAction, action_classes: Sequence[ActionClass]) -> bool:
        """Whether two enabled actions share a cell or a channel end, or are watched by one property."""
        mine, theirs = action_classes[one.number], action_classes[other.number]
        same = one.component is other.component
        if same and other.number - self._first[other.number] in mine.clashes:
            return True
        if (one.takes is not None and one.takes == other.takes) or other in self._watched[one.number]:
            return True
        shared = mine.sends & theirs.sends
        return any(same or not self._channels[channel].discipline.many_senders for channel in shared)

    def _disturbs(
        self,
        one: NumberedAction,
        other: NumberedAction,
        action_classes: Sequence[ActionClass],
        classes: tuple[PlaceClass, ...],
    ) -> bool:
        """Whether the first sends now to where the second takes from, and so changes what is offered there."""
        if other.takes is None or other.takes.name not in action_classes[one.number].sends:
            return False
        undisturbed = classes[self._components[other.number]].undisturbed[self._slots[other.number]]
        return undisturbed is not None and one.component.name not in undisturbed

    def _for_whole(
        self, one: NumberedAction, action_classes: Sequence[ActionClass], undisturbed: frozenset[str] | None
    ) -> Iterable[Node]:
        """The nodes that a whole action needs."""
        if one.action.mode is Mode.IDLE:
            return  # it waits until the key is no longer enabled, so an action of the set comes first
        action_class, rules = action_classes[one.number], self.rules
        ways = {Status.ENABLED: rules.enabled, Status.REFUSED: rules.refused, Status.EMPTY: frozenset[str]()}
        rule = ways[action_class.status]
        if "cells" in rule:
            yield from self._own(one, action_class.cells)
        if "input" in rule and one.takes is not None:
            yield from ((other, ActionPart.WHOLE) for other in self._takers[one.takes.name] if other is not one)
        for channel in sorted(action_class.sends):
            if "output" in rule:
                for other in self._senders[channel]:
                    apart = other.component is not one.component and self._channels[channel].discipline.many_senders
                    if other is not one and not apart:
                        yield from self._sending(other, channel, action_classes)
            if "feeds" in rule and not self._channels[channel].discipline.push_keeps:
                # An action with an empty channel can take before this push only what others send.
                for other in self._takers[channel]:
                    empty = action_classes[other.number].status is Status.EMPTY
                    if other is not one:
                        yield other, ActionPart.COMING if empty else ActionPart.WHOLE
        if action_class.status is Status.ENABLED and rules.watched:
            yield from ((other, ActionPart.WHOLE) for other in self._watched[one.number])
        if one.takes is not None and action_class.status in rules.disturbers and undisturbed is not None:
            for other in self._senders[one.takes.name]:
                if other.component.name not in undisturbed:
                    yield from self._sending(other, one.takes.name, action_classes)

    def _for_coming(self, one: NumberedAction, action_classes: Sequence[ActionClass]) -> Iterable[Node]:
        """The nodes that may send the message which an action waits for."""
        if one.takes is not None:
            for other in self._senders[one.takes.name]:
                yield from self._sending(other, one.takes.name, action_classes)

    def _sending(self, other: NumberedAction, channel: str, action_classes: Sequence[ActionClass]) -> Iterable[Node]:
        """The parts of an action that may send on the channel."""
        return ((other, part) for part in dict(action_classes[other.number].sending)[channel])

    def _own(self, one: NumberedAction, parts: Iterable[tuple[int, ActionPart]]) -> Iterable[Node]:
        """The nodes of parts that are given by their numbers in the action's component."""
        first = self._first[one.number]
        return ((self.actions[first + number], part) for number, part in parts)

    def _bits(self, nodes: Iterable[Node]) -> int:
        bits = 0
        for one, part in nodes:
            bits |= 1 << (part * len(self.actions) + one.number)
        return bits

    def _watched_together(self, system: System, one: NumberedAction, other: NumberedAction) -> bool:
        """Whether one property watches both."""
        return any(one.name in prop.watches and other.name in prop.watches for prop in system.properties)


class _Needed(dict[int, int]):
    """The needs of the nodes in a state, by node. Filled on demand: a closure meets few of them."""

    def __init__(
        self,
        sets: StubbornSets,
        ids: tuple[int, ...],
        classes: tuple[PlaceClass, ...],
        action_classes: Sequence[ActionClass],
    ) -> None:
        super().__init__()
        self._sets, self._state = sets, (ids, classes, action_classes)

    def __missing__(self, node: int) -> int:
        found = self[node] = self._sets.needs(node, *self._state)
        return found


class _Wholly(dict[int, int]):
    """The needs of whole actions, with parts replaced by whole actions."""

    def __init__(self, needed: _Needed, count: int) -> None:
        super().__init__()
        self._needed, self._count, self._mask = needed, count, (1 << count) - 1

    def __missing__(self, node: int) -> int:
        bits = self._needed[node]
        found = self[node] = (bits | bits >> self._count | bits >> 2 * self._count) & self._mask
        return found


def closure(key: int, needed: Sequence[int] | Mapping[int, int], count: int, counted: int = 0, most: int = 0) -> int:
    """A small set of nodes that contains the key and, for each of its nodes, the nodes that it needs.

    A part of an action needs nothing if the whole action, one of the first `count` nodes, is in the set. So whole
    actions are added first. It is given up, unfinished, when it has more than `most` nodes of those that are counted.
    """
    reached, work = 0, 1 << key
    while work:
        bit = work & -work
        work ^= bit
        node = bit.bit_length() - 1
        reached |= bit
        if node < count or not reached >> node % count & 1:
            work |= needed[node] & ~reached
            if ((reached | work) & counted).bit_count() > most:
                return reached | work
    return reached
