"""On a terminal: colours, the terminal's width, line editing, completion and history. Nothing of it elsewhere."""

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from sdnloom.cli.options.text_options import text_style
from sdnloom.report.text_style import TextStyle
from tests.check.scenarios import write
from tests.cli.running import CommandLine

ROOT = Path(__file__).parents[2]


def on_terminal(folder: Path, *arguments: str, typed: str = "", columns: int = 72, **variables: str) -> str:
    """What the command prints on a terminal on which this is typed; line ends are those of text."""
    environment: Mapping[str, str] = {
        **{key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "INPUTRC")},
        "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
        "TERM": "xterm",
        "COLUMNS": str(columns),
        "XDG_STATE_HOME": str(folder / "state"),
        **variables,
    }
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "sdnloom", *arguments]
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=inner, stdout=inner, stderr=inner) as process:
        os.close(inner)
        if typed:
            os.write(outer, typed.encode())
        shown = b""
        try:
            while part := os.read(outer, 65536):
                shown += part
        except OSError:  # the other end was closed
            pass
        process.wait(60)
    os.close(outer)
    return shown.decode().replace("\r\n", "\n")


def test_a_report_has_colours_and_the_width_of_the_terminal(tmp_path: Path) -> None:
    write(tmp_path)
    shown = on_terminal(tmp_path, "check", "hub.toml", "--no-trace")
    assert "\033[1m\033[31mVIOLATED\033[0m quiet h2: h2 received 1\n" in shown
    assert "\n  3  \033[35mcontroller:\033[0m PacketIn from s1 port 1: h1 > h2 ICMP echo request\n" in shown
    assert "\n       in hub.py:11 packet_in -> s1: PacketOut flood\n" in shown


def test_no_color_and_dumb_terminals_are_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True, fileno=lambda: 1))
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert text_style() == TextStyle(90, colour=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert text_style() == TextStyle(90)
    monkeypatch.setenv("NO_COLOR", "")  # no-color.org: only if it is not empty
    monkeypatch.setenv("TERM", "dumb")
    assert text_style() == TextStyle(90)


@pytest.mark.parametrize("arguments", [(), ("--format", "json", "--color")])
def test_there_is_no_colour_in_pipes_and_json(sdnloom: CommandLine, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write(tmp_path)
    assert "\033" not in sdnloom("check", "hub.toml", *arguments).out


def test_colour_can_be_asked_for(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    assert sdnloom("check", "hub.toml", "--color").out.startswith("\033[1m\033[31mVIOLATED\033[0m")
    assert sdnloom("replay", "hub.quiet-h2.sdnloom-trace.json", "--color").out.startswith("\033[1m\033[31mCONFIRMED")
    assert sdnloom("step", "hub.toml", "--color", stdin="").out.startswith("  1  \033[34mh1:\033[0m sends")
    assert "\033" not in sdnloom("check", "hub.toml", "--no-color").out


def test_a_session_completes_words_and_has_a_history(tmp_path: Path) -> None:
    write(tmp_path)
    history = tmp_path / "state" / "sdnloom" / "step_history"
    history.parent.mkdir(parents=True)
    history.write_text("hosts h1\n")
    shown = on_terminal(tmp_path, "step", "hub.toml", typed="\033[A\nta\ts2\nquit\n", columns=100, NO_COLOR="1")
    assert "> hosts h1\nh1 at s1:1: ClientState" in shown
    assert "> tables s2\ns2\n  no entries\n" in shown
    assert "\033[3" not in shown
    assert history.read_text().split("\n") == ["hosts h1", "tables s2", "quit", ""]
