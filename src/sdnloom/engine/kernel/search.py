"""The kernel engine: level-synchronous breadth-first search in compiled code, with the same results as the loop.

Python fills the compiled memos (steps, takes, pushes, folds, masks) level by level and checks the properties; between
two misses everything runs on integers. Numbers, parents, counts and counterexamples equal the loop's.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core.registry import cpu_target

from sdnloom.engine import user_code
from sdnloom.engine.kernel import jit_level, jit_memo
from sdnloom.engine.kernel.memo import Array, KernelMemo
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.loop import DEPTH_UNDER_REDUCTION
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Needs, Property, Strategy
from sdnloom.engine.observers import Observation
from sdnloom.engine.reduction.cycle_proviso import CycleProviso
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import AT_REST, Finding, State
from sdnloom.engine.stop_points import LimitReached

_CHUNK = 1 << 16  # states expanded between two checks of the limits
_AT_EVENTS = (Needs.EVENT, Needs.ORDER)
_ROWS, _TRANSITIONS, _ENDS, _MOST_ROWS = jit_level.ROWS, jit_level.TRANSITIONS, jit_level.ENDS, jit_level.MOST_ROWS


ENTRIES = (
    *(jit_level.collect_places, jit_level.expand_places, jit_level.flag_rows, jit_level.reindex_states),
    *(jit_level.level, jit_memo.find, jit_memo.rehash, jit_memo.reindex, jit_memo.intern_place),
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
        strategy: Strategy | None = None,
        *,
        limits: Limits,
        watch: LimitWatch,
        on_finding: Callable[[Finding, int], bool],
        on_pause: Callable[[], None],
        on_level: Callable[[], bool] = lambda: False,
        observations: Sequence[Observation] = (),
        each_at_rest: bool = False,
    ) -> None:
        self.limits, self.watch = limits, watch
        self.with_proviso = reduction is not None and reduction.cycle_proviso
        self.on_finding, self.on_pause, self.on_level = on_finding, on_pause, on_level
        self.memo = KernelMemo(tables, reduction, strategy)
        self.properties = [_PropertyCheck(self.memo, prop, each_at_rest) for prop in tables.system.properties]
        self.observers = [_RowObserver(self.memo, observation) for observation in observations]
        self.transitions = 0
        self.depth = 0
        self.frontier = 0
        self.stopped: str | None = None
        self.ended_by_finding = False
        columns = self.memo.columns
        self._rows = np.zeros((1 << 12, columns), np.int32)
        self._table = np.zeros(1 << 15, np.uint32)
        self._parents = np.zeros(1 << 12, np.uint32)
        self._born = np.zeros(1 << 13, np.int64)  # for states of the present level: transitions when it was found
        self._ends = np.zeros(1 << 13, np.uint32)
        self._flags = np.zeros(0, np.uint8)
        self._masks = np.zeros(0, np.int32)
        # The sleep set of each state, see `reduction/sleep_sets.py`.
        self._asleep = np.zeros(len(self._rows) if self.memo.with_sleep else 1, np.uint64)
        self._at = np.zeros(jit_level.PROGRESS, np.int64)
        self._scratch(1 << 12)
        self._proviso: CycleProviso[int] | None = None

    def run(self) -> None:
        """Search until done or stopped."""
        try:
            self._run()
        except LimitReached as reached:  # while Python filled a memo: the states that were added are whole
            self.stopped = reached.reason
            self.depth = max(self.depth, len(self._route(max(self.count() - 1, 0))) - 1)

    def _run(self) -> None:
        self._rows[0] = self.memo.initial()
        self._at[_ROWS] = 1
        self._at[_MOST_ROWS] = -1 if self.limits.states is None else self.limits.states
        jit_level.reindex_states(self._rows, 1, self.memo.columns, self._table)
        if self._done_with(0, 1, limited=self.limits.states == 1):
            return
        waiting = (0, 1)
        while waiting[0] < waiting[1]:
            if self._breadth(*waiting):
                return
            first = self.count()
            if self._expand_ignored():
                return
            waiting = (first, self.count())

    def count(self) -> int:
        """How many states there are."""
        return int(self._at[_ROWS])

    def values(self, number: int) -> list[State]:
        """The states from the initial one to this one."""
        return [self.memo.value(self._rows[n]) for n in self._route(number)]

    def value(self, number: int) -> State:
        """The state of that number."""
        return self.memo.value(self._rows[number])

    def bytes_per_state(self) -> float:
        """Rows, visited table, parents and sleep sets, per state."""
        arrays = (self._rows, self._table, self._parents, *((self._asleep,) if self.memo.with_sleep else ()))
        return float(sum(array.nbytes for array in arrays) / self.count())

    def memories(self) -> dict[str, list[Any]]:
        """The memories met, by property."""
        return self.memo.memories()

    def _route(self, number: int) -> list[int]:
        numbers = [number]
        while number:
            number = int(self._parents[number])
            numbers.append(number)
        return numbers[::-1]

    # Levels

    def _breadth(self, first: int, last: int) -> bool:
        """Expand level by level; True when the search is over."""
        level = len(self._route(first)) - 1
        while first < last:
            self.frontier = last - first
            self.depth = max(self.depth, level)
            if level == self.limits.depth:
                return self._at_depth_limit(first, last)
            work = np.arange(first, last, dtype=np.uint32)
            at_limit = self._expand(work, first, invert=False)
            over = self.stopped is not None or self._done_with(last, self.count(), limited=at_limit)
            first, last = last, self.count()
            level += 1
            if over:
                self.depth = max(self.depth, level if first < last else 0)
                return True
            if first < last and self.on_level():
                self.depth = max(self.depth, level)
                return True
        return False

    def _expand(self, work: Array, flags_base: int, invert: bool) -> bool:
        """Expand these states; True when the limit on states was reached."""
        position, base = 0, self.count()
        while position < len(work):
            self.on_pause()
            self.stopped = self.watch.reason_to_stop()
            if self.stopped:
                return False
            status, position = jit_level.level(
                self.memo.arrays(), self._rows, self._table, self._parents, self._born, work, position, _CHUNK,
                self._flags, self._masks, flags_base, invert, self.memo.components, self.memo.folded, self.memo.columns,
                self.memo.layers, self._following, self._ranked,
                self._buffer, self._hashes, self._sources, self._slots, self._at, self._ends, self.with_proviso, base,
                self._asleep, self._sleepers, self.memo.with_sleep,
            )  # fmt: skip
            self.transitions = int(self._at[_TRANSITIONS])
            if status == jit_level.LIMIT:
                return True
            if status == jit_level.NEED_ROOM or status == jit_level.DONE:
                self._make_room(base)
            if status == jit_level.NEED_FILL and not self.memo.fill() and not self._make_room(base):
                self._scratch(2 * len(self._buffer))
        return False

    def _done_with(self, first: int, last: int, limited: bool) -> bool:
        """Prepare the new states and check the properties; True when the search ends with one of them."""
        self._prepare(first, last)
        end = last
        for number, found in self._findings(first, last):
            if number > end:
                break
            if self.on_finding(found, number):
                end, self.ended_by_finding = number, True
        if self.ended_by_finding:
            self._at[_ROWS] = end + 1
            self.transitions = int(self._born[end - first]) if end else 0
            limited = end + 1 == self.limits.states
        if self.observers:
            self._observe(first, self.count())
        if limited:
            self.stopped = f"the limit of {self.limits.states:,} states was reached"
        return limited or self.ended_by_finding

    def _prepare(self, first: int, last: int) -> None:
        """Expand the places of these states, and find their flags and masks."""
        memo = self.memo
        queue = np.zeros(memo.count(jit_memo.PLACES) + 1, np.int32)
        left = jit_level.collect_places(memo.arrays(), self._rows, first, last, memo.components, queue)
        expanded = queue[: max(left, 0)].copy()
        while left:
            left, full = jit_level.expand_places(memo.arrays(), queue, left)
            if left and not memo.fill() and full and not memo.grow():
                memo.grow_scratch()
        if memo.reduction is not None:
            memo.classify(expanded)
        self._flags = np.zeros(last - first, np.uint8)
        self._masks = np.zeros(last - first, np.int32)
        at, reducing = first, memo.reduction is not None
        while at < last:
            at = jit_level.flag_rows(
                memo.arrays(), self._rows, first, at, last, memo.components, reducing, self._flags, self._masks
            )
            memo.fill()

    def _findings(self, first: int, last: int) -> list[tuple[int, Finding]]:
        """The first of these states for each finding, in the loop's order."""
        results = [
            (first + position, order, found)
            for order, check in enumerate(self.properties)
            for position, found in check.findings(self._rows[first:last], self._flags)
        ]
        return [(number, found) for number, _, found in sorted(results, key=lambda one: one[:2])]

    def _observe(self, first: int, last: int) -> None:
        """Show the observers these states, in the loop's order."""
        rows, flags = self._rows[first:last], self._flags[: last - first]
        new = [(position, order) for order, one in enumerate(self.observers) for position in one.new(rows, flags)]
        for position, order in sorted(new):
            self.observers[order].observation.observe(self.memo.value(rows[position]))

    def _at_depth_limit(self, first: int, last: int) -> bool:
        """Whether states at the depth limit have new successors; then the search ends as incomplete."""
        states, transitions, most = self.count(), self.transitions, self._at[_MOST_ROWS]
        self._at[_MOST_ROWS] = states + 1
        if self._expand(np.arange(first, last, dtype=np.uint32), first, invert=False):
            self.stopped = f"the depth limit of {self.limits.depth} was reached"
        self._at[_ROWS], self._at[_TRANSITIONS], self._at[_MOST_ROWS] = states, transitions, most
        self.transitions = transitions
        return self.stopped is not None

    # The cycle proviso, see `reduction/cycle_proviso.py`. It is checked on the loop's graph: few states are concerned.

    def _expand_ignored(self) -> bool:
        """Expand in full the states in which actions are postponed for ever; True when the search is over."""
        ends, self._at[_ENDS] = self._ends[: self._at[_ENDS]].copy(), 0
        if not self.with_proviso or not len(ends):
            return False
        memo = self.memo
        if self._proviso is None:
            self._proviso = CycleProviso(memo.graph)
        numbers = {memo.state_of(self._rows[n]): int(n) for n in sorted(ends.tolist())}
        base = self.count()
        ignored = self._proviso.ignored(list(numbers))
        if ignored and self.limits.depth is not None:
            self.stopped = DEPTH_UNDER_REDUCTION
            return True
        for state in ignored:
            number, first = numbers[state], self.count()
            self._prepare(number, number + 1)
            at_limit = self._expand(np.array([number], np.uint32), number, invert=True)
            if self.stopped:
                return True
            if self._done_with(first, self.count(), limited=at_limit):
                self.depth = max(self.depth, len(self._route(self.count() - 1)) - 1)
                return True
        self._prepare(base, self.count())
        self._at[_ENDS] = 0  # the states just expanded are expanded in full
        return False

    # Room

    def _scratch(self, size: int) -> None:
        self._buffer = np.zeros((size, self.memo.columns), np.int32)
        self._hashes = np.zeros(size, np.uint64)
        self._sources = np.zeros(size, np.uint32)
        self._slots = np.zeros(size, np.uint32)
        self._following = np.zeros(size, np.int32)  # for each move of a state: the strategy's memory after it, or -1
        self._ranked = np.zeros(size, np.int32)
        self._sleepers = np.zeros(size, np.uint64)  # the sleep sets of the successors

    def _make_room(self, base: int) -> bool:
        """Grow the arrays that one more batch could overflow; whether any was grown."""
        grown = self.memo.grow()
        needed = self.count() + 2 * len(self._buffer)
        if needed >= len(self._rows):
            self._rows = _longer(self._rows, 2 * max(len(self._rows), needed))
            self._parents = _longer(self._parents, len(self._rows))
            if self.memo.with_sleep:
                self._asleep = _longer(self._asleep, len(self._rows))
            grown = True
        if 2 * needed >= len(self._table):
            size = len(self._table)
            while 2 * needed >= size:
                size *= 2
            self._table = np.zeros(0, np.uint32)
            self._table = np.zeros(size, np.uint32)
            jit_level.reindex_states(self._rows, self.count(), self.memo.columns, self._table)
            grown = True
        if needed - base >= len(self._born):
            self._born = _longer(self._born, 2 * (needed - base))
            grown = True
        if self._at[_ENDS] + 2 * len(self._buffer) >= len(self._ends):
            self._ends = _longer(self._ends, 2 * (int(self._at[_ENDS]) + 2 * len(self._buffer)))
            grown = True
        return grown


def _longer(array: Array, length: int) -> Array:
    """A longer copy. A new array gets huge pages, which random access needs; one resized in place does not."""
    bigger = np.zeros((length, *array.shape[1:]), array.dtype)
    bigger[: len(array)] = array
    return bigger


class _RowObserver:
    """An observer of the new states of a level."""

    def __init__(self, memo: KernelMemo, observation: Observation) -> None:
        self.observation = observation
        self.columns = sorted(memo.graph.columns_named(observation.observer.columns))
        self._passed: set[tuple[int, ...]] = set()

    def new(self, rows: Array, flags: Array) -> list[int]:
        """The first row of each combination of places that the observer was not passed before."""
        positions = np.arange(len(rows))
        if self.observation.observer.quiescent:
            positions = np.flatnonzero(flags & jit_memo.FLAG_MUST == 0)
        results = []
        for key, first in _distinct(rows[positions][:, self.columns]):
            if key not in self._passed:
                self._passed.add(key)
                results.append(int(positions[first]))
        return results


def _distinct(rows: Array) -> list[tuple[tuple[int, ...], int]]:
    """Each distinct row, and where it is first."""
    if not len(rows):
        return []
    if not rows.shape[1]:
        return [((), 0)]
    distinct, firsts = np.unique(rows, axis=0, return_index=True)
    return [(tuple(values), first) for values, first in zip(distinct.tolist(), firsts.tolist(), strict=True)]


class _PropertyCheck:
    """A property that is checked on the new states of a level, once for each distinct value of its columns."""

    def __init__(self, memo: KernelMemo, prop: Property, each_at_rest: bool) -> None:
        self.memo, self.prop = memo, prop
        self.columns = sorted(memo.graph.columns_of(prop))
        self._each = each_at_rest and prop.needs in AT_REST and not prop.sometimes
        self.answers: dict[tuple[int, ...], str | None] = {}

    def findings(self, rows: Array, flags: Array) -> list[tuple[int, Finding]]:
        """The findings of the property in the rows, each with the position of the first such row.

        If states at rest are judged one by one (`each_at_rest`), each with the positions of all such rows.
        """
        needs = self.prop.needs
        if needs in _AT_EVENTS and self.columns:
            positions = np.flatnonzero(self.memo.reporting[rows[:, self.columns[0]]])
        elif needs is Needs.QUIESCENT:
            positions = np.flatnonzero(flags & jit_memo.FLAG_MUST == 0)
        elif needs is Needs.SETTLED:
            positions = np.flatnonzero(flags & (jit_memo.FLAG_MUST | jit_memo.FLAG_IDLE) == 0)
        else:
            positions = np.arange(len(rows))
        if self._each:
            return self._all(rows, positions)
        results: dict[Finding, int] = {}
        for values, first in _distinct(rows[positions][:, self.columns]):
            message = self._message(values, rows[positions[first]])
            if message is not None:
                found = Finding(self.prop.name, message)
                results[found] = min(results.get(found, len(rows)), int(positions[first]))
        return [(position, found) for found, position in results.items()]

    def _all(self, rows: Array, positions: Array) -> list[tuple[int, Finding]]:
        if not len(positions) or not self.columns:
            first = [] if not len(positions) else [self._message((), rows[positions[0]])]
            return [(int(place), Finding(self.prop.name, text)) for text in first if text for place in positions]
        distinct, firsts, kinds = np.unique(
            rows[positions][:, self.columns], axis=0, return_index=True, return_inverse=True
        )
        messages = [
            self._message(tuple(values), rows[positions[first]])
            for values, first in zip(distinct.tolist(), firsts.tolist(), strict=True)
        ]
        return [
            (place, Finding(self.prop.name, message))
            for place, kind in zip(positions.tolist(), kinds.reshape(-1).tolist(), strict=True)
            if (message := messages[kind]) is not None
        ]

    def _message(self, key: tuple[int, ...], row: Array) -> str | None:
        if key not in self.answers:
            semantics, value = self.memo.tables.semantics, self.memo.value(row)
            self.answers[key] = user_code.violated(
                self.prop, semantics.memory(self.prop, value), semantics.columns(self.prop, value)
            )
        return self.answers[key]
