"""Follows steps that need not be enabled as they are: a step is re-matched by its kind, or left out.

A path without one of its events is rarely a path: later steps carry other packet ids, buffer ids and choices. So each
step of a guide is taken as it is if it can be; otherwise a step of the same component and action that takes the same
kind of message, with the same faults; otherwise none. Where the guide ends, steps that must happen follow.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

from sdnloom.engine.model import Message, Mode, Step
from sdnloom.engine.semantics import Finding, Semantics, State, Transition

_FORCED = 50  # steps that must happen, and twice as many as the guide has, that are tried where it ends
_MOST_KEPT = 20_000  # states whose transitions are remembered
_FEW = 5  # the same, where the goal is no state at rest


class Goal(NamedTuple):
    """What a path has to end in: a finding of the property, with that message unless it is None."""

    property: str
    message: str | None = None

    def among(self, findings: Sequence[Finding]) -> Finding | None:
        """The first of the findings that is meant."""
        return next((each for each in findings if each.property == self.property and self._says(each)), None)

    def _says(self, found: Finding) -> bool:
        return self.message is None or self.message == found.message


def message_kind(message: Message | None) -> frozenset[str]:
    """The names of the types that a message consists of; parts of tuples count, their number does not."""
    if isinstance(message, tuple):
        own = {type(message).__name__} if hasattr(message, "_fields") else set()
        return frozenset(own.union(*map(message_kind, message)))
    return frozenset({type(message).__name__})


def is_alike(step: Step, other: Step) -> bool:
    """Whether two steps do the same kind of thing: component, action, kind of message and faults are the same."""
    return (
        (step.component, step.action, step.faults) == (other.component, other.action, other.faults)
        and (step.message is None) == (other.message is None)
        and message_kind(step.message) == message_kind(other.message)
    )


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Memo(dict[K, V]):
    """A dict that forgets everything when it is large: paths and searches visit many states once."""

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= _MOST_KEPT:
            self.clear()
        super().__setitem__(key, value)


class Follower:
    """Follows guides to a goal, with a memo of the states that it has met. `at_rest`: the goal may be one at rest."""

    def __init__(self, semantics: Semantics, goal: Goal, at_rest: bool = True) -> None:
        self.semantics, self.goal, self.at_rest = semantics, goal, at_rest
        self.followed = 0  # steps of guides so far
        self._named: _Memo[tuple[State, str, str], list[Transition]] = _Memo()
        self._all: _Memo[State, list[Transition]] = _Memo()
        self._found: _Memo[State, Finding | None] = _Memo()

    def found(self, state: State) -> Finding | None:
        """The finding that is meant, if the state has it."""
        try:
            return self._found[state]
        except KeyError:
            found = self._found[state] = self.goal.among(self.semantics.findings(state))
            return found

    def transitions(self, state: State) -> list[Transition]:
        """Every transition from the state."""
        known = self._all.get(state)
        if known is None:
            known = self._all[state] = self.semantics.transitions(state)
        return known

    def state_after(self, taken: Sequence[Transition]) -> State:
        """The state in which some transitions from the initial state end."""
        return taken[-1].state if taken else self.semantics.initial()

    def exactly(self, before: Sequence[Transition], guide: Sequence[Step]) -> list[Transition] | None:
        """The transitions `before` and then all steps of the guide; None if one is not enabled or the end is no goal.

        The first state with the goal ends them.
        """
        taken, state = list(before), self.state_after(before)
        for step in guide:
            self.followed += 1
            chosen = next((each for each in self._instances(state, step) if each.step == step), None)
            if chosen is None:
                return None
            taken.append(chosen)
            state = chosen.state
            if self.found(state) is not None:
                return taken
        return taken if self.found(state) is not None else None

    def loosely(self, before: Sequence[Transition], guide: Sequence[Step], most: int) -> list[Transition] | None:
        """The transitions `before` and then those that the guide leads to, up to the goal; None if it is not reached.

        They are at most `most` transitions in all.
        """
        taken, state = list(before), self.state_after(before)
        for step in guide:
            if len(taken) >= most:
                return taken if self.found(state) is not None else None
            self.followed += 1
            chosen = self._nearest(state, step)
            if chosen is not None:
                taken.append(chosen)
                state = chosen.state
                if self.found(state) is not None:
                    return taken
        most = min(most, len(taken) + (2 * len(guide) + _FORCED if self.at_rest else _FEW))
        while len(taken) < most:
            forced = self._forced(state)
            if forced is None:
                break
            taken.append(forced)
            state = forced.state
            if self.found(state) is not None:
                return taken
        return taken if self.found(state) is not None else None

    def same_message(self, state: State, step: Step) -> Transition | None:
        """The step with the message that it takes; if it cannot have the same choice, with another one."""
        alike = [
            each
            for each in self._instances(state, step)
            if (each.step.message, each.step.faults) == (step.message, step.faults)
        ]
        return next((each for each in alike if each.step.choice == step.choice), next(iter(alike), None))

    def _instances(self, state: State, step: Step) -> list[Transition]:
        key = state, step.component, step.action
        known = self._named.get(key)
        if known is None:
            known = self._named[key] = list(self.semantics.named(state, step))
        return known

    def _nearest(self, state: State, step: Step) -> Transition | None:
        """The step itself, or one like it; an input of the environment only with the same choice."""
        offered = self._instances(state, step)
        for each in offered:
            if each.step == step:
                return each
        alike = [each for each in offered if is_alike(each.step, step)]
        same = next((each for each in alike if each.step.choice == step.choice), None)
        return same or next((each for each in alike if each.action.mode is Mode.MUST), None)

    def _forced(self, state: State) -> Transition | None:
        """The first step that happens if nothing else does, without faults."""
        offered = [each for each in self.transitions(state) if not each.step.faults]
        for mode in (Mode.MUST, Mode.LATE):
            for each in offered:
                if each.action.mode is mode:
                    return each
        return None
