"""The loop engine on a system: breadth first or depth first, with sleep sets, or as a dive."""

from typing import Any

from sdnloom.engine.dives.dive import DiveSearch
from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.reduction.sleep_sets import SleepSetSearch
from sdnloom.engine.semantics import State
from sdnloom.engine.system_graph import SystemGraph


class SystemLoop(LoopSearch[int]):
    """The loop engine on a system, breadth first or depth first."""

    graph: SystemGraph

    def count(self) -> int:
        """How many states there are."""
        return len(self.states)

    def values(self, number: int) -> list[State]:
        """The states from the initial one to this one."""
        return [self.graph.value(state) for state in self.route(number)]

    def value(self, number: int) -> State:
        """The state of that number."""
        return self.graph.value(self.states[number])

    def memories(self) -> dict[str, list[Any]]:
        """The memories met, by property."""
        return self.graph.memories()

    def bytes_per_state(self) -> float | None:
        """Not known: the states are Python objects."""
        return None


class SleepSetLoop(SleepSetSearch, SystemLoop):
    """The loop engine on a system, with sleep sets."""


class SystemDive(DiveSearch[int], SystemLoop):
    """A dive into a system."""
