"""What a program under test prints and logs: kept as distinct lines with counts, and shown when it is asked for."""

import io
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sdnloom.network.events import Printed
from sdnloom.network.program import OutputLine
from sdnloom.platforms.capture.save_restore import CapturedAspect
from sdnloom.platforms.process.program_thread import in_program
from sdnloom.platforms.sandbox.clock import EPOCH, SECOND, Clock

MAX_LINES = 10_000
MAX_WIDTH = 2_000
NOT_KEPT = f"(a line that was not kept: {MAX_LINES:,} distinct ones are)"
_Keeper = TypeVar("_Keeper", bound="OutputKeeper")


class OutputLog:
    """The output of one program: distinct lines in the order in which they first came; after MAX_LINES only NOT_KEPT.

    `when` is what the program does at the moment.
    """

    def __init__(self) -> None:
        self.when = "load"
        self._lines: dict[tuple[str, str], int] = {}
        self.recent: list[str] | None = None  # the lines of this step, if they are wanted
        self._begun = ""
        self._muted = False
        self._streams = PlainStream(self), PlainStream(self)

    @property
    def lines(self) -> tuple[OutputLine, ...]:
        """The lines so far; one that has not ended yet is not among them."""
        order = {"load": 0, "start": 1}
        found = [OutputLine(when, text, times) for (when, text), times in self._lines.items()]
        return tuple(sorted(found, key=lambda each: order.get(each.when, 2)))

    def write(self, text: str) -> None:
        """Add text."""
        if not text or self._muted:
            return
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self.add(line)
        if len(self._begun) > MAX_WIDTH:
            self.add(self._begun)
            self._begun = ""

    def add(self, line: str) -> None:
        """Add one line."""
        line = line.rstrip("\r")[:MAX_WIDTH]
        key = self.when, line
        if key not in self._lines and len(self._lines) >= MAX_LINES:
            key = self.when, NOT_KEPT
        self._lines[key] = self._lines.get(key, 0) + 1
        if self.recent is not None and len(self.recent) < MAX_LINES:
            self.recent.append(line)

    def take_recent(self) -> list[str]:
        """End the line that has begun, and return the lines since the last call, if they are wanted."""
        if self._begun:
            self.add(self._begun)
            self._begun = ""
        found, self.recent = self.recent or [], None if self.recent is None else []
        return found

    @contextmanager
    def redirected(self) -> Iterator[None]:
        """Context in which what this thread prints is output of the program."""
        before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = self._streams
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Context in which output is dropped: the program does something again, or ends where it waits."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before


class OutputKeeper:
    """Base of programs whose output is kept in a log (`KeepsOutput`)."""

    log: OutputLog

    @property
    def output(self) -> tuple[OutputLine, ...]:
        """What the program has printed and logged so far."""
        return self.log.lines

    def show_output(self) -> None:
        """Add what the program prints to the events of its reactions from now on."""
        self.log.take_recent()
        self.log.recent = []

    def _printed(self) -> tuple[Printed, ...]:
        """Return the lines since the last call as events, if they are to be shown."""
        return tuple(map(Printed, self.log.take_recent()))

    def _shown_alike(self, twin: _Keeper) -> _Keeper:
        """Return a copy of this program that shows its output if this one does."""
        if self.log.recent is not None:
            twin.show_output()
        return twin


class OutputStream(CapturedAspect, io.TextIOBase):
    """The standard output or error of a program; what other threads of this process write goes to the real one."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, log: OutputLog, name: str) -> None:
        super().__init__()
        self._log = log
        self.name, self._real_name = f"<{name}>", f"__{name}__"

    @property
    def buffer(self) -> "OutputBytes":
        """The stream for bytes."""
        return OutputBytes(self)

    def write(self, text: str, /) -> int:
        """Write text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if in_program():
            self._log.write(text)
        else:
            getattr(sys, self._real_name).write(text)
        return len(text)

    def writable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Do nothing: a program may close its output, and its next search begins with an open one."""


class PlainStream(io.TextIOBase):
    """A stream that writes to an output log."""

    def __init__(self, log: OutputLog) -> None:
        super().__init__()
        self._log = log

    def write(self, text: str, /) -> int:
        """Write text."""
        self._log.write(text)
        return len(text)

    def writable(self) -> bool:
        """Return True."""
        return True


class OutputBytes(CapturedAspect, io.RawIOBase):
    """The stream for bytes beneath an OutputStream."""

    def __init__(self, stream: OutputStream) -> None:
        super().__init__()
        self._stream = stream

    def write(self, data: Any, /) -> int:
        """Write bytes."""
        self._stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def writable(self) -> bool:
        """Return True."""
        return True


class OutputHandler(logging.Handler):
    """Writes log records of a program to its output; those of other threads go to the handlers of this process."""

    def __init__(self, log: OutputLog) -> None:
        super().__init__()
        self._log, self._others = log, logging.root.handlers

    def handle(self, record: logging.LogRecord) -> bool:
        """Write a record, without a lock: a program's threads run one at a time."""
        if in_program():
            self.emit(record)
        else:
            for each in self._others:
                each.handle(record)
        return True

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        self._log.write(f"{self.format(record)}\n")


def record_factory(clock: Clock) -> Callable[..., logging.LogRecord]:
    """Return the function that makes log records, with the time of the program."""

    def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = logging.LogRecord(*args, **kwargs)
        if in_program():
            now = EPOCH + clock.now
            record.created, record.msecs = now / SECOND, float(now % SECOND // 1_000_000)
            record.relativeCreated = clock.now / 1e6
        return record

    return make


class AppLogger(logging.Logger):
    """A logger that a program made. os-ken's manager shows messages from INFO on."""

    def getEffectiveLevel(self) -> int:  # noqa: N802
        """Return the level of the nearest logger above that has one; INFO if that of the root was not set."""
        found = super().getEffectiveLevel()
        return logging.INFO if isinstance(found, RootLevel) else found


def is_enabled_for(logger: logging.Logger, level: int) -> bool:
    """Return what `Logger.isEnabledFor` does, without the cache of the logger.

    Loggers of libraries are shared, and the levels above them differ inside and outside of a program.
    """
    return not logger.disabled and logger.manager.disable < level and level >= logger.getEffectiveLevel()


class RootLevel(int):
    """The level of the root logger as it is outside, until a program sets another one."""
