"""Names of libraries that have threads or random numbers of their own: asyncio, eventlet, multiprocessing, numpy.

Each function returns the values of names of a module for one program.
"""

import asyncio
import errno
import os
import weakref
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from sdnloom.platforms.process.process import Process
from sdnloom.platforms.sandbox.clock import Draws
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.sync import waitables
from sdnloom.platforms.sandbox.threads import HubThread

Source = Callable[[ModuleType], Mapping[str, Any]]


def asyncio_names(hub: Hub) -> dict[str, Source]:
    """Return names of asyncio: each thread of the hub has a running loop of its own."""

    def get_running() -> Any:
        return None if hub.current is None else hub.current.event_loop

    def set_running(loop: Any) -> None:
        if hub.current is not None:
            hub.current.event_loop = loop

    def require_running() -> Any:
        loop = get_running()
        if loop is None:
            raise RuntimeError("no running event loop")
        return loop

    def get_loop(*args: Any, **kwargs: Any) -> Any:
        return get_running() or asyncio.get_event_loop_policy().get_event_loop()

    names = {
        "_get_running_loop": get_running,
        "_set_running_loop": set_running,
        "get_running_loop": require_running,
        "get_event_loop": get_loop,
        "_get_event_loop": get_loop,
    }

    def of_events(module: ModuleType) -> Mapping[str, Any]:
        policy = module.DefaultEventLoopPolicy() if hasattr(module, "DefaultEventLoopPolicy") else None
        return {**names, "_event_loop_policy": policy}

    return {"asyncio.events": of_events}


def eventlet_names(hub: Hub, sockets: Mapping[str, Any]) -> dict[str, Source]:
    """Return names of eventlet: its green threads are those of the hub."""
    waits = waitables(hub)

    def cancelled(thread: HubThread, *args: Any) -> None:
        thread.cancel()

    threads: dict[str, Any] = {
        "sleep": hub.sleep,
        "spawn": hub.spawn,
        "spawn_n": hub.spawn,
        "spawn_after": hub.spawn_after,
        "spawn_after_local": hub.spawn_after,
        "getcurrent": hub.getcurrent,
        "kill": lambda thread, *error: hub.kill(thread),
        "cancel": cancelled,
    }

    def listen(address: Any, family: int = 2, backlog: int = 50, **options: Any) -> Any:
        made = sockets["socket"](family)
        made.bind(address)
        made.listen(backlog)
        return made

    def connect(address: Any, family: int = 2, bind: Any = None) -> Any:
        made = sockets["socket"](family)
        if bind is not None:
            made.bind(bind)
        made.connect(address)
        return made

    def serve(*args: Any, **kwargs: Any) -> None:
        hub.wait_for_ever()

    class Pool:
        """A pool of threads without a bound: a thread that waits for room would only wait for threads that run."""

        def __init__(self, size: int = 1000) -> None:
            self.size, self.threads = size, list[HubThread]()

        def spawn(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> HubThread:
            """Start a thread."""
            self.threads = [each for each in self.threads if not each.dead]
            self.threads.append(hub.spawn(function, *args, **kwargs))
            return self.threads[-1]

        spawn_n = spawn

        def waitall(self) -> None:
            """Wait for the end of all threads."""
            hub.joinall(self.threads)

        def running(self) -> int:
            """Return how many threads have not ended."""
            return sum(not each.dead for each in self.threads)

        def free(self) -> int:
            """Return how many threads may still be started."""
            return self.size - self.running()

    def of(names: Mapping[str, Any]) -> Source:
        return lambda module: {name: each for name, each in names.items() if hasattr(module, name)}

    calls = {"listen": listen, "connect": connect, "serve": serve, "monkey_patch": lambda *args, **which: None}
    return {
        "eventlet": of({**threads, **calls, "GreenPool": Pool, "Timeout": waits["Timeout"], "Queue": waits["Queue"]}),
        "eventlet.patcher": of(calls),
        "eventlet.greenthread": of(threads),
        "eventlet.greenpool": of({"GreenPool": Pool}),
        "eventlet.convenience": of(calls),
        "eventlet.timeout": of({"Timeout": waits["Timeout"]}),
        "eventlet.queue": of({"Queue": waits["Queue"], "LightQueue": waits["Queue"]}),
        "eventlet.semaphore": of({name: waits[name] for name in ("Semaphore", "BoundedSemaphore")}),
        "eventlet.green.socket": of(sockets),
        "eventlet.green.time": of({"sleep": hub.sleep}),
        "eventlet.wsgi": of({"server": serve}),
        "gevent.monkey": lambda module: {
            name: lambda *args, **which: None for name in vars(module) if name.startswith("patch_")
        },
    }


def multiprocessing_names(process: Process, threading_names: Mapping[str, Any], queue: type) -> dict[str, Source]:
    """Return names of multiprocessing: no process can be started; queues and locks are those of threads."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        process.note(f"the app's process ({process.place()}) fails to start: a program under test has only its own")
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    locks = ("Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event")
    names = {
        **{name: threading_names[name] for name in locks},
        **dict.fromkeys(("Queue", "JoinableQueue", "SimpleQueue"), queue),
        **dict.fromkeys(("Pool", "Manager", "Pipe"), refuse),
        "cpu_count": lambda: 1,
    }
    popen = {"Popen": refuse}
    return {
        "multiprocessing": lambda module: names,
        **{f"multiprocessing.popen_{way}": lambda module: popen for way in ("fork", "spawn_posix", "forkserver")},
    }


def executor_names(process: Process) -> dict[str, Source]:
    """Return names of `concurrent.futures.thread`.

    Its registry of threads is asked when a process ends. The numbers of executors are in the names of their threads, so
    they are state of the program: a shared counter would give another number when the program is made again.
    """
    names = {
        "_threads_queues": weakref.WeakKeyDictionary(),
        "ThreadPoolExecutor._counter": lambda: process.next_number("executor", 0),
    }
    return {"concurrent.futures.thread": lambda module: names}


def numpy_names(draws: Draws) -> dict[str, Source]:
    """Return names of `numpy.random`: its global generator is seeded, before each draw, by the program's own."""

    def of_random(module: ModuleType) -> Mapping[str, Any]:
        made = module.RandomState

        def drawn(name: str) -> Callable[..., Any]:
            return lambda *args, **kwargs: getattr(made(draws.getrandbits(32)), name)(*args, **kwargs)

        names: dict[str, Any] = {
            name: drawn(name)
            for name, each in vars(module).items()
            if isinstance(getattr(each, "__self__", None), made) and not name.startswith(("get_", "set_", "_"))
        }
        return {**names, "seed": draws.seed}

    return {"numpy.random": of_random}
