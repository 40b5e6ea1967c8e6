"""A kernel for tests of checkpoints: the loop engine with the kernel's interface, in Python and at once.

What it saves are the parents and the places of its states in numbers of the memo. It restores by searching again, which
asks the program nothing new, and compares.
"""

import numpy as np

from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.engine.dives.system_loop import SystemLoop
from sdnloom.engine.result import Limits
from sdnloom.engine.system_graph import SystemGraph


class FakeKernel(SystemLoop):
    """A breadth-first search that can be saved between two levels; without sleep sets and without a cycle proviso."""

    def __init__(self, tables, reduction, strategy, *, limits, on_level=lambda: False, each_at_rest=False, **options):
        options.pop("observations", None)
        super().__init__(SystemGraph(tables, reduction, strategy), limits=limits, on_level=self._between, **options)
        self._told = on_level
        self._waiting = None  # the numbers of the states of the present level, of a search that was restored
        self._boundary = (0, 0, 0)  # states, transitions and the first state of the level, at the last boundary
        self._levels = [0]
        self.proviso = None

    def _between(self):
        self._levels.append(len(self.states))
        self._boundary = len(self.states), self.transitions, self._levels[-2]
        return self._told()

    def _run(self):
        if self._waiting is None:
            if self._done_after(-1, list(self.graph.initial())):
                return
            self._levels = [0, len(self.states)]
            self._boundary = len(self.states), self.transitions, 0
            self._waiting = range(len(self.states))
        elif self._told():
            self.depth += 1
            return
        self._breadth(self._waiting)

    def saved(self):
        count, transitions, first = self._boundary
        places = [self._numbers_of(state) for state in self.states[:count]]
        return {
            "counts": np.array([count, transitions, first], np.int64),
            "parents": np.array(self.parents[:count], np.int32),
            "places": np.array(places, np.int32).reshape(count, -1),
        }

    def _numbers_of(self, state):
        graph = self.graph
        columns = range(graph.components)
        return [number for column in columns for number in graph.values[column][state & graph._fields[column]]]

    def restore(self, arrays):
        count, transitions, first = map(int, arrays["counts"])
        if not count:
            return
        kept = self._told, self.limits, self.on_finding, self.on_pause
        self._told, self.limits, self.on_finding = lambda: self.count() >= count, Limits(), lambda found, number: False
        self.on_pause = lambda: None
        self._run()
        self._told, self.limits, self.on_finding, self.on_pause = kept
        del self.states[count:], self.parents[count:]
        self._seen = set(self.states)
        self._waiting, self.transitions = range(first, count), transitions
        self._levels, self._boundary = [0, first, count], (count, transitions, first)
        self.depth = max(0, len(self.route(count - 1)) - 2)
        now = self.saved()
        if now.keys() != arrays.keys() or any(not np.array_equal(now[name], arrays[name]) for name in now):
            raise CheckpointError("the arrays are of another search")
