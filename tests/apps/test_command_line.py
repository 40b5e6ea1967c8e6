"""`--app` as a user runs it: check, replay, step and walk without a scenario file."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.apps.conftest import ROOT
from tests.cli.running import CommandLine

APPS = ROOT / "examples" / "apps"
TRACE = "learning_switch.NoBlackHoles.sdnloom-trace.json"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The current folder, with the example apps in it."""
    for file in APPS.glob("*.py"):
        shutil.copy(file, tmp_path)
    return tmp_path


def test_a_forgotten_packet_is_found_and_replayed(here: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", "--app", "learning_switch.py", "--topology", "linear,2")
    lines = run.out.splitlines()
    assert (run.code, lines[0]) == (1, "VIOLATED NoBlackHoles: packet ARP 10.0.0.2 answers 10.0.0.1 never reached h1")
    assert lines[1] == "shortest counterexample, 11 steps:"
    unanswered = "h1 never got an answer to its ARP request for h2: h2's answer never reached h1"
    assert lines[18:20] == [f"VIOLATED PingsAnswered: {unanswered}", "by the same steps"]
    assert lines[-2] == f"replay: sdnloom replay {TRACE}"
    replayed = sdnloom("replay", TRACE)
    assert (replayed.code, replayed.err) == (1, "")
    assert replayed.out.splitlines() == [
        "CONFIRMED NoBlackHoles: packet ARP 10.0.0.2 answers 10.0.0.1 never reached h1",
        *lines[2:17],
    ]


def test_the_corrected_app_holds_with_exact_counts(here: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", "--app", "learning_switch_fixed.py", "--format", "json")
    report = json.loads(run.out)
    assert (run.code, report["verdict"], report["states"], report["transitions"]) == (0, "holds", 172, 279)


def test_a_router_is_exercised_by_hosts_with_gateways(here: Path, sdnloom: CommandLine) -> None:
    hosts = ("h1,ip=10.1.0.10/24,gateway=10.1.0.1", "h2,ip=10.2.0.10/24,gateway=10.2.0.1")
    options = ("--topology", "single,2", "--host", hosts[0], "--host", hosts[1], "--format", "json")
    run = sdnloom("check", "--app", "router.py", *options)
    report = json.loads(run.out)
    assert (run.code, report["verdict"], report["states"], report["transitions"]) == (0, "holds", 276, 594)
    text = (here / "router.py").read_text().replace(', "10.2.0.1")', ",)")
    (here / "half.py").write_text(text)
    report = json.loads(sdnloom("check", "--app", "half.py", *options, "--no-trace").out)
    assert [one["message"] for one in report["violations"]] == [
        "packet h1:1 never reached h2",
        "h1's ping 1 to h2 was not answered: the request never reached h2",
    ]


def test_an_app_is_named_by_file_or_module(here: Path, sdnloom: CommandLine) -> None:
    by_file = sdnloom("check", "--app", "learning_switch.py", "--no-trace")
    by_module = sdnloom("check", "--app", "learning_switch", "--no-trace")
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    (here / "learning_switch.py").rename(elsewhere / "learning_switch.py")
    by_path = sdnloom("check", "--app", "learning_switch", "--path", "elsewhere", "--no-trace")
    assert by_file == by_module._replace(err=by_file.err) == by_path._replace(err=by_file.err)
    assert by_file.code == 1


def test_a_trace_carries_its_scenario_and_moves_with_the_app(here: Path, sdnloom: CommandLine) -> None:
    assert sdnloom("check", "--app", "learning_switch.py", "--trace-dir", "traces").code == 1
    source = json.loads((here / "traces" / TRACE).read_text())["source"]
    assert source["folder"] == ".."
    assert 'app = "learning_switch.py"' in source["document"]
    moved = here / "moved"
    (moved / "traces").mkdir(parents=True)
    (here / "traces" / TRACE).rename(moved / "traces" / TRACE)
    (here / "learning_switch.py").rename(moved / "learning_switch.py")
    assert sdnloom("replay", moved / "traces" / TRACE).out.startswith("CONFIRMED")


def test_changed_code_is_a_warning_and_a_cure_is_told_from_another_defect(here: Path, sdnloom: CommandLine) -> None:
    assert sdnloom("check", "--app", "learning_switch.py").code == 1
    text = (here / "learning_switch.py").read_text()
    no_cure = text.replace("self.install(message.datapath, 1, match, actions)", "pass")
    assert no_cure != text
    (here / "learning_switch.py").write_text(no_cure)
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out.split(":")[0]) == (1, "STILL THERE NoBlackHoles")
    forwarded = "actions)\n        self.release(message, message.match['in_port'], actions)"
    cured = no_cure.replace("        pass\n", f"        self.install(message.datapath, 1, match, {forwarded}\n")
    (here / "learning_switch.py").write_text(cured)
    run = sdnloom("replay", TRACE)
    assert (run.code, run.out.split(":")[0]) == (0, "GONE NoBlackHoles")
    assert run.err == "warning: the code has changed since the trace was recorded\n"


def test_the_printed_scenario_means_the_same(here: Path, sdnloom: CommandLine) -> None:
    options = ("--app", "learning_switch.py", "--topology", "linear,2", "--ping", "h1,h2,2")
    printed = sdnloom("check", *options, "--print-scenario")
    assert printed.code == 0
    (here / "learning_switch.toml").write_text(printed.out)
    from_options = sdnloom("check", *options)
    assert sdnloom("check", "learning_switch.toml", "--trace-dir", "other").out == re.sub(
        r"(?<=[wym] )learning_switch", "other/learning_switch", from_options.out
    )
    assert sdnloom("replay", TRACE, "--scenario", "learning_switch.toml").code == 1
    again = sdnloom("check", "learning_switch.toml", "--print-scenario")
    assert (again.code, again.out) == (0, printed.out)


def test_the_trace_of_a_varied_scenario_can_be_replayed(here: Path, sdnloom: CommandLine) -> None:
    (here / "nets").mkdir()
    printed = sdnloom("check", "--app", "learning_switch_fixed.py", "--print-scenario").out
    (here / "nets" / "net.toml").write_text(printed.replace('app = "', 'app = "../'))
    assert sdnloom("check", "nets/net.toml").code == 0
    found = sdnloom("check", "nets/net.toml", "--app", "learning_switch.py", "--ping", "h2,h1,2", "--trace-dir", "t")
    assert (found.code, found.out.split(":")[0]) == (1, "VIOLATED NoBlackHoles")
    trace = min((here / "t").glob("*.json"))
    (here / "nets" / "net.toml").unlink()  # the trace has all of it
    assert sdnloom("replay", trace).code == 1
    walk = sdnloom("walk", trace.with_name("nothing.toml"), "--ping", "h1,h2")
    assert (walk.code, "nothing.toml" in walk.err) == (2, True)


def test_walks_and_steps_take_an_app(here: Path, sdnloom: CommandLine) -> None:
    walk = sdnloom("walk", "--app", "learning_switch.py", "--seed", "1", "--runs", "20")
    assert (walk.code, walk.out.split()[:2]) == (1, ["VIOLATED", "NoBlackHoles:"])
    step = sdnloom("step", "--app", "learning_switch.py", stdin="1\n1\nsave here.json\nquit\n")
    assert (step.code, "step 2: s1: receives " in step.out) == (0, True)
    assert sdnloom("replay", "here.json").out.startswith("REPLAYED all 2 steps can be taken")


def test_several_apps_run_together(here: Path, sdnloom: CommandLine) -> None:
    (here / "counting.py").write_text(
        "from os_ken.base import app_manager\n"
        "from os_ken.controller import ofp_event\n"
        "from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls\n"
        "class Counting(app_manager.OSKenApp):\n"
        "    seen = 0\n"
        "    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)\n"
        "    def count(self, ev):\n"
        "        self.seen += 1\n"
        "        assert self.seen < 3\n"
    )
    run = sdnloom(
        "check", "--app", "learning_switch_fixed.py", "--app", "counting.py", "--property", "NoHandlerException"
    )
    assert (run.code, run.out.splitlines()[0]) == (
        1,
        "VIOLATED NoHandlerException: counting.py:9: count of Counting raised AssertionError; "
        "the app's event loop ends, silently: nothing that comes later is handled",
    )


def test_coverage_is_of_the_app(here: Path, sdnloom: CommandLine) -> None:
    run = sdnloom("check", "--app", "learning_switch_fixed.py", "--coverage")
    assert "coverage of learning_switch.py: 23 of 23 lines, 2 of 2 branches" in run.out  # __init__ too
    assert "coverage of learning_switch_fixed.py: 2 of 2 lines" in run.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["there is nothing to run"]),
        (["--topology", "linear,2"], ["there is nothing to run"]),
        (["some.toml", "--app", "learning_switch.py"], ["some.toml", "cannot read the scenario"]),
        (["--app", "learning_switch.py", "--openflow", "1.0"], ["speaks OpenFlow 1.3", "1.0"]),
        (["--app", "learning_switch.py", "--path", "nowhere"], ["program.path", "folders that exist"]),
        (["--app", "learning_switch.py", "--topology", "cube,3"], ["--topology is 'cube,3'", "linear,SWITCHES"]),
        (["--app", "learning_switch.py", "--move", "h1,s9:7"], ["s9"]),
        (["--app", "learning_switch.py", "--external", "GET /stats"], ["GET /stats"]),
        (["--app", "learning_switch.py", "--ticks", "-1"], ["--ticks"]),
    ],
)
def test_mistakes_end_with_one_message(
    here: Path, sdnloom: CommandLine, arguments: list[str], words: list[str]
) -> None:
    run = sdnloom("check", *arguments)
    assert (run.code, run.out) == (2, "")
    for word in words:
        assert word in run.err
