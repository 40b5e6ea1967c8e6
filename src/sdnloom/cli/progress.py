"""Progress of a search, of an exploration of handlers, or of a confirmation, on stderr."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import click
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from sdnloom.confirm.outcome import ObservedStep
from sdnloom.engine.result import STOPPING, Activity, CounterexampleFound, Finished, Notice, Progress, SearchEvent
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.network.openflow import PacketIn
from sdnloom.report.describe import counted
from sdnloom.symbolic.path_search import PathRun

SECONDS_BETWEEN_LINES = 10
LOADS, STARTS = "loading the program", "starting the program"


class _RunningText:
    """A text with the time that has passed, which a terminal shows anew several times in a second."""

    def __init__(self) -> None:
        self.text, self._began = "", time.monotonic()

    def __rich__(self) -> Text:
        return Text(f"{self.text} ({time.monotonic() - self._began:.0f} s)")


class ProgressLine:
    """A line on stderr: replaced in a terminal, elsewhere a new one every ten seconds."""

    def __init__(self, console: Console | None) -> None:
        # The stream itself: a note at Ctrl-C may come while a program runs, whose `sys.stderr` is another one.
        self._console = console or Console(file=sys.stderr, highlight=False)
        self._printed = 0.0
        self._text = _RunningText()
        self._status = self._console.status(self._text)
        self._shown = self._announced = False

    @contextmanager
    def announcing(self, text: str) -> Iterator[None]:
        """Show in a terminal what is done inside. Nothing runs beside it, so that an app can be loaded meanwhile."""
        if self._console.is_terminal:
            self._announced = True
            self._console.print(Text(text), end="\r")
        try:
            yield
        finally:
            self._clear()

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._clear()
        self._console.print(Text(text), soft_wrap=True)

    def say_at_once(self, text: str) -> None:
        """Print a line inside of a signal handler: rich or the stream may be in the middle of something."""
        line = f"\r\x1b[2K{text}\n" if self._console.is_terminal else f"{text}\n"
        try:
            os.write(self._console.file.fileno(), line.encode())
        except (AttributeError, OSError, ValueError):  # no file of the system
            self._console.file.write(line)

    def follow(self, text: str, seconds: float) -> None:
        """Show a text, so many seconds after the start."""
        if self._console.is_terminal:
            self._text.text = text
            if not self._shown:
                self._clear()
                self._shown = True
                self._status.start()
        elif seconds - self._printed >= SECONDS_BETWEEN_LINES:
            self._printed = seconds
            self.say(text)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._clear()
        if self._shown:
            self._status.stop()
            self._shown = False

    def _clear(self) -> None:
        """Take an announcement away."""
        if self._announced:
            self._announced = False
            self._console.control(Control((ControlType.ERASE_IN_LINE, 2)))


class SearchProgress:
    """A line that follows the search, and a last one with the rates."""

    def __init__(self, console: Console | None = None) -> None:
        self._line = ProgressLine(console)
        self._part = ""  # which of several searches this is

    def announcing(self, text: str) -> AbstractContextManager[None]:
        """Show in a terminal what is done inside, until there is more to say."""
        return self._line.announcing(text)

    def __call__(self, event: SearchEvent) -> None:
        match event:
            case Progress():
                self._follow(event)
            case Activity():
                self._part = f"{event.part}: " if event.part else ""
                self._line.follow(f"{self._part}{event.text}", event.seconds)
            case Notice() if event is STOPPING:
                self._line.say_at_once(f"note: {event.text}")
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
            f"{self._part}{counted(progress.states, 'state')}, {rate:,.0f} states/s, {progress.frontier:,} waiting, "
            f"depth {progress.depth}, {progress.memory >> 20:,} MiB"
        )
        if progress.round > 1:
            text = f"round {progress.round}: {text}"
        if progress.again is not None:
            text += f"; the {progress.engine} engine begins again: {counted(progress.again, 'state')}"
        if progress.dive is not None:
            number, states, depth = progress.dive
            text += f"; dive {number}: {counted(states, 'state')}, depth {depth}"
        self._line.follow(text, progress.seconds)

    def _last(self, event: Finished) -> None:
        done = event.result.statistics
        rate = done.transitions / done.seconds if done.seconds else 0
        self._line.say(f"{done.seconds:.2f} s, {rate:,.0f} transitions/s, {done.engine} engine")

    def warn(self, text: str) -> None:
        """Say something that stays, also where progress is quiet."""
        self._line.stop()
        click.echo(f"warning: {text}", err=True)

    def of_confirmation(self, steps: int) -> "ConfirmationProgress":
        """What follows a confirmation after the search, in the same place."""
        return ConfirmationProgress(steps, self._line)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._line.stop()


class InputsProgress:
    """A line that follows an exploration of handlers."""

    def __init__(self, console: Console | None = None) -> None:
        self._line = ProgressLine(console)
        self._began = time.monotonic()
        self._found = 0

    def announcing(self, text: str) -> AbstractContextManager[None]:
        """Show in a terminal what is done inside, until there is more to say."""
        return self._line.announcing(text)

    def __call__(self, question: HandlerQuestion, run: PathRun) -> None:
        """Show a run of a handler."""
        self._found += run.found is not None
        self._follow(
            f"asking {self._place(question)}: {counted(run.paths, 'run')}, "
            f"{run.waiting:,} waiting, {counted(self._found, 'class')} so far"
        )

    def confirming(self, done: int, found: int) -> None:
        """Show that classes are confirmed."""
        self._follow(f"confirming class {done:,} of {found:,}, {counted(self._found, 'class')} so far")

    def interrupted(self) -> None:
        """Say that Ctrl-C was noticed."""
        self._line.say_at_once(f"note: {STOPPING.text}")

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._line.stop()

    def _place(self, question: HandlerQuestion) -> str:
        message = question.message
        port = f":{message.in_port}" if isinstance(message, PacketIn) else ""
        return f"{question.switch}{port} {question.skeleton.stack.name}"

    def _follow(self, text: str) -> None:
        self._line.follow(text, time.monotonic() - self._began)


class ConfirmationProgress:
    """A line that follows the steps of a trace on the real system."""

    def __init__(self, steps: int, line: ProgressLine | None = None) -> None:
        self._steps = steps
        self._line = line or ProgressLine(None)

    def announcing(self, text: str) -> AbstractContextManager[None]:
        """Show in a terminal what is done inside, until there is more to say."""
        return self._line.announcing(text)

    def __call__(self, step: ObservedStep) -> None:
        """Show a step that was taken."""
        text = f"start-up step {step.number}" if step.startup else f"step {step.number} of {self._steps}"
        self._line.follow(f"{text} on the real system", step.seconds)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._line.stop()
