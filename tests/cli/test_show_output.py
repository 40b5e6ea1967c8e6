"""`--show-output`: what a program prints and logs, where it belongs."""

import json
from pathlib import Path

import pytest

from sdnloom import app_scenario
from tests.cli.running import CommandLine

APP = """\
import sys
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0
print("loaded")


class App(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]
    seen = 0

    def start(self):
        print("started")
        super().start()

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        self.seen += 1
        print("packet", self.seen)
        print("twice", end="\\n" * 2, file=sys.stderr)
        self.logger.info("port %d", ev.msg.in_port)
        self.logger.debug("too fine")
"""
OPTIONS = ("--app", "app.py", "--topology", "single,2", "--no-arp", "--property", "NoBlackHoles")
STEP = "controller: PacketIn from s1 port 1: h1:1 (h1 > h2), in app.py:18 packet_in"
PRINTS = "\n       -> ".join(["", *(f"prints {text!r}" for text in ("packet 1", "twice", "", "port 1"))])
EARLY = """\
output of the program while it was loaded:
  loaded
output of the program when it started:
  started
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    file = tmp_path / "app.py"
    file.write_text(APP)
    return file


def test_output_is_shown_after_the_report_and_in_the_steps(sdnloom: CommandLine, app: Path) -> None:
    shown = sdnloom("check", *OPTIONS, "--show-output")
    assert (shown.code, "packet 1" in shown.err) == (1, False)
    assert EARLY + "output of the program in its handlers:\n  packet 1  (" in shown.out
    assert f"{STEP}{PRINTS}" in shown.out
    assert "too fine" not in shown.out
    plain = sdnloom("check", *OPTIONS)
    assert "packet 1" not in plain.out + plain.err
    searched = [line for line in shown.out.splitlines() if line.startswith("searched")]
    assert searched == [line for line in plain.out.splitlines() if line.startswith("searched")]


def test_replay_step_and_walk_show_the_lines_of_each_step(sdnloom: CommandLine, app: Path) -> None:
    assert sdnloom("check", *OPTIONS).code == 1
    replayed = sdnloom("replay", "app.NoBlackHoles.sdnloom-trace.json", "--show-output")
    assert replayed.out.startswith(EARLY)
    assert replayed.out.rstrip().endswith(PRINTS)
    stepped = sdnloom("step", *OPTIONS, "--show-output", stdin="1\n1\n1\nquit\n")
    assert stepped.out.startswith(EARLY)
    assert "step 3: " in stepped.out
    assert stepped.out.count(PRINTS) == 2  # listed, and taken
    walked = sdnloom("walk", *OPTIONS, "--show-output")
    assert walked.out.startswith(EARLY)
    assert PRINTS in walked.out


def test_inputs_shows_what_each_class_prints(sdnloom: CommandLine, app: Path) -> None:
    found = sdnloom("inputs", "--app", "app.py", "--port", "1", "--show-output")
    assert found.code == 0
    assert "-> prints 'packet 1'" in found.out
    assert found.out.endswith(EARLY)


def test_json_and_python_have_the_lines(sdnloom: CommandLine, app: Path) -> None:
    found = json.loads(sdnloom("check", *OPTIONS, "--show-output", "--format", "json", "--no-trace").out)
    assert found["output"][:2] == [
        {"when": "load", "text": "loaded", "times": 1},
        {"when": "start", "text": "started", "times": 1},
    ]
    report = app_scenario(app, topology="single,2").check()
    assert [(line.when, line.text) for line in report.output[:3]] == [
        ("load", "loaded"),
        ("start", "started"),
        ("run", "packet 1"),
    ]
    assert not report.shows_output


PYTHON = """
class Loud:
    def __init__(self):
        print("made")

    def packet_in(self, net, switch, message):
        print("came")
"""
SCENARIO = """
[program]
file = "loud.py"
class = "Loud"
[topology]
shape = "single"
hosts = 2
[[hosts]]
name = "h1"
kind = "client"
to = ["h2"]
[[properties]]
name = "NoBlackHoles"
"""


def test_programs_in_plain_python_are_quiet_too(sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(PYTHON)
    (tmp_path / "loud.toml").write_text(SCENARIO)
    plain = sdnloom("check", "loud.toml", "--no-trace")
    assert not [line for line in (plain.out + plain.err).splitlines() if line in ("made", "came")]
    shown = sdnloom("check", "loud.toml", "--no-trace", "--show-output")
    assert "output of the program when it started:\n  made" in shown.out
    assert "-> prints 'came'" in shown.out
