"""What a search says of itself while it runs."""

import io

from rich.console import Console

from sdnloom.cli.progress import SearchProgress
from sdnloom.engine.result import Finished, Holds, Notice, Progress, Result, Statistics


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
