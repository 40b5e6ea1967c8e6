"""Where a run may end early: between steps by itself, and inside of user code that does not end by a signal.

A limit or Ctrl-C ends a run with LimitReached. `check_limits` raises it between steps, where nothing is half done. A
signal (`limits.py`) raises it in the middle of user code, so it may do that only inside of `interruptible`. Law: who
runs user code in there throws away what that code has touched; our own work around it is `shielded`.
"""

import threading
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

Result = TypeVar("Result")


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
        self.struck: str | None = None  # why user code was ended


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


def end_user_code(reason: str) -> NoReturn:
    """Raise LimitReached in user code that is under way. For signals: everything else calls `check_limits`."""
    _thread.struck = reason
    raise LimitReached(reason)


# These contexts are no generators: those could be left by a signal and end much later, when they are collected.


class limits_in_force:  # noqa: N801 (a context)
    """Context in which `check_limits` asks this function. With None nothing ends the code inside early."""

    def __init__(self, reason_to_stop: Callable[[], str | None] | None) -> None:
        self._inside = reason_to_stop

    def __enter__(self) -> None:
        self._before = _thread.reason_to_stop, _thread.struck
        self._depth = len(_thread.under_way)
        _thread.reason_to_stop, _thread.struck = self._inside, None

    def __exit__(self, *error: object) -> None:
        _thread.reason_to_stop, _thread.struck = self._before
        del _thread.under_way[self._depth :]  # what a signal has ended may have left its entry


class interruptible:  # noqa: N801 (a context)
    """Context of user code that may be ended anywhere; without a text it is a part of the code around it.

    Code that catches what ends it has not ended as it should: the context raises LimitReached then.
    """

    def __init__(self, what: str = "") -> None:
        self._what = what

    def __enter__(self) -> None:
        inside = _thread.under_way
        self._depth = len(inside)
        inside.append(self._what or next((each for each in reversed(inside) if each is not None), "the program"))

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        del _thread.under_way[self._depth :]
        if _thread.struck is not None and (kind is None or not issubclass(kind, LimitReached)):
            raise LimitReached(_thread.struck)


def call_interruptibly(what: str, function: Callable[[Any, Any], Result], one: Any, other: Any) -> Result:
    """The function's result; it runs as inside of `interruptible(what)`, without the cost of a context."""
    thread = _thread
    inside = thread.under_way
    depth = len(inside)
    inside.append(what)
    try:
        result = function(one, other)
    except BaseException as error:
        del inside[depth:]
        if thread.struck is not None and not isinstance(error, LimitReached):
            raise LimitReached(thread.struck) from error
        raise
    del inside[depth:]
    if thread.struck is not None:
        raise LimitReached(thread.struck)
    return result


class shielded:  # noqa: N801 (a context)
    """Context of our own work, which is never ended in the middle."""

    def __enter__(self) -> None:
        self._depth = len(_thread.under_way)
        _thread.under_way.append(None)

    def __exit__(self, *error: object) -> None:
        del _thread.under_way[self._depth :]  # what a signal has ended may have left its entry
