"""`sdnloom inputs --from any` as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.apps.conftest import ROOT
from tests.cli.running import CommandLine

PROGRAM = """\
from sdnloom.network.packet import decode


class Strikes:
    def __init__(self):
        self.strikes = {}
        self.warnings = {}

    def packet_in(self, net, switch, message):
        source = decode(message.data).headers[0].src
        strikes = self.strikes.get(source, 0) + 1
        self.strikes[source] = strikes
        if strikes == 1:
            self.warnings[source] = True
        elif strikes < 1:
            net.flood(switch, message)
        else:
            del self.warnings[source]
"""
SCENARIO = """\
properties = ["NoHandlerException"]

[program]
file = "strikes.py"

[topology]
shape = "single"
hosts = 2

[[hosts]]
name = "h1"
kind = "client"
discover = true
sends = 2
"""
COMMON = ("inputs", "net.toml", "--port", 1, "--from", "any", "--stack", "ethernet", "--field", "eth.dst=h2")
FIRST = "net.any-state.sdnloom-trace.json"


def write(folder: Path, program: str = PROGRAM, sends: int = 2) -> None:
    (folder / "strikes.py").write_text(program)
    (folder / "net.toml").write_text(SCENARIO.replace("sends = 2", f"sends = {sends}"))


def test_what_is_only_possible_is_shown_with_its_state_and_packet(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom(*COMMON)
    assert run.code == 3
    assert (
        run.out
        == """\
lines and exceptions of Strikes for packets at s1:1, from any state with up to 2 entries in each table

possible, not shown reachable: KeyError: 1, raised at strikes.py:18
  state Strikes.strikes = {1: 1}, Strikes.warnings = {}
  packet h1 > h2 type 0x88b5 (ethernet eth.type=0x88b5)

reached by a run: 7 lines
  strikes.py 10-14: a run of 3 steps: sdnloom replay net.any-state.sdnloom-trace.json
  strikes.py 15, 18: a run of 6 steps: sdnloom replay net.any-state.2.sdnloom-trace.json

not possible: 1 line
  strikes.py:16  net.flood(switch, message)

a state has the shape of 3 states met in the search:
  Strikes.strikes: dict with up to 2 entries (number 0 to 281,474,976,710,655 -> number 0 to 65,535)
  Strikes.warnings: dict with up to 2 entries (number 0 to 281,474,976,710,655 -> one of False, True)
  everything else as after the start, and the switch sends the packet as it does then
a packet, of the stacks ethernet:
  eth.src: own

searched: 12 states, not all runs: branches are not reached: strikes.py:11: no packet takes the side eth.src != h1; \
to reach it, give --field eth.src=own,h2, or let h2 send something, who has this address
searched deeper: 10 states, not all runs: the strategy NO-DELAY skips delays of messages between controller and switches
explored: 153 runs of the handlers from symbolic states
complete: in no such state does such a packet lead to another line or exception
"""
    )


def test_an_exception_that_a_run_leads_to_has_a_trace_that_replays(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, sends=3)
    run = sdnloom(*COMMON, "--trace-dir", "traces")
    assert run.code == 1
    shown = (
        f"reached by a run: KeyError: 1, raised at strikes.py:18\n  a run of 9 steps: sdnloom replay traces/{FIRST}\n"
    )
    assert shown in run.out
    replayed = sdnloom("replay", Path("traces", FIRST), "--format", "json")
    assert replayed.code == 0
    assert "KeyError" in replayed.out


def test_all_is_decided_if_every_line_is_reached_or_impossible(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM.replace("del self.warnings[source]", "self.warnings.pop(source, None)"))
    run = sdnloom(*COMMON, "--no-trace", "--entries", 1)
    assert run.code == 0
    assert "up to 1 entry in each table\n" in run.out
    assert "  strikes.py 10-14: a run of 3 steps\n" in run.out
    assert sorted(each.name for each in tmp_path.iterdir() if each.suffix == ".json") == []


def test_json_has_the_documented_keys(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom(*COMMON, "--format", "json")
    document = json.loads(run.out)
    page = (ROOT / "docs" / "inputs.md").read_text().split("sdnloom-any-state-1")[1]
    for key in (*document, *document["exceptions"][0], *document["state"]):
        assert f"`{key}`" in page or key == "schema", key
    assert document["exceptions"] == [
        {
            "file": "strikes.py",
            "line": 18,
            "text": "KeyError: 1",
            "answer": "possible",
            "run": None,
            "pair": {
                "state": {"Strikes.strikes": "{1: 1}", "Strikes.warnings": "{}"},
                "stack": "ethernet",
                "packet": {"eth.type": "0x88b5"},
                "frame": "00000000000200000000000188b5",
            },
        }
    ]
    assert document["lines"][0]["run"] == {"steps": 3, "trace": FIRST}
    assert (document["complete"], document["decided"]) == (True, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--robust",), "--from any and --robust are given; expected one or the other"),
        (("--statistics",), "--from any and --statistics are given; expected one or the other"),
        (("--state", "x.json"), "--from any and --state are given; expected one or the other"),
        (("--show-output",), "--from any and --show-output are given; expected one or the other"),
        (("--entries", "0"), "0 is not in the range 1<=x<=8"),
        (("--from", "now"), "'now' is not one of 'start', 'any'"),
        (("--trace-dir", "strikes.py/x"), "cannot write traces there"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    sdnloom: CommandLine, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    write(tmp_path)
    common = (
        [each for each in COMMON if each not in ("--stack", "ethernet")] if options[0] == "--statistics" else COMMON
    )
    run = sdnloom(*common, *options)
    assert run.code == 2
    assert message in run.err


@pytest.mark.parametrize("option", [("--entries", 1), ("--max-states", 9), ("--trace-dir", "x"), ("--no-trace",)])
def test_options_of_any_state_need_it(sdnloom: CommandLine, tmp_path: Path, option: tuple[object, ...]) -> None:
    write(tmp_path)
    run = sdnloom("inputs", "net.toml", "--port", 1, *option)
    assert run.code == 2
    assert f"{option[0]} is given; expected --from any as well" in run.err


def test_a_handler_that_waits_leaves_its_later_lines_undecided(sdnloom: CommandLine) -> None:
    app = ROOT / "examples/apps/delayed_switch.py"
    options = ("--topology", "single,2", "--port", 1, "--stack", "ethernet", "--from", "any", "--no-trace")
    run = sdnloom("inputs", "--app", app, *options)
    assert run.code == 3
    assert "\nnot decided: 2 lines\n  delayed_switch.py:18  packet = parser.OFPPacketOut(\n" in run.out
    waits = "what a handler does later is not explored: it waits at delayed_switch.py:17: hub.sleep(1)"
    assert f"\nincomplete: {waits}\n" in run.out
    refused = sdnloom("inputs", "--app", app, *options, "--app-threads", "explore")
    assert refused.code == 2
    assert "threads of program 'DelayedSwitch' are steps of their own; expected threads = 'settle'" in refused.err


def test_a_handler_in_a_file_that_is_not_rewritten_is_a_reason_to_say_less(
    sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "from strikes_base import Strikes as Base\n\n\nclass Strikes(Base):\n    more = 1\n")
    installed = tmp_path.parent / f"{tmp_path.name}-installed"
    installed.mkdir()
    (installed / "strikes_base.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(installed)
    run = sdnloom(*COMMON, "--no-trace")
    assert run.code == 3
    assert "\nincomplete: methods of Strikes are not followed: strikes_base.py is no file of the program\n" in run.out


@pytest.mark.slow
def test_the_example_needs_three_packets(sdnloom: CommandLine, tmp_path: Path) -> None:
    app = ("--app", ROOT / "examples/discovery/any_state.py", "--topology", "single,2", "--ping", "h1,h2,3")
    fields = ("--stack", "ethernet", "--field", "eth.dst=h2", "--field", "eth.type=0x88b5")
    run = sdnloom("inputs", *app, "--port", 1, *fields, "--from", "any", "--max-states", 2000)
    assert run.code == 1
    assert "reached by a run: KeyError: '00:00:00:00:00:01', raised at any_state.py:46\n  a run of 9 steps: " in run.out
    trace = next(tmp_path.glob("any_state.any-state.sdnloom-trace.json"))
    replayed = sdnloom("replay", trace)
    assert replayed.code == 0
    assert "KeyError" in replayed.out.splitlines()[-1]


def test_a_time_limit_leaves_a_report(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom(*COMMON, "--no-trace", "--time-limit", 0.001)
    assert run.code == 3
    assert "the time limit of 0.001 s was reached" in run.out


def test_a_program_on_another_platform_is_refused(sdnloom: CommandLine) -> None:
    run = sdnloom("inputs", ROOT / "examples/mac_learning_nox/bug1.toml", "--port", 1, "--from", "any")
    assert run.code == 2
    assert "expected an os-ken or Ryu app, or a class in plain Python" in run.err


JOINED = """\
    def switch_join(self, net, switch, up):
        net.install(switch, Match.of(eth_type=0x88CC))

"""
DROPS_LLDP = "from sdnloom.network.openflow import Match\n" + PROGRAM.replace(
    "    def packet_in", f"{JOINED}    def packet_in"
)


def test_stacks_that_the_switch_keeps_to_itself_are_named(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, DROPS_LLDP)
    run = sdnloom(*COMMON, "--stack", "lldp", "--no-trace")
    assert run.code == 3
    assert "incomplete: lldp: not explored, the switch sends no such packet to the controller at first\n" in run.out
    alone = sdnloom(*COMMON[:6], "--stack", "lldp", "--no-trace")
    assert (alone.code, "sends no packet of the stack lldp to the controller" in alone.err) == (2, True)
