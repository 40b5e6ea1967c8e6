"""Which new states have values that were not met before, in the columns that a property or an observer reads."""

from collections.abc import Iterator, Sequence

import numpy as np

from sdnloom.engine.kernel import jit_memo, jit_order
from sdnloom.engine.kernel.growing_arrays import grown
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.kernel.states import States

_FOUND = 1 << 10  # positions that are found at a time


class NewRows:
    """The combinations of values that some columns have had so far."""

    def __init__(self, columns: Sequence[int]) -> None:
        self._columns = np.array(columns, np.int64)
        self._seen = np.zeros((1 << 6, max(1, len(columns))), np.int32)
        self._index = np.zeros(1 << 8, np.int32)
        self._n = np.zeros(1, np.int64)
        self._found = np.zeros(_FOUND, np.int64)

    def positions(self, states: States, flags: Array, unwanted: int, reporting: Array) -> Iterator[int]:
        """The first state of each new combination, in order.

        Only states without the unwanted flags count and, unless `reporting` is empty, those whose first value reports.
        """
        layout, at = states.layout, 0
        while at < states.count:
            many, at = jit_order.find_new_rows(
                layout.word, layout.shift, layout.mask, states.words, layout.words, at, flags, unwanted, reporting,
                self._columns, self._seen, self._index, self._n, self._found,
            )  # fmt: skip
            yield from self._found[:many].tolist()
            if 2 * self._n[0] + 2 >= len(self._index) or self._n[0] >= len(self._seen):
                self._seen = grown(self._seen, 2 * len(self._seen))
                self._index = np.zeros(2 * len(self._index), np.int32)
                jit_memo.reindex(self._index, self._seen, self._n[0], len(self._columns))
