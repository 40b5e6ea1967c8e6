"""`sdnloom races` as a user runs it: output, diagnostics and exit codes."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest

from tests.cli.running import CommandLine, Run

EXAMPLES = Path(__file__).parents[2] / "examples" / "races"
FIREWALL = str(EXAMPLES / "firewall.races")
HIERARCHY = (str(EXAMPLES / "hierarchy.json"), str(EXAMPLES / "hierarchy.properties.json"))


class RacesCommand(Protocol):
    """Runs `sdnloom races` with arguments, in this process."""

    def __call__(self, *arguments: str) -> Run: ...


@pytest.fixture
def races(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RacesCommand:
    monkeypatch.setenv("COLUMNS", "120")
    return partial(CommandLine(monkeypatch, capsys), "races")


def test_text_report_of_the_firewall(races: RacesCommand) -> None:
    done = races(FIREWALL, "--long")
    assert done.code == 1
    assert done.err == ""
    assert (
        done.out
        == """\
harmful races: 2 (CT->SW 2, CT->SW<-CT 0, CT->CT->SW 0)
proved: no trace of any length has another; mode complete, 12 states (12 stored), 5 levels, 6 property evaluations

1. CT->SW: events 2 and 3 of 3, changes ssh_is_blocked
     clocks of Net (SW), C (CT): [[0, 0], [0, 0]]
     1  Net -> C  SSH ! flag = blocking-ssh
        [[1, 0], [1, 1]]
   * 2  Net forwards with S: flag = regular . pt = 1 . pt <- 2
        [[2, 0], [1, 1]]
   * 3  C -> Net  Up ! flag = regular . type != ssh . pt = 1 . pt <- 2
        [[3, 2], [1, 2]]
     property: flag = regular . type = ssh . pt = 1 . @Network . flag = regular . type = ssh is empty
     before: S forwards with All
     after: S forwards with NoSsh
     packet flag=regular  pt=1  type=ssh: comes out as flag=regular  pt=2  type=ssh before the race, not after it

2. CT->SW: events 4 and 5 of 5, changes ssh_is_blocked
     clocks of Net (SW), C (CT): [[0, 0], [0, 0]]
     1  Net -> C  UDP ! flag = blocking-udp
        [[1, 0], [1, 1]]
     2  C -> Net  Up ! flag = regular . type != udp . pt = 1 . pt <- 2
        [[2, 2], [1, 2]]
     3  Net -> C  SSH ! flag = blocking-ssh
        [[3, 2], [3, 3]]
   * 4  Net forwards with S: flag = regular . type != udp . pt = 1 . pt <- 2
        [[4, 2], [3, 3]]
   * 5  C -> Net  Up ! flag = regular . type != ssh . type != udp . pt = 1 . pt <- 2
        [[5, 4], [3, 4]]
     property: flag = regular . type = ssh . pt = 1 . @Network . flag = regular . type = ssh is empty
     before: S forwards with NoUdp
     after: S forwards with Neither
     packet flag=regular  pt=1  type=ssh: comes out as flag=regular  pt=2  type=ssh before the race, not after it
"""
    )


def test_json_report_has_counts_races_and_proof(races: RacesCommand) -> None:
    done = races(*HIERARCHY, "--mode", "raceloom", "--depth", "10", "--format", "json")
    assert done.code == 1
    report = json.loads(done.out)
    assert report["counts"] == {"CT->SW": 4, "CT->SW<-CT": 3, "CT->CT->SW": 1}
    assert (report["verdict"], report["outcome"]) == ("violated", "harmful races")
    assert report["depth"] == 10
    assert report["mode"] == "raceloom"
    assert report["proved"] is True
    assert report["states"] == 284
    race = report["races"][0]
    assert race["type"] == "CT->CT->SW"
    assert race["positions"] == [2, 3]
    assert race["labels"][0]["text"] == "C1 -> SDN  upS1 ! port = 1 . port <- 2"
    assert race["labels"][1]["from"] == 3
    assert race["labels"][1]["to"] == 1
    assert race["trace"][0]["clocks"] == [[0, 0, 0, 0]] * 4
    assert race["trace"][3]["clocks"] == [[2, 1, 1, 0], [0, 2, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert [one["type"] for one in report["races"]].count("CT->SW<-CT") == 3


def test_all_races_include_the_harmless(races: RacesCommand) -> None:
    done = races(FIREWALL, "--races", "all", "--format", "json")
    report = json.loads(done.out)
    assert report["harmless"] == {"CT->SW": 2, "CT->SW<-CT": 0, "CT->CT->SW": 0}
    assert [race["property"] for race in report["races"]] == ["ssh_is_blocked"] * 2 + [None] * 2


@pytest.mark.slow
def test_output_does_not_depend_on_the_hash_seed() -> None:
    first, second = (each_format(seed) for seed in ("1", "2"))
    assert first.stdout == second.stdout
    assert (first.returncode, first.stderr) == (0, "")
    texts = first.stdout.split(BETWEEN)
    beginnings = ("harmful races: ", "{", "digraph", "flowchart")
    assert [text.startswith(start) for text, start in zip(texts, beginnings, strict=True)] == [True] * 4


def each_format(seed: str) -> subprocess.CompletedProcess[str]:
    """What the command prints in each format, in one process with that hash seed."""
    command = [sys.executable, "-c", EACH_FORMAT, *HIERARCHY, "--races", "all"]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "COLUMNS": "120"}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)


BETWEEN = "----- the next format\n"
EACH_FORMAT = f"""
import sys
from sdnloom.cli import main

arguments = sys.argv[1:]
for number, form in enumerate(["text", "json", "dot", "mermaid"]):
    if number:
        print({BETWEEN!r}, end="")
    sys.argv = ["sdnloom", "races", *arguments, "--format", form]
    try:
        main()
    except SystemExit as ended:
        assert ended.code == 1, ended.code
"""


def test_dot_output_is_what_graphviz_reads(races: RacesCommand, need_tool, tmp_path: Path) -> None:
    need_tool("dot")
    picture = races(*HIERARCHY, "--format", "dot").out
    drawn = subprocess.run(["dot", "-Tplain"], input=picture, capture_output=True, text=True, timeout=60, check=False)
    assert drawn.returncode == 0, drawn.stderr
    # Three traces of 3 events, three of 4, two of 5 and one of 6, each with one state more than events.
    assert drawn.stdout.count("\nnode ") == 3 * 4 + 3 * 5 + 2 * 6 + 7


def test_mermaid_output_marks_the_racing_events(races: RacesCommand) -> None:
    lines = races(FIREWALL, "--format", "mermaid", "--max-races", "1").out.splitlines()
    assert lines[0] == "flowchart TD"
    assert '    r1s2["Net, C<br/><b>[2, 0]</b>, [1, 1]"]' in lines
    assert lines[-1] == "  linkStyle 1,2 stroke:#c0392b,stroke-width:3px"


@pytest.mark.slow
def test_no_harmful_race_exits_0_and_says_whether_it_is_proved(races: RacesCommand, tmp_path: Path) -> None:
    model = tmp_path / "harmless.races"
    text = "network N\n switch S\n  update u ? port <- 2\nC = u ! port <- 2 ; C\nsystem N || C\n"
    model.write_text(text + "property p = port = 3 . @Network . port = 2 is nonempty")
    bounded = races(str(model), "--depth", "1")
    assert bounded.code == 0
    assert bounded.out.startswith("no harmful race\nall traces of up to 1 events; a greater --depth, or unbounded")
    model.write_text(text + "property p = port = 3 . @Network . port = 4 is nonempty")
    proved = races(str(model))
    assert proved.code == 0
    assert proved.out == (
        "no harmful race\nproved: no trace of any length has another; "
        "no table that can be installed changes any property's value\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.races"], "error: missing.races: cannot be read: No such file or directory"),
        ([FIREWALL, "--depth", "-1"], "expected a number of events or 'unbounded'"),
        ([FIREWALL, "--mode", "fast"], "is not one of"),
        ([HIERARCHY[0]], "found no property, expected one or more"),
    ],
)
def test_bad_input_exits_2_without_a_traceback(races: RacesCommand, arguments: list[str], message: str) -> None:
    done = races(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "expected UTF-8 text"),
        (b"\0", "bad.races:1:1: found '\\x00', which is not part of the language"),
        (b"system C\n", "bad.races:1:8: unknown recursive variable 'C'"),
        (b'{"Switches": ', "bad.races:1:14: no JSON"),
    ],
)
def test_errors_in_files_have_a_position(races: RacesCommand, tmp_path: Path, content: bytes, message: str) -> None:
    model = tmp_path / "bad.races"
    model.write_bytes(content)
    done = races(str(model))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


LARGE = 26


def large_model(tmp_path: Path) -> str:
    """Return a model that takes far longer than a test may: every controller tells every other."""
    names = [f"C{k}" for k in range(LARGE)]
    lines = ["network N", " switch S", "  update u ? port <- 2", "  update u ? zero"]
    lines.append("channel " + ", ".join(f"c{k}" for k in range(LARGE)))
    for k in range(LARGE):
        after = (k + 1) % LARGE
        lines.append(f"{names[k]} = c{after} ! one ; u ! port <- 2 ; {names[k]} o+ c{k} ? one ; u ! zero ; {names[k]}")
    lines.append("system N || " + " || ".join(names))
    lines.append("property p = port = 1 . @Network . port = 2 is nonempty")
    model = tmp_path / "large.races"
    model.write_text("\n".join(lines))
    return str(model)


def test_a_time_limit_ends_with_what_was_found_and_exits_3(races: RacesCommand, tmp_path: Path) -> None:
    done = races(large_model(tmp_path), "--time-limit", "0.5", "--max-races", "1")
    assert done.code == 3
    assert done.out.startswith("incomplete: the time limit of 0.5 s was reached; harmful races so far: ")
    assert "stopped: the time limit" in done.err


def test_a_state_limit_exits_3(races: RacesCommand, tmp_path: Path) -> None:
    done = races(large_model(tmp_path), "--max-states", "100", "--format", "json")
    assert done.code == 3
    assert json.loads(done.out)["stopped"] == "the limit of 100 states was reached"


def test_a_memory_limit_exits_3(races: RacesCommand, tmp_path: Path) -> None:
    done = races(large_model(tmp_path), "--memory-limit", "1", "--format", "json")
    assert done.code == 3
    assert json.loads(done.out)["stopped"] == "the memory limit of 1 MB was reached"


def interrupted(times: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `sdnloom races` and press Ctrl-C that often at the first progress event: not after some seconds."""
    command = [sys.executable, "-c", INTERRUPTED, str(times), "races", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_an_interrupt_ends_with_what_was_found_and_exits_3(tmp_path: Path) -> None:
    done = interrupted(1, large_model(tmp_path), "--max-races", "1")
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("incomplete: interrupted; harmful races so far: ")
    assert done.stderr == (
        "note: stopping after the present step; press Ctrl-C again to stop at once\nstopped: interrupted\n"
    )


def test_a_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    done = interrupted(2, large_model(tmp_path), "--max-races", "1")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.endswith("interrupted\n")
    assert "Traceback" not in done.stderr


INTERRUPTED = f"""
import os, signal, sys
import sdnloom.cli.races as races
from sdnloom.engine.result import Progress

signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent process may ignore it
times = int(sys.argv.pop(1))

class Interrupting(races.SearchProgress):
    def __call__(self, event):
        super().__call__(event)
        if isinstance(event, Progress):
            for _ in range(times):
                os.kill(os.getpid(), {int(signal.SIGINT)})

races.SearchProgress = Interrupting
from sdnloom.cli import main
main()
"""
