"""Limits of a run, Ctrl-C, and the pace of progress events."""

import gc
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic  # the function itself: while an app runs, `time` is the app's
from types import FrameType

from sdnloom.engine.result import Limits
from sdnloom.engine.stop_points import LimitReached, end_user_code, limits_in_force, under_way

LOADING = "while the program was loaded"
_PROGRESS_SECONDS = 0.5
_GRACE_SECONDS = 1.0  # for a step that runs when the time is over
_STRIKE_SECONDS = 0.1  # between two attempts to end a step
_MEMORY_PACE = 0.02  # seconds between two looks at the memory between steps: a look takes longer than most steps
_STATM = Path("/proc/self/statm")


def resident_bytes() -> int:
    """The resident memory of this process; 0 if the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def available_cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class LimitWatch:
    """Says between steps whether to stop and whether a progress event is due, and ends user code that runs on.

    `spent` seconds of the time limit have passed before. One watch serves a whole run: `during` names the phase.
    """

    def __init__(self, limits: Limits, spent: float = 0) -> None:
        self.limits, self._spent = limits, spent
        self.started = monotonic()
        self.interrupted = False
        self._phase = ""
        self._next_progress = self.started + _PROGRESS_SECONDS
        self._next_look, self._over_memory = 0.0, False
        self._in_force = False

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return monotonic() - self.started

    @property
    def left(self) -> float:
        """The seconds left of the time limit."""
        return math.inf if self.limits.seconds is None else self.limits.seconds - self._spent - self.seconds

    @property
    def is_half_over(self) -> bool:
        """Whether half of the time limit has passed."""
        return self.limits.seconds is not None and self.left < self.limits.seconds / 2

    @contextmanager
    def during(self, phase: str) -> Iterator[None]:
        """Name what is done inside, in reasons to stop: "while the app was loaded". A search has no name."""
        before, self._phase = self._phase, phase
        try:
            yield
        finally:
            self._phase = before

    def reason_to_stop(self) -> str | None:
        """Why the run should end now, or None. The engines themselves check the limits on states and depth, exactly."""
        reason = self._reason()
        return reason and f"{reason} {self._phase}".rstrip()

    def _reason(self) -> str | None:
        if self.interrupted:
            return "interrupted"
        if self.limits.seconds is not None and self.left <= 0:
            return f"the time limit of {self.limits.seconds:g} s was reached"
        if self.limits.memory is not None and self._memory_used_up():
            return f"the memory limit of {self.limits.memory / 1e6:,.0f} MB was reached"
        return None

    def _memory_used_up(self) -> bool:
        assert self.limits.memory is not None
        now = monotonic()
        if now >= self._next_look:
            self._over_memory = resident_bytes() >= self.limits.memory
            self._next_look = now + _MEMORY_PACE
        return self._over_memory

    def progress_due(self) -> bool:
        """Whether it is time for a progress event."""
        now = monotonic()
        if now < self._next_progress:
            return False
        self._next_progress = now + _PROGRESS_SECONDS
        return True

    @contextmanager
    def catching_interrupts(self, noted: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Turn the first Ctrl-C into a flag, and call `noted`; a second one ends user code that runs, or else the run.

        An exception could interrupt a search in the middle of an update.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(signum: int, frame: FrameType | None) -> None:
            if self.interrupted:
                if (what := under_way()) is not None:
                    end_user_code(f"interrupted {self._phase or f'in {what}'}")
                signal.default_int_handler(signum, frame)
            self.interrupted = True
            noted()

        previous = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Context in which `check_limits` knows these limits, and user code that runs on after them is ended.

        It is ended by LimitReached, again and again if it catches that. Only the main thread can be ended so.
        """
        if self._in_force:
            yield
            return
        self._in_force = True
        try:
            with limits_in_force(self.reason_to_stop), self._ending_user_code():
                yield
        finally:
            self._in_force = False

    @contextmanager
    def _ending_user_code(self) -> Iterator[None]:
        timed, sized = self.limits.seconds is not None, self.limits.memory is not None
        if not (timed or sized) or threading.current_thread() is not threading.main_thread():
            yield
            return
        looks = 0  # at which the memory was used up: at the second one no step has ended since the first

        def end(signum: int, frame: FrameType | None) -> None:
            nonlocal looks
            late = timed and self.left <= -_GRACE_SECONDS
            looks = looks + 1 if sized and self._memory_used_up() else 0
            if (late or looks > 1) and (what := under_way()) is not None:
                end_user_code(f"{self._reason()} {self._phase or f'in {what}'}")

        unraisable = sys.unraisablehook

        def swallowed(what: "sys.UnraisableHookArgs") -> None:
            if not isinstance(what.exc_value, LimitReached):
                unraisable(what)

        first = _STRIKE_SECONDS if sized else max(self.left + _GRACE_SECONDS, 0.001)  # 0 would mean never
        previous = signal.signal(signal.SIGALRM, end)
        sys.unraisablehook = swallowed  # a strike in a destructor is no error: the next one ends the code
        signal.setitimer(signal.ITIMER_REAL, first, _STRIKE_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.unraisablehook = unraisable
            signal.signal(signal.SIGALRM, previous)


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the garbage collector: a search allocates millions of values, keeps them, and they have no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
