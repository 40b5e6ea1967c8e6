"""What a program under test prints and logs: kept as distinct lines with counts, and shown when it is asked for."""

import io
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sdnloom.platforms.capture.save_restore import CapturedAspect
from sdnloom.platforms.process.program_thread import in_program
from sdnloom.platforms.sandbox.clock import EPOCH, SECOND, Clock

MAX_LINES = 10_000
MAX_WIDTH = 2_000


class OutputLine(NamedTuple):
    """A line that a program printed, when ("load", "start" or "run"), and how often."""

    when: str
    text: str
    times: int


class OutputLog:
    """The output of one program: distinct lines in the order in which they first came, at most MAX_LINES.

    `when` is what the program does at the moment. A listener gets each line as it comes.
    """

    def __init__(self) -> None:
        self.when = "load"
        self._lines: dict[tuple[str, str], int] = {}
        self.dropped = 0
        self.listener: Callable[[str], None] | None = None
        self._begun = ""
        self._muted = False

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
        times = self._lines.get(key)
        if times is None and len(self._lines) >= MAX_LINES:
            self.dropped += 1
        else:
            self._lines[key] = (times or 0) + 1
        if self.listener is not None:
            self.listener(line)

    def take_over(self, before: "OutputLog") -> None:
        """Continue the log of the same program, made before."""
        self._lines, self.dropped, self.listener = before._lines, before.dropped, before.listener

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Context in which output is dropped: the program does something again, or ends where it waits."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before

    @contextmanager
    def shown_by(self, listener: Callable[[str], None]) -> Iterator[None]:
        """Context in which each line is passed on as it comes."""
        before, self.listener = self.listener, listener
        try:
            yield
        finally:
            self.listener = before


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


class RootLevel(int):
    """The level of the root logger as it is outside, until a program sets another one."""
