"""A violation before the search starts: the course of events as a path of a system in which the switches join.

An exception in a handler, or a packet that goes round, before the search starts is found again on that system: its
properties are those that events decide, its hosts send nothing, and warm-up and set-up are steps that happen when
nothing else can. The search then follows this one path.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from sdnloom.engine import user_code
from sdnloom.engine.model import Mode, Needs, Outcome, Property, Step, System
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.network.startup.course import CourseStep


class FollowCourse:
    """A strategy that leaves the steps of one path, in this order."""

    name = "before the search"
    skips = "other orders of the events before the search, and the search itself"
    initial = 0

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """The next step of the path comes before all others."""
        return 0 if memory < len(self._steps) and step == self._steps[memory] else 1

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """One step further."""
        return memory + 1  # type: ignore[no-any-return]


def judged_by_events(properties: Sequence[Property]) -> tuple[Property, ...]:
    """Return the properties that can be violated before a search: the others are about states that come later."""
    return tuple(each for each in properties if each.needs in (Needs.EVENT, Needs.ORDER) and not each.sometimes)


def violating_steps(system: System, course: Sequence[CourseStep]) -> tuple[Step, ...] | None:
    """Return the steps of the course up to the first violation; None if there is none."""
    semantics = Semantics(system)
    state = semantics.initial()
    taken: list[Step] = []

    def take(transition: Transition) -> bool:
        nonlocal state
        taken.append(transition.step)
        state = transition.state
        return _is_violated(semantics, state)

    for hint in course:
        if _waits_for_rest(system, hint):
            while (must := _first_must(semantics, state)) is not None:
                if take(must):
                    return tuple(taken)
        # What the course delivered one by one, a switch may have taken together.
        found = next(semantics.named(state, Step(*hint)), None)
        if found is not None and take(found):
            return tuple(taken)
    return None


def _is_violated(semantics: Semantics, state: State) -> bool:
    return any(user_code.violated(each, semantics.memory(each, state), {}) for each in semantics.system.properties)


def _waits_for_rest(system: System, hint: CourseStep) -> bool:
    return any(
        action.name == hint.action and action.mode is Mode.IDLE
        for component in system.components
        if component.name == hint.component
        for action in component.actions
    )


def _first_must(semantics: Semantics, state: State) -> Transition | None:
    return next((each for each in semantics.transitions(state) if each.action.mode is Mode.MUST), None)
