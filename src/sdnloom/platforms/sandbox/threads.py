"""Threads and timers of a program under test, and the effect of exceptions that escape from a thread."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from types import FrameType
from typing import TYPE_CHECKING, Any

import greenlet

from sdnloom.errors import SdnloomError
from sdnloom.platforms.sandbox.clock import SECOND
from sdnloom.platforms.sandbox.stable_hash import hash_by_class

if TYPE_CHECKING:
    from sdnloom.platforms.sandbox.hub import Hub


class HubError(SdnloomError):
    """A program uses a feature that the hub does not have. The message names it."""


class Flavour(Enum):
    """The hub of os-ken to emulate: its two hubs treat exceptions, `kill` and `Timeout` differently."""

    NATIVE = "native"
    EVENTLET = "eventlet"


class Effect(Enum):
    """Effect of an exception that escapes from a thread. The thread has ended in any case."""

    SILENT = "it is lost silently"
    LOGGED = "it is logged"
    RAISED = "threads that wait for this one get it"


@dataclass(frozen=True)
class EscapedException:
    """An exception that ended a thread."""

    thread: str
    error: BaseException
    effect: Effect


class Phase(Enum):
    """State of a thread."""

    LATER = "later"  # starts when its timer fires
    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    STUCK = "stuck"  # waits for something that never comes
    ENDED = "ended"


class OldNames:
    """The old names of methods of threads."""

    name: str
    daemon: bool

    def getName(self) -> str:  # noqa: N802
        """Return its name."""
        return self.name

    def setName(self, name: str) -> None:  # noqa: N802
        """Give it a name."""
        self.name = name

    def isDaemon(self) -> bool:  # noqa: N802
        """Whether it is a daemon."""
        return self.daemon

    def setDaemon(self, daemon: bool) -> None:  # noqa: N802
        """Make it a daemon or not; a scenario outlives no thread, so it makes no difference."""
        self.daemon = daemon


class HubThread(OldNames):
    """A function that the hub schedules. Numbers of threads that have ended are used again."""

    __hash__ = hash_by_class  # apps keep threads in sets

    def __init__(self, hub: "Hub", number: int, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._hub, self.number = hub, number
        self.raise_error: bool = kwargs.pop("raise_error", False)
        self._call = (function, args, kwargs)
        self.phase = Phase.READY
        self.pending: BaseException | None = None  # raised where it waits, at its next turn
        self.in_time = True
        self.delayed = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._joiners: list[HubThread] = []
        self._stack: greenlet.greenlet | None = None  # from its first turn to its end

    # Set for a few threads only: the object that the program knows it by, whether it is a thread of Python and not of
    # os-ken's hub, its event loop, a name, whether it is a daemon, and, where threads take turns at being one thread of
    # a real process, that thread.
    front: Any = None
    of_python: bool = False
    event_loop: Any = None
    _name: str | None = None
    daemon: bool = True
    home: str | None = None

    @property
    def label(self) -> str:
        """The name of its home or function, and the thread's number, for a trace."""
        function = self._call[0]
        name = self.home or getattr(function, "__qualname__", type(function).__qualname__)
        return f"{name}#{self.number}"

    @property
    def name(self) -> str:
        """The name that the program gave it, or its label."""
        return self.label if self._name is None else self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = str(name)

    @property
    def ident(self) -> int:
        """Its number."""
        return self.number

    native_id = ident

    @property
    def has_begun(self) -> bool:
        """Whether the thread is between its first turn and its end."""
        return self._stack is not None

    @property
    def waiting_frame(self) -> FrameType | None:
        """The innermost frame of a thread that waits inside of a call."""
        return None if self._stack is None else self._stack.gr_frame

    @property
    def target(self) -> Callable[..., Any]:
        """The function that the thread runs; for a thread or timer of `threading` the one that it was given."""
        function = self._call[0]
        wraps = getattr(function, "__module__", "").startswith("sdnloom.platforms.")
        return (getattr(getattr(function, "__self__", None), "_target", None) if wraps else None) or function

    @property
    def dead(self) -> bool:
        """Whether the thread has ended."""
        return self.phase is Phase.ENDED

    def is_alive(self) -> bool:
        """Whether the thread has not ended."""
        return not self.dead

    def wait(self, timeout: float | None = None) -> Any:
        """Wait for the end of the thread. On eventlet, return its result or raise what `raise_error` lets through."""
        while not self.dead:
            if not self._hub.block(self._joiners, timeout):
                return None
        if self._hub.flavour is Flavour.NATIVE:
            return None
        if self.error is not None and self.raise_error:
            raise self.error
        return self.result

    join = wait

    def kill(self) -> None:
        """End the thread; see `Hub.kill`."""
        self._hub.kill(self)

    def cancel(self) -> None:
        """End the thread if it has not begun; a native thread cannot be cancelled, a native timer can."""
        if not self.has_begun and not self.dead and (self.delayed or self._hub.flavour is Flavour.EVENTLET):
            self._hub.forget(self)

    def __repr__(self) -> str:
        return f"<thread {self.label} {self.phase.value}>"


class HubTimer:
    """A timer that is due `left` nanoseconds from now."""

    def __init__(self, left: int, thread: HubThread | None, expire: Callable[[], None] | None = None) -> None:
        self.left, self.thread, self.expire = left, thread, expire

    @property
    def name(self) -> str:
        """The purpose of the timer, for a trace."""
        return (
            f"{'wake' if self.expire is None else 'timeout'} {'' if self.thread is None else self.thread.label}".strip()
        )

    def __repr__(self) -> str:
        return f"<{self.name} in {self.left / SECOND} s>"
