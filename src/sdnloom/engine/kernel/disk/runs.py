"""Sorted runs: packed states with their numbers in a file, in the order of their hashes."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sdnloom.engine.kernel.disk import jit_runs
from sdnloom.engine.kernel.disk.files import ArrayFile, Folder
from sdnloom.engine.kernel.jit_expand import NUMBER_MASK
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.states import repacked

_PAGE = 256  # states of which the first one's hash is kept in memory
_GAP = 8  # pages between which others are read rather than left out


class SortedRun:
    """States in a file, sorted. Those on the same page are read together.

    Several runs may share a file: they are written one after the other, and who gave it to them closes it.
    """

    def __init__(self, folder: Folder, layout: Layout, shared: ArrayFile | None = None) -> None:
        self.layout = layout
        self._file, self._is_shared = shared or ArrayFile(folder, np.uint64), shared is not None
        self._start = self._file.count
        self.count = 0
        self._fences: list[Array] = []  # the hash of the first state of each page

    @property
    def bytes(self) -> int:
        """How much of the file is the run's."""
        return 8 * self.layout.words * self.count

    def append(self, states: Array) -> None:
        """Write states, which come after all that were written, at the end."""
        width = self.layout.words
        many = len(states) // width
        first = -self.count % _PAGE
        if first < many:
            fences = np.ascontiguousarray(states.reshape(-1, width)[first::_PAGE]).reshape(-1)
            self._fences.append(hashes_of(fences, width))
        self._file.append(states)
        self.count += many

    def overwrite(self, first: int, states: Array) -> None:
        """Write states, of which only the numbers differ, from this position on."""
        self._file.write(self._start + first * self.layout.words, states)

    def read(self, first: int, last: int) -> Array:
        """The states at these positions."""
        words = self.layout.words
        return self._file.read(self._start + first * words, self._start + min(last, self.count) * words)

    def parts(self, size: int) -> Iterator[Array]:
        """All states, so many at a time."""
        for first in range(0, self.count, size):
            yield self.read(first, min(first + size, self.count))

    def mark(self, states: Array, hashes: Array, old: Array, size: int) -> None:
        """Set the numbers + 1 in `old` of those sorted states that are in this run.

        At most `size` states are read at a time.
        """
        for first, last, start, stop in self._stretches(hashes, max(1, size // _PAGE)):
            part = self.read(first * _PAGE, min(last * _PAGE, self.count))
            width = self.layout.words
            jit_runs.mark_old(states, hashes, start, stop, part, len(part) // width, width, old)

    def number_of(self, state: Array) -> int:
        """The number of a state; -1 if it is not in this run."""
        hashes, width = hashes_of(state, self.layout.words), self.layout.words
        for first, last, _, _ in self._stretches(hashes, 1):
            part = self.read(first * _PAGE, min(last * _PAGE, self.count)).reshape(-1, width)
            plain = part.copy()
            plain[:, -1] &= ~np.uint64(NUMBER_MASK)
            found = np.flatnonzero((plain == state).all(axis=1))
            if len(found):
                return int(part[found[0], -1] & np.uint64(NUMBER_MASK)) - 1
        return -1

    def close(self) -> None:
        """Free the room that the run takes, unless others share its file."""
        if not self._is_shared:
            self._file.close()

    def _stretches(self, hashes: Array, most: int) -> Iterator[tuple[int, int, int, int]]:
        """The stretches of pages that may have states with these hashes: pages from, to; hashes from, to."""
        if not self.count or not len(hashes):
            return
        if len(self._fences) > 1:
            self._fences = [np.concatenate(self._fences)]
        fences = self._fences[0]
        starts = np.searchsorted(hashes, fences, "left")  # a hash that equals a fence may also be before it
        stops = np.append(np.searchsorted(hashes, fences[1:], "right"), len(hashes))
        needed = np.flatnonzero(stops > starts)
        at = 0
        while at < len(needed):
            end = at + 1
            while end < len(needed) and needed[end] - needed[at] < most and needed[end] - needed[end - 1] <= _GAP:
                end += 1
            yield int(needed[at]), int(needed[end - 1]) + 1, int(starts[needed[at]]), int(stops[needed[end - 1]])
            at = end


def hashes_of(states: Array, words: int) -> Array:
    """The hashes of states."""
    hashes = np.empty(len(states) // words, np.uint64)
    jit_runs.hash_states(states, words, hashes)
    return hashes


def merged_runs(runs: Sequence[SortedRun], size: int) -> Iterator[Array]:
    """The states of several runs of one layout, sorted, some at a time; of equal ones that of the first run.

    At most `size` states are in memory.
    """
    words = runs[0].layout.words
    if len(runs) == 1:
        yield from runs[0].parts(size)
        return
    share = max(2, size // (2 * len(runs)))
    buffers = np.empty(len(runs) * share * words, np.uint64)
    positions, ends = np.zeros(len(runs), np.int64), np.zeros(len(runs), np.int64)
    taken, complete = [0] * len(runs), np.zeros(len(runs), np.bool_)
    heads = np.zeros(len(runs), np.uint64)
    most = max(1, size // 2)
    while True:
        for at, run in enumerate(runs):
            if positions[at] == ends[at] and not complete[at]:
                part = run.read(taken[at], min(taken[at] + share, run.count))
                buffers[at * share * words : at * share * words + len(part)] = part
                taken[at] += len(part) // words
                positions[at], ends[at] = 0, len(part) // words
                complete[at] = taken[at] == run.count
        target = np.empty(most * words, np.uint64)
        count = jit_runs.merge_runs(buffers, words, share * words, positions, ends, complete, heads, target, most)
        if count:
            yield target[: count * words]
        elif (complete & (positions == ends)).all():
            return


def fill_from_table(run: SortedRun, table: Array, slots: int, size: int, pause: Callable[[], None]) -> None:
    """Write the states of a visited table, and their numbers, to an empty run of its layout."""
    layout, slot = run.layout, 0
    while True:
        target, hashes = np.empty(size * layout.words, np.uint64), np.empty(size, np.uint64)
        count, after = jit_runs.sort_slots(table, layout.words, slot, slots, target, hashes)
        run.append(target[: count * layout.words])
        if after >= slots:
            return
        if after == slot:
            size *= 2  # neighbours without an empty slot between them
        slot = after
        pause()


def in_layout(
    folder: Folder,
    run: SortedRun,
    layout: Layout,
    size: int,
    pause: Callable[[], None],
    shared: ArrayFile | None = None,
) -> SortedRun:
    """The states of a run, which is closed, in another layout, which has another order; in a shared file if given."""
    pieces: list[SortedRun] = []
    for part in run.parts(size):
        states = repacked(part, run.layout, layout).reshape(-1, layout.words)
        plain = states.copy()
        states[:, -1] |= part.reshape(-1, run.layout.words)[:, -1] & np.uint64(NUMBER_MASK)
        columns = [plain[:, column] for column in range(layout.words)][::-1]
        piece = SortedRun(folder, layout)
        piece.append(states[np.lexsort((*columns, hashes_of(plain.reshape(-1), layout.words)))].reshape(-1))
        pieces.append(piece)
        while len(pieces) > 1 and pieces[-2].count <= 2 * pieces[-1].count:  # few files are open at once
            pieces[-2:] = [joined_runs(folder, pieces[-2:], layout, size, pause)]
    result = joined_runs(folder, pieces, layout, size, pause, shared)
    run.close()
    return result


def joined_runs(
    folder: Folder,
    runs: list[SortedRun],
    layout: Layout,
    size: int,
    pause: Callable[[], None],
    shared: ArrayFile | None = None,
) -> SortedRun:
    """One run of the states of several, which are closed; of equal states that of the first run."""
    if len(runs) == 1 and shared is None:
        return runs[0]
    result = SortedRun(folder, layout, shared)
    for part in merged_runs(runs, size) if runs else ():
        result.append(part)
        pause()
    for run in runs:
        run.close()
    return result
