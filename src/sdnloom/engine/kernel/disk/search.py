"""The kernel's search with its visited states on disk, once they do not fit into the memory: the same results.

It begins in memory. Then the visited table is written as the first sorted run, parents and the states to expand go to
files, and each level is expanded as a whole before its new states are known (`level.py`).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sdnloom.engine.kernel.block import BLOCK_STATES, BlockExpander
from sdnloom.engine.kernel.disk.files import ArrayFile, DiskError, Folder, StateFile
from sdnloom.engine.kernel.disk.level import MOST_PART_SLOTS, DiskLevel, LevelTable, NewStates, Sizes
from sdnloom.engine.kernel.disk.runs import SortedRun, fill_from_table
from sdnloom.engine.kernel.disk.visited_runs import VisitedRuns
from sdnloom.engine.kernel.jit_expand import BEYOND, NUMBER_BITS, NUMBER_MASK
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.kernel.search import Found, Frontier, KernelSearch, next_block
from sdnloom.engine.kernel.states import States
from sdnloom.engine.limits import resident_bytes
from sdnloom.engine.stop_points import LimitReached

SHARE_OF_MACHINE = 0.8  # of its memory that is used if there is no limit
_SHARE_BEFORE = 0.85  # of the limit that is used before states go to disk
_SHARE_OF_TABLE = 0.35  # of what is left of the limit then
_SHARE_OF_MERGE = 0.1
_CGROUP = Path("/sys/fs/cgroup/memory.max")


SPILL_AT: int | None = None  # states at which the search goes to disk, whatever the memory; for tests
FIXED_SIZES: Sizes | None = None  # for tests


@dataclass(frozen=True)
class StoredStates:
    """States to expand, in a file; who loads the last of them closes it."""

    file: StateFile
    start: int
    stop: int

    @property
    def first(self) -> int:
        """The number of the first one."""
        return self.file.first + self.start

    @property
    def count(self) -> int:
        """How many there are."""
        return self.stop - self.start

    def part(self, start: int, stop: int) -> "StoredStates":
        """Some of the states."""
        return StoredStates(self.file, self.start + start, self.start + stop)

    def loaded(self) -> States:
        """The states in memory."""
        states = self.file.read(self.start, self.stop)
        if self.stop == self.file.count:
            self.file.close()
        return states


class DiskSearch(KernelSearch):
    """One run over a system, breadth first, with files in a folder, which the caller closes."""

    def __init__(self, *arguments: Any, folder: Folder, on_spill: Callable[[int], None], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._folder, self._on_spill = folder, on_spill
        self._limit = self.limits.memory or int(SHARE_OF_MACHINE * machine_memory())
        self._table: LevelTable | None = None  # once the search is on disk
        self._runs = VisitedRuns(folder)
        self._stored_parents: ArrayFile | None = None

    def run(self) -> None:
        """Search until done or stopped, by a folder that fails too."""
        try:
            super().run()
        except DiskError as error:
            self.stopped = str(error)

    def bytes_per_state(self) -> float:
        """Visited states and parents, per state, in memory or on disk."""
        if self._table is None:
            return super().bytes_per_state()
        stored = self._stored_parents.bytes if self._stored_parents else 0
        return float((sum(run.bytes for run in self._runs.runs) + stored) / max(1, self._count))

    # States by their numbers

    def _parent(self, number: int) -> int:
        if self._stored_parents is None:
            return super()._parent(number)
        return int(self._stored_parents.read(number, number + 1)[0])

    def _keep_parents(self, first: int, parents: Array) -> None:
        if self._stored_parents is None:
            super()._keep_parents(first, parents)
        else:
            self._stored_parents.write(first, parents)

    def _number_of(self, state: States) -> int:
        return super()._number_of(state) if self._table is None else self._runs.number_of(state)

    # From memory to disk

    def _is_due(self) -> bool:
        """Whether the search has to go to disk before the next block, because there may be no room for it."""
        if SPILL_AT is not None:
            return self._count >= SPILL_AT
        growth, needed = 0, self._count + self._expander.needed(BLOCK_STATES)
        if needed > self.visited.room:
            growth += self.visited.used_bytes
        if needed > len(self._parents):
            growth += 2 * self._parents.nbytes
        return resident_bytes() + growth > _SHARE_BEFORE * self._limit

    def _spill(self, waiting: list[Frontier], following: list[Frontier]) -> None:
        """Write everything that grows with the search to files, and go on with them."""
        self._on_spill(self._count)
        visited, size = self.visited, self._sizes().merge
        slots = visited.slots + BEYOND
        run = SortedRun(self._folder, visited.layout)
        fill_from_table(run, visited.table, slots, size, self._pause)
        parents = ArrayFile(self._folder, np.uint32)
        parents.append(self._parents[: self._count])
        frontiers = [self._stored(states) for states in (waiting, following)]
        self._runs.add(run, size, self._pause)
        waiting[:], following[:] = frontiers
        self._stored_parents, self._parents = parents, np.zeros(0, np.uint32)
        self.visited = self._table = LevelTable(visited.layout, self._team)
        self._expander = BlockExpander(self.memo, self._table, self._team, False)

    def _stored(self, states: list[Frontier]) -> list[Frontier]:
        if not states:
            return []
        file = StateFile(self._folder, states[0].first, self.memo.with_sleep)
        for one in states:
            file.append(one.loaded())
        return [StoredStates(file, 0, file.count)]

    def _sizes(self) -> Sizes:
        """How many states to work on at a time, for what is left of the memory."""
        if FIXED_SIZES is not None:
            return FIXED_SIZES
        left, state = max(0, self._limit - resident_bytes()), 8 * self.visited.layout.words
        slots = 1 << 16
        while slots < MOST_PART_SLOTS and 2 * slots * state <= _SHARE_OF_TABLE * left:
            slots *= 2
        part = LevelTable.room_in(slots)
        merge = int(_SHARE_OF_MERGE * left / (3 * state))
        return Sizes(part, min(BLOCK_STATES, max(1 << 12, part // 16)), min(1 << 18, max(1 << 13, merge)))

    def _pause(self) -> None:
        """Show progress; raise LimitReached at a limit."""
        self.on_pause()
        if (reason := self.watch.reason_to_stop()) is not None:
            raise LimitReached(reason)

    # Levels

    def _has_ended_in_level(self, waiting: list[Frontier], following: list[Frontier]) -> bool:
        while self._table is None and waiting:
            if self._is_due():
                self._spill(waiting, following)
            elif self._has_ended_with(next_block(waiting), following):
                return True
        return self._table is not None and bool(waiting) and self._has_ended_on_disk(waiting, following)

    def _has_ended_with(self, block: States, following: list[Frontier], inverted: bool = False) -> bool:
        if self._table is None:
            return super()._has_ended_with(block, following, inverted)
        return self._has_ended_on_disk([block], following, inverted)

    def _is_over_at_depth(self, waiting: list[Frontier]) -> bool:
        if self._table is None:
            return super()._is_over_at_depth(waiting)
        before = self.transitions
        level = self._expanded(self._table, waiting, False)
        self.transitions = before
        if level.new:
            self.stopped = f"the depth limit of {self.limits.depth} was reached"
        level.close()
        return bool(level.new)

    def _has_ended_on_disk(self, waiting: list[Frontier], following: list[Frontier], inverted: bool = False) -> bool:
        """Expand states as a level; whether the search ends with it. New states are added to those that follow."""
        assert self._table is not None
        before = self.transitions
        try:
            level = self._expanded(self._table, waiting, inverted)
        finally:  # states count when they are known to be new, and transitions with them
            self.transitions, taken = before, self.transitions
        file = StateFile(self._folder, self._count, self.memo.with_sleep)
        over, counted = False, _Counted(level)
        for new in level.new_states(self._sizes().merge):
            file.append(new.states)
            over = self._is_done_with(new.states, counted.found(new))
            if over:
                break
        if not over:
            self.transitions = taken
        level.close()
        if file.count:
            following.append(StoredStates(file, 0, file.count))
        else:
            file.close()
        return over

    def _expanded(self, table: LevelTable, waiting: list[Frontier], inverted: bool) -> DiskLevel:
        """What a level leads to; its transitions are counted, for the progress."""
        sizes, count = self._sizes(), sum(states.count for states in waiting)
        with_proviso = self.with_proviso and not inverted
        level = DiskLevel(self._folder, table, waiting[0].first, self._count, self.memo.with_sleep, with_proviso)
        table.empty(min(sizes.part, 4 * count), 0)
        while waiting:
            self._pause()
            block = next_block(waiting, sizes.block)
            inside = level.count - table.before
            if inside and inside + self._expander.needed(block.count) > sizes.part:
                level.end_part(sizes.merge, sizes.part, self._pause)
            expanded = self._expander.expand(block, level.count, inverted)
            level.add(block, expanded)
            self.transitions += int(expanded.transitions.sum())
        level.end_part(sizes.merge, 0, self._pause)
        level.find_new(self._runs, sizes.merge, self._team, self._pause)
        if with_proviso:
            self._ends += level.ends(self._expander, self._runs, sizes, self._team, self._pause)
        return level


class _Counted:
    """Counts the transitions of a level up to those that found new states."""

    def __init__(self, level: DiskLevel) -> None:
        self._level = level
        self._source, self._before = 0, 0  # a position in the level, and the transitions of the states before it
        self._counted = 0

    def found(self, new: NewStates) -> Found:
        """How some new states were found, which follow those that were asked for before."""
        counted = self._counted
        parents = (new.keys >> np.uint64(NUMBER_BITS)).astype(np.uint32)
        self._counted = self._taken(int(new.keys[-1]))
        return Found(parents, self._counted - counted, lambda position: self._until(int(new.keys[position])) - counted)

    def _taken(self, key: int) -> int:
        """The transitions up to that of a key; keys do not get smaller."""
        source = (key >> NUMBER_BITS) - self._level.first_source
        self._before += self._level.transitions(self._source, source)
        self._source = source
        return self._before + (key & NUMBER_MASK) + 1

    def _until(self, key: int) -> int:
        source = (key >> NUMBER_BITS) - self._level.first_source
        return self._level.transitions(0, source) + (key & NUMBER_MASK) + 1


def machine_memory() -> int:
    """The memory of this machine in bytes, or what this process may use of it."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        size = 1 << 32
    try:
        return min(size, int(_CGROUP.read_text()))
    except (OSError, ValueError):  # no such limit
        return size
