"""Events, queues, semaphores and timeouts of a hub, with the semantics of os-ken's two hubs.

Each class is made for one hub (`waitables`), because programs construct, subclass and catch them by class.
"""

import collections
import queue
from typing import Any, ClassVar, Literal

from sdnloom.platforms.sandbox.clock import SECOND, nanoseconds
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.threads import Flavour, HubThread, HubTimer


class Timeout(BaseException):
    """eventlet's timeout: when it expires, the call in which the thread waits raises this object."""

    hub: ClassVar[Hub]

    def __init__(self, seconds: float | None = None, exception: Any = None) -> None:
        self.seconds, self.exception = seconds, exception
        self._timer: HubTimer | None = None
        self._begin()

    def _begin(self) -> None:
        self.start()

    def start(self) -> "Timeout":
        """Start the timeout."""
        thread = self.hub.current
        # Outside of threads nothing can wait, so the timeout would never expire.
        if self.seconds is not None and thread is not None:
            self._timer = HubTimer(nanoseconds(max(self.seconds, 0)), thread, self._expire)
            self.hub.timers.append(self._timer)
        return self

    @property
    def pending(self) -> bool:
        """Whether the timeout is running."""
        return self._timer in self.hub.timers

    def cancel(self) -> None:
        """Cancel the timeout."""
        if self._timer in self.hub.timers:
            self.hub.timers.remove(self._timer)
        self._timer = None

    def _error(self) -> BaseException:
        given = self if self.exception is None or isinstance(self.exception, bool) else self.exception
        found: BaseException = given() if isinstance(given, type) else given
        return found

    def _expire(self) -> None:
        assert self._timer is not None
        thread = self._timer.thread
        assert thread is not None
        thread.pending = self._error()
        self.hub.make_ready(thread)

    def __enter__(self) -> "Timeout":
        if not self.pending:
            self.start()
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> bool:
        self.cancel()
        return value is self and self.exception is False

    def __str__(self) -> str:
        if self.seconds is None:
            return ""
        return f"{self.seconds} second{'' if self.seconds == 1 else 's'}"


class NativeTimeout(Timeout):
    """The native hub's timeout: it interrupts nothing; leaving the block late raises."""

    def _begin(self) -> None:
        self._over = False

    def _expire(self) -> None:
        self._over = True

    def cancel(self) -> None:
        """Cancel the timeout; os-ken's native hub cannot cancel one without a duration."""
        if self._timer is None:
            raise AttributeError("'NoneType' object has no attribute 'cancel'")
        if self._timer in self.hub.timers:
            self.hub.timers.remove(self._timer)

    def __enter__(self) -> "Timeout":
        if self._timer is None:
            self.start()
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> Literal[False]:
        if self.seconds is not None and self._timer is None:
            return False  # entered outside of threads, where no time passes
        self.cancel()
        if self._over and self.exception is not False:
            self._over = False
            raise self._error()
        return False


class Event:
    """An event flag. On the native hub a wait with a timeout ignores the timeout."""

    hub: ClassVar[Hub]
    timeout: ClassVar[type[Timeout]]

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[HubThread] = []

    def is_set(self) -> bool:
        """Whether the flag is set."""
        return self._is_set

    def set(self) -> None:
        """Set the flag and wake all waiting threads."""
        self._is_set = True
        while self._waiting:
            self.hub.wake(self._waiting)

    def clear(self) -> None:
        """Clear the flag."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the flag; return whether it is set."""
        if timeout is None:
            self._wait()
        else:
            try:
                with self.timeout(timeout):
                    self._wait()
            except self.timeout:
                pass  # also a timeout of another block, as in os-ken
        return self._is_set

    def _wait(self) -> None:
        while not self._is_set:
            self.hub.block(self._waiting)


class Queue:
    """A queue, bounded if `maxsize` is positive."""

    hub: ClassVar[Hub]

    def __init__(self, maxsize: int | None = None) -> None:
        if maxsize == 0 and self.hub.flavour is Flavour.EVENTLET:
            raise self.hub.refuse("Queue(0), which on eventlet hands over from thread to thread")
        unbounded = None if self.hub.flavour is Flavour.EVENTLET else 0
        self.maxsize = maxsize if maxsize is not None and maxsize > 0 else unbounded
        self.queue: collections.deque[Any] = collections.deque()
        self._getting: list[HubThread] = []
        self._putting: list[HubThread] = []

    def qsize(self) -> int:
        """Return the number of items."""
        return len(self.queue)

    def empty(self) -> bool:
        """Whether there is no item."""
        return not self.queue

    def full(self) -> bool:
        """Whether there is no room."""
        return bool(self.maxsize) and len(self.queue) >= (self.maxsize or 0)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item, waiting for room; `queue.Full` after the timeout."""
        if not self._await(self.full, self._putting, block, timeout):
            raise queue.Full
        self.queue.append(item)
        self.hub.wake(self._getting)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Remove the oldest item, waiting for one; `queue.Empty` after the timeout."""
        if not self._await(self.empty, self._getting, block, timeout):
            raise queue.Empty
        item = self.queue.popleft()
        self.hub.wake(self._putting)
        return item

    def put_nowait(self, item: Any) -> None:
        """Add an item or raise `queue.Full`."""
        self.put(item, block=False)

    def get_nowait(self) -> Any:
        """Remove the oldest item or raise `queue.Empty`."""
        return self.get(block=False)

    def _await(self, is_so: Any, waiting: list[HubThread], block: bool, timeout: float | None) -> bool:
        end = None if timeout is None else self.hub.clock.now + nanoseconds(timeout)
        while is_so():
            left = None if end is None else (end - self.hub.clock.now) / SECOND
            if not block or not self.hub.block(waiting, left):
                return not is_so()
        return True


class Semaphore:
    """A counting semaphore."""

    hub: ClassVar[Hub]

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self.counter = value
        self._waiting: list[HubThread] = []

    def locked(self) -> bool:
        """Whether the counter is zero."""
        return self.counter == 0

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Decrement the counter, waiting until it is positive; return False after the timeout."""
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        end = None if timeout is None else self.hub.clock.now + nanoseconds(timeout)
        while self.counter == 0:
            left = None if end is None else (end - self.hub.clock.now) / SECOND
            if not blocking or (not self.hub.block(self._waiting, left) and self.counter == 0):
                return False
        self.counter -= 1
        return True

    def release(self, blocking: bool = True) -> None:
        """Increment the counter and wake the longest waiting thread."""
        self.counter += 1
        self.hub.wake(self._waiting)

    def __enter__(self) -> "Semaphore":
        self.acquire()
        return self

    def __exit__(self, *trouble: object) -> None:
        self.release()


class BoundedSemaphore(Semaphore):
    """A semaphore whose counter never exceeds its initial value."""

    def __init__(self, value: int = 1) -> None:
        super().__init__(value)
        self._bound = value

    def release(self, blocking: bool = True) -> None:
        """Increment the counter; ValueError beyond its initial value."""
        if self.counter >= self._bound:
            raise ValueError("Semaphore released too many times")
        super().release()


def waitables(hub: Hub) -> dict[str, type]:
    """Return the classes for this hub, by their names in os-ken's hub."""
    timeout = Timeout if hub.flavour is Flavour.EVENTLET else NativeTimeout
    own: dict[str, type] = {"Timeout": _made_for(hub, "Timeout", timeout)}
    own["Event"] = _made_for(hub, "Event", Event, timeout=own["Timeout"])
    for kind in (Queue, Semaphore, BoundedSemaphore):
        own[kind.__name__] = _made_for(hub, kind.__name__, kind)
    return own


def _made_for(hub: Hub, name: str, kind: type, **more: Any) -> type:
    return type(name, (kind,), {"__module__": __name__, "__doc__": kind.__doc__, "hub": hub, **more})
