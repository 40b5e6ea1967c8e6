"""A sample of the states of a member: those with the smallest hashes, by the hash that all members share.

Whether a state is in the sample depends on its contents and on a threshold, not on the member, so the samples of
several members tell which states more than one of them has found.
"""

from sdnloom.engine.swarm.state_hash import SLOT_BITS

MEMBER_SAMPLE = 1 << 14


class BottomSample:
    """The `size` smallest of the numbers added; each is added once."""

    def __init__(self, size: int = MEMBER_SAMPLE) -> None:
        self._size = size
        self._kept: list[int] = []
        self.threshold = 1 << SLOT_BITS  # numbers of at least that need not be added

    def add(self, number: int) -> None:
        """Keep a number if it is among the smallest so far."""
        self._kept.append(number)
        if len(self._kept) >= 2 * self._size:
            self._cut()

    def _cut(self) -> None:
        self._kept = sorted(self._kept)[: self._size]
        if len(self._kept) == self._size:
            self.threshold = self._kept[-1]

    def smallest(self) -> tuple[int, ...]:
        """The smallest numbers in order; fewer than `size` are all that were added."""
        self._cut()
        return tuple(self._kept)
