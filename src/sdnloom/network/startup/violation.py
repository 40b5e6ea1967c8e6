"""A violation before the search starts: the course of events as a path of a system in which the switches join.

An exception in a handler, or a packet that goes round, before the search starts is found again on that system: its
properties are those that events decide, its hosts send nothing, and warm-up and set-up are steps that happen when
nothing else can. Nothing else is searched then.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sdnloom.engine import user_code
from sdnloom.engine.model import Event, Mode, Needs, Property, Step, System
from sdnloom.engine.path import Path
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.network.startup.course import CourseStep


class EarlyViolation(NamedTuple):
    """A path of the system in which the switches join, and the violation at its end."""

    path: Path
    found: Finding


def judged_by_events(properties: Sequence[Property]) -> tuple[Property, ...]:
    """Return the properties that can be violated before a search: the others are about states that come later."""
    return tuple(each for each in properties if each.needs in (Needs.EVENT, Needs.ORDER) and not each.sometimes)


def course_transitions(system: System, course: Sequence[CourseStep]) -> Iterator[Transition]:
    """Yield the transitions of a course of events on the system in which the switches join.

    What is still under way after its last step stays there: it may go on without end.
    """
    semantics = Semantics(system)
    state = semantics.initial()
    for hint in course:
        if _waits_for_rest(system, hint):
            while (must := _first_must(semantics, state)) is not None:
                state = must.state
                yield must
        # What the course delivered one by one, a switch may have taken together.
        found = next(semantics.named(state, Step(*hint)), None)
        if found is not None:
            state = found.state
            yield found


def early_violation(system: System, course: Sequence[CourseStep]) -> EarlyViolation | None:
    """Return the course up to the first violation; None if there is none."""
    semantics = Semantics(system)
    taken: list[Step] = []
    for transition in course_transitions(system, course):
        taken.append(transition.step)
        if (violated := _violated(semantics, transition.state)) is not None:
            return EarlyViolation(Path(tuple(taken)), violated)
    return None


def forbids(system: System, event: Event) -> bool:
    """Whether this event alone violates a property of the system."""
    memories = [(each, user_code.fold_event(each, each.initial, event)) for each in system.properties]
    return any(user_code.violated(each, memory, {}) is not None for each, memory in memories)


def _violated(semantics: Semantics, state: State) -> Finding | None:
    for each in semantics.system.properties:
        message = user_code.violated(each, semantics.memory(each, state), {})
        if message is not None:
            return Finding(each.name, message)
    return None


def _waits_for_rest(system: System, hint: CourseStep) -> bool:
    return any(
        action.name == hint.action and action.mode is Mode.IDLE
        for component in system.components
        if component.name == hint.component
        for action in component.actions
    )


def _first_must(semantics: Semantics, state: State) -> Transition | None:
    return next((each for each in semantics.transitions(state) if each.action.mode is Mode.MUST), None)
