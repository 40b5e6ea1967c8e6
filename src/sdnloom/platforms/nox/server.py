"""Runs apps for NOX in a process of their own (`python -m sdnloom.platforms.nox.server`).

The components are the model's, live: nothing is captured or restored. Timers follow the real clock. Random numbers
follow the seed of the program, as they do in the model.
"""

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.network.program import Input
from sdnloom.platforms.handler_errors import error_line, own_line, traceback_lines
from sdnloom.platforms.nox.apps import NoxApps
from sdnloom.platforms.nox.kernel import Kernel
from sdnloom.platforms.sandbox.clock import EPOCH, SECOND, Clock, Draws
from sdnloom.platforms.server.report_lines import RaisedReport
from sdnloom.platforms.server.serve import serve
from sdnloom.platforms.server.served_program import ServedProgram, ServedReaction

_REAL = ("time", "datetime", "functools")  # modules that need no seed


class RealClock(Clock):
    """The time of the machine; it cannot be set."""

    @property
    def now(self) -> int:
        """The time since the moment at which the clock of the model starts."""
        return time.time_ns() - EPOCH

    @now.setter
    def now(self, value: int) -> None:
        pass


class ServedNox(ServedProgram):
    """Apps of NOX."""

    def __init__(self, files: Mapping[str, Path], arguments: Mapping[str, Any], seed: int) -> None:
        self._kernel = Kernel(RealClock(), Draws(seed))
        self._apps = NoxApps(files, arguments, self._kernel, sys.stdout.write, real=_REAL)
        self._apps.install()

    def handle(self, given: Input) -> ServedReaction:
        """Give the apps an input."""
        return self._reaction(lambda: self._apps.give(given))

    def seconds_left(self) -> float | None:
        """The time until the first timer of the apps is due."""
        due = min((each.due for each in self._kernel.timers), default=None)
        return None if due is None else max(0.0, (due - self._kernel.clock.now) / SECOND)

    def fire_due(self) -> ServedReaction:
        """Call the functions of the timers that are due now, each once."""
        return self._reaction(self._fire_due) if self._kernel.timers else ServedReaction()

    def _fire_due(self) -> None:
        now = self._kernel.clock.now
        for _ in [each for each in self._kernel.timers if each.due <= now]:
            label = next(iter(self._kernel.due()), None)
            if label is not None:  # a function may cancel the others
                self._kernel.fire(label)

    def _reaction(self, run: Callable[[], None]) -> ServedReaction:
        """Run something of the apps, and take what they sent and raised."""
        kernel, refused = self._kernel, list[RaisedReport]()
        try:
            run()
        except SdnloomError as error:  # what the model refuses, such as a call that the apps do not have
            refused.append(RaisedReport(error_line(error), "", 0))
        raised = [self._raised(error) for _, error in kernel.escaped]
        reaction = ServedReaction(tuple(kernel.sent), (*raised, *refused))
        kernel.sent.clear()
        kernel.escaped.clear()
        return reaction

    def _raised(self, error: BaseException) -> RaisedReport:
        lines = traceback_lines(error)
        file, line = own_line(error, self._apps.own) or (lines or [("", 0)])[-1]
        return RaisedReport(error_line(error), file, line, lines)


def _make(document: Mapping[str, Any]) -> ServedProgram:
    files = {name: Path(file) for name, file in document["files"].items()}
    return ServedNox(files, document["arguments"], document["seed"])


if __name__ == "__main__":
    serve(_make)
