"""The candidates of one level: states that are new in it, unless they are on disk already.

A table in memory drops those that were found before in the same part of the level. When it is full, or the level ends,
it is written as a sorted run. At the end of the level the parts are merged and compared with the visited runs; what is
in none of these is new. Candidates are kept in the order of the search, too, so one bit for each of them gives the new
states their numbers: those that a search in memory gives them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdnloom.engine.kernel.block import BlockExpander, Expanded
from sdnloom.engine.kernel.disk import jit_runs
from sdnloom.engine.kernel.disk.files import ArrayFile, Folder, StateFile
from sdnloom.engine.kernel.disk.runs import SortedRun, fill_from_table, in_layout, joined_runs, merged_runs
from sdnloom.engine.kernel.disk.visited_runs import VisitedRuns
from sdnloom.engine.kernel.jit_expand import BEYOND, NUMBER_BITS, NUMBER_MASK
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.states import NO_SLEEP, States
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.kernel.visited_states import MOST_VISITED, Visited
from sdnloom.engine.stop_points import LimitReached

_LEAST_SLOTS = 1 << 10
_AT_ONCE = 16  # runs that are merged
SEALED = 1 << 40  # more than any number
MOST_CANDIDATES = NUMBER_MASK - (1 << 24)  # of a level: their numbers fit in the low half of a word
MOST_PART_SLOTS = 1 << 31  # of the table of a part at first: it has room to grow once


@dataclass(frozen=True)
class Sizes:
    """How many states are worked on at a time."""

    part: int  # of a level, in the table
    block: int  # that are expanded
    merge: int  # that are read, written or compared


class LevelTable(Visited):
    """A visited table of a part of a level. `before` candidates of the level are in earlier parts."""

    def __init__(self, layout: Layout, team: Team) -> None:
        super().__init__(layout, team)
        self.before = 0
        self.sealed = False  # whether it has all states that may be looked up

    @property
    def room(self) -> int:
        """How many candidates of the level there may be before the table is full."""
        return 2 * SEALED if self.sealed else min(super().room + self.before, MOST_CANDIDATES)

    def rebuild(self, counts: Sequence[int], states: int) -> None:
        """Make room for so many candidates of the level, and for so many values in each column.

        The layout stays as long as it can: runs in another one have to be sorted again.
        """
        if not self.sealed and states > MOST_CANDIDATES:
            raise LimitReached(f"a level on disk has room for {MOST_CANDIDATES:,} candidates for new states")
        slots = self.slots if self.sealed else self._slots_for(states - self.before, self.slots)
        self._move(self.layout if self.layout.holds(counts) else Layout(counts), slots)

    def empty(self, states: int, before: int) -> None:
        """Drop everything, and have room for so many states."""
        slots = self._slots_for(states, _LEAST_SLOTS)
        self.before, self.sealed = before, False
        self._empty(slots)

    def _slots_for(self, states: int, least: int) -> int:
        if states > MOST_VISITED:
            raise LimitReached(f"a part of a level on disk has room for {MOST_VISITED:,} candidates for new states")
        slots = least
        while self.room_in(slots) < states:
            slots *= 2
        return slots

    def enter(self, states: Array) -> None:
        """Enter states that it does not have, with their numbers."""
        self._moved(states, self.layout, 0, len(states) // self.layout.words)


@dataclass(frozen=True)
class NewStates:
    """Some of the new states of a level, in order, with the keys of the transitions that found them first."""

    states: States
    keys: Array  # the number of the parent << 32 | the position of the transition among the parent's


class DiskLevel:
    """Collects the candidates of a level, and finds those that are new."""

    def __init__(
        self, folder: Folder, table: LevelTable, source: int, first: int, with_sleep: bool, with_proviso: bool
    ) -> None:
        self.table, self._folder = table, folder
        self.first_source, self._first = source, first  # the numbers of the first state expanded, and found
        self.count = self.new = 0  # of candidates, and of those that are new
        self._again = StateFile(folder, source, with_sleep) if with_proviso else None  # what was expanded
        self._part_ends: list[int] = []  # how many states had been expanded when a part ended
        self._in_order = StateFile(folder, 0, with_sleep)
        self._keys = ArrayFile(folder, np.uint64)
        self._parts: list[SortedRun] = []
        self._files = [ArrayFile(folder, np.uint64)]  # of parts, and of runs of several: few files
        self._sources = ArrayFile(folder, np.uint32)  # by expanded state: how many transitions it has

    def add(self, block: States, expanded: Expanded) -> None:
        """Add what was found by the expansion of a block."""
        self._in_order.append(expanded.states)
        self._keys.append(expanded.keys + np.uint64(block.first << NUMBER_BITS))
        self._sources.append(expanded.transitions)
        self.count += expanded.states.count
        if self._again is not None:
            self._again.append(block)

    def end_part(self, size: int, following: int, pause: Callable[[], None]) -> None:
        """Write the table as a run, and empty it; it gets room for so many states."""
        if self.count > self.table.before:
            part = SortedRun(self._folder, self.table.layout, self._files[-1])
            fill_from_table(part, self.table.table, self.table.slots + BEYOND, size, pause)
            self._parts.append(part)
            self._part_ends.append(self._sources.count)
        self.table.empty(following, self.count)

    def transitions(self, first: int, last: int) -> int:
        """How many transitions the states at these positions of the level have."""
        return sum(
            int(self._sources.read(start, min(start + (1 << 16), last)).sum()) for start in range(first, last, 1 << 16)
        )

    def find_new(self, visited: VisitedRuns, size: int, team: Team, pause: Callable[[], None]) -> None:
        """Find the new states, and enter them in the visited runs."""
        layout = self.table.layout
        if self._parts and not all(run.layout is layout for run in self._parts + visited.runs):
            file = ArrayFile(self._folder, np.uint64)
            self._files.append(file)
            self._parts = [
                part if part.layout is layout else in_layout(self._folder, part, layout, size, pause, file)
                for part in self._parts
            ]
            visited.change(layout, size, pause)
        self._new = np.zeros(self.count // 64 + 1, np.uint64)
        found = SortedRun(self._folder, layout)
        for states in self._sorted(size, pause):
            old = visited.numbers(states, layout, size, team, pause)
            many = jit_runs.keep_new(states, layout.words, old, self._new)
            found.append(states[: many * layout.words])
        before = np.zeros(len(self._new), np.uint32)
        self.new = total = int(jit_runs.count_new(self._new, before))
        for start in range(0, total, size):
            states = found.read(start, min(start + size, total))
            many = len(states) // layout.words
            jit_runs.number_states(states, layout.words, many, self._new, before, self._first + 1)
            found.overwrite(start, states)
            pause()
        visited.add(found, size, pause)

    def ends(
        self, expander: BlockExpander, visited: VisitedRuns, sizes: Sizes, team: Team, pause: Callable[[], None]
    ) -> list[tuple[int, States]]:
        """The states of the level without an edge to a later one, after `find_new`; see `CycleProviso`.

        Each part is expanded again, with the numbers that its candidates have in the end.
        """
        assert self._again is not None
        results, start, table = [], 0, self.table
        stops = [*self._part_ends, self._sources.count]
        parts: list[SortedRun | None] = [*self._parts, None]
        expander.with_proviso = True
        for stop, part in zip(stops, parts, strict=True):
            table.empty(part.count if part else 0, 0)
            table.sealed = True
            for states in part.parts(sizes.merge) if part else ():
                numbers = visited.numbers(states, table.layout, sizes.merge, team, pause)
                last = states.reshape(-1, table.layout.words)[:, -1]
                last &= ~np.uint64(NUMBER_MASK)
                last |= numbers
                table.enter(states)
            for first in range(start, stop, sizes.block):
                block = self._again.read(first, min(first + sizes.block, stop))
                found = [block.part(end, end + 1) for end in expander.expand(block, SEALED).ends]
                results += [(end.first, end) for end in found]
                pause()
            start = stop
        expander.with_proviso = table.sealed = False
        return results

    def _sorted(self, size: int, pause: Callable[[], None]) -> Iterator[Array]:
        """The candidates in the order of their hashes, each once."""
        if not self._parts:
            return
        layout, runs = self.table.layout, self._parts
        done = self._files if self._again is None else []  # whose runs are not read again
        while len(runs) > _AT_ONCE:  # those in front stay in front: of equal states the first one counts
            file = ArrayFile(self._folder, np.uint64)
            groups = [runs[start : start + _AT_ONCE] for start in range(0, len(runs), _AT_ONCE)]
            runs = [joined_runs(self._folder, group, layout, size, pause, file) for group in groups]
            for old in done:
                old.close()
            done = [file]
            self._files = [*self._files, file]
        yield from merged_runs(runs, size)

    def new_states(self, size: int) -> Iterator[NewStates]:
        """The new states in order, some at a time."""
        number = self._first
        for start in range(0, self.count, size):
            candidates = self._in_order.read(start, min(start + size, self.count))
            words = candidates.layout.words
            picked, chosen = np.empty_like(candidates.words), np.empty(candidates.count, np.int64)
            many = int(jit_runs.pick_new(self._new, start + 1, candidates.words, words, picked, chosen))
            if many:
                which = chosen[:many]
                asleep = candidates.asleep[which] if len(candidates.asleep) else NO_SLEEP
                keys = self._keys.read(start, start + candidates.count)[which]
                yield NewStates(States(number, candidates.layout, picked[: many * words].copy(), asleep), keys)
                number += many

    def close(self) -> None:
        """Free the room on disk."""
        self._in_order.close()
        self._keys.close()
        self._sources.close()
        for file in self._files:
            file.close()
        if self._again is not None:
            self._again.close()
