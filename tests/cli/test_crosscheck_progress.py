"""Progress of a crosscheck on stderr."""

import io

import pytest
from rich.console import Console

from sdnloom.cli.crosscheck.progress import CrosscheckProgress, progress_text
from sdnloom.crosscheck.black_box import TryProgress
from sdnloom.crosscheck.comparison import CauseProgress, CompareProgress
from sdnloom.crosscheck.exploration import ExploreProgress
from sdnloom.crosscheck.run import ConfirmProgress, CrosscheckEvent


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            ExploreProgress("strict", "packet-out", "tagged", 1200, 1, 7),
            "exploring strict with packet-out, case tagged: 1,200 runs, 1 class, 7 waiting",
        ),
        (TryProgress("openvswitch", "hello", 3, 2000), "trying hello on openvswitch: input 3 of 2,000"),
        (TryProgress("openvswitch", "hello", 3, None), "trying hello on openvswitch: input 3"),
        (
            CompareProgress("flow-mod", "test", 2, 1),
            "comparing flow-mod, case test: 2 queries, 1 inconsistency",
        ),
        (
            CauseProgress("flow-mod", "test", 1500),
            "searching root causes of flow-mod, case test: 1,500 inputs asked",
        ),
        (ConfirmProgress("flow-mod", 3, 40), "replaying difference 3 of 40 of flow-mod"),
    ],
)
def test_each_event_is_one_line(event: CrosscheckEvent, text: str) -> None:
    assert progress_text(event) == text


@pytest.mark.parametrize(("terminal", "lines"), [(True, True), (False, False)])
def test_a_terminal_shows_it_at_once_and_a_file_after_ten_seconds(terminal: bool, lines: bool) -> None:
    stream = io.StringIO()
    progress = CrosscheckProgress(Console(file=stream, force_terminal=terminal, width=120))
    progress(ConfirmProgress("flow-mod", 3, 40))
    progress.stop()
    assert ("replaying difference 3 of 40" in stream.getvalue()) == lines
