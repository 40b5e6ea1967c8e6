"""Sleep sets: of two steps that commute, only one order is taken (Godefroid).

A stubborn set says which actions to explore in a state. If two of them commute, exploring both orders leads to one
state twice. So what was explored before stays *asleep* after a step that it commutes with: where it would lead is found
the other way round.

What is asleep in a state is what was asleep when it was first found; other ways to it change nothing, so nothing is
ever explored again. That is enough to find every quiescent state, for this reason. Take an execution that goes on from
a state along the way on which it was first found, and whose next step is asleep there. Somewhere on that way the step
was explored before the one that was taken, and commutes with all that followed. The execution with the step at that
place is as long and ends in the same state, and its way comes earlier in the order of the search. Breadth first there
are only finitely many earlier ones, so this ends with a step that is awake.
"""

from collections.abc import Sequence
from typing import Any

from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.model import Strategy, System
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.system_graph import SystemGraph

MOST_ACTIONS = 64  # what is asleep is a word of the kernel


def can_sleep(system: System, reduction: Reduction | None, strategy: Strategy | None) -> bool:
    """Whether sleep sets can be used: with a reduction that allows them, and without a strategy.

    The memory of a strategy depends on the order of all steps.
    """
    actions = sum(len(component.actions) for component in system.components)
    return reduction is not None and reduction.sleep_sets and strategy is None and actions <= MOST_ACTIONS


class SleepSetSearch(LoopSearch[int]):
    """Breadth-first search of a reduced system that takes commuting steps in one order."""

    graph: SystemGraph

    def __init__(self, graph: SystemGraph, **options: Any) -> None:
        super().__init__(graph, **options)
        self._asleep: list[int] = []  # by number of the state

    def _expanded(self, numbers: Sequence[int]) -> bool:
        """Expand some states of a level; True when the search is over."""
        for number in numbers:
            found = self.graph.awake(self.states[number], self._asleep[number])
            if self._taken(number, found):
                return True
            if self.proviso is not None:
                self._note_end(number, [state for state, _ in found])
        return False

    def _taken(self, number: int, found: Sequence[tuple[int, int]]) -> bool:
        """Take in what was found from a state; True when the search ends with one of these."""
        self.transitions += len(found) if number >= 0 else 0  # being initial is no transition
        first = len(self.states)
        for state, asleep in found:
            if state not in self._seen:
                self._seen.add(state)
                self.states.append(state)
                self.parents.append(number)
                self._asleep.append(asleep)
        return self.looks and len(self.states) > first and self._checked(first, [state for state, _ in found])

    def _done_after(self, number: int, found: Sequence[int]) -> bool:
        return self._taken(number, [(state, 0) for state in found])

    def _leads_on(self, number: int) -> bool:
        found = self.graph.awake(self.states[number], self._asleep[number])
        return any(state not in self._seen for state, _ in found)
