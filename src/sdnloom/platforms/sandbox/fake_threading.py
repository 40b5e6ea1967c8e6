"""The modules `threading` and `queue` as a program under test sees them: their threads and waits are the hub's.

A real thread would run at any moment, and a real lock that is held would block the whole process. What is not here
(barriers) is Python's own code over these primitives; queues that count tasks are in `fake_queue.py`.
"""

import queue
import threading
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from sdnloom.platforms.sandbox.clock import SECOND, nanoseconds
from sdnloom.platforms.sandbox.fake_queue import TaskHeap, TaskQueue, TaskStack
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.sync import BoundedSemaphore as HubBoundedSemaphore
from sdnloom.platforms.sandbox.sync import Queue as HubQueue
from sdnloom.platforms.sandbox.sync import Semaphore as HubSemaphore
from sdnloom.platforms.sandbox.threads import HubThread as HubThread
from sdnloom.platforms.sandbox.threads import OldNames

_NO_EFFECT = ("settrace", "setprofile", "settrace_all_threads", "setprofile_all_threads")


class Thread(OldNames):
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
        self._thread.of_python = True
        self._thread.front = self

    def run(self) -> None:
        """Call the target."""
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end of the thread."""
        if self._thread is None:
            raise RuntimeError("cannot join thread before it is started")
        if self._thread is self.hub.current:
            raise RuntimeError("cannot join current thread")
        self._thread.wait(timeout)

    def is_alive(self) -> bool:
        """Whether the thread has started and not ended."""
        return self._thread is not None and not self._thread.dead

    @property
    def ident(self) -> int | None:
        """The thread's number."""
        return None if self._thread is None else self._thread.number

    native_id = ident

    def __repr__(self) -> str:
        word = "initial" if self._thread is None else "stopped" if self._thread.dead else "started"
        return f"<{type(self).__name__}({self.name}, {word})>"


class MainThread(Thread):
    """The thread that loads the apps."""

    def __init__(self) -> None:
        super().__init__(name="MainThread")

    def is_alive(self) -> bool:
        """Return True."""
        return True

    @property
    def ident(self) -> int:
        """0, which no other thread has."""
        return 0


class Timer(Thread):
    """A thread that starts after a delay."""

    def __init__(self, interval: float, function: Callable[..., Any], args: Any = None, kwargs: Any = None) -> None:
        super().__init__(target=function, args=args or (), kwargs=kwargs)
        self.interval = interval

    def start(self) -> None:
        """Start the timer."""
        if self._thread is not None:
            raise RuntimeError("threads can only be started once")
        self._thread = self.hub.spawn_after(self.interval, self.run)
        self._thread.front = self

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
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
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

    def _at_fork_reinit(self) -> None:
        """Nothing: the process of a library that forks, such as Ray's, runs no app; `logging` calls this there."""


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


class Condition:
    """A condition variable."""

    hub: ClassVar[Hub]
    lock: ClassVar[type[Lock]]

    def __init__(self, lock: Any = None) -> None:
        self._lock = self.lock() if lock is None else lock
        self._waiting: list[HubThread] = []
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self) -> Any:
        return self._lock.__enter__()

    def __exit__(self, *trouble: object) -> None:
        self._lock.__exit__(*trouble)

    def wait(self, timeout: float | None = None) -> bool:
        """Release the lock, wait until another thread notifies this one, and take the lock again."""
        depth = getattr(self._lock, "_depth", 1)
        for _ in range(depth):
            self._lock.release()
        try:
            return self.hub.block(self._waiting, timeout)
        finally:
            for _ in range(depth):
                self._lock.acquire()

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Wait until a predicate is true; return its value."""
        end = None if timeout is None else self.hub.clock.now + nanoseconds(timeout)
        while not (found := predicate()):
            left = None if end is None else (end - self.hub.clock.now) / SECOND
            if left is not None and left <= 0:
                break
            self.wait(left)
        return found

    def notify(self, n: int = 1) -> None:
        """Wake the threads that have waited longest."""
        for _ in range(n):
            self.hub.wake(self._waiting)

    def notify_all(self) -> None:
        """Wake all threads that wait."""
        while self._waiting:
            self.hub.wake(self._waiting)

    notifyAll = notify_all  # noqa: N815


class Local:
    """Attributes of which each thread has its own."""

    hub: ClassVar[Hub]

    def __new__(cls, *args: Any, **kwargs: Any) -> "Local":
        """Make it without attributes; each thread that uses it calls `__init__` with these arguments."""
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError("Initialization arguments are not supported")
        made = super().__new__(cls)
        object.__setattr__(made, "_of_threads", {})
        object.__setattr__(made, "_arguments", (args, kwargs))
        made._here()[_BEGUN] = True  # Python calls `__init__` in this thread
        return made

    def _here(self) -> dict[str, Any]:
        get = object.__getattribute__
        spaces = get(self, "_of_threads")
        for each in [each for each in spaces if isinstance(each, HubThread) and each.dead]:
            del spaces[each]
        thread = get(self, "hub").current
        key = "" if thread is None else thread.home or thread
        found: dict[str, Any] | None = spaces.get(key)
        if found is None:
            found = spaces[key] = {_BEGUN: True}
            args, kwargs = get(self, "_arguments")
            self.__init__(*args, **kwargs)  # type: ignore[misc]
        return found

    def __getattribute__(self, name: str) -> Any:
        get = object.__getattribute__
        if name == "__dict__":
            return {key: each for key, each in get(self, "_here")().items() if key != _BEGUN}
        if name in ("_here", "__init__", "__class__"):
            return get(self, name)
        here = get(self, "_here")()
        return here[name] if name in here else get(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._here()[name] = value

    def __delattr__(self, name: str) -> None:
        if name not in self._here():
            raise AttributeError(name)
        del self._here()[name]


_BEGUN = "(begun)"


def blocking_modules(hub: Hub, counts: Callable[[], bool] = lambda: False) -> dict[str, types.ModuleType]:
    """Return the two modules by name, made for this hub.

    `counts` is whether the program says when it is done with an item of a queue.
    """
    own = {kind.__name__: _made_for(hub, kind.__name__, kind) for kind in (Thread, Lock, RLock, Event)}
    for kind in (Timer, HubSemaphore, HubBoundedSemaphore):
        own[kind.__name__] = _made_for(hub, kind.__name__, kind)
    own["Condition"] = _made_for(hub, "Condition", Condition, lock=own["RLock"])
    own["local"] = _made_for(hub, "local", Local)
    main = _made_for(hub, "MainThread", MainThread)()

    def current() -> Any:
        thread = hub.current
        return main if thread is None else thread if thread.front is None else thread.front

    def alive() -> list[Any]:
        return [main, *(each if each.front is None else each.front for each in hub.threads)]

    def ident() -> int:
        return 0 if hub.current is None else hub.current.number

    thread_names: dict[str, Any] = {
        **own,
        "current_thread": current,
        "currentThread": current,
        "main_thread": lambda: main,
        "enumerate": alive,
        "active_count": lambda: len(alive()),
        "activeCount": lambda: len(alive()),
        "get_ident": ident,
        "get_native_id": ident,
        "stack_size": lambda size=0: 0,
        **dict.fromkeys(_NO_EFFECT, _nothing),
    }
    fifo = _made_for(hub, "Queue", TaskQueue, counts=staticmethod(counts))
    queue_names: dict[str, Any] = {
        "Queue": fifo,
        "SimpleQueue": _made_for(hub, "SimpleQueue", HubQueue),
        "LifoQueue": _made_for(hub, "LifoQueue", TaskStack, counts=staticmethod(counts)),
        "PriorityQueue": _made_for(hub, "PriorityQueue", TaskHeap, counts=staticmethod(counts)),
    }
    return {"threading": _changed(threading, thread_names), "queue": _changed(queue, queue_names)}


def _nothing(*args: Any, **kwargs: Any) -> None:
    pass


def real_thread_methods(hub: Hub) -> dict[str, Callable[..., Any]]:
    """Return methods for `threading.Thread`, for the threads of a library that is a subclass of the real class."""

    def thread_of(thread: Any) -> HubThread | None:
        found: HubThread | None = vars(thread).get("_hub_thread")
        return found

    def start(thread: Any) -> None:
        if thread_of(thread) is not None:
            raise RuntimeError("threads can only be started once")
        found = hub.spawn(thread.run)
        found.delayed, found.of_python, found.front = True, True, thread
        vars(thread)["_hub_thread"] = found

    def join(thread: Any, timeout: float | None = None) -> None:
        found = thread_of(thread)
        if found is None:
            raise RuntimeError("cannot join thread before it is started")
        found.wait(timeout)

    def is_alive(thread: Any) -> bool:
        found = thread_of(thread)
        return found is not None and not found.dead

    return {"start": start, "join": join, "is_alive": is_alive}


def low_level_names(hub: Hub) -> dict[str, Any]:
    """Return names of `_thread`."""

    def start(function: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: Any = None) -> int:
        thread = hub.spawn(function, *args, **(kwargs or {}))
        thread.delayed = thread.of_python = True
        return thread.number

    return {"start_new_thread": start, "start_new": start}


def _changed(module: types.ModuleType, names: Mapping[str, Any]) -> types.ModuleType:
    made = types.ModuleType(module.__name__, module.__doc__)
    vars(made).update(vars(module))
    vars(made).update(names)
    return made


def _made_for(hub: Hub, name: str, kind: type, **more: Any) -> type:
    return type(name, (kind,), {"__module__": __name__, "__doc__": kind.__doc__, "hub": hub, **more})
