"""Progress of a crosscheck on stderr: classes, runs, queries and replays."""

import time

from rich.console import Console

from sdnloom.cli.progress import ProgressLine
from sdnloom.crosscheck.black_box import TryProgress
from sdnloom.crosscheck.comparison import CauseProgress, CompareProgress
from sdnloom.crosscheck.exploration import ExploreProgress
from sdnloom.crosscheck.run import ConfirmProgress, CrosscheckEvent
from sdnloom.report.describe import counted


class CrosscheckProgress:
    """A line that follows what is done."""

    def __init__(self, console: Console | None = None) -> None:
        self._line = ProgressLine(console)
        self._began = time.monotonic()

    def __call__(self, event: CrosscheckEvent) -> None:
        self._line.follow(progress_text(event), time.monotonic() - self._began)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._line.stop()


def progress_text(event: CrosscheckEvent) -> str:
    """The line about an event."""
    match event:
        case ExploreProgress():
            return (
                f"exploring {event.agent} with {event.test}, case {event.case}: {counted(event.runs, 'run')}, "
                f"{counted(event.classes, 'class')}, {event.waiting:,} waiting"
            )
        case TryProgress():
            total = "" if event.total is None else f" of {event.total:,}"
            return f"trying {event.test} on {event.agent}: input {event.tried:,}{total}"
        case CompareProgress():
            return (
                f"comparing {event.test}, case {event.case}: {counted(event.queries, 'query')}, "
                f"{counted(event.inconsistencies, 'inconsistency')}"
            )
        case CauseProgress():
            return f"searching root causes of {event.test}, case {event.case}: {counted(event.inputs, 'input')} asked"
        case ConfirmProgress():
            return f"replaying difference {event.done:,} of {event.total:,} of {event.test}"
