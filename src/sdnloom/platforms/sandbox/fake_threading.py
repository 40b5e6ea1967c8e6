"""The modules `threading` and `queue` as a program under test sees them: their threads and waits are the hub's.

A real thread would run at any moment, and a real lock that is held would block the whole process. Conditions, barriers
and thread-local data are refused when they are used.
"""

import queue
import threading
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.sync import BoundedSemaphore as HubBoundedSemaphore
from sdnloom.platforms.sandbox.sync import Queue as HubQueue
from sdnloom.platforms.sandbox.sync import Semaphore as HubSemaphore
from sdnloom.platforms.sandbox.threads import HubThread as HubThread

REFUSED = ("Condition", "Barrier", "local")


class Thread:
    """A thread that the hub schedules."""

    hub: ClassVar[Hub]

    def __init__(
        self,
        group: None = None,
        target: Callable[..., Any] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        self._target, self._args, self._kwargs = target, tuple(args), dict(kwargs or {})
        self.name, self.daemon = name or "Thread", bool(daemon)
        self._thread: HubThread | None = None

    def start(self) -> None:
        """Make the thread ready to run."""
        if self._thread is not None:
            raise RuntimeError("threads can only be started once")
        self._thread = self.hub.spawn(self.run)
        self._thread.delayed = True  # Python prints an exception that escapes from it, os-ken's hub does not

    def run(self) -> None:
        """Call the target."""
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end of the thread."""
        if self._thread is None:
            raise RuntimeError("cannot join thread before it is started")
        self._thread.wait(timeout)

    def is_alive(self) -> bool:
        """Whether the thread has started and not ended."""
        return self._thread is not None and not self._thread.dead

    @property
    def ident(self) -> int | None:
        """The thread's number."""
        return None if self._thread is None else self._thread.number


class Timer(Thread):
    """A thread that starts after a delay."""

    def __init__(self, interval: float, function: Callable[..., Any], args: Any = None, kwargs: Any = None) -> None:
        super().__init__(target=function, args=args or (), kwargs=kwargs)
        self.interval = interval

    def start(self) -> None:
        """Start the timer."""
        self._thread = self.hub.spawn_after(self.interval, self.run)

    def cancel(self) -> None:
        """Cancel the timer if it has not fired."""
        if self._thread is not None:
            self._thread.cancel()


class Lock:
    """A lock."""

    hub: ClassVar[Hub]

    def __init__(self) -> None:
        self._held = False
        self._waiting: list[HubThread] = []

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock, waiting for it; return False after a timeout."""
        while self._held:
            if not blocking or not self.hub.block(self._waiting, None if timeout < 0 else timeout):
                return False
        self._held = True
        return True

    def release(self) -> None:
        """Release the lock."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False
        self.hub.wake(self._waiting)

    def locked(self) -> bool:
        """Whether the lock is held."""
        return self._held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *trouble: object) -> None:
        self.release()


class RLock(Lock):
    """A lock that its owner can take again."""

    def __init__(self) -> None:
        super().__init__()
        self._owner: HubThread | None = None
        self._depth = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock once more, or wait for it."""
        if self._held and self._owner is self.hub.current:
            self._depth += 1
            return True
        if not super().acquire(blocking, timeout):
            return False
        self._owner, self._depth = self.hub.current, 1
        return True

    def release(self) -> None:
        """Release the lock once; it is free after as many releases as acquisitions."""
        if not self._held or self._owner is not self.hub.current:
            raise RuntimeError("cannot release un-acquired lock")
        self._depth -= 1
        if not self._depth:
            self._owner = None
            super().release()


class Event:
    """An event flag."""

    hub: ClassVar[Hub]

    def __init__(self) -> None:
        self._flag = False
        self._waiting: list[HubThread] = []

    def is_set(self) -> bool:
        """Whether the flag is set."""
        return self._flag

    def set(self) -> None:
        """Set the flag and wake all waiting threads."""
        self._flag = True
        while self._waiting:
            self.hub.wake(self._waiting)

    def clear(self) -> None:
        """Clear the flag."""
        self._flag = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the flag; return whether it is set."""
        if not self._flag:
            self.hub.block(self._waiting, timeout)
        return self._flag


class Lifo(HubQueue):
    """A last-in, first-out queue."""

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Remove the newest item, waiting for one."""
        if not self._await(self.empty, self._getting, block, timeout):
            raise queue.Empty
        item = self.queue.pop()
        self.hub.wake(self._putting)
        return item


def blocking_modules(hub: Hub) -> dict[str, types.ModuleType]:
    """Return the two modules by name, made for this hub."""
    own = {kind.__name__: _made_for(hub, kind.__name__, kind) for kind in (Thread, Lock, RLock, Event)}
    own["Timer"] = _made_for(hub, "Timer", Timer)
    for kind in (HubSemaphore, HubBoundedSemaphore):
        own[kind.__name__] = _made_for(hub, kind.__name__, kind)
    thread_names: dict[str, Any] = {
        **own,
        **{name: _refusal(hub, f"threading.{name}") for name in REFUSED},
        "current_thread": hub.getcurrent,
        "get_ident": lambda: 0 if hub.current is None else hub.current.number,
    }
    fifo = _made_for(hub, "Queue", HubQueue)
    queue_names: dict[str, Any] = {
        "Queue": fifo,
        "SimpleQueue": fifo,
        "LifoQueue": _made_for(hub, "LifoQueue", Lifo),
        "PriorityQueue": _refusal(hub, "queue.PriorityQueue"),
    }
    return {"threading": _changed(threading, thread_names), "queue": _changed(queue, queue_names)}


def _changed(module: types.ModuleType, names: Mapping[str, Any]) -> types.ModuleType:
    made = types.ModuleType(module.__name__, module.__doc__)
    vars(made).update(vars(module))
    vars(made).update(names)
    return made


def _made_for(hub: Hub, name: str, kind: type) -> type:
    return type(name, (kind,), {"__module__": __name__, "__doc__": kind.__doc__, "hub": hub})


def _refusal(hub: Hub, name: str) -> type:
    def refuse(self: object, *args: Any, **kwargs: Any) -> None:
        raise hub.refuse(name)

    return type(name.rpartition(".")[2], (), {"__init__": refuse, "__module__": __name__})
