"""Bounds on a search, and the one way to end it early."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Limits:
    """None is no bound. `max_states` counts stored search states, each of which stands for a set of table vectors."""

    max_states: int | None = None
    time_limit: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is."""

    depth: int
    stored: int
    frontier: int
    races: int


NO_LIMITS: Final = Limits()
_EVERY: Final = 16


class LimitReachedError(Exception):
    """A limit was reached; the message says which."""


@dataclass
class Watch:
    """Raises LimitReachedError when a limit is reached, and reports progress now and then."""

    limits: Limits = NO_LIMITS
    report: Callable[[Progress], None] | None = None
    _started: float = field(default_factory=time.monotonic)
    _ticks: int = 0

    def stored(self, states: int, progress: Callable[[], Progress]) -> None:
        """Check the number of stored states and the clock; report how far the search is."""
        most = self.limits.max_states
        if most is not None and states > most:
            raise LimitReachedError(f"the limit of {most} states is reached")
        self.tick()
        if self.report is not None and self._ticks % _EVERY == 0:
            self.report(progress())

    def tick(self) -> None:
        """Check the clock every few calls."""
        self._ticks += 1
        limit = self.limits.time_limit
        if limit is not None and self._ticks % _EVERY == 0 and time.monotonic() - self._started > limit:
            raise LimitReachedError(f"the time limit of {limit:g} s is reached")
