"""LATE actions: a violation at rest counts only if it outlasts them.

A component may still wait for something when nothing else happens, such as the timer of a program. Most of that has
nothing to do with a property, so a search begins without LATE actions. In a state at rest in which a property reports a
violation they are taken in one course of events: actions in the order of their names, no faults. If the property still
reports a violation when none is left, it is violated. If not, LATE actions matter: a second search explores them all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import Action, Mode, Needs, Property, System
from sdnloom.engine.semantics import AT_REST, Finding, State, Transition

MOST_STEPS = 10_000  # of a course that does not come to rest
_PAUSE = 64  # steps between two questions whether to stop


class LateCourse(NamedTuple):
    """The steps after a state at rest, the violation in which they end, and the witnesses after so many of them.

    `stopped` says why the course ended before it came to rest.
    """

    transitions: tuple[Transition, ...]
    found: Finding | None = None
    witnesses: tuple[tuple[Finding, int], ...] = ()
    stopped: str | None = None


def explored_part(system: System) -> System:
    """The system without its LATE actions, which a search does not explore; the system itself if it has none."""
    late = {
        (each.name, action.name) for each in system.components for action in each.actions if action.mode is Mode.LATE
    }
    if not late:
        return system
    components = tuple(
        replace(each, actions=tuple(action for action in each.actions if action.mode is not Mode.LATE))
        for each in system.components
    )
    properties = tuple(replace(prop, watches=prop.watches - late) for prop in system.properties)
    return replace(system, components=components, properties=properties)


def judges_rest(system: System) -> bool:
    """Whether a state at rest is not all there is to say about a violation: a component acts late, or still waits."""
    late = any(action.mode is Mode.LATE for each in system.components for action in each.actions)
    return late or any(each.waits is not None for each in system.components)


def with_late_explored(system: System) -> System:
    """The system whose LATE actions are IDLE ones, so that they are explored. Violations at rest are the same."""
    pending = _Pending(
        [(each.name, action) for each in system.components for action in each.actions if action.mode is Mode.LATE]
    )
    components = tuple(
        replace(each, actions=tuple(_idle(action) if action.mode is Mode.LATE else action for action in each.actions))
        for each in system.components
    )
    return replace(
        system, components=components, properties=tuple(_after_late(prop, pending) for prop in system.properties)
    )


def _idle(action: Action) -> Action:
    return replace(action, mode=Mode.IDLE)


class _Pending:
    """Whether one of some actions is enabled, by the cores of their components, with a memo."""

    def __init__(self, actions: Sequence[tuple[str, Action]]) -> None:
        self._actions = actions
        self.owners = tuple(dict.fromkeys(owner for owner, _ in actions))
        self._known: dict[tuple[Any, ...], bool] = {}

    def __call__(self, columns: Mapping[str, Any]) -> bool:
        cores = tuple(columns[owner] for owner in self.owners)
        if cores not in self._known:
            self._known[cores] = any(action.step(columns[owner], None) for owner, action in self._actions)
        return self._known[cores]


def _after_late(prop: Property, pending: _Pending) -> Property:
    """The property, silent at rest while a LATE action is enabled."""
    if prop.sometimes or prop.needs not in AT_REST:
        return prop

    def violated(memory: Any, columns: Mapping[str, Any]) -> str | None:
        return None if pending(columns) else prop.violated(memory, {name: columns[name] for name in prop.columns})

    more = tuple(owner for owner in pending.owners if owner not in prop.columns)
    return replace(prop, violated=violated, columns=(*prop.columns, *more))


class LateActions:
    """The courses of events of a system after states at rest."""

    def __init__(self, system: System, stop: Callable[[], str | None]) -> None:
        self.tables = Memo(system)
        self.semantics = MemoSemantics(self.tables)
        self._stop = stop
        self._always = [prop for prop in system.properties if prop.needs not in AT_REST]
        self._sometimes_at_rest = [prop for prop in system.properties if prop.needs in AT_REST and prop.sometimes]
        names = {each.name: number for number, each in enumerate(system.components)}
        in_order = sorted(
            ((each.name, action.name, action) for each in system.components for action in each.actions),
            key=lambda one: one[:2],
        )
        self._actions = {
            mode: [(names[name], action) for name, _, action in in_order if action.mode is mode] for mode in Mode
        }

    def course(self, state: State, prop: Property) -> LateCourse:
        """What follows a state at rest in which a property reports a violation, until that is over or lasts.

        A violation of another property at an event ends the course too.
        """
        taken: list[Transition] = []
        witnesses: dict[Finding, int] = {}
        while len(taken) < MOST_STEPS:
            if len(taken) % _PAUSE == _PAUSE - 1 and (reason := self._stop()) is not None:
                return LateCourse(tuple(taken), None, tuple(witnesses.items()), reason)
            following = self._first(state, Mode.MUST)
            if following is None and prop.needs is Needs.SETTLED:
                following = self._first(state, Mode.IDLE)
            if following is None:
                self._note(self._sometimes_at_rest, state, witnesses, len(taken))
                if self.semantics.message(prop, state) is None:
                    return LateCourse(tuple(taken), None, tuple(witnesses.items()))
                following = self._first(state, Mode.LATE)
            if following is None:
                found = Finding(prop.name, self.semantics.message(prop, state) or "")
                return LateCourse(tuple(taken), found, tuple(witnesses.items()))
            taken.append(following)
            state = following.state
            violated = self._note(self._always, state, witnesses, len(taken))
            if violated is not None:
                return LateCourse(tuple(taken), violated, tuple(witnesses.items()))
        reason = f"{len(taken):,} steps after {prop.name} was violated at rest did not come to rest"
        return LateCourse(tuple(taken), None, tuple(witnesses.items()), reason)

    def _first(self, state: State, mode: Mode) -> Transition | None:
        """The first transition without a fault by an action of this mode, in the order of names."""
        return next((each for each in self._transitions(state, mode) if not each.step.faults), None)

    def _transitions(self, state: State, mode: Mode) -> Iterator[Transition]:
        for number, action in self._actions[mode]:
            yield from self.semantics.instances(state, number, action)

    def _note(self, properties: list[Property], state: State, witnesses: dict[Finding, int], at: int) -> Finding | None:
        """Note the witnesses among the findings of these properties, and return the first violation."""
        violated = None
        for prop in properties:
            message = self.semantics.message(prop, state)
            if message is not None and prop.sometimes:
                witnesses.setdefault(Finding(prop.name, message), at)
            elif message is not None and violated is None:
                violated = Finding(prop.name, message)
        return violated
