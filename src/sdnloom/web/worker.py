"""A queue of calls that one thread makes, one after the other.

Programs have threads and stacks of their own that belong to the thread in which they were made, so requests of a
server, which come in threads of their own, hand their work over.
"""

import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from sdnloom.errors import SdnloomError

_T = TypeVar("_T")
_LOOK = 0.25  # seconds between two looks for signals


class WorkerEndedError(SdnloomError):
    """A call that was ended with the worker."""


class Worker:
    """Makes calls in the thread that is in `run`."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()

    def begin(self, call: Callable[[], _T]) -> "Future[_T]":
        """Hand a call over."""
        future: Future[_T] = Future()
        self._calls.put((call, future))
        return future

    def call(self, call: Callable[[], _T]) -> _T:
        """The result of a call, or the exception that it raised."""
        return self.begin(call).result()

    def run(self) -> None:
        """Make the calls that are handed over, until `stop`. Ctrl-C ends it, also in the middle of a call."""
        while (item := self._next()) is not None:
            call, future = item
            try:
                result = call()
            except Exception as error:  # for the thread that asked
                future.set_exception(error)
            except BaseException:
                future.set_exception(WorkerEndedError("the explorer is ending"))
                raise
            else:
                future.set_result(result)

    def _next(self) -> tuple[Callable[[], Any], Future[Any]] | None:
        """The next call. A wait without end would not be woken by a Ctrl-C that another thread receives."""
        while True:
            try:
                return self._calls.get(timeout=_LOOK)
            except queue.Empty:
                continue

    def stop(self) -> None:
        """Let `run` return after the calls that were handed over before."""
        self._calls.put(None)
