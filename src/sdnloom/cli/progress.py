"""Progress of a search, or of an exploration of handlers, on stderr."""

import time

from rich.console import Console

from sdnloom.engine.result import STOPPING, CounterexampleFound, Finished, Notice, Progress, SearchEvent
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.report.describe import counted
from sdnloom.symbolic.path_search import PathRun

SECONDS_BETWEEN_LINES = 10


class SearchProgress:
    """A line that follows the search, and a last one with the rates.

    In a terminal the line is replaced; elsewhere there is a new one every ten seconds.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._printed = 0.0
        self._status = self._console.status("searching")
        self._shown = False

    def __call__(self, event: SearchEvent) -> None:
        match event:
            case Progress():
                self._follow(event)
            case Notice():
                self._console.print(f"note: {event.text}", markup=False, soft_wrap=True)
            case CounterexampleFound() if not event.witness:
                steps = counted(len(event.counterexample.path), "step")
                self._console.print(
                    f"found: {event.counterexample.property} violated after {steps}", markup=False, soft_wrap=True
                )
            case Finished():
                self.stop()
                self._last(event)

    def _follow(self, progress: Progress) -> None:
        rate = progress.states / progress.seconds if progress.seconds else 0
        text = (
            f"{counted(progress.states, 'state')}, {rate:,.0f} states/s, {progress.frontier:,} waiting, "
            f"depth {progress.depth}, {progress.memory >> 20:,} MiB"
        )
        if self._console.is_terminal:
            self._status.update(text)
            if not self._shown:
                self._shown = True
                self._status.start()
        elif progress.seconds - self._printed >= SECONDS_BETWEEN_LINES:
            self._printed = progress.seconds
            self._console.print(text, markup=False, soft_wrap=True)

    def _last(self, event: Finished) -> None:
        done = event.result.statistics
        rate = done.transitions / done.seconds if done.seconds else 0
        self._console.print(
            f"{done.seconds:.2f} s, {rate:,.0f} transitions/s, {done.engine} engine", markup=False, soft_wrap=True
        )

    def stop(self) -> None:
        """Leave the terminal as it was."""
        if self._shown:
            self._status.stop()
            self._shown = False


class InputsProgress:
    """A line that follows an exploration of handlers: replaced in a terminal, elsewhere a new one every ten seconds."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._printed = time.monotonic()
        self._status = self._console.status("exploring")
        self._shown = False

    def __call__(self, question: HandlerQuestion, run: PathRun) -> None:
        text = (
            f"{question.skeleton.stack.name}: {counted(run.paths, 'run')}, {counted(run.classes, 'class')}, "
            f"{run.waiting:,} waiting"
        )
        if self._console.is_terminal:
            self._status.update(text)
            if not self._shown:
                self._shown = True
                self._status.start()
        elif time.monotonic() - self._printed >= SECONDS_BETWEEN_LINES:
            self._printed = time.monotonic()
            self._console.print(text, markup=False, soft_wrap=True)

    def interrupted(self) -> None:
        """Say that Ctrl-C was noticed."""
        self._console.print(f"note: {STOPPING.text}", markup=False, soft_wrap=True)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        if self._shown:
            self._status.stop()
            self._shown = False
