"""What a checkpoint has of the kernel's search: its states and their parents, and the level that is next.

It is the picture of a boundary between two levels. What was found since has larger numbers and is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.engine.kernel import jit_memo, jit_order
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.kernel.saved_memo import restore_memo, rows_of, saved_memo
from sdnloom.engine.kernel.states import NO_SLEEP, States
from sdnloom.engine.kernel.visited_states import MOST_VISITED, Visited

_MOST = 1 << 62  # transitions
_PART = 1 << 20  # states that are checked at a time


@dataclass(frozen=True)
class Boundary:
    """Where a search stands between two levels, in numbers.

    `first` is the number of the first state of the level that is next, `asleep` has the sleep sets of that level. For
    the cycle proviso, `ends` are the states without an edge to a later state, and `full` those that were expanded in
    full because of it.
    """

    count: int
    first: int
    transitions: int
    depth: int
    contents: int
    places: tuple[int, ...]
    asleep: Array
    ends: tuple[int, ...]
    full: tuple[int, ...]

    @classmethod
    def of(
        cls,
        memo: KernelMemo,
        waiting: list[States],
        count: int,
        transitions: int,
        depth: int,
        ends: tuple[int, ...],
        full: tuple[int, ...],
    ) -> "Boundary":
        """The boundary before these states are expanded."""
        asleep = np.concatenate([states.asleep for states in waiting]) if waiting else NO_SLEEP
        first = waiting[0].first if waiting else count
        places = tuple(memo.counts()[: memo.components])
        contents = memo.count(jit_memo.CONTENTS)
        return cls(count, first, transitions, depth, contents, places, asleep, ends, full)


def saved_search(memo: KernelMemo, visited: Visited, parents: Array, at: Boundary) -> dict[str, Array]:
    """The arrays of a checkpoint."""
    layout = visited.layout
    states = np.zeros(at.count * layout.words, np.uint64)
    jit_order.gather_states(visited.in_use, layout.words, at.count, states)
    return {
        **saved_memo(memo, at.contents, list(at.places)),
        "counts": np.array([at.count, at.first, at.transitions, at.depth], np.int64),
        "parents": parents[: at.count],
        "layout": np.stack([layout.word.astype(np.uint64), layout.shift, layout.mask]),
        "states": states.reshape(at.count, layout.words),
        "asleep": at.asleep,
        "ends": np.array(at.ends, np.int64),
        "full": np.array(at.full, np.int64),
    }


@dataclass(frozen=True)
class RestoredSearch:
    """What a search goes on with: the boundary, all states in order, and the parents of those."""

    boundary: Boundary
    states: States
    parents: Array

    @property
    def waiting(self) -> list[States]:
        """The level that is next."""
        at = self.boundary
        if at.first == at.count:
            return []
        level = self.states.part(at.first, at.count)
        return [States(level.first, level.layout, level.words.copy(), at.asleep)]

    def state(self, number: int) -> States:
        """One state, without a sleep set; a copy, so that the others need not be kept for it."""
        return States(number, self.states.layout, self.states.state(number).copy())


def restored_search(memo: KernelMemo, arrays: Mapping[str, Array]) -> RestoredSearch:
    """What was saved, in a memo that knows nothing but the answers of user code.

    Raises CheckpointError if a number stands for nothing.
    """
    restore_memo(memo, arrays)
    counts = rows_of(arrays, "counts", np.int64, None)
    if len(counts) != 4:
        raise CheckpointError(f"it has {len(counts)} counts; expected 4")
    count, first, transitions, depth = counts.tolist()
    parents = rows_of(arrays, "parents", np.uint32, None)
    words = rows_of(arrays, "states", np.uint64, int(arrays["states"].shape[-1]))
    fits = 0 < count == len(parents) == len(words) <= MOST_VISITED and 0 <= first <= count
    if not fits or not 0 <= transitions < _MOST or not 0 <= depth < _MOST:
        raise CheckpointError(
            f"its counts are {counts.tolist()}, with {len(words):,} states and {len(parents):,} parents"
        )
    if parents[0] or (parents[1:] >= np.arange(1, count)).any():
        raise CheckpointError("a state has a later one as its parent")
    numbers = {name: rows_of(arrays, name, np.int64, None) for name in ("ends", "full")}
    for name, known in numbers.items():
        if len(known) and not (known.min() >= 0 and known.max() < count):
            raise CheckpointError(f"{name} has a number that no state has")
    asleep = rows_of(arrays, "asleep", np.uint64, None)
    if len(asleep) != (count - first if memo.with_sleep else 0):
        raise CheckpointError(f"it has {len(asleep):,} sleep sets; expected one for each of {count - first:,} states")
    memo.know_memories()
    states = _repacked(memo, arrays, words, count)
    if states.values(0).tolist() != memo.initial():
        raise CheckpointError("its first state is not the initial one")
    places = tuple(arrays["place_counts"].tolist())
    ends, full = (tuple(known.tolist()) for known in numbers.values())
    at = Boundary(count, first, transitions, depth, len(arrays["contents"]), places, asleep, ends, full)
    return RestoredSearch(at, states, parents)


def _repacked(memo: KernelMemo, arrays: Mapping[str, Array], words: Array, count: int) -> States:
    """The states in a layout of this process, after each number in them was checked."""
    fields = arrays["layout"]
    if fields.dtype != np.uint64 or fields.shape != (3, memo.columns):
        raise CheckpointError(
            f"its layout is {fields.dtype} {fields.shape}; expected a field for {memo.columns} columns"
        )
    layout = Layout(memo.counts())
    sizes = memo.counts()
    results = np.zeros((count, layout.words), np.uint64)
    results[:] = np.uint64(1 << 63)
    for column, (word, shift, mask) in enumerate(fields.T.tolist()):
        if word >= words.shape[1] or shift > 63:
            raise CheckpointError(f"its layout has column {column} at bit {shift} of word {word}")
        target, by = int(layout.word[column]), layout.shift[column]
        for start in range(0, count, _PART):
            values = (words[start : start + _PART, word] >> np.uint64(shift)) & np.uint64(mask)
            if values.max(initial=0) >= sizes[column]:
                raise CheckpointError(f"a state has a number in column {column} that stands for nothing")
            results[start : start + _PART, target] |= values << by
    return States(0, layout, results.reshape(-1))
