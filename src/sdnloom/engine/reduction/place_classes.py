"""Place classes: what a reduction needs to know of a component's place, as a small value.

Cells belong to one component, so conflicts in cells are decided here, on the place alone: the footprint that an enabled
action has now against the footprints that the others may have with the messages that wait and with those still to come.
Only names of actions and channels are left for the whole state, so there are few classes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

from sdnloom.engine.model import ALL, Action, Cell, Channel, Component, Footprint, ListsContent, Outcome


class Status(IntEnum):
    """Why an action can or cannot happen in its component's present place."""

    EMPTY = 0  # the channel it takes from offers nothing
    REFUSED = 1  # its step has no outcome on what the channel offers
    ENABLED = 2


class ActionPart(IntEnum):
    """The part of an action that must be in a stubborn set."""

    WHOLE = 0  # the action
    CHANGED = 1  # what it would do now if other steps had changed what it reads; it waits for such a step
    COMING = 2  # what it would do with messages still to be sent; it waits for their senders


Needed: TypeAlias = frozenset[tuple[int, ActionPart]]  # (number of the action in its component, part)


class ActionClass(NamedTuple):
    """An action at a place, without the cells."""

    status: Status
    sends: frozenset[str]  # if it is enabled: where it sends now
    cells: Needed  # parts that share cells with it: that conflict if it is enabled, that may enable it if it refuses
    changers: Needed  # if it is enabled: parts that may change what it reads
    clashes: frozenset[int]  # if it is enabled: the enabled actions whose cells conflict with its own now
    sending: tuple[tuple[str, tuple[ActionPart, ...]], ...]  # channels that parts of it may send on


class PlaceClass(NamedTuple):
    """The class of a component's place."""

    actions: tuple[ActionClass, ...]
    undisturbed: tuple[frozenset[str] | None, ...]  # by channel: the senders that do not change what is offered


@dataclass(frozen=True)
class ClassRules:
    """The parts of the classification; a test switches one off to see that the mistake is noticed."""

    behind: bool = True  # messages that wait behind those offered
    others: bool = True  # offered messages that may be handled differently after a change
    declared: bool = True  # messages still to be sent


class _View(NamedTuple):
    """An action at a place, with its footprints."""

    action: Action
    status: Status
    now: Footprint | None  # if it is enabled
    offered: tuple[Footprint, ...]  # with the messages that are offered
    behind: tuple[Footprint, ...]  # with messages that it may take after one of them


FootprintTest: TypeAlias = Callable[[Footprint], bool]


class Classifier:
    """The classes of one component's places."""

    def __init__(self, component: Component, channels: Sequence[Channel], rules: ClassRules | None = None) -> None:
        self.component, self.rules = component, rules or ClassRules()
        self.inbox = [channel for channel in channels if channel.to == component.name]
        self._slots = {channel.name: slot for slot, channel in enumerate(self.inbox)}
        inbox = [channel.discipline for channel in self.inbox]
        # Computed once: isinstance with a protocol is slow.
        self._listing = [each if isinstance(each, ListsContent) else None for each in inbox]
        self._declared = [Footprint(one.reads, one.writes, one.sends) for one in component.actions]
        self._met: dict[tuple[frozenset[Cell], frozenset[Cell]], bool] = {}
        self._known: dict[tuple[Any, ...], PlaceClass] = {}  # by all that a class depends on

    def class_of(
        self,
        core: Any,
        contents: Sequence[Any],
        offers: Sequence[bool],
        outcomes: Sequence[Sequence[Outcome]],
        undisturbed: Sequence[frozenset[str] | None],
    ) -> PlaceClass:
        """The class of a place with this core and these contents of its channels.

        `offers` says for each action whether it takes nothing or is offered something.
        """
        views = [
            self._view(number, core, contents, some, found)
            for number, (some, found) in enumerate(zip(offers, outcomes, strict=True))
        ]
        key = (
            tuple(undisturbed),
            *[(view.now, bool(some), *view[3:]) for view, some in zip(views, offers, strict=True)],
        )
        known = self._known.get(key)
        if known is None:
            found = tuple(self._action_class(number, views) for number in range(len(views)))
            known = self._known[key] = PlaceClass(found, tuple(undisturbed))
        return known

    def _view(
        self, number: int, core: Any, contents: Sequence[Any], offers: bool, outcomes: Sequence[Outcome]
    ) -> _View:
        action, declared = self.component.actions[number], self._declared[number]
        now = None
        if outcomes:
            now = Footprint(
                _union(declared.reads if one.reads is None else one.reads for one in outcomes),
                _union(declared.writes if one.writes is None else one.writes for one in outcomes),
                frozenset(channel for one in outcomes for channel, _ in one.sends),
            )
        status = Status.ENABLED if outcomes else Status.REFUSED if offers else Status.EMPTY
        offered, behind = self._waiting(action, declared, core, contents, offers)
        return _View(action, status, now, offered, behind if self.rules.behind else ())

    def _waiting(
        self, action: Action, declared: Footprint, core: Any, contents: Sequence[Any], offers: bool
    ) -> tuple[tuple[Footprint, ...], tuple[Footprint, ...]]:
        """The footprints of an action with the messages that are offered, and with those behind them."""
        if action.take is None:
            return (), ()
        slot = self._slots[action.take]
        discipline = self._listing[slot]
        if discipline is None:
            return ((declared,), (declared,)) if offers else ((), ())
        now, later = discipline.waiting(contents[slot])
        if action.footprint is None:
            return (declared,) * bool(now), (declared,) * bool(later)
        listed = now + later
        found = [action.footprint(core, listed[:position], message) for position, message in enumerate(listed)]
        return tuple(dict.fromkeys(found[: len(now)])), tuple(dict.fromkeys(found[len(now) :]))

    def _action_class(self, number: int, views: Sequence[_View]) -> ActionClass:
        view, declared = views[number], self._declared[number]
        cells: Needed = frozenset()
        changers: Needed = frozenset()
        clashes = frozenset[int]()
        if view.now is not None:
            reads, writes, sends = view.now
            cells = self._parts_of_others(number, views, lambda one: self._conflict(reads, writes, one))
            changers = self._parts_of_others(number, views, lambda one: self._meet(reads, one.writes))
            clashes = frozenset(
                other
                for other, one in enumerate(views)
                if other != number and one.now is not None and self._conflict(reads, writes, one.now)
            )
        else:
            sends = frozenset()
            if view.status is Status.REFUSED:
                cells = self._parts_of_others(number, views, lambda one: self._meet(declared.reads, one.writes))
        sending = tuple(
            (channel, self._parts(number, view, lambda one, channel=channel: channel in one.sends))  # type: ignore[misc]
            for channel in sorted(declared.sends)
        )
        return ActionClass(view.status, sends, cells, changers, clashes, sending)

    def _parts_of_others(self, number: int, views: Sequence[_View], test: FootprintTest) -> Needed:
        """The parts of the other actions whose footprints pass a test."""
        return frozenset(
            (other, part)
            for other, view in enumerate(views)
            if other != number
            for part in self._parts(other, view, test)
        )

    def _parts(self, number: int, view: _View, test: FootprintTest) -> tuple[ActionPart, ...]:
        """The parts of an action whose footprints pass a test.

        A message behind the first is handled only after the action has happened, so it counts for the whole. An offered
        message is handled differently only after a change of what the action reads.
        """
        if not test(self._declared[number]):
            return ()
        if view.action.take is None:
            return (ActionPart.WHOLE,)
        if view.now is None:
            return (ActionPart.WHOLE,) if any(map(test, view.offered + view.behind)) else self._coming()
        if test(view.now) or any(map(test, view.behind)):
            return (ActionPart.WHOLE,)
        changed = self.rules.others and any(map(test, view.offered))
        return ((ActionPart.CHANGED,) if changed else ()) + self._coming()

    def _coming(self) -> tuple[ActionPart, ...]:
        return (ActionPart.COMING,) if self.rules.declared else ()

    def _conflict(self, reads: frozenset[Cell], writes: frozenset[Cell], other: Footprint) -> bool:
        return self._meet(writes, other.reads) or self._meet(writes, other.writes) or self._meet(reads, other.writes)

    def _meet(self, these: frozenset[Cell], those: frozenset[Cell]) -> bool:
        """Whether two sets of cells have a part in common; ALL is every cell."""
        known = self._met.get((these, those))
        if known is None:
            known = self._met[these, those] = meet(these, those, self.component.conflict)
        return known


def meet(these: frozenset[Cell], those: frozenset[Cell], conflict: Callable[[Any, Any], bool] | None = None) -> bool:
    """Whether two sets of cells have a part in common; ALL is every cell."""
    if not these or not those:
        return False
    if these & those or ALL & (these | those):
        return True
    return conflict is not None and any(conflict(one, other) for one in these for other in those)


def _union(sets: Iterable[frozenset[Cell]]) -> frozenset[Cell]:
    return frozenset[Cell]().union(*sets)
