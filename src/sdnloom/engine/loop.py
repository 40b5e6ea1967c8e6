"""The loop engine: breadth-first or depth-first over any Graph, in plain Python. The reference for the kernel."""

from collections.abc import Callable, Iterable, Sequence
from itertools import filterfalse
from typing import Generic, Literal

from sdnloom.engine.graph import Graph, S
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.reduction.cycle_proviso import CycleProviso
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding
from sdnloom.engine.stop_points import LimitReached

BATCH = 1024  # expansions between two checks of the limits


DEPTH_UNDER_REDUCTION = "a depth limit has no meaning with a reduction on a cyclic state space"


def never_stop(finding: Finding, number: int) -> bool:
    """Go on after a finding."""
    return False


class LoopSearch(Generic[S]):
    """One run over a graph. States are numbered in the order they are found; the first ones are the initial ones.

    `observe(state)` is called for each new state, in order. `on_finding(finding, number)` is called for each finding in
    a new state; if it returns True, the search ends there. `on_pause()` is called between batches, and
    `hand_over(transitions)`: if it returns True, the search ends because another engine goes on. Breadth first,
    `on_level()` is called between two levels; if it returns True, the search ends.
    """

    def __init__(
        self,
        graph: Graph[S],
        *,
        order: Literal["bfs", "dfs"] = "bfs",
        limits: Limits | None = None,
        watch: LimitWatch | None = None,
        hand_over: Callable[[int], bool] = lambda transitions: False,
        on_finding: Callable[[Finding, int], bool] = never_stop,
        on_pause: Callable[[], None] = lambda: None,
        on_level: Callable[[], bool] = lambda: False,
        observe: Callable[[S], None] | None = None,
    ) -> None:
        self.graph, self.order = graph, order
        self.limits = limits or Limits()
        self.watch = watch or LimitWatch(self.limits)
        self.hand_over = hand_over
        self.on_finding, self.on_pause, self.on_level, self.observe = on_finding, on_pause, on_level, observe
        # Whether new states are checked one by one.
        self.checks_new = graph.checks_states or self.limits.states is not None or observe is not None
        self.states: list[S] = []
        self._seen: set[S] = set()
        self._numbers: dict[S, int] = {}  # with the cycle proviso: the number of each state
        self.parents: list[int] = []
        self.transitions = 0
        self.depth = 0  # the greatest number of steps to a state, as the search found it
        self.frontier = 0
        self.stopped: str | None = None  # why the search is not exhaustive
        self.ended_by_finding = False
        self.handed_over = False
        self._closed: set[int] = set()  # with the proviso, depth first: the states that were expanded
        self._ends: list[int] = []  # with the proviso: states whose edges led only to states expanded before
        self.proviso = CycleProviso(graph) if graph.cycle_proviso else None

    def run(self) -> None:
        """Search until done or stopped."""
        try:
            self._run()
        except LimitReached as reached:  # between two evaluations, or in one: no state was half added
            self.stopped = reached.reason
            if self.order == "bfs" and self.states:
                self.depth = max(self.depth, len(self.route(len(self.states) - 1)) - 1)

    def _run(self) -> None:
        if self._done_after(-1, list(self.graph.initial())):
            return
        waiting: Sequence[int] = range(len(self.states))
        while waiting:
            if self._breadth(waiting) if self.order == "bfs" else self._depth(waiting):
                return
            if self.stopped:  # depth first: some branch was cut at the depth limit
                return
            if self.proviso is None:
                return
            first = len(self.states)
            ends, self._ends = [self.states[end] for end in sorted(self._ends)], []
            ignored = self.proviso.ignored(ends)
            if ignored and self.limits.depth is not None:
                self.stopped = DEPTH_UNDER_REDUCTION
                return
            for state in ignored:
                if self._done_after(self._numbers[state], self.graph.remainder(state)):
                    self.depth = max(self.depth, len(self.route(len(self.states) - 1)) - 1)
                    return
            waiting = range(first, len(self.states))

    def route(self, number: int) -> list[S]:
        """The states from an initial one to this one."""
        states = []
        while number >= 0:
            states.append(self.states[number])
            number = self.parents[number]
        return states[::-1]

    def _breadth(self, waiting: Sequence[int]) -> bool:
        """Expand level by level; True when the search is over."""
        level = len(self.route(waiting[0])) - 1
        while waiting:
            self.frontier = len(waiting)
            self.depth = max(self.depth, level)
            if level == self.limits.depth:
                return self._at_depth_limit(waiting)
            following = len(self.states)
            batches = (waiting[start : start + BATCH] for start in range(0, len(waiting), BATCH))
            over = any(self._pause() or self._expanded(batch) for batch in batches)
            waiting = range(following, len(self.states))
            level += 1
            if over:
                self.depth = max(self.depth, level if waiting else 0)
                return True
            if waiting and self.on_level():
                self.depth = max(self.depth, level)
                return True
        return False

    def _expanded(self, numbers: Sequence[int]) -> bool:
        """Expand some states of a level; True when the search is over."""
        successors, seen, states, parents = self.graph.successors, self._seen, self.states, self.parents
        known = seen.__contains__
        checks_new = self.checks_new
        for number in numbers:
            found = successors(states[number])
            self.transitions += len(found)
            first = len(states)
            for state in filterfalse(known, found):
                if state not in seen:  # it may come twice
                    seen.add(state)
                    states.append(state)
                    parents.append(number)
            if checks_new and len(states) > first and self._checked(first, found):
                return True
            if self.proviso is not None:
                self._note_end(number, found)
        return False

    def _note_end(self, number: int, found: Sequence[S]) -> None:
        """Breadth first: note a state whose edges led only to states expanded before."""
        if all(n <= number for n in self._numbered(found)):
            self._ends.append(number)

    def _depth(self, waiting: Sequence[int]) -> bool:
        """Expand the latest state first; True when the search is over."""
        stack = list(reversed(waiting))
        levels = [len(self.route(number)) - 1 for number in stack]
        successors, seen, states, parents = self.graph.successors, self._seen, self.states, self.parents
        known = seen.__contains__
        checks_new = self.checks_new
        turns = 0
        while stack:
            if turns % BATCH == 0:
                self.frontier = len(stack)
                if self._pause():
                    return True
            turns += 1
            number, level = stack.pop(), levels.pop()
            if level == self.limits.depth:
                self._at_depth_limit([number])
                continue
            found = successors(states[number])
            self.transitions += len(found)
            first = len(states)
            for state in filterfalse(known, found):
                if state not in seen:  # it may come twice
                    seen.add(state)
                    states.append(state)
                    parents.append(number)
            if len(states) > first:
                if level >= self.depth:
                    self.depth = level + 1
                if checks_new and self._checked(first, found):
                    return True
                stack.extend(range(len(states) - 1, first - 1, -1))
                levels.extend([level + 1] * (len(states) - first))
            if self.proviso is not None:
                self._closed.add(number)
                if all(n in self._closed for n in self._numbered(found)):
                    self._ends.append(number)
        return False

    def _numbered(self, found: Sequence[S]) -> list[int]:
        """The numbers of these states."""
        for number in range(len(self._numbers), len(self.states)):
            self._numbers[self.states[number]] = number
        return [self._numbers[state] for state in found]

    def _done_after(self, number: int, found: Sequence[S]) -> bool:
        """Add the successors of a state; True when the search ends with one of them."""
        states = self.states
        first = len(states)
        for state in found:
            if state not in self._seen:
                self._seen.add(state)
                states.append(state)
                self.parents.append(number)
        if number >= 0:  # initial states are reached by no transition
            self.transitions += len(found)
        return self.checks_new and len(states) > first and self._checked(first, found)

    def _checked(self, first: int, found: Sequence[S]) -> bool:
        """Check the new states in order; stop exactly at a violation or at the limit on states."""
        for number in range(first, len(self.states)):
            if self.observe is not None:
                self.observe(self.states[number])
            for finding in self.graph.findings(self.states[number]):
                self.ended_by_finding |= self.on_finding(finding, number)
            at_limit = number + 1 == self.limits.states
            if self.ended_by_finding or at_limit:
                # States that the same expansion found later are removed, so that the counts are exact.
                beyond = len(found) - 1 - found.index(self.states[number])
                self.transitions = max(0, self.transitions - beyond)
                for state in self.states[number + 1 :]:
                    self._seen.remove(state)
                del self.states[number + 1 :], self.parents[number + 1 :]
                if at_limit:
                    self.stopped = f"the limit of {self.limits.states:,} states was reached"
                return True
        return False

    def _pause(self) -> bool:
        self.on_pause()
        reason = self.watch.reason_to_stop()
        if reason is None and self.hand_over(self.transitions):
            self.handed_over = True
            reason = f"{self.transitions:,} transitions were explored"
        self.stopped = reason or self.stopped
        return reason is not None

    def _at_depth_limit(self, waiting: Iterable[int]) -> bool:
        """Whether states at the depth limit have new successors; then the search ends as incomplete."""
        for number in waiting:
            if self._leads_on(number):
                self.stopped = f"the depth limit of {self.limits.depth} was reached"
                return True
            if self.proviso is not None:
                self._ends.append(number)
        return False

    def _leads_on(self, number: int) -> bool:
        """Whether a state has a new successor."""
        return any(after not in self._seen for after in self.graph.successors(self.states[number]))
