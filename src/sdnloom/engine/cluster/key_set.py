"""The keys of visited states that a worker owns, in one hash set for each of its threads."""

from functools import partial

import numpy as np

from sdnloom.engine.cluster import jit_keys
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.kernel.threads import Team

_FIRST_SLOTS = 1 << 10
_FULLEST = 0.8  # share of the slots that may be used
_GROWTH = 1.5
_BLOCK = 1 << 14  # keys for which there is room at a time, as if all of them were new


class KeySet:
    """A set of 128-bit keys, as rows of two words; no key is 0."""

    def __init__(self, team: Team) -> None:
        self._team = team
        self._tables = [np.zeros(2 * _FIRST_SLOTS, np.uint64) for _ in range(team.size)]
        self._counts = [0] * team.size

    def __len__(self) -> int:
        return sum(self._counts)

    @property
    def nbytes(self) -> int:
        """The memory of the sets."""
        return sum(table.nbytes for table in self._tables)

    def claim(self, keys: Array) -> Array:
        """Add keys; for each 1 if it is new, the first of equal ones."""
        first = np.zeros(len(keys), np.uint8)
        for start in range(0, len(keys), _BLOCK):
            ends = start, start + _BLOCK
            self._team.run(partial(self._claim, keys[slice(*ends)], first[slice(*ends)]), len(self._tables))
        return first

    def _claim(self, keys: Array, first: Array, part: int) -> None:
        self._make_room(part, self._counts[part] + len(keys))
        table = self._tables[part]
        self._counts[part] += int(jit_keys.claim_keys(table, len(table) // 2, keys, part, len(self._tables), first))

    def keys(self) -> Array:
        """All keys."""
        found = np.zeros((len(self), 2), np.uint64)
        count = 0
        for table in self._tables:
            count = int(jit_keys.list_keys(table, found, count))
        return found

    def _make_room(self, part: int, count: int) -> None:
        slots = len(self._tables[part]) // 2
        if count <= slots * _FULLEST:
            return
        while count > slots * _FULLEST:
            slots = int(slots * _GROWTH)
        larger = np.zeros(2 * slots, np.uint64)
        jit_keys.move_keys(self._tables[part], larger, slots)
        self._tables[part] = larger
