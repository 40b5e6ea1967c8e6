"""The process that a program under test believes to run in: its end, its signals, and what is outside of it.

Nothing that the program does to its process reaches the process of sdnloom. A program that ends its process
(`os.kill`, `os._exit`, `os.abort`, a signal without a handler) runs no further. What lies outside of a scenario, such
as servers, connections and other processes, is inert; each use is noted, for the bounds of a verdict.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from os import chdir
from pathlib import Path
from sys import setrecursionlimit
from typing import Any, NamedTuple

from sdnloom.platforms.handler_errors import library_file
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.threads import Flavour, HubThread

PID, PARENT = 1000, 1
_ENDED, _VARIABLES = "process ended", "environment variables"
_HARMLESS = frozenset({signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH})
_NEVER_CAUGHT = frozenset({signal.SIGKILL, signal.SIGSTOP})
_OURS = str(Path(__file__).parents[2])  # the package


class NoCommandError(FileNotFoundError):
    """A program starts another process: the command is not found, as if it were not installed."""


class ProcessEnd(NamedTuple):
    """How a program ended its own process, and where."""

    how: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


class Process:
    """The process of one program.

    Its end and its signal handlers are state of the program. `notes` and the rest are facts about the whole run.
    `is_own` says whether a file belongs to the program. The owner sets `starting`, whether the main thread still runs.
    """

    def __init__(self, hub: Hub, is_own: Callable[[str], bool]) -> None:
        self.hub, self.is_own = hub, is_own
        self.end: ProcessEnd | None = None
        self.handlers: dict[int, Any] = {}
        self.alarms: dict[str, HubThread] = {}  # at most one, under its kind
        self.variables: dict[Any, Any] = {}  # of the environment, as `os.environ` keeps them
        self._given: dict[Any, Any] = {}
        self.numbers: dict[str, int] = {}  # the next numbers of files, ports, threads and executors
        self.notes: dict[str, None] = {}
        self.starting = True
        self.folder: str | None = None  # the working directory that the program chose
        self.recursion: int | None = None
        self._outside, self._outside_limit = "", 0

    @property
    def in_main_thread(self) -> bool:
        """Whether the code that runs now is in the main thread of a real process: os-ken loads apps there."""
        return self.starting or self.hub.flavour is Flavour.EVENTLET

    def line(self) -> tuple[str, int]:
        """Return file and line of the innermost call that is in a file of the program, else of the innermost one."""
        frame, first = sys._getframe(1), None
        while frame is not None:
            file = frame.f_code.co_filename
            if self.is_own(file):
                return Path(file).name, frame.f_lineno
            if first is None and not file.startswith(_OURS):
                first = library_file(file), frame.f_lineno
            if frame.f_back is None:
                break
            frame = frame.f_back
        return first or ("?", 0)

    def place(self) -> str:
        """Return file and line of that call as text."""
        return "{}:{}".format(*self.line())

    def next_number(self, what: str, first: int) -> int:
        """Return the next number of something that a process numbers; what comes after it is state of the program."""
        number = self.numbers.get(what, first)
        self.numbers[what] = number + 1
        return number

    def settle(self) -> None:
        """Declare that the program is loaded: from now on its environment variables are state."""
        self._given = dict(self.variables)

    def note(self, text: str) -> None:
        """Note something for the bounds."""
        self.notes[text] = None

    def finish(self, how: str) -> None:
        """End the process: the thread that runs never continues, and no other thread gets a turn."""
        if self.end is None:
            self.end = ProcessEnd(how, *self.line())
        if self.hub.current is not None:
            self.hub.wait_for_ever(dead=True)  # told to end, it could catch that and go on

    def move_to(self, folder: Any) -> None:
        """Change the working directory, while the program runs."""
        before = os.getcwd()
        chdir(folder)
        if self.folder is None:
            self._outside = before
        self.folder = os.getcwd()

    def limit_recursion(self, limit: int) -> None:
        """Set the recursion limit, while the program runs."""
        before = sys.getrecursionlimit()
        setrecursionlimit(limit)
        if self.recursion is None:
            self._outside_limit = before
        self.recursion = limit

    def enter(self) -> None:
        """Set the working directory and recursion limit that the program has chosen."""
        if self.folder is not None:
            self._outside = os.getcwd()
            with suppress(OSError):  # the program may have removed it
                chdir(self.folder)
        if self.recursion is not None:
            self._outside_limit = sys.getrecursionlimit()
            setrecursionlimit(self.recursion)

    def leave(self) -> None:
        """Restore those of sdnloom."""
        if self.folder is not None:
            chdir(self._outside)
        if self.recursion is not None:
            setrecursionlimit(self._outside_limit)

    # Signals.

    def deliver(self, number: int, how: str) -> None:
        """Do what a signal to this process does: call its handler, nothing, or end the process."""
        handler = self.handler_of(number)
        if callable(handler) and handler is not signal.default_int_handler:
            handler(number, None)
        elif handler is signal.SIG_IGN or (handler is signal.SIG_DFL and number in _HARMLESS):
            return
        else:
            self.finish(how)

    def handler_of(self, number: int) -> Any:
        """Return the handler of a signal."""
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        return self.handlers.get(int(number), default)

    def handle_signal(self, number: int, handler: Any) -> Any:
        """Set the handler of a signal and return the one before, as `signal.signal` does."""
        if not self.in_main_thread:
            raise ValueError("signal only works in main thread of the main interpreter")
        if not callable(handler) and handler not in (signal.SIG_IGN, signal.SIG_DFL):
            raise TypeError("signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a callable object")
        if number in _NEVER_CAUGHT or number not in signal.valid_signals():
            raise OSError(22, "Invalid argument")
        before = self.handler_of(number)
        if isinstance(handler, int):
            handler = signal.Handlers(handler)
        self.handlers[int(number)] = handler
        return before

    def set_alarm(self, seconds: float, interval: float = 0) -> float:
        """Send this process SIGALRM after a time, and then at intervals; 0 sends none. Return the seconds left."""
        left = self.alarm_left()
        for each in self.alarms.values():
            each.cancel()
        self.alarms.clear()
        if seconds > 0:
            self.alarms["alarm"] = self.hub.spawn_after(seconds, self._ring, interval)
        return left

    def alarm_left(self) -> float:
        """Return the seconds to the next alarm; 0 if none is set."""
        waiting = list(self.alarms.values())
        return next((timer.left / 1e9 for timer in self.hub.timers if timer.thread in waiting), 0.0)

    def _ring(self, interval: float) -> None:
        self.alarms.clear()
        if interval > 0:
            self.alarms["alarm"] = self.hub.spawn_after(interval, self._ring, interval)
        self.deliver(signal.SIGALRM, "the signal SIGALRM")

    # State of the program.

    def save(self) -> dict[str, Any]:
        """Return end, handlers, alarm and numbers by name; nothing for a program that uses none of them."""
        saved: dict[str, Any] = {} if self.end is None else {_ENDED: self.end}
        for word, found in self._dicts():
            for key, each in found.items():
                saved[f"{word}{key}"] = each
        if self.variables != self._given:
            saved[_VARIABLES] = dict(self.variables)
        return saved

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore them; other names are ignored."""
        self.end = saved.get(_ENDED)
        self.variables.clear()
        self.variables.update(saved.get(_VARIABLES, self._given))
        for word, found in self._dicts():
            names = [name for name in saved if name.startswith(word)]
            found.clear()
            for name in names:
                key = name[len(word) :]
                found[int(key) if found is self.handlers else key] = saved[name]

    def _dicts(self) -> tuple[tuple[str, dict[Any, Any]], ...]:
        return ("signal ", self.handlers), ("alarm ", self.alarms), ("number ", self.numbers)
