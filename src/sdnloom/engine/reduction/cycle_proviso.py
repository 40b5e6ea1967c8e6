"""The ignoring problem of reductions on cyclic state spaces, solved after the fact.

A reduction postpones actions, and around a cycle it may postpone one for ever. That cannot happen if every state has a
path, in the reduced graph, to one that is explored in full: along such a path the postponed actions stay possible. A
search notes its *ends*: states that were expanded when all their successors had been already. Every other state has an
edge to one expanded later, and so a path to an end; it is enough to look at the ends, and in an acyclic space each of
them passes.
"""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from sdnloom.engine.graph import Graph

S = TypeVar("S", bound=Hashable)


class CycleProviso(Generic[S]):
    """Which ends must be expanded in full; remembers those that were."""

    def __init__(self, graph: Graph[S]) -> None:
        self.graph = graph
        self._full: set[S] = set()

    def ignored(self, ends: Sequence[S]) -> list[S]:
        """The ends from which no fully explored state is reached. The caller expands them in full."""
        good, bad = set(self._full), set[S]()
        for end in ends:
            self._sort(end, good, bad)
        results = [end for end in ends if end in bad]
        self._full.update(results)
        return results

    def _sort(self, start: S, good: set[S], bad: set[S]) -> None:
        """Decide whether a state reaches a fully explored one: then its path is good, else all it reaches is bad."""
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
