"""The visited states: one hash table whose slots hold the packed states themselves.

A state's first choice of a slot grows with its hash, so a larger table has the states in nearly the same order: a table
grows where it is, from its end to its beginning, in an area of memory that was reserved for it and costs nothing until
it is used.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdnloom.engine.kernel import jit_expand, jit_order
from sdnloom.engine.kernel.growing_arrays import area_for
from sdnloom.engine.kernel.layout import Array, Layout
from sdnloom.engine.kernel.states import States
from sdnloom.engine.kernel.threads import Team
from sdnloom.engine.stop_points import LimitReached

_FIRST_SLOTS = 1 << 12
_SMALL = 1 << 20  # slots up to which a table moves when it grows, and gets the layout that is best then
_FULLEST = 0.85  # share of the slots that may be used
_GROWTH = 1.5
_MOST_IN_LINE = 4  # slots of a cache line: a state has two words at least
_MOST_SLOTS = 1 << 32  # a first choice is made with half of a hash
MOST_VISITED = 3 << 30  # of a search: fewer than such a table has room for, and than there are numbers
_PART = 1 << 16  # slots that are worth a thread


class Visited:
    """A table with open addressing, `BEYOND` slots longer than the range of first choices."""

    def __init__(self, layout: Layout, team: Team) -> None:
        self.layout, self._team = layout, team
        self.slots = _FIRST_SLOTS  # that are a first choice
        self.table = _array(self.slots, layout.words)

    @property
    def room(self) -> int:
        """How many states it may hold."""
        return self.room_in(self.slots)

    @staticmethod
    def room_in(slots: int) -> int:
        """How many states so many slots may hold."""
        return min(int(slots * _FULLEST), MOST_VISITED)

    @property
    def used_bytes(self) -> int:
        """The memory of the slots."""
        return self.slots * self.layout.words * 8

    @property
    def in_use(self) -> Array:
        """The slots, without what is reserved for more: that may be as large as the memory of this machine."""
        return self.table[: (self.slots + jit_expand.BEYOND) * self.layout.words]

    def add(self, state: Array, number: int) -> None:
        """Enter one state that is new."""
        words = self.layout.words
        at = words * int(jit_order.home(state, 0, words, self.slots))
        while self.table[at]:
            at += words
        self.table[at : at + words] = state
        self.table[at + words - 1] |= np.uint64(number + 1)

    def fill(self, states: States) -> bool:
        """Have these states and no others, with their layout; False if one occurs twice."""
        layout, count = states.layout, states.count
        while self.room < count:
            self.slots = self.slots * 2
        self.layout, self.table = layout, _array(self.slots, layout.words)
        numbered = states.words.copy()
        numbered[layout.words - 1 :: layout.words] += np.arange(1, count + 1, dtype=np.uint64)
        parts = self._run(lambda first, last: self._moved(numbered, layout, first, last), 0, count)
        return all(parts) and all(
            self._run(
                lambda first, last: jit_order.have_numbers(
                    self.table, layout.words, self.slots, states.words, first, last
                ),
                0,
                count,
            )
        )

    def number_of(self, state: Array) -> int:
        """The number of a state; -1 if it was not visited."""
        words = self.layout.words
        slot = int(jit_order.find_state(self.table, words, self.slots, state))
        if slot < 0:
            return -1
        return (int(self.table[(slot + 1) * words - 1]) & jit_expand.NUMBER_MASK) - 1

    def clear(self, most: int) -> None:
        """Forget all states; a table that is much too large for so many becomes smaller."""
        if self.slots > _SMALL and self.slots > 16 * most:
            self.slots = _SMALL
            self.table = _array(self.slots, self.layout.words)
        self.table[: (self.slots + jit_expand.BEYOND) * self.layout.words] = 0

    def rebuild(self, counts: Sequence[int], states: int) -> None:
        """Make room for so many states, and for so many values in each column."""
        if states > MOST_VISITED:
            raise LimitReached(f"the kernel engine has room for {MOST_VISITED:,} states; --disk has more")
        slots = self.slots
        while slots * _FULLEST < states:
            slots = min(int(slots * (2 if slots < _SMALL else _GROWTH)), _MOST_SLOTS)
        if slots > _SMALL and self.layout.holds(counts):
            if (slots + jit_expand.BEYOND) * self.layout.words <= len(self.table):
                self._grow(slots)
            else:
                self._move(self.layout, slots)
        else:
            self._move(Layout(counts), slots)

    def _empty(self, slots: int) -> None:
        """Drop all states, and have so many slots."""
        self.table = np.zeros(0, np.uint64)  # freed first
        self.slots, self.table = slots, _array(slots, self.layout.words)

    def _move(self, layout: Layout, slots: int) -> None:
        """Move all states to another table."""
        old, last = self.table, self.slots + jit_expand.BEYOND
        before, self.layout = self.layout, layout
        self.slots, self.table = slots, _array(slots, layout.words)
        if layout is before:
            _all_moved(self._run(lambda first, last: self._spread(old, first, last), 0, last))
        else:
            _all_moved(self._run(lambda first, last: self._moved(old, before, first, last), 0, last))

    def _grow(self, slots: int) -> None:
        """Use more slots of the same array, from the last one to the first.

        In each wave all states move behind all slots of the wave.
        """
        factor = slots / self.slots
        last, words = self.slots + jit_expand.BEYOND, self.layout.words
        self.slots = slots
        while last > _PART:
            first = int((last + 2 * _MOST_IN_LINE) / factor) + 2
            while first < last and self.table[(first - 1) * words]:  # not in the middle of neighbours
                first += 1
            if first >= last:  # all that is left are neighbours
                break
            _all_moved(self._run(lambda first, last: self._spread(self.table, first, last), first, last))
            last = first
        rest = self.table[: last * words].copy()
        self.table[: last * words] = 0
        _all_moved([self._spread(rest, 0, last)])

    def _run(self, work: Any, first: int, last: int) -> list[bool]:
        return self._team.run_parts(lambda start, stop: work(first + start, first + stop), last - first, _PART)

    def _spread(self, source: Array, first: int, last: int) -> bool:
        """Move the states in these slots of a smaller table; False if one has found no room."""
        words = self.layout.words
        room = np.empty(words, np.uint64)
        spread: bool = jit_order.spread_states(source, self.table, words, self.slots, first, last, room)
        return spread

    def _moved(self, source: Array, before: Layout, first: int, last: int) -> bool:
        """Enter the states at these positions; False if one has found no room."""
        layout = self.layout
        moved: bool = jit_order.move_states(
            source, before.words, before.word, before.shift, before.mask,
            self.table, layout.words, self.slots, layout.word, layout.shift, first, last,
            np.empty(jit_order.AHEAD * layout.words, np.uint64), np.empty(jit_order.AHEAD, np.int64),
        )  # fmt: skip
        return moved


def _all_moved(parts: Sequence[bool]) -> None:
    """Raise AssertionError if a state found no slot: it would be lost, and nobody would know."""
    if not all(parts):
        raise AssertionError(
            f"a state is more than {jit_expand.BEYOND:,} slots from its first choice; this is a defect of sdnloom"
        )


def _array(slots: int, words: int) -> Array:
    """Zeros for so many slots; a large table gets an area in which it can grow."""
    length = (slots + jit_expand.BEYOND) * words
    area = area_for(8 * length) if slots > _SMALL else None
    return np.zeros(length, np.uint64) if area is None else area.view(np.uint64)
