"""The kernel engine: breadth-first search in compiled code and several threads, with the same results as the loop.

States are expanded block by block. Python fills the compiled memos (steps, takes, pushes, folds, masks) and checks the
properties; between two misses everything runs on integers. Numbers, parents, counts and counterexamples equal the
loop's, whatever the number of threads.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numba.core.registry import cpu_target

from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.engine.kernel import jit_expand, jit_memo, jit_order
from sdnloom.engine.kernel.block import BLOCK_STATES, BlockExpander
from sdnloom.engine.kernel.disk import jit_runs
from sdnloom.engine.kernel.growing_arrays import extended
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.kernel.property_check import BlockObserver, PropertyCheck
from sdnloom.engine.kernel.saved_search import Boundary, restored_search, saved_search
from sdnloom.engine.kernel.states import NO_SLEEP, States, joined
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.kernel.visited_states import MOST_VISITED, Visited
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
    *(jit_order.move_states, jit_order.spread_states, jit_order.repack_states),
    *(jit_order.have_numbers, jit_order.gather_states),
    *(jit_memo.settle, jit_memo.find, jit_memo.rehash, jit_memo.reindex, jit_memo.reindex_places),
    *(jit_memo.intern_places, jit_memo.push_again),
    *(jit_runs.hash_states, jit_runs.sort_slots, jit_runs.mark_old, jit_runs.merge_runs, jit_runs.keep_new),
    *(jit_runs.count_new, jit_runs.number_states, jit_runs.pick_new),
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


class Frontier(Protocol):
    """States that are to be expanded, in memory or elsewhere."""

    @property
    def first(self) -> int:
        """The number of the first one."""

    @property
    def count(self) -> int:
        """How many there are."""

    def part(self, start: int, stop: int) -> "Frontier":
        """Some of them."""

    def loaded(self) -> States:
        """The states in memory."""


@dataclass(frozen=True)
class Found:
    """How new states were found: their parents, and the transitions that were taken by then."""

    parents: Array
    transitions: int  # since what was counted before
    until: Callable[[int], int]  # of these, those taken when the new state at a position was found, its own included


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
        kept: bool = False,
    ) -> None:
        self._kept = kept  # whether `saved` will be asked
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
        self._full: list[int] = []  # states that were expanded in full because of the proviso
        self._proviso: CycleProviso[int] | None = None
        self._waiting = [self._initial]
        self._boundary: Boundary | None = None  # the last one

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
        waiting: list[Frontier] = [*self._waiting]
        if self._boundary is None:
            self.visited.add(self._initial.words, 0)
            if self._is_done_with(self._initial, None):
                return
        elif self.limits.states is not None and self._count >= self.limits.states:
            self.stopped = f"the limit of {self.limits.states:,} states was reached"
            return
        elif waiting and self.on_level():
            self.depth = max(self.depth, len(self._route(waiting[0].first)) - 1)
            return
        while waiting:
            if self._breadth(waiting):
                return
            waiting = []
            if self._expand_ignored(waiting):
                return

    def saved(self) -> dict[str, Array]:
        """Everything beyond what user code answered, as it was at the last boundary between two levels."""
        if self._boundary is None:  # it has not got to the second level
            return {}
        return saved_search(self.memo, self.visited, self._parents, self._boundary)

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take over what was saved, before `run`. Raises CheckpointError for numbers that stand for nothing."""
        if not arrays:
            return
        restored = restored_search(self.memo, arrays)
        at, states = restored.boundary, restored.states
        if not self.visited.fill(states):
            raise CheckpointError("a state occurs twice")
        self._boundary, self._waiting, self._parents = at, restored.waiting, restored.parents
        self._count, self.transitions, self.depth, self._full = at.count, at.transitions, at.depth, list(at.full)
        self._initial = States(0, states.layout, states.state(0).copy(), self._initial.asleep)
        self._latest = self._waiting[0] if self._waiting else self._initial
        self._ends = [(number, restored.state(number)) for number in at.ends]
        if at.full:
            self._proviso = CycleProviso(self.memo.graph)
            self._proviso.know_full({self.memo.state_of(restored.state(number).values(0)) for number in at.full})

    def _note_boundary(self, waiting: list[States]) -> None:
        ends = tuple(number for number, _ in self._ends)
        self._boundary = Boundary.of(
            self.memo, waiting, self._count, self.transitions, self.depth, ends, tuple(self._full)
        )

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
        return float((self.visited.used_bytes + self._count * self._parents.itemsize) / max(1, self._count))

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
            number = self._parent(number)
            numbers.append(number)
        return numbers[::-1]

    def _parent(self, number: int) -> int:
        return int(self._parents[number])

    def _number_of(self, state: States) -> int:
        """The number of a visited state."""
        return self.visited.number_of(state.words)

    def _state(self, number: int) -> States:
        if self._latest.first <= number < self._latest.last:
            position = number - self._latest.first
            return self._latest.part(position, position + 1)
        return self._path(number)[-1]

    def _path(self, number: int) -> list[States]:
        """The states from the initial one to this one, found again by their numbers in the table."""
        path = [self._initial]
        for following in self._route(number)[1:]:
            path.append(self._next(path[-1], following))
        return path

    def _next(self, state: States, following: int) -> States:
        """The state of that number, which a state leads to.

        A step that the reduction keeps is looked for first: what it needs is known, and user code is not asked. What
        it leaves out leads to states of which nothing is asleep.
        """
        for reduced in (True, False) if self.memo.reduction is not None else (False,):
            found = self._expander.successors(state, reduced)
            for position in range(found.count):
                one = found.part(position, position + 1)
                if self._number_of(one) == following:
                    return one if reduced else States(one.first, one.layout, one.words, self._initial.asleep)
        # Only a checkpoint can say so.
        raise CheckpointError(f"the checkpoint has a parent of state {following:,} that does not lead to it")

    # Levels

    def _breadth(self, waiting: list[Frontier]) -> bool:
        """Expand level by level; True when the search is over."""
        level = len(self._route(waiting[0].first)) - 1
        while waiting:
            self.frontier = sum(states.count for states in waiting)
            self.depth = max(self.depth, level)
            if level == self.limits.depth:
                return self._is_over_at_depth(waiting)
            following: list[Frontier] = []
            over = self._has_ended_in_level(waiting, following)
            waiting = following
            level += 1
            if over:
                self.depth = max(self.depth, level if waiting else 0)
                return True
            if self._kept and waiting:
                self._note_boundary([each for each in waiting if isinstance(each, States)])
            if waiting and self.on_level():
                self.depth = max(self.depth, level)
                return True
        return False

    def _has_ended_in_level(self, waiting: list[Frontier], following: list[Frontier]) -> bool:
        """Expand a level; whether the search ends in it. New states are added to those that follow."""
        return any(self._has_ended_with(block, following) for block in blocks(waiting))

    def _has_ended_with(self, block: States, following: list[Frontier], inverted: bool = False) -> bool:
        """Expand a block; whether the search ends with it. New states are added to those that follow."""
        if self._is_to_stop():
            return True
        expanded = self._expander.expand(block, self._count, inverted)
        if not inverted:  # what is expanded now is expanded in full
            ends = (block.part(end, end + 1) for end in expanded.ends)
            self._ends += [(end.first, end) for end in ends]
        taken = int(expanded.transitions.sum())
        over = self._is_done_with(
            expanded.states, Found(expanded.parents(block.first), taken, expanded.transitions_until)
        )
        if expanded.states.count:
            following.append(expanded.states)
        return over

    def _is_to_stop(self) -> bool:
        self.on_pause()
        self.stopped = self.watch.reason_to_stop()
        return self.stopped is not None

    def _is_done_with(self, new: States, found: Found | None) -> bool:
        """Count new states and check the properties; True when the search ends with one of them."""
        before, most = self.transitions, self.limits.states
        self._latest = new
        end = new.last if most is None else min(new.last, most)  # the number after that of the last state that counts
        limited = end == most and end > new.first
        if found is not None:
            self._keep_parents(new.first, found.parents)
            self.transitions = before + found.transitions
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
            self.transitions = before + found.until(end - 1 - new.first)
        elif found is None:
            self.transitions = 0
        if self.observers:
            self._observe(new.part(0, end - new.first), flags)
        if limited:
            self.stopped = f"the limit of {self.limits.states:,} states was reached"
        return limited or self.ended_by_finding

    def _keep_parents(self, first: int, parents: Array) -> None:
        if first + len(parents) > len(self._parents):
            self._parents = extended(self._parents, first + len(parents), MOST_VISITED)
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

    def _is_over_at_depth(self, waiting: list[Frontier]) -> bool:
        """Whether states at the depth limit have new successors; then the search ends as incomplete."""
        for block in blocks(waiting):
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

    def _expand_ignored(self, following: list[Frontier]) -> bool:
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
            self._full.append(state.first)
            if self.memo.with_sleep:
                state = States(state.first, state.layout, state.words, np.zeros(1, np.uint64))
            if self._has_ended_with(state, following, inverted=True):
                if self.stopped is None or self._count > state.first:
                    self.depth = max(self.depth, len(self._route(self._count - 1)) - 1)
                return True
        return False


def blocks(waiting: list[Frontier]) -> Iterable[States]:
    """The states in blocks of moderate size; `waiting` is emptied, so that what was expanded can be freed."""
    while waiting:
        yield next_block(waiting)


def next_block(waiting: list[Frontier], size: int = BLOCK_STATES) -> States:
    """The first states, at most `size` of them, which are taken from those that wait."""
    first = waiting.pop(0)
    if first.count > size:
        waiting.insert(0, first.part(size, first.count))
        return first.part(0, size).loaded()
    parts = [first.loaded()]
    count = first.count
    while waiting and count + waiting[0].count <= size:
        count += waiting[0].count
        parts.append(waiting.pop(0).loaded())
    return joined(parts)
