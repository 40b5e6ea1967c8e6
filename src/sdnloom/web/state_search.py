"""A search from any state of a semantics, breadth first and one state at a time: slow, and obviously right."""

from collections.abc import Callable
from typing import NamedTuple

from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Step
from sdnloom.engine.result import Progress, SearchEvent
from sdnloom.engine.semantics import Semantics, State


class StatesSearched(NamedTuple):
    """The steps of a shortest path to a violation, or None; the states seen; why not all were."""

    steps: tuple[Step, ...] | None
    states: int
    incomplete: str | None


def search_states(
    semantics: Semantics, start: State, watch: LimitWatch, on_event: Callable[[SearchEvent], None]
) -> StatesSearched:
    """The nearest state from `start` on that violates a property."""
    sometimes = {each.name for each in semantics.system.properties if each.sometimes}
    reached: dict[State, tuple[State, Step] | None] = {start: None}
    frontier, depth, transitions = [start], 0, 0
    with watch.in_force():
        while frontier:
            following = []
            for state in frontier:
                reason = watch.reason_to_stop()
                if reason is not None:
                    return StatesSearched(None, len(reached), reason)
                if any(each.property not in sometimes for each in semantics.findings(state)):
                    return StatesSearched(_route(reached, state), len(reached), None)
                for each in semantics.transitions(state):
                    transitions += 1
                    if each.state not in reached:
                        reached[each.state] = state, each.step
                        following.append(each.state)
                if watch.progress_due():
                    size = len(reached), transitions, len(frontier) + len(following), depth
                    on_event(Progress(*size, watch.seconds, 0, "states"))
            frontier, depth = following, depth + 1
    return StatesSearched(None, len(reached), None)


def _route(reached: dict[State, tuple[State, Step] | None], state: State) -> tuple[Step, ...]:
    steps = []
    while (before := reached[state]) is not None:
        state = before[0]
        steps.append(before[1])
    return tuple(reversed(steps))
