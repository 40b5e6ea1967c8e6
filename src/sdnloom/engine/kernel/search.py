"""The kernel engine: breadth-first search in compiled code and several threads, with the same results as the loop.

States are expanded block by block. Python fills the compiled memos (steps, takes, pushes, folds, masks) and checks the
properties; between two misses everything runs on integers. Numbers, parents, counts and counterexamples equal the
loop's, whatever the number of threads.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numba.core.registry import cpu_target

from sdnloom.engine.kernel import jit_expand, jit_memo, jit_order
from sdnloom.engine.kernel.block import BLOCK_STATES, BlockExpander, Expanded
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.kernel.property_check import BlockObserver, PropertyCheck
from sdnloom.engine.kernel.states import NO_SLEEP, States, joined
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.kernel.visited_states import Visited, grown
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.loop import DEPTH_UNDER_REDUCTION
from sdnloom.engine.memo import Memo
from sdnloom.engine.observers import Observation
from sdnloom.engine.reduction.cycle_proviso import CycleProviso
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import AT_REST, Finding, State
from sdnloom.engine.stop_points import LimitReached

ENTRIES = (
    *(jit_expand.expand_states, jit_order.order_new, jit_order.number_new, jit_order.flag_states),
    *(jit_order.find_new_rows, jit_order.find_slots, jit_order.find_state, jit_order.home),
    *(jit_order.move_states, jit_order.repack_states),
    *(jit_memo.settle, jit_memo.find, jit_memo.rehash, jit_memo.reindex, jit_memo.reindex_places),
    jit_memo.intern_place,
)  # the compiled functions that Python calls


def is_compiled() -> bool:
    """Whether earlier runs left code for this machine in numba's cache, compiled from these files."""
    try:
        machine = cpu_target.target_context.codegen().magic_tuple()
        return all(
            function.signatures or any(key[1] == machine for key in function._cache._cache_file._load_index())
            for function in ENTRIES
        )
    except (AttributeError, IndexError, TypeError):  # a numba that keeps its cache in another way
        return False


class KernelSearch:
    """One run over a system, breadth first. The interface is that of LoopSearch."""

    def __init__(
        self,
        tables: Memo,
        reduction: Reduction | None,
        *,
        limits: Limits,
        watch: LimitWatch,
        on_finding: Callable[[Finding, int], bool],
        on_pause: Callable[[], None],
        on_level: Callable[[], bool] = lambda: False,
        observations: Sequence[Observation] = (),
        each_at_rest: bool = False,
        threads: int = 1,
    ) -> None:
        self.limits, self.watch = limits, watch
        self.with_proviso = reduction is not None and reduction.cycle_proviso
        self.on_finding, self.on_pause, self.on_level = on_finding, on_pause, on_level
        self.memo = KernelMemo(tables, reduction)
        self.properties = [PropertyCheck(self.memo, prop, each_at_rest) for prop in tables.system.properties]
        self.observers = [BlockObserver(self.memo, observation) for observation in observations]
        self._looks_at_rest = any(prop.needs in AT_REST for prop in tables.system.properties) or any(
            one.unwanted for one in self.observers
        )
        self.transitions = 0
        self.depth = 0
        self.frontier = 0
        self.stopped: str | None = None
        self.ended_by_finding = False
        self._count = 0
        self._team = Team(threads)
        initial = self.memo.initial()
        layout = Layout(self.memo.counts())
        asleep = np.zeros(1, np.uint64) if self.memo.with_sleep else NO_SLEEP
        self._initial = States(0, layout, layout.pack(initial), asleep)
        self.visited = Visited(layout, self._team)
        self._expander = BlockExpander(self.memo, self.visited, self._team, self.with_proviso)
        self._parents = np.zeros(1 << 12, np.uint32)
        self._latest = self._initial  # the states found last
        self._ends: list[tuple[int, States]] = []  # with the proviso: states without an edge to a later one
        self._proviso: CycleProviso[int] | None = None

    def run(self) -> None:
        """Search until done or stopped."""
        try:
            self._run()
        except LimitReached as reached:  # while Python filled a memo: the states that were counted are whole
            self.stopped = reached.reason
            self.depth = max(self.depth, len(self._route(max(self._count - 1, 0))) - 1)
        finally:
            self._team.close()

    def _run(self) -> None:
        self.visited.add(self._initial.words, 0)
        if self._is_done_with(self._initial, None):
            return
        waiting = [self._initial]
        while waiting:
            if self._breadth(waiting):
                return
            waiting = []
            if self._expand_ignored(waiting):
                return

    def count(self) -> int:
        """How many states there are."""
        return self._count

    def values(self, number: int) -> list[State]:
        """The states from the initial one to this one."""
        return [self.memo.value(state.values(0)) for state in self._path(number)]

    def value(self, number: int) -> State:
        """The state of that number."""
        return self.memo.value(self._state(number).values(0))

    def bytes_per_state(self) -> float:
        """Visited table and parents, per state."""
        return float((self.visited.used_bytes + self._parents.nbytes) / max(1, self._count))

    def memories(self) -> dict[str, list[Any]]:
        """The memories met, by property."""
        tables = self.memo.tables
        return {
            prop.name: list(known.values) for prop, known in zip(self.memo.with_memory, tables.memories, strict=True)
        }

    # States by their numbers

    def _route(self, number: int) -> list[int]:
        numbers = [number]
        while number:
            number = int(self._parents[number])
            numbers.append(number)
        return numbers[::-1]

    def _state(self, number: int) -> States:
        if self._latest.first <= number < self._latest.last:
            position = number - self._latest.first
            return self._latest.part(position, position + 1)
        return self._path(number)[-1]

    def _path(self, number: int) -> list[States]:
        """The states from the initial one to this one, found again by their numbers in the table."""
        path = [self._initial]
        for following in self._route(number)[1:]:
            found = self._expander.successors(path[-1])
            path.append(
                next(
                    one
                    for one in (found.part(position, position + 1) for position in range(found.count))
                    if self.visited.number_of(one.words) == following
                )
            )
        return path

    # Levels

    def _breadth(self, waiting: list[States]) -> bool:
        """Expand level by level; True when the search is over."""
        level = len(self._route(waiting[0].first)) - 1
        while waiting:
            self.frontier = sum(states.count for states in waiting)
            self.depth = max(self.depth, level)
            if level == self.limits.depth:
                return self._is_over_at_depth(waiting)
            following: list[States] = []
            over = any(self._has_ended_with(block, following) for block in _blocks(waiting))
            waiting = following
            level += 1
            if over:
                self.depth = max(self.depth, level if waiting else 0)
                return True
            if waiting and self.on_level():
                self.depth = max(self.depth, level)
                return True
        return False

    def _has_ended_with(self, block: States, following: list[States], inverted: bool = False) -> bool:
        """Expand a block; whether the search ends with it. New states are added to those that follow."""
        if self._is_to_stop():
            return True
        expanded = self._expander.expand(block, self._count, inverted)
        if not inverted:  # what is expanded now is expanded in full
            ends = (block.part(end, end + 1) for end in expanded.ends)
            self._ends += [(end.first, end) for end in ends]
        over = self._is_done_with(expanded.states, (expanded, block.first))
        if expanded.states.count:
            following.append(expanded.states)
        return over

    def _is_to_stop(self) -> bool:
        self.on_pause()
        self.stopped = self.watch.reason_to_stop()
        return self.stopped is not None

    def _is_done_with(self, new: States, found: tuple[Expanded, int] | None) -> bool:
        """Count new states and check the properties; True when the search ends with one of them."""
        before, most = self.transitions, self.limits.states
        self._latest = new
        end = new.last if most is None else min(new.last, most)  # the number after that of the last state that counts
        limited = end == most and end > new.first
        if found is not None:
            expanded, first = found
            self._keep_parents(new.first, expanded.parents(first))
            self.transitions = before + int(expanded.transitions.sum())
        self._count = new.last
        counted = new.part(0, end - new.first)
        flags = self._expander.flags(counted) if self._looks_at_rest else None
        if flags is None:
            flags = np.zeros(counted.count, np.uint8)
        for number, finding in self._findings(counted, flags):
            if number >= end:
                break
            if self.on_finding(finding, number):
                end, self.ended_by_finding = number + 1, True
                limited = end == most
        self._count = end
        if found is not None and (self.ended_by_finding or limited):
            self.transitions = before + expanded.transitions_until(end - 1 - new.first)
        elif found is None:
            self.transitions = 0
        if self.observers:
            self._observe(new.part(0, end - new.first), flags)
        if limited:
            self.stopped = f"the limit of {self.limits.states:,} states was reached"
        return limited or self.ended_by_finding

    def _keep_parents(self, first: int, parents: Array) -> None:
        if first + len(parents) > len(self._parents):
            self._parents = grown(self._parents, max(first + len(parents), 3 * len(self._parents) // 2))
        self._parents[first : first + len(parents)] = parents

    def _findings(self, new: States, flags: Array) -> list[tuple[int, Finding]]:
        """The findings in these states, in the loop's order."""
        results = [
            (new.first + position, order, found)
            for order, check in enumerate(self.properties)
            for position, found in check.findings(new, flags)
        ]
        return [(number, found) for number, _, found in sorted(results, key=lambda one: one[:2])]

    def _observe(self, new: States, flags: Array) -> None:
        """Show the observers these states, in the loop's order."""
        positions = [(at, order) for order, one in enumerate(self.observers) for at in one.new(new, flags)]
        for at, order in sorted(positions):
            self.observers[order].observation.observe(self.memo.value(new.values(at)))

    def _is_over_at_depth(self, waiting: list[States]) -> bool:
        """Whether states at the depth limit have new successors; then the search ends as incomplete."""
        for block in _blocks(waiting):
            if self._is_to_stop():
                return True
            expanded = self._expander.expand(block, self._count)
            if expanded.states.count:
                self.stopped = f"the depth limit of {self.limits.depth} was reached"
                return True
            ends = (block.part(end, end + 1) for end in expanded.ends)
            self._ends += [(end.first, end) for end in ends]
        return False

    # The cycle proviso, see `reduction/cycle_proviso.py`. It is checked on the loop's graph: few states are concerned.

    def _expand_ignored(self, following: list[States]) -> bool:
        """Expand in full the states in which actions are postponed for ever; True when the search is over."""
        ends, self._ends = self._ends, []
        if not ends:
            return False
        if self._proviso is None:
            self._proviso = CycleProviso(self.memo.graph)
        found = {self.memo.state_of(state.values(0)): state for _, state in sorted(ends, key=lambda end: end[0])}
        ignored = self._proviso.ignored(list(found))
        if ignored and self.limits.depth is not None:
            self.stopped = DEPTH_UNDER_REDUCTION
            return True
        for each in ignored:
            state = found[each]
            if self.memo.with_sleep:
                state = States(state.first, state.layout, state.words, np.zeros(1, np.uint64))
            if self._has_ended_with(state, following, inverted=True):
                if self.stopped is None or self._count > state.first:
                    self.depth = max(self.depth, len(self._route(self._count - 1)) - 1)
                return True
        return False


def _blocks(waiting: list[States]) -> Iterable[States]:
    """The states in blocks of moderate size; `waiting` is emptied, so that what was expanded can be freed."""
    while waiting:
        parts = [waiting.pop(0)]
        while waiting and parts[0].count + waiting[0].count + sum(p.count for p in parts[1:]) <= BLOCK_STATES:
            parts.append(waiting.pop(0))
        states = joined(parts)
        for start in range(0, states.count, BLOCK_STATES):
            yield states.part(start, start + BLOCK_STATES)
