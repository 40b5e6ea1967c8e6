"""What a step of a task, or a check, prints: kept, because results go to the same streams, and shown on request."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST_LINES_PRINTED = 1_000  # of one step that are kept


class StepWatch:
    """What steps do that no state shows: `printed` is given each line, `emitted` is whether some step had an event."""

    def __init__(self, printed: Callable[[str], object]) -> None:
        self.printed = printed
        self.emitted = False


WATCH: ContextVar[StepWatch | None] = ContextVar("WATCH", default=None)  # of the check that runs now, if one does


class StepOutput(io.TextIOBase):
    """The standard streams of one step. What a task prints while it is run again is dropped: it was printed before."""

    def __init__(self, is_repeated: Callable[[], bool] = lambda: False) -> None:
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
        """Context in which what this process prints is output of the step; the check that runs now is told of it."""
        before = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before
            if (watch := WATCH.get()) is not None:
                for line in self.lines:
                    watch.printed(line)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines so far."""
        return tuple("".join(self._parts).splitlines()[:MOST_LINES_PRINTED]) if self._parts else ()
