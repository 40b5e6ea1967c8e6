"""What a search says of itself while it runs."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from sdnloom.cli.progress import InputsProgress, SearchProgress
from sdnloom.engine.result import Finished, Holds, Notice, Progress, Result, Statistics
from sdnloom.symbolic.path_search import PathRun


def progress(seconds: float) -> Progress:
    return Progress(12_000, 40_000, 300, 9, seconds, 256 << 20, "loop")


DONE = Finished(Result(Holds(), Statistics("kernel", 12_000, 40_000, 9, 4.0)))


def test_without_a_terminal_a_line_is_printed_every_ten_seconds() -> None:
    out = io.StringIO()
    follow = SearchProgress(Console(file=out, highlight=False, width=40))
    for event in (progress(1), progress(9), progress(10), progress(15), progress(24), Notice("[b] is no markup"), DONE):
        follow(event)
    assert out.getvalue().splitlines() == [
        "12,000 states, 1,200 states/s, 300 waiting, depth 9, 256 MiB",
        "12,000 states, 500 states/s, 300 waiting, depth 9, 256 MiB",
        "note: [b] is no markup",
        "4.00 s, 10,000 transitions/s, kernel engine",
    ]


def test_in_a_terminal_the_line_is_replaced_and_taken_away() -> None:
    out = io.StringIO()
    follow = SearchProgress(Console(file=out, highlight=False, width=200, force_terminal=True))
    follow(progress(1))
    follow(progress(2))
    follow(DONE)
    text = out.getvalue()
    assert "12,000 states" in text
    assert text.endswith("4.00 s, 10,000 transitions/s, kernel engine\n")
    assert "\x1b[?25h" in text  # the cursor is shown again


def test_an_exploration_of_handlers_prints_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    out, now = io.StringIO(), [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    follow = InputsProgress(Console(file=out, highlight=False, width=40))
    question = SimpleNamespace(skeleton=SimpleNamespace(stack=SimpleNamespace(name="ipv4/tcp")))
    for number, now[0] in enumerate((101.0, 110.0, 115.0, 121.0), 1):
        follow(question, PathRun(1000 * number, number, 2, None))
    follow.interrupted()
    follow.stop()
    assert out.getvalue().splitlines() == [
        "ipv4/tcp: 2,000 runs, 2 classes, 2 waiting",
        "ipv4/tcp: 4,000 runs, 4 classes, 2 waiting",
        "note: stopping after the present step; press Ctrl-C again to stop at once",
    ]
