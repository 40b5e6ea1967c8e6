"""Clock and random numbers of a program under test.

Time stands still until a timer fires. Random numbers are a function of a seed and the number of draws; or draws among a
few alternatives become choices that a search explores.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import Any

SECOND = 1_000_000_000
EPOCH = 1_700_000_000 * SECOND  # 2023-11-14 22:13:20 UTC: the time at the start of a run


def nanoseconds(seconds: float) -> int:
    """Return a duration as a whole number, so that sums are exact."""
    return round(seconds * SECOND)


class Clock:
    """The time since the start, in nanoseconds."""

    def __init__(self) -> None:
        self.now = 0

    def seconds(self) -> float:
        """Return the time since the start."""
        return self.now / SECOND


class Draws(random.Random):
    """Random numbers from a seed and a count of draws: a state of two values instead of 625.

    A draw among at most `widest` alternatives takes the next one of the script or, after its end, the first, and
    records how many there were; `next_script` computes the script of the next run. At most `budget` draws of a run are
    choices, the others are random.
    """

    def __init__(self, seed: object = 0, widest: int = 0, budget: int = 0) -> None:
        self._key, self._count = repr(seed), 0
        self.widest, self.budget = widest, budget
        self._script: tuple[int, ...] = ()
        self.made: list[tuple[int, int]] = []
        super().__init__(0)
        self.seed(seed)

    def begin(self, script: Sequence[int] = ()) -> None:
        """Start a run whose first choices are those of the script."""
        self._script, self.made = tuple(script), []

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Start again from a seed; None is a seed too, for there is no other source of randomness."""
        self._key, self._count = repr(a), 0
        self.gauss_next = None

    def getrandbits(self, k: int, /) -> int:
        """Return a number of k bits."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        found = b""
        while len(found) * 8 < k:
            self._count += 1
            found += hashlib.blake2b(f"{self._count} {self._key}".encode()).digest()
        return int.from_bytes(found, "big") >> (len(found) * 8 - k)

    def random(self) -> float:
        """Return a number of [0, 1)."""
        return self.getrandbits(53) / (1 << 53)

    def _randbelow(self, n: int) -> int:
        """Return a number below n; `choice`, `randrange`, `shuffle` and `sample` call this."""
        if 1 < n <= self.widest and len(self.made) < self.budget:
            place = len(self.made)
            pick = self._script[place] if place < len(self._script) else 0
            self.made.append((pick, n))
            return pick
        k = n.bit_length()
        found = self.getrandbits(k)
        while found >= n:
            found = self.getrandbits(k)
        return found

    def getstate(self) -> Any:
        """Return seed and count."""
        return self._key, self._count, self.gauss_next

    def setstate(self, state: Any) -> None:
        """Continue from a seed and a count."""
        self._key, self._count, self.gauss_next = state


def next_script(made: Sequence[tuple[int, int]]) -> tuple[int, ...] | None:
    """Return the script after a run that made these choices, in depth-first order; None after the last one."""
    picks = list(made)
    while picks and picks[-1][0] + 1 == picks[-1][1]:
        picks.pop()
    return (*(pick for pick, _ in picks[:-1]), picks[-1][0] + 1) if picks else None
