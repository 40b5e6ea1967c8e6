"""Executions counted up to the exchange of neighbouring steps where both orders lead to the same state.

Two executions are equivalent if one becomes the other by such exchanges: from the state before the two steps, both
orders are possible and lead to the same state. That depends on where the steps happen, so no dependence of steps
defines it. All executions of a class end in the same state, so it is sound to look at one of each. Steps that never
conflict can be exchanged everywhere: there are at most as many classes as executions by any dependence, and at least as
many as final states.

The classes are computed along the graph of states. A class of paths to a state is one of paths to a predecessor, with
the step from there; two of these are one class if they begin with paths to the same state of one class and go on with
the same two steps in either order.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sdnloom.engine.executions.count import ExecutionTally, no_essence, reason_to_stop
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.semantics import Semantics, State, Transition

_PACE = 256  # states between two checks of the limits


class _Frame(NamedTuple):
    """A state of the present path, and its transitions that are left."""

    number: int
    essence: Hashable
    transitions: Iterator[Transition]


class ContextCounter:
    """One run: call `run()`, then read the results. If `incomplete` is not None, `tally` counts final states only."""

    def __init__(
        self,
        semantics: Semantics,
        identity: Callable[[Transition], Hashable],
        watch: LimitWatch,
        *,
        final_class: Callable[[State], Hashable] = lambda state: None,
        essence: Callable[[State], Hashable] = no_essence,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """`identity` tells the steps of an execution apart, in whatever order they come.

        `final_class` sorts final states into classes that are counted apart; `pause` is called between steps. `essence`
        is what decides how a state goes on, if states hold more.
        """
        self._semantics, self._identity, self._watch = semantics, identity, watch
        self._final_class, self._essence, self._pause = final_class, essence, pause
        self._numbers: dict[State, int] = {}
        self._edges: list[dict[Hashable, int]] = []  # state -> step -> state
        self._ends_first: list[int] = []  # every state after all states that it leads to
        self._paths: Sequence[int] = ()
        self.transitions = self.depth = 0
        self.final_states: set[State] = set()
        self.incomplete: str | None = None

    @property
    def points(self) -> int:
        """How many states were found so far."""
        return len(self._edges)

    def tally(self) -> ExecutionTally:
        """The classes by the class of their final states; after a run that ended early, the final states."""
        counted: ExecutionTally = Counter()
        for state in self.final_states:
            number = 1 if self.incomplete is not None else self._paths[self._numbers[state]]
            counted[self._final_class(state)] += number
        return counted

    def run(self) -> None:
        """Find all states, then count the classes of paths to them."""
        self._explore()
        if self.incomplete is None:
            classes = PathClasses(self._edges)
            for place, number in enumerate(reversed(self._ends_first)):
                classes.add(number)
                if place % _PACE == 0:
                    self._pause()
                    self.incomplete = self._watch.reason_to_stop()
                    if self.incomplete is not None:
                        return
            self._paths = classes.counts

    def _explore(self) -> None:
        stack: list[_Frame] = []
        on_path: set[Hashable] = set()
        initial = self._semantics.initial()
        self._enter(stack, on_path, initial, self._essence(initial))
        while stack:
            frame = stack[-1]
            transition = next(frame.transitions, None)
            if transition is None:
                stack.pop()
                on_path.discard(frame.essence)
                self._ends_first.append(frame.number)
                continue
            self.transitions += 1
            if transition.state not in self._numbers:
                essence = self._essence(transition.state)
                returns = transition.step if essence in on_path else None
                self.incomplete = reason_to_stop(self._watch, self.points, len(stack), returns)
                if self.incomplete is not None:
                    return
                self._pause()
                self._enter(stack, on_path, transition.state, essence)
            self._edges[frame.number][self._identity(transition)] = self._numbers[transition.state]

    def _enter(self, stack: list[_Frame], on_path: set[Hashable], state: State, essence: Hashable) -> None:
        number = self._numbers[state] = len(self._edges)
        transitions = self._semantics.transitions(state)
        self._edges.append({})
        if not transitions:
            self.final_states.add(state)
        stack.append(_Frame(number, essence, iter(transitions)))
        on_path.add(essence)
        self.depth = max(self.depth, len(stack) - 1)


class PathClasses:
    """The classes of paths from vertex 0 of a graph without cycles; add every vertex after its predecessors.

    `edges[vertex]` maps the names of its edges to their ends. A class of paths to a vertex is a number from 0.
    """

    def __init__(self, edges: Sequence[Mapping[Hashable, int]]) -> None:
        self._edges = edges
        self._incoming: list[list[tuple[int, Hashable]]] = [[] for _ in edges]
        for vertex, outgoing in enumerate(edges):
            for name, end in outgoing.items():
                self._incoming[end].append((vertex, name))
        self._lifted: dict[tuple[int, Hashable], array[int]] = {}  # edge -> class of paths to its start -> to its end
        self.counts = [0] * len(edges)

    def add(self, vertex: int) -> None:
        """Find the classes of paths to a vertex."""
        if vertex == 0:
            self.counts[0] = 1
            return
        offsets, total = {}, 0
        for edge in self._incoming[vertex]:
            offsets[edge] = total
            total += self.counts[edge[0]]
        leader = list(range(total))
        for one, other in self._joined(vertex, offsets):
            _join(leader, one, other)
        numbers: dict[int, int] = {}
        for (start, name), offset in offsets.items():
            found = (_leader(leader, offset + each) for each in range(self.counts[start]))
            self._lifted[start, name] = array("L", [numbers.setdefault(each, len(numbers)) for each in found])
        self.counts[vertex] = len(numbers)

    def _joined(self, vertex: int, offsets: Mapping[tuple[int, Hashable], int]) -> Iterator[tuple[int, int]]:
        """Pairs of paths that a square of edges joins, as positions."""
        for (middle, second), offset in offsets.items():
            for start, first in self._incoming[middle]:
                other = self._edges[start].get(second)
                if other is None or other < middle or self._edges[other].get(first) != vertex:
                    continue  # every square is seen from both sides
                other_offset = offsets[other, first]
                one_way, other_way = self._lifted[start, first], self._lifted[start, second]
                for ours, theirs in zip(one_way, other_way, strict=True):
                    yield offset + ours, other_offset + theirs


def _leader(leader: list[int], one: int) -> int:
    while leader[one] != one:
        leader[one] = leader[leader[one]]
        one = leader[one]
    return one


def _join(leader: list[int], one: int, other: int) -> None:
    one, other = _leader(leader, one), _leader(leader, other)
    leader[max(one, other)] = min(one, other)
