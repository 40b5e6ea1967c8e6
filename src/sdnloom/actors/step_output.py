"""What a step of a task prints: kept, because results go to the same streams, and shown if that is asked for."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST_LINES_PRINTED = 1_000  # of one step that are kept
# What is told each line that a task prints, as long as a check runs.
PRINTED: ContextVar[Callable[[str], object] | None] = ContextVar("PRINTED", default=None)


class StepOutput(io.TextIOBase):
    """The standard streams of one step. What a task prints while it is run again is dropped: it was printed before."""

    def __init__(self, is_repeated: Callable[[], bool]) -> None:
        super().__init__()
        self._is_repeated = is_repeated
        self._parts: list[str] = []

    def write(self, text: str, /) -> int:
        """Keep a text."""
        if not self._is_repeated():
            self._parts.append(text)
        return len(text)

    def writable(self) -> bool:
        """Yes."""
        return True

    def close(self) -> None:
        """Do nothing: the next step of the program has output, too."""

    @contextmanager
    def redirected(self) -> Iterator[None]:
        """Context in which what this process prints is output of the step."""
        before = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines so far."""
        return tuple("".join(self._parts).splitlines()[:MOST_LINES_PRINTED]) if self._parts else ()
