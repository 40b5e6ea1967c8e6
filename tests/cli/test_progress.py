"""What a search says of itself while it runs."""

import io
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from sdnloom.check.discovery_progress import DiscoveryProgress
from sdnloom.cli.progress import InputsProgress, SearchProgress
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import STOPPING, Activity, Finished, Holds, Limits, Notice, Progress, Result, Statistics
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.network.openflow import Match, PacketIn, PortStatsReply
from sdnloom.network.topology import SwitchPort, single
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


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"dive": (2, 1_500, 88)}, "{}; dive 2: 1,500 states, depth 88"),
        ({"round": 3}, "round 3: {}"),
        ({"again": 5_000, "engine": "kernel"}, "{}; the kernel engine begins again: 5,000 states"),
    ],
)
def test_the_line_says_what_else_a_search_does(more: dict[str, Any], text: str) -> None:
    out = io.StringIO()
    SearchProgress(Console(file=out, highlight=False, width=40))(replace(progress(10), **more))
    expected = "12,000 states, 1,200 states/s, 300 waiting, depth 9, 256 MiB"
    assert out.getvalue().splitlines() == [text.format(expected)]


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


def asked(stack: str, number: int = 1) -> HandlerQuestion:
    skeleton: Any = SimpleNamespace(stack=SimpleNamespace(name=stack))
    return HandlerQuestion(f"core {number}", "s1", PacketIn(Match.of(in_port=2)), skeleton)


CLASS: Any = object()


def test_an_exploration_of_handlers_prints_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    out, now = io.StringIO(), [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    follow = InputsProgress(Console(file=out, highlight=False, width=40))
    with follow.announcing("not shown without a terminal"):
        for number, now[0] in enumerate((101.0, 110.0, 115.0, 121.0), 1):
            follow(asked("ipv4/tcp"), PathRun(1000 * number, number, 2, CLASS if number > 1 else None))
        now[0] = 131.0
        follow.confirming(2, 3)
    follow.interrupted()
    follow.stop()
    assert out.getvalue().splitlines() == [
        "asking s1:2 ipv4/tcp: 2,000 runs, 2 waiting, 1 class so far",
        "asking s1:2 ipv4/tcp: 4,000 runs, 2 waiting, 3 classes so far",
        "confirming class 2 of 3, 3 classes so far",
        "note: stopping after the present step; press Ctrl-C again to stop at once",
    ]


def test_a_discovery_says_its_round_and_what_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.check.discovery_progress.PACE", 0.0)
    said: list[Any] = []
    follow = DiscoveryProgress(single(3), said.append, LimitWatch(Limits()))
    follow.begin_round(0)
    follow(asked("arp"), PathRun(1, 1, 0, CLASS))
    follow(asked("arp"), PathRun(2, 1, 0, None))
    follow.begin_round(4)
    follow(asked("ipv4/tcp", 2), PathRun(1, 1, 0, CLASS))
    follow(asked("ethernet"), PathRun(1, 1, 0, CLASS))
    follow(HandlerQuestion("core 3", "s1", PortStatsReply(()), asked("statistics").skeleton), PathRun(1, 1, 0, CLASS))
    assert [(each.part, each.text) for each in said] == [
        ("round 1", "0 packets to search with, 0 classes so far"),
        ("round 1", "asking h2 at s1:2 arp in state 1, 1 run, 1 class so far"),
        ("round 1", "asking h2 at s1:2 arp in state 1, 2 runs, 1 class so far"),
        ("round 2", "4 packets to search with, 1 class so far"),
        ("round 2", "asking h2 at s1:2 ipv4/tcp in state 2, 1 run, 2 classes so far"),
        ("round 2", "asking h2 at s1:2 ethernet in state 1, 1 run, 3 classes so far"),
        ("round 2", "asking s1 statistics in state 3, 1 run, 4 classes so far"),
    ]
    for _ in range(2):
        follow.journey("h1", SwitchPort("s1", 1), "arp")
    assert said[-1].text == "following h1 at s1:1 arp, 2 journeys, 4 classes so far"
    out = io.StringIO()
    line = SearchProgress(Console(file=out, highlight=False, width=40))
    line(Activity("round 2", "asking [h1]", 11))
    line(progress(22))
    assert out.getvalue().splitlines() == [
        "round 2: asking [h1]",
        "round 2: 12,000 states, 545 states/s, 300 waiting, depth 9, 256 MiB",
    ]


def test_a_terminal_shows_the_time_that_passes_and_what_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    follow = InputsProgress(Console(file=out, highlight=False, width=200, force_terminal=True))
    with follow.announcing("loading the program"):
        assert out.getvalue() == "loading the program\r"
    assert out.getvalue() == "loading the program\r\x1b[2K"  # the line is erased
    began = time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: began + 7)
    follow(asked("arp"), PathRun(1, 1, 0, CLASS))
    follow.stop()
    assert "asking s1:2 arp: 1 run, 0 waiting, 1 class so far (7 s)" in out.getvalue()


def test_a_note_at_ctrl_c_does_not_need_what_may_be_half_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "err").open("w") as out:
        lines = SearchProgress(Console(file=out)), InputsProgress(Console(file=out))
        monkeypatch.setattr(Console, "print", None)
        lines[0](STOPPING)
        lines[1].interrupted()
        assert (tmp_path / "err").read_text() == f"note: {STOPPING.text}\n" * 2  # at once
    out = io.StringIO()
    SearchProgress(Console(file=out))(STOPPING)
    assert out.getvalue() == f"note: {STOPPING.text}\n"
