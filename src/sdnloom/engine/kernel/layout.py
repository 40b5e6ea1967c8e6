"""How a state is packed into 64-bit words: a field for each column, in which its value's number stands.

The top bit of each word is always set, so that 0 is an empty slot of the visited table and a word that is still being
written. The low half of the last word is the number of the state.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdnloom.engine.kernel.jit_expand import NUMBER_BITS
from sdnloom.errors import SdnloomError

Array = npt.NDArray[Any]

_MARK = np.uint64(1 << 63)
_WORD_BITS = 63
_MOST_BITS = 31  # of a field: numbers of places and memories are 32-bit integers


class Layout:
    """The fields of a state with so many different values in each column, and bits to spare where words have them."""

    def __init__(self, counts: Sequence[int]) -> None:
        bits = [max(0, count - 1).bit_length() for count in counts]
        if max(bits, default=0) > _MOST_BITS:
            raise SdnloomError(
                f"more than {1 << _MOST_BITS:,} different places of one component; set a limit on states"
            )
        members = _distributed(bits)
        self.words = len(members)
        self.word, self.shift = np.zeros(len(bits), np.int64), np.zeros(len(bits), np.uint64)
        for number, columns in enumerate(members):
            last = number == self.words - 1
            _spend(bits, columns, _room(last))
            shift = NUMBER_BITS if last else 0
            for column in columns:
                self.word[column], self.shift[column] = number, shift
                shift += bits[column]
        self.mask = np.array([(1 << width) - 1 for width in bits], np.uint64)

    def holds(self, counts: Sequence[int]) -> bool:
        """Whether so many values have room."""
        return all(count - 1 <= mask for count, mask in zip(counts, self.mask.tolist(), strict=True))

    def pack(self, values: Sequence[int]) -> Array:
        """The words of a state."""
        words = [int(_MARK)] * self.words
        for value, word, shift in zip(values, self.word.tolist(), self.shift.tolist(), strict=True):
            words[word] |= value << shift
        return np.array(words, np.uint64)

    def unpack(self, states: Array, columns: Sequence[int] | None = None) -> Array:
        """The values of states in these columns, a row for each state."""
        which = list(range(len(self.word))) if columns is None else list(columns)
        rows = states.reshape(-1, self.words)
        return ((rows[:, self.word[which]] >> self.shift[which]) & self.mask[which]).astype(np.int64)


def _room(last: bool) -> int:
    return _WORD_BITS - NUMBER_BITS if last else _WORD_BITS


def _distributed(bits: Sequence[int]) -> list[list[int]]:
    """The columns in each word, in as few words as a first fit of the widest columns needs; at least two."""
    words = max(2, -(-(sum(bits) + NUMBER_BITS) // _WORD_BITS))
    while True:
        left = [_room(number == words - 1) for number in range(words)]
        members: list[list[int]] = [[] for _ in range(words)]
        for column in sorted(range(len(bits)), key=lambda column: -bits[column]):
            fitting = [number for number in range(words) if left[number] >= bits[column]]
            if not fitting:
                break
            # Every word is to have bits to spare in the end, in proportion to its columns.
            word = max(fitting, key=lambda number: (left[number] - bits[column]) / _room(number == words - 1))
            left[word] -= bits[column]
            members[word].append(column)
        else:
            return members
        words += 1


def _spend(bits: list[int], columns: Sequence[int], room: int) -> None:
    """Give the bits that a word has to spare to its columns, in proportion to those they have."""
    needed = {column: max(1, bits[column]) for column in columns}
    for _ in range(room - sum(bits[column] for column in columns)):
        open_columns = [column for column in columns if bits[column] < _MOST_BITS]
        if open_columns:
            bits[min(open_columns, key=lambda column: bits[column] / needed[column])] += 1
