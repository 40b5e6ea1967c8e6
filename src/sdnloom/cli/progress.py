"""Progress of a search, or of an exploration of handlers, on stderr."""

import time

from rich.console import Console

from sdnloom.engine.result import STOPPING, CounterexampleFound, Finished, Notice, Progress, SearchEvent
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.report.describe import counted
from sdnloom.symbolic.path_search import PathRun

SECONDS_BETWEEN_LINES = 10


class _ProgressLine:
    """A line on stderr: replaced in a terminal, elsewhere a new one every ten seconds."""

    def __init__(self, console: Console | None, first: str) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._printed = 0.0
        self._status = self._console.status(first)
        self._shown = False

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._console.print(text, markup=False, soft_wrap=True)

    def follow(self, text: str, seconds: float) -> None:
        """Show a text, so many seconds after the start."""
        if self._console.is_terminal:
            self._status.update(text)
            if not self._shown:
                self._shown = True
                self._status.start()
        elif seconds - self._printed >= SECONDS_BETWEEN_LINES:
            self._printed = seconds
            self.say(text)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        if self._shown:
            self._status.stop()
            self._shown = False


class SearchProgress:
    """A line that follows the search, and a last one with the rates."""

    def __init__(self, console: Console | None = None) -> None:
        self._line = _ProgressLine(console, "searching")

    def __call__(self, event: SearchEvent) -> None:
        match event:
            case Progress():
                self._follow(event)
            case Notice():
                self._line.say(f"note: {event.text}")
            case CounterexampleFound() if not event.witness:
                steps = counted(len(event.counterexample.path), "step")
                self._line.say(f"found: {event.counterexample.property} violated after {steps}")
            case Finished():
                self.stop()
                self._last(event)

    def _follow(self, progress: Progress) -> None:
        rate = progress.states / progress.seconds if progress.seconds else 0
        text = (
            f"{counted(progress.states, 'state')}, {rate:,.0f} states/s, {progress.frontier:,} waiting, "
            f"depth {progress.depth}, {progress.memory >> 20:,} MiB"
        )
        self._line.follow(text, progress.seconds)

    def _last(self, event: Finished) -> None:
        done = event.result.statistics
        rate = done.transitions / done.seconds if done.seconds else 0
        self._line.say(f"{done.seconds:.2f} s, {rate:,.0f} transitions/s, {done.engine} engine")

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._line.stop()


class InputsProgress:
    """A line that follows an exploration of handlers."""

    def __init__(self, console: Console | None = None) -> None:
        self._line = _ProgressLine(console, "exploring")
        self._began = time.monotonic()

    def __call__(self, question: HandlerQuestion, run: PathRun) -> None:
        text = (
            f"{question.skeleton.stack.name}: {counted(run.paths, 'run')}, {counted(run.classes, 'class')}, "
            f"{run.waiting:,} waiting"
        )
        self._line.follow(text, time.monotonic() - self._began)

    def interrupted(self) -> None:
        """Say that Ctrl-C was noticed."""
        self._line.say(f"note: {STOPPING.text}")

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._line.stop()
