"""Sleep sets: of two steps that commute, only one order is explored (Godefroid).

A stubborn set says which actions to explore in a state. If two of them commute, both orders lead to the same state. So
an action that was explored before another one is *asleep* after it if the two commute: its successor is found by the
other order.

The sleep set of a state is the one with which it was first found; other paths to the state do not change it, so no
state is expanded twice. Every quiescent state is found nevertheless. Take an execution whose first part is the path on
which a state was first found, and whose next step is asleep in that state. Somewhere on the path the step was explored
before the step that was taken, and it commutes with all later steps. The execution with the step moved there is as
long, ends in the same state, and its path comes earlier in the order of the search. In a breadth-first search there are
only finitely many earlier ones, so this ends with a step that is not asleep.
"""

from collections.abc import Sequence
from typing import Any

from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.model import Strategy, System
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.system_graph import SystemGraph

MOST_ACTIONS = 64  # the kernel keeps a sleep set in one word


def can_sleep(system: System, reduction: Reduction | None, strategy: Strategy | None) -> bool:
    """Whether sleep sets can be used: with a reduction that allows them, and without a strategy.

    The memory of a strategy depends on the order of all steps.
    """
    actions = sum(len(component.actions) for component in system.components)
    return reduction is not None and reduction.sleep_sets and strategy is None and actions <= MOST_ACTIONS


class SleepSetSearch(LoopSearch[int]):
    """Breadth-first search of a reduced system with sleep sets."""

    graph: SystemGraph

    def __init__(self, graph: SystemGraph, **options: Any) -> None:
        super().__init__(graph, **options)
        self._asleep: list[int] = []  # by number of the state

    def _expanded(self, numbers: Sequence[int]) -> bool:
        """Expand some states of a level; True when the search is over."""
        awake, seen, states, parents, sets = self.graph.awake, self._seen, self.states, self.parents, self._asleep
        for number in numbers:
            found = awake(states[number], sets[number])
            self.transitions += len(found)
            first = len(states)
            for state, asleep in found:
                if state not in seen:
                    seen.add(state)
                    states.append(state)
                    parents.append(number)
                    sets.append(asleep)
            if self.checks_new and len(states) > first and self._checked(first, [state for state, _ in found]):
                return True
            if self.proviso is not None:
                self._note_end(number, [state for state, _ in found])
        return False

    def _add(self, number: int, found: Sequence[tuple[int, int]]) -> bool:
        """Add the successors of a state; True when the search ends with one of them."""
        self.transitions += len(found) if number >= 0 else 0  # initial states are reached by no transition
        first = len(self.states)
        for state, asleep in found:
            if state not in self._seen:
                self._seen.add(state)
                self.states.append(state)
                self.parents.append(number)
                self._asleep.append(asleep)
        return self.checks_new and len(self.states) > first and self._checked(first, [state for state, _ in found])

    def _done_after(self, number: int, found: Sequence[int]) -> bool:
        return self._add(number, [(state, 0) for state in found])

    def _leads_on(self, number: int) -> bool:
        found = self.graph.awake(self.states[number], self._asleep[number])
        return any(state not in self._seen for state, _ in found)
