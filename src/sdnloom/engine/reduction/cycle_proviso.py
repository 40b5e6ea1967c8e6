"""The cycle proviso: no action is postponed for ever around a cycle of the reduced state space.

That is so if every state has a path, in the reduced graph, to a state that is expanded in full: along such a path the
postponed actions stay enabled. A search notes its *ends*: states whose successors had all been expanded before them.
Every other state has an edge to a state that is expanded later, and so a path to an end. It is enough to check the ends
after the search; in an acyclic space none of them has to be expanded in full.
"""

from collections.abc import Collection, Sequence
from typing import Generic

from sdnloom.engine.graph import Graph, S


class CycleProviso(Generic[S]):
    """Finds the ends that must be expanded in full, and keeps those that were."""

    def __init__(self, graph: Graph[S]) -> None:
        self.graph = graph
        self._full: set[S] = set()

    def know_full(self, states: Collection[S]) -> None:
        """These were expanded in full, in the part of the search before it was resumed."""
        self._full.update(states)

    def ignored(self, ends: Sequence[S]) -> list[S]:
        """The ends that reach no state that is expanded in full. The caller expands them in full."""
        good, bad = set(self._full), set[S]()
        for end in ends:
            self._sort(end, good, bad)
        results = [end for end in ends if end in bad]
        self._full.update(results)
        return results

    def _sort(self, start: S, good: set[S], bad: set[S]) -> None:
        """Add a path to a state that is expanded in full to `good`; without one, add all reached states to `bad`."""
        path: list[S] = []
        visited: set[S] = set()
        pending = [(start, 0)]
        while pending:
            state, length = pending.pop()
            if state in visited or state in bad:
                continue
            del path[length:]
            path.append(state)
            if state in good or not self.graph.is_reduced(state):
                good.update(path)
                return
            visited.add(state)
            pending += [(after, len(path)) for after in self.graph.successors(state)]
        bad |= visited
