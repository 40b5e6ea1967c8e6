"""States in numbers that all processes agree on: their 128-bit keys, and their rows on the way to another process."""

from typing import Any, NamedTuple

import numpy as np

from sdnloom.engine.cluster import jit_keys, jit_notation
from sdnloom.engine.kernel import jit_memo
from sdnloom.engine.kernel.growing_arrays import grown
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.kernel.states import States


class SpelledStates(NamedTuple):
    """States as arrays of numbers: `rows` has for each column the place of its value among those in `values`.

    Values of components are spelled places (`jit_notation.py`), one after the other in `places`, of others numbers.
    """

    rows: Array
    counts: Array  # of the values of each column
    places: tuple[Array, ...]  # of each component
    numbers: tuple[Array, ...]  # of each column behind the components
    asleep: Array


class StateSpelling:
    """Keys and spelled rows of the states of one memo."""

    def __init__(self, memo: KernelMemo) -> None:
        self.memo = memo
        self._contents: Array = np.zeros((1 << 8, 2), np.uint64)
        self._contents_done = 0
        self._digests: Array = np.zeros((0, 2), np.uint64)
        self._firsts: Array = np.zeros(memo.columns + 1, np.int64)
        self._done = [0] * memo.columns  # so many values of each column have digests
        self._marks: Array = np.full(1 << 8, -1, np.int64)

    # Keys

    def keys(self, states: States) -> Array:
        """The keys of states."""
        self._digest()
        keys = np.zeros((states.count, 2), np.uint64)
        layout = states.layout
        jit_keys.key_states(
            layout.word, layout.shift, layout.mask, states.words, layout.words, self._firsts, self._digests, keys
        )
        return keys

    def _digest(self) -> None:
        """Digest all values that are new."""
        memo, tables = self.memo, self.memo.arrays()
        count = memo.count(jit_memo.CONTENTS)
        if count > len(self._contents):
            self._contents = grown(self._contents, 2 * count)
        jit_keys.digest_contents(tables.contents, self._contents_done, count, self._contents)
        self._contents_done = count
        counts = memo.counts()
        if any(counts[column] > room for column, room in enumerate(np.diff(self._firsts).tolist())):
            self._grow(counts)
        for column, (done, count) in enumerate(zip(self._done, counts, strict=True)):
            first = int(self._firsts[column])
            if column < memo.components:
                row, slots = int(tables.first_place[column]) + done, len(memo.tables.inbox[column])
                jit_keys.digest_places(
                    tables.places, row, count - done, slots, self._contents, self._digests, first + done
                )
            else:
                jit_keys.digest_numbers(column, done, count, self._digests, first)
        self._done = counts

    def _grow(self, counts: list[int]) -> None:
        before, digests = self._firsts, self._digests
        room = [max(int(old), 2 * count) for old, count in zip(np.diff(before), counts, strict=True)]
        self._firsts = np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
        self._digests = np.zeros((int(self._firsts[-1]), 2), np.uint64)
        for column, done in enumerate(self._done):
            first, old = int(self._firsts[column]), int(before[column])
            self._digests[first : first + done] = digests[old : old + done]

    # Rows

    def spelled(self, states: States) -> SpelledStates:
        """States on the way to another process."""
        memo, layout, tables = self.memo, states.layout, self.memo.arrays()
        most = max(memo.counts())
        if most > len(self._marks):
            self._marks = np.full(2 * most, -1, np.int64)
        rows = np.zeros((states.count, memo.columns), np.int32)
        values = np.zeros(max(1, states.count), np.int64)
        counts = np.zeros(memo.columns, np.int64)
        places, numbers = [], []
        for column in range(memo.columns):
            count = counts[column] = jit_notation.list_values(
                layout.word, layout.shift, layout.mask, states.words, layout.words, column, self._marks, values, rows
            )
            if column < memo.components:
                places.append(self._spelled_places(tables, column, values[:count]))
            else:
                numbers.append(values[:count].copy())
        return SpelledStates(rows, counts, tuple(places), tuple(numbers), states.asleep.copy())

    def _spelled_places(self, tables: Any, component: int, values: Array) -> Array:
        slots = len(self.memo.tables.inbox[component])
        room = len(values) * (1 + 4 * slots)
        while True:
            spelled = np.zeros(room, np.int32)
            needed = int(jit_notation.spell_places(tables, component, slots, values, spelled))
            if needed <= room:
                return spelled[:needed]
            room = needed

    def states(self, spelled: SpelledStates, layout: Layout | None = None) -> States:
        """Spelled states in this process, in a layout that holds them: the given one if it does."""
        memo = self.memo
        found = [
            self._interned(component, places, int(count))
            for component, (places, count) in enumerate(zip(spelled.places, spelled.counts, strict=False))
        ]
        values = [*found, *spelled.numbers]
        if layout is None or not layout.holds(memo.counts()):
            layout = Layout(memo.counts())
        starts = np.concatenate([[0], np.cumsum([len(each) for each in values])]).astype(np.int64)
        words = np.zeros(len(spelled.rows) * layout.words, np.uint64)
        jit_notation.pack_rows(
            spelled.rows, np.concatenate(values), starts, layout.word, layout.shift, layout.words, words
        )
        return States(0, layout, words, spelled.asleep.copy())

    def _interned(self, component: int, places: Array, count: int) -> Array:
        """The numbers of spelled places in this process."""
        memo, inbox = self.memo, self.memo.tables.inbox[component]
        empty = np.array([memo.content(channel, 0) for channel in inbox] or [0], np.int64)
        known = [[0] if memo.is_queue(channel) else memo.contents_of(channel) for channel in inbox]
        starts = np.concatenate([[0], np.cumsum([len(each) for each in known])]).astype(np.int64)
        contents = np.array([number for each in known for number in each] or [0], np.int64)
        values = np.zeros(count, np.int64)
        row = np.zeros((1, memo.arrays().places.shape[1]), np.int32)
        done, at = 0, 0
        while done < count:
            before = done
            done, at = jit_notation.intern_spelled(
                memo.arrays(), component, len(inbox), places, at, empty, contents, starts, row, values, done
            )
            if done < count:
                memo.make_room(scratch=done == before)
        return values
