"""The queues of the module `queue` as a program under test sees them: they wait on the hub."""

import heapq
import queue
from collections.abc import Callable
from typing import Any, ClassVar

from sdnloom.platforms.sandbox.sync import Queue as HubQueue
from sdnloom.platforms.sandbox.threads import HubThread


class TaskQueue(HubQueue):
    """A first-in, first-out queue whose users may say when they are done with an item."""

    _unfinished: ClassVar[int] = 0
    _joining: ClassVar[list[HubThread]] = []

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item, waiting for room."""
        super().put(item, block, timeout)
        if self.counts():
            self._unfinished = self._unfinished + 1  # type: ignore[misc]

    def task_done(self) -> None:
        """Say that an item that was taken is done with."""
        if self._unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self._unfinished = self._unfinished - 1  # type: ignore[misc]
        while self._unfinished == 0 and self._joining:
            self.hub.wake(self._joining)

    def join(self) -> None:
        """Wait until all items are done with."""
        if "_joining" not in vars(self):
            self._joining = []  # type: ignore[misc]
        while self._unfinished:
            self.hub.block(self._joining)

    @property
    def unfinished_tasks(self) -> int:
        """How many items are not done with."""
        return self._unfinished

    # Whether the program ever says so. If not, a count that only grows would tell all its states apart.
    counts: Callable[[], bool] = staticmethod(lambda: False)


class TaskStack(TaskQueue):
    """A last-in, first-out queue."""

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Remove the newest item, waiting for one."""
        if not self._await(self.empty, self._getting, block, timeout):
            raise queue.Empty
        item = self.queue.pop()
        self.hub.wake(self._putting)
        return item


class TaskHeap(TaskQueue):
    """A queue that gives the least item first."""

    def __init__(self, maxsize: int | None = None) -> None:
        super().__init__(maxsize)
        self.queue: Any = []

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item, waiting for room."""
        super().put(item, block, timeout)
        heapq.heapify(self.queue)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Remove the least item, waiting for one."""
        if not self._await(self.empty, self._getting, block, timeout):
            raise queue.Empty
        item = heapq.heappop(self.queue)
        self.hub.wake(self._putting)
        return item
