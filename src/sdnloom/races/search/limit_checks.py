"""Limits, Ctrl-C and progress of a search for races, on the LimitWatch of the engine."""

from collections.abc import Callable
from typing import Final

from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Progress, SearchEvent

_INTERVAL: Final = 16  # ticks between two reads of the clock


class StopSearch(Exception):  # noqa: N818  (a signal, no error)
    """Ends a search early; the message is the reason."""


class LimitChecks:
    """Raises StopSearch when a limit is reached or Ctrl-C was pressed, and sends progress events."""

    def __init__(self, watch: LimitWatch, on_event: Callable[[SearchEvent], None]) -> None:
        self.watch = watch
        self._on_event = on_event
        self._ticks = 0

    def tick(self) -> None:
        """Check the interrupt flag, and the limits every few calls."""
        self._ticks += 1
        if self.watch.interrupted or self._ticks % _INTERVAL == 0:
            reason = self.watch.reason_to_stop()
            if reason is not None:
                raise StopSearch(reason)

    def stored(self, states: int, progress: Callable[[], Progress]) -> None:
        """Check the number of stored states, then tick; send a progress event if one is due."""
        limit = self.watch.limits.states
        if limit is not None and states > limit:
            raise StopSearch(f"the limit of {limit:,} states was reached")
        self.tick()
        if self._ticks % _INTERVAL == 0 and self.watch.progress_due():
            self._on_event(progress())
