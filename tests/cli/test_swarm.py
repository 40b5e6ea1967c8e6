"""`sdnloom walk --swarm` and `run_swarm`: what they print, what they refuse, and traces that replay."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sdnloom import SdnloomError, load_scenario, run_check, run_swarm
from sdnloom.cli.walks import swarm as command
from tests.check.scenarios import SCENARIO, write
from tests.cli.running import CommandLine
from tests.cli.test_published_schemas import mistakes
from tests.cli.test_walk import TWO
from tests.platforms.osken.test_repeated import HEAD, LINKS

HOLDS = TWO.replace("most = 1", "most = 2")


def test_a_swarm_finds_and_shortens_a_violation_that_replays(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, TWO)
    run = sdnloom("walk", "hub.toml", "--swarm", "--seed", 3, "--members", 2, "--jobs", 1)
    assert (run.code, run.err) == (1, "found: quiet h2 violated after 16 steps\n")
    lines = run.out.splitlines()
    assert lines[0] == "VIOLATED quiet h2: h2 received 2"
    assert lines[1].startswith("counterexample, 16 steps, none can be left out (member 1 of the swarm had ")
    assert lines[-1] == "replay: sdnloom replay hub.quiet-h2.sdnloom-trace.json"
    assert sdnloom(*lines[-1].split()[2:]).out.startswith("CONFIRMED quiet h2: h2 received 2\n")


def test_a_swarm_that_has_seen_everything_is_still_incomplete(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, HOLDS)
    states = run_check(tmp_path / "hub.toml").result.statistics.states
    run = sdnloom("walk", "hub.toml", "--swarm", "--members", 2, "--jobs", 1, "--memory", 1)
    assert run.code == 3
    lines = run.out.splitlines()
    assert lines[0] == "INCOMPLETE no violation in a swarm of 2 members, seed 0: a swarm proves nothing"
    assert f"different states found: {states}, " in run.out
    assert lines[-1] == "to try more, raise --members, --max-transitions or --max-steps, or take another --seed"
    found = json.loads(
        sdnloom("walk", "hub.toml", "--swarm", "--members", 1, "--max-transitions", 20, "--format", "json").out
    )
    assert (found["schema"], found["verdict"], found["violation"]) == ("sdnloom-swarm-1", "incomplete", None)
    assert found["estimate"]["share"] is None
    assert found["estimate"]["different_states"] == found["states"] == found["members"][0]["states"]
    assert found["members"][0]["end"] == "share"


def test_a_full_bit_array_is_reported_and_its_json_has_numbers_that_exist(
    sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MEBIBYTE", 1)
    write(tmp_path, HOLDS)
    full = ("walk", "hub.toml", "--swarm", "--members", 2, "--jobs", 1, "--memory", 1)
    run = sdnloom(*full)
    assert run.code == 3
    assert ", on average: 100 % of the states that its member met," in run.out
    assert "a new state was taken for a known one with probability at most 1\n" in run.out
    printed = sdnloom(*full, "--format", "json").out
    found = json.loads(printed, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))
    assert mistakes("swarm", found) == []
    assert {"odds_of_confusion": 1, "expected_omissions": None}.items() <= found["members"][0].items()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hub.toml", "--members", 3), "--members is for swarms; expected --swarm as well"),
        (("hub.toml", "--swarm", "--runs", 3), "--runs is for random walks; a swarm has --members"),
        (
            ("program.py", "--swarm"),
            "--swarm is for scenarios and apps, but program.py is a program of actors",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(
    sdnloom: CommandLine, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    write(tmp_path, TWO)
    run = sdnloom("walk", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_a_time_limit_ends_a_swarm_with_what_it_has(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, HOLDS)
    run = sdnloom("walk", "hub.toml", "--swarm", "--time-limit", 0.000001, "--jobs", 1)
    assert run.code == 3
    assert "the time limit of 1e-06 s was reached" in run.out + run.err


def test_python_offers_what_the_command_line_does(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    report = run_swarm(tmp_path / "hub.toml", members=2, jobs=1, memory=1, seed=3)
    assert (report.verdict, report.result.options.memory) == ("violated", 1 << 20)
    assert report.violation is not None
    assert report.trace(report.violation).finding.property == "quiet h2"
    scenario = load_scenario(tmp_path / "hub.toml")
    again = run_swarm(scenario, members=2, jobs=1, memory=1, seed=3)
    assert again.result == report.result
    write(tmp_path, HOLDS)
    whole = run_swarm(tmp_path / "hub.toml", members=1, jobs=1, memory=1)
    assert whole.result.states == run_check(tmp_path / "hub.toml").result.statistics.states
    for wrong, message in (
        ({"memory": 0}, "memory is 0"),
        ({"members": 0}, "members is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"max_steps": 0}, "swarm: max_steps is 0; expected a whole number of at least 1"),
        ({"max_transitions": 2.5}, "swarm: max_transitions is 2.5; expected a whole number of at least 1"),
        ({"time_limit": "x"}, "swarm: time_limit is 'x'; expected a positive number of seconds"),
        ({"disk": "x"}, "the option 'disk' is for checks; expected one of jobs, max_steps, max_transitions, members, "),
        ({"discover": True}, "the option 'discover' is for checks; "),
        ({"checkpoint": "x"}, "the option 'checkpoint' is for checks; "),
        ({"member": 1}, "the option 'member' is unknown; did you mean members?"),
    ):
        with pytest.raises(SdnloomError, match=message):
            run_swarm(tmp_path / "hub.toml", **wrong)


FORKED = """
from sdnloom import run_swarm
from sdnloom.engine.swarm.worker_pool import why_not_to_fork

assert why_not_to_fork() is None
app = {"app": "links.py", "topology": "linear,2", "observe_links": True, "ticks": 2}
names = ["NoHandlerException"]
results = [run_swarm(**app, properties=names, members=3, max_transitions=60, jobs=n) for n in (1, 2)]
results = [each.result for each in results]
print(results[0] == results[1], [each.processes for each in results], len(results[0].members), results[0].notes)
"""


def test_an_app_with_threads_is_searched_in_workers_as_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "links.py").write_text(HEAD + LINKS)
    run = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout == "True [1, 2] 3 ()\n"


def test_a_violation_before_the_search_is_found_too(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO)
    (tmp_path / "app.py").write_text(
        "from os_ken.base import app_manager\n"
        "from os_ken.controller import ofp_event\n"
        "from os_ken.controller.handler import CONFIG_DISPATCHER, set_ev_cls\n\n\n"
        "class Broken(app_manager.OSKenApp):\n"
        "    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)\n"
        "    def joined(self, event):\n"
        "        raise KeyError(event.msg.datapath.id)\n"
    )
    run = sdnloom("walk", "--app", "app.py", "--swarm", "--members", 1, "--jobs", 1)
    assert run.code == 1
    assert run.out.startswith("VIOLATED NoHandlerException")
    assert "is violated before the search" in run.err
