"""Limits of a run, Ctrl-C, and the pace of progress events."""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from sdnloom.engine.result import Limits

_PROGRESS_SECONDS = 0.5
_GRACE_SECONDS = 1.0  # for a step that runs when the time is over
_STATM = Path("/proc/self/statm")


def resident_bytes() -> int:
    """The resident memory of this process; 0 if the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


class TimeLimitReached(KeyboardInterrupt):
    """Raised in user code that runs on after the time limit. Like Ctrl-C it is no error of that code."""


class LimitWatch:
    """Says between batches of work whether to stop and whether a progress event is due.

    `spent` seconds of the time limit have passed before.
    """

    def __init__(self, limits: Limits, spent: float = 0) -> None:
        self.limits, self._spent = limits, spent
        self.started = time.monotonic()
        self.interrupted = False
        self._next_progress = self.started + _PROGRESS_SECONDS

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """The seconds left of the time limit."""
        return math.inf if self.limits.seconds is None else self.limits.seconds - self._spent - self.seconds

    def reason_to_stop(self) -> str | None:
        """Why the run should end now, or None. The engines themselves check the limits on states and depth, exactly."""
        if self.interrupted:
            return "interrupted"
        if self.limits.seconds is not None and self.left <= 0:
            return f"the time limit of {self.limits.seconds:g} s was reached"
        if self.limits.memory is not None and resident_bytes() >= self.limits.memory:
            return f"the memory limit of {self.limits.memory / 1e6:,.0f} MB was reached"
        return None

    def progress_due(self) -> bool:
        """Whether it is time for a progress event."""
        now = time.monotonic()
        if now < self._next_progress:
            return False
        self._next_progress = now + _PROGRESS_SECONDS
        return True

    @contextmanager
    def catching_interrupts(self, noted: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Turn the first Ctrl-C into a flag, and call `noted`; a second one interrupts as usual.

        An exception could interrupt a search in the middle of an update.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(signum: int, frame: FrameType | None) -> None:
            if self.interrupted:
                signal.default_int_handler(signum, frame)
            self.interrupted = True
            noted()

        previous = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    @contextmanager
    def ending_steps(self, under_way: Callable[[], str | None]) -> Iterator[None]:
        """Raise TimeLimitReached in a step that runs on after the time limit, repeatedly if the step catches it."""
        if self.limits.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return

        def end(signum: int, frame: FrameType | None) -> None:
            if (what := under_way()) is not None:
                raise TimeLimitReached(what)

        previous = signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, max(self.left, 0) + _GRACE_SECONDS, 0.1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
