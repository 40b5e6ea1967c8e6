"""Where a run may end early: between steps by itself, and inside of user code that does not end by a signal.

A limit or Ctrl-C ends a run with LimitReached. `check_limits` raises it between steps, where nothing is half done. A
signal (`limits.py`) raises it in the middle of user code, so it may do that only inside of `interruptible`. Law: who
runs user code in there throws away what that code has touched; our own work around it is `shielded`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class LimitReached(KeyboardInterrupt):
    """Ends a run at a limit or at Ctrl-C. Like Ctrl-C it is no error of the code in which it is raised."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class _Thread(threading.local):
    """What runs in this thread: the check of its limits, and the code under way, None where it is shielded."""

    def __init__(self) -> None:
        self.reason_to_stop: Callable[[], str | None] | None = None
        self.under_way: list[str | None] = []


_thread = _Thread()


def check_limits() -> None:
    """Raise LimitReached if a limit that is in force was reached. Call it where nothing is half done."""
    if _thread.reason_to_stop is not None and (reason := _thread.reason_to_stop()) is not None:
        raise LimitReached(reason)


def under_way() -> str | None:
    """The user code that runs now and may be ended, as text; None if there is none."""
    if _thread.reason_to_stop is None or not _thread.under_way:
        return None
    return _thread.under_way[-1]


@contextmanager
def limits_in_force(reason_to_stop: Callable[[], str | None] | None) -> Iterator[None]:
    """Context in which `check_limits` asks this function. With None nothing ends the code inside early."""
    before, depth = _thread.reason_to_stop, len(_thread.under_way)
    _thread.reason_to_stop = reason_to_stop
    try:
        yield
    finally:
        _thread.reason_to_stop = before
        del _thread.under_way[depth:]  # what a signal has ended may have left its entry


@contextmanager
def interruptible(what: str = "") -> Iterator[None]:
    """Context of user code that may be ended anywhere; without a text it is a part of the code around it."""
    inside = _thread.under_way
    inside.append(what or next((each for each in reversed(inside) if each is not None), "the program"))
    try:
        yield
    finally:
        inside.pop()


@contextmanager
def shielded() -> Iterator[None]:
    """Context of our own work, which is never ended in the middle."""
    depth = len(_thread.under_way)
    _thread.under_way.append(None)
    try:
        yield
    finally:
        del _thread.under_way[depth:]  # what a signal has ended may have left its entry
