"""All that a reduction needs to know of a component's place, as a small value.

Cells belong to one component, so what its actions do to each other's cells is decided here, on the place alone: the
footprint that an enabled action has now against what the others may do with the messages that wait for them, and with
those that may still come. What is left for the whole state are names of actions and channels, and so classes are few.
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
    """What of an action must be in a stubborn set."""

    WHOLE = 0  # the action, whatever it does next
    CHANGED = 1  # what it could do now if other steps had changed what it reads; it cannot happen before that
    COMING = 2  # what it could do with messages that are yet to be sent; it cannot happen before that


Needed: TypeAlias = frozenset[tuple[int, ActionPart]]  # places of actions in the component, with parts


class ActionClass(NamedTuple):
    """An action at a place, as the rest of the system must know it."""

    status: Status
    sends: frozenset[str]  # if it is enabled: where it sends now
    cells: Needed  # what shares cells with it: conflicts if it is enabled, what may enable it if it refuses
    changers: Needed  # if it is enabled: what may change what it reads
    clashes: frozenset[int]  # if it is enabled: the enabled ones whose cells now meet its own
    sending: tuple[
        tuple[str, tuple[ActionPart, ...]], ...
    ]  # channels that it may send on, and through which of its parts


class PlaceClass(NamedTuple):
    """A component's place."""

    actions: tuple[ActionClass, ...]
    undisturbed: tuple[frozenset[str] | None, ...]  # of its channels: the senders that do not change what is offered


@dataclass(frozen=True)
class Looks:
    """What the classification looks at; only a test that wants to see a mistake noticed leaves something out."""

    behind: bool = True  # messages that wait behind those offered
    others: bool = True  # messages offered whose handling may change
    declared: bool = True  # messages to come


class _View(NamedTuple):
    """An action at a place, in full."""

    action: Action
    status: Status
    now: Footprint | None  # if it is enabled
    offered: tuple[Footprint, ...]  # what it may do about the messages that are offered
    behind: tuple[Footprint, ...]  # and about those that it may take after one of them


Does: TypeAlias = Callable[[Footprint], bool]


class Classifier:
    """The classes of one component's places."""

    def __init__(self, component: Component, channels: Sequence[Channel], looks: Looks | None = None) -> None:
        self.component, self.looks = component, looks or Looks()
        self.inbox = [channel for channel in channels if channel.to == component.name]
        self._slots = {channel.name: slot for slot, channel in enumerate(self.inbox)}
        inbox = [channel.discipline for channel in self.inbox]
        self._listing = [each if isinstance(each, ListsContent) else None for each in inbox]  # asked once: that is slow
        self._declared = [Footprint(one.reads, one.writes, one.sends) for one in component.actions]
        self._met: dict[tuple[frozenset[Cell], frozenset[Cell]], bool] = {}

    def class_of(
        self,
        core: Any,
        contents: Sequence[Any],
        offers: Sequence[bool],
        outcomes: Sequence[Sequence[Outcome]],
        undisturbed: Sequence[frozenset[str] | None],
    ) -> PlaceClass:
        """The class of a place with this core and these contents of its channels.

        For each action, whether it is offered something (or takes nothing), and its outcomes.
        """
        views = [
            self._view(number, core, contents, some, found)
            for number, (some, found) in enumerate(zip(offers, outcomes, strict=True))
        ]
        return PlaceClass(tuple(self._doing(number, views) for number in range(len(views))), tuple(undisturbed))

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
        return _View(action, status, now, offered, behind if self.looks.behind else ())

    def _waiting(
        self, action: Action, declared: Footprint, core: Any, contents: Sequence[Any], offers: bool
    ) -> tuple[tuple[Footprint, ...], tuple[Footprint, ...]]:
        """What an action may do about messages that are offered, and about those behind them."""
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
        found = [action.footprint(core, listed[:place], message) for place, message in enumerate(listed)]
        return tuple(dict.fromkeys(found[: len(now)])), tuple(dict.fromkeys(found[len(now) :]))

    def _doing(self, number: int, views: Sequence[_View]) -> ActionClass:
        view, declared = views[number], self._declared[number]
        cells: Needed = frozenset()
        changers: Needed = frozenset()
        clashes = frozenset[int]()
        if view.now is not None:
            reads, writes, sends = view.now
            cells = self._through(number, views, lambda one: self._conflict(reads, writes, one))
            changers = self._through(number, views, lambda one: self._meet(reads, one.writes))
            clashes = frozenset(
                other
                for other, one in enumerate(views)
                if other != number and one.now is not None and self._conflict(reads, writes, one.now)
            )
        else:
            sends = frozenset()
            if view.status is Status.REFUSED:
                cells = self._through(number, views, lambda one: self._meet(declared.reads, one.writes))
        sending = tuple(
            (channel, self._parts(number, view, lambda one, channel=channel: channel in one.sends))  # type: ignore[misc]
            for channel in sorted(declared.sends)
        )
        return ActionClass(view.status, sends, cells, changers, clashes, sending)

    def _through(self, number: int, views: Sequence[_View], does: Does) -> Needed:
        """The parts of the other actions that may do it."""
        return frozenset(
            (other, part)
            for other, view in enumerate(views)
            if other != number
            for part in self._parts(other, view, does)
        )

    def _parts(self, number: int, view: _View, does: Does) -> tuple[ActionPart, ...]:
        """Through which of its parts an action may do it.

        A message that is taken after the first is handled only when the action has happened, so it counts for the
        whole. One that is offered now and would be handled otherwise waits for a change of what the action reads.
        """
        if not does(self._declared[number]):
            return ()
        if view.action.take is None:
            return (ActionPart.WHOLE,)
        if view.now is None:
            return (ActionPart.WHOLE,) if any(map(does, view.offered + view.behind)) else self._coming()
        if does(view.now) or any(map(does, view.behind)):
            return (ActionPart.WHOLE,)
        changed = self.looks.others and any(map(does, view.offered))
        return ((ActionPart.CHANGED,) if changed else ()) + self._coming()

    def _coming(self) -> tuple[ActionPart, ...]:
        return (ActionPart.COMING,) if self.looks.declared else ()

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
