"""A set of states as a bit array: some bits for each state, and how likely a new state is taken for a known one.

This is Holzmann's bitstate hashing. A state counts as known if all its bits are set, so a known state is never taken
for a new one; with a share f of the bits set, a new state is taken for a known one with probability f to the power of
the bits for each state, and is then left out.
"""

import math
import mmap

from sdnloom.engine.swarm.state_hash import SLOT_BITS, SLOT_MASK
from sdnloom.errors import SdnloomError


class BitArray:
    """A set of hashes of states that may take a new one for a known one."""

    def __init__(self, size: int, bits_per_state: int) -> None:
        """`size` is in bytes."""
        try:  # pages are zero, and are there when they are touched
            self._bytes = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, OverflowError, ValueError):
            raise SdnloomError(f"--memory is {size >> 20} MiB, more than this machine gives; expected less") from None
        self.size = size * 8
        self.bits_per_state = bits_per_state
        self.bits_set = 0

    def add(self, state_hash: int) -> bool:
        """Set the bits of a hash; whether one of them was not set, which means that the state is new."""
        array, size, before = self._bytes, self.size, self.bits_set
        for _ in range(self.bits_per_state):
            state_hash >>= SLOT_BITS
            place = (state_hash & SLOT_MASK) % size
            bit = 1 << (place & 7)
            if not array[place >> 3] & bit:
                array[place >> 3] |= bit
                self.bits_set += 1
        return self.bits_set != before

    @property
    def odds(self) -> float:
        """The probability that a new state would be taken for a known one now."""
        return odds_of_confusion(self.bits_set, self.size, self.bits_per_state)


def odds_of_confusion(bits_set: int, size: int, bits_per_state: int) -> float:
    """The probability that all bits of a new state are among those that are set."""
    return float((bits_set / size) ** bits_per_state)


def expected_omissions(fresh: int, odds: float) -> float:
    """How many new states were taken for known ones, on average, while so many others were recognised as new.

    Of new states met, a share of `odds` is left out, so for each one that is not there are odds / (1 - odds). A full
    array leaves out all of them: no number of states that were recognised says how many.
    """
    if fresh == 0:
        return 0.0
    return math.inf if odds == 1 else fresh * odds / (1 - odds)
