"""`sdnloom minimise` and `sdnloom explain`: fewer steps that replay, and orderings with what would remove the trace."""

import json
from pathlib import Path

import jsonschema
import pytest

from sdnloom.engine.trace import load_trace
from sdnloom.report.schemas import json_schema
from tests.cli.running import CommandLine

EXAMPLES = Path(__file__).parents[2] / "examples"
LATE_RULE = EXAMPLES / "traffic_engineering/bug11.toml"
LOOP = EXAMPLES / "actors/first_program.py"
TRACE = ".sdnloom-trace.json"


def check(sdnloom: CommandLine, scenario: Path, folder: Path) -> Path:
    """The trace of a violation."""
    run = sdnloom("check", scenario, "--trace-dir", folder)
    assert run.code == 1
    (trace,) = folder.glob(f"*{TRACE}")
    return trace


def said(lines: list[str]) -> str:
    """Lines as they were before they were broken."""
    return " ".join(" ".join(lines).split())


def test_a_walk_becomes_a_short_trace_that_replays(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("walk", LATE_RULE, "--seed", 0, "--trace-dir", tmp_path, "--format", "json")
    walk = json.loads(run.out)["violation"]
    assert (walk["steps"], walk["walked"]) == (8, 16)
    short = sdnloom("minimise", walk["trace"], "-o", tmp_path / f"short{TRACE}")
    lines = short.out.splitlines()
    assert short.code == 0
    assert lines[0].startswith("MINIMAL NoForgottenPackets: s2 still buffers 1 packet")
    assert lines[1] == (
        "8 steps, nothing left out; none can be left out, and no order of its inputs is shorter (13 states searched):"
    )
    assert len(load_trace(tmp_path / f"short{TRACE}").path) == 8
    assert sdnloom("replay", tmp_path / f"short{TRACE}").out.startswith("CONFIRMED NoForgottenPackets")


def test_events_that_are_not_needed_are_left_out(sdnloom: CommandLine, tmp_path: Path) -> None:
    folder = EXAMPLES / "load_balancer"
    choices = "2\n1\n3\n1\n2\n1\nrest\n1\nrest\n"
    saved = tmp_path / f"long{TRACE}"
    assert sdnloom("step", folder / "bug5.toml", stdin=f"{choices}save {saved}\nquit\n").code == 0
    before = len(load_trace(saved).path)
    run = sdnloom("minimise", saved, "--format", "json")
    found = json.loads(run.out)
    assert (run.code, found["schema"], found["steps_before"]) == (0, "sdnloom-minimise-1", before)
    assert (found["steps"], found["minimal"], found["shortest_of_inputs"]) == (3, True, True)
    assert found["trace"] == str(tmp_path / f"long.minimal{TRACE}")
    assert len(found["path"]) == len(load_trace(Path(found["trace"])).path) == 3


def test_a_late_rule_is_explained_by_a_barrier(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("explain", check(sdnloom, LATE_RULE, tmp_path))
    assert run.code == 0
    assert run.out.startswith("EXPLAINED NoForgottenPackets: s2 still buffers 1 packet")
    lines = run.out.splitlines()
    assert max(map(len, lines[1:])) <= 100
    assert said(lines[lines.index("") + 1 :]) == (
        "1 ordering that matters: step 6 (s2: packet) before step 8 (s2: FlowMod): with these two swapped the property "
        "holds a barrier between the FlowMod of step 8 and what leads to step 6 removes this trace: no order of its "
        "inputs violates the property then (a search of 9 states)"
    )


def test_a_packet_that_the_controller_did_not_cause_needs_more_than_a_barrier(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    # BUG-VII: a rule is removed before the next one is there, and a client's packet comes in between.
    run = sdnloom("explain", check(sdnloom, EXAMPLES / "load_balancer/bug7.toml", tmp_path))
    assert "barrier" not in run.out
    assert "making step 4 (s1: packet) wait for the FlowMod of step 6 removes this trace" in said([run.out])


def test_the_loop_of_a_program_of_actors_is_explained_by_a_barrier(sdnloom: CommandLine, tmp_path: Path) -> None:
    trace = check(sdnloom, LOOP, tmp_path)
    run = sdnloom("explain", trace)
    assert run.code == 0
    text = said([run.out])
    assert "step 6 (S2: receive) before the install that step 3 sent to S2, which still waits at the end: with" in text
    assert "a barrier between the install that step 3 sent to S2 and what leads to step 6 removes this trace" in text
    found = json.loads(sdnloom("explain", trace, "--format", "json").out)
    assert (found["schema"], found["complete"], found["avoidable"]) == ("sdnloom-explain-1", True, None)
    jsonschema.validate(found, json_schema("explain"))
    late = next(each for each in found["orderings"] if each["first"] == 6 and each["matters"])
    assert (late["second"], late["sender"], late["removes"], late["barrier"]) == (None, 3, True, True)
    assert (late["rule"], late["states"]) == ("barrier", 11)
    # The same program with barriers has no such loop.
    assert sdnloom("check", f"{LOOP}:with_barriers", "--no-trace").code == 0


def test_the_trace_of_a_program_of_actors_is_minimised(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("minimise", check(sdnloom, LOOP, tmp_path))
    assert run.code == 0
    assert run.out.splitlines()[1].startswith("10 steps, nothing left out; none can be left out, and no order")
    assert sdnloom("replay", tmp_path / f"first_program.NoForwardingLoop.minimal{TRACE}").code == 1


def test_what_the_environment_decides_is_not_enforced(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("explain", check(sdnloom, EXAMPLES / "mac_learning_osken/bug2.toml", tmp_path))
    assert said(run.out.splitlines()[-3:]) == (
        "step 16 (A: packet B:to:A:1) before step 17 (A: sends A:2): with these two swapped the property holds "
        "the environment decides this order, so a program cannot enforce the other one"
    )


def test_without_searches_nothing_is_said_about_what_removes_a_trace(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("explain", check(sdnloom, LATE_RULE, tmp_path), "--max-states", 0)
    assert run.out.splitlines()[-1] == "      whether the other order, enforced, removes this trace was not tried"
    run = sdnloom("explain", next(tmp_path.glob("*")), "--max-states", 4)
    assert said(run.out.splitlines()[-2:]) == (
        "whether the other order, enforced, removes this trace is not known: the limit of 4 states was reached"
    )


def test_no_time_left_is_incomplete(sdnloom: CommandLine, tmp_path: Path) -> None:
    trace = check(sdnloom, LATE_RULE, tmp_path)
    run = sdnloom("minimise", trace, "--time-limit", 1e-6)
    assert (run.code, run.out.split()[0]) == (3, "INCOMPLETE")
    assert "perhaps more can be left out" in run.out
    run = sdnloom("explain", trace, "--time-limit", 1e-6)
    assert (run.code, run.out.split()[0], run.out.splitlines()[-1]) == (
        3,
        "INCOMPLETE",
        "there was no time to try everything",
    )


@pytest.mark.parametrize("command", ["minimise", "explain"])
def test_a_trace_that_shows_no_violation_is_refused(sdnloom: CommandLine, tmp_path: Path, command: str) -> None:
    saved = tmp_path / f"short{TRACE}"
    sdnloom("step", LATE_RULE, stdin=f"1\n1\nsave {saved}\nquit\n")
    run = sdnloom(command, saved)
    assert (run.code, run.out) == (2, "")
    assert run.err == (
        f"error: {saved}: no property is violated after its steps; expected a trace that `sdnloom replay` confirms\n"
    )
    document = json.loads(check(sdnloom, LATE_RULE, tmp_path / "found").read_text())
    document["steps"][2]["action"] = "sleep"
    saved.write_text(json.dumps(document))
    run = sdnloom(command, saved, "--scenario", LATE_RULE)
    assert (run.code, run.err) == (
        2,
        f"error: {saved}: 2 of its 8 steps can be taken now; expected a trace that `sdnloom replay` confirms\n",
    )
    assert sdnloom(command, tmp_path / "gone.json").code == 2


def test_exports_have_the_orderings(sdnloom: CommandLine, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    assert sdnloom("check", LATE_RULE, "--trace-dir", tmp_path, "--export", result).code == 1
    (finding,) = json.loads(result.read_text())["results"][0]["findings"]
    (ordering,) = finding["trace"]["orderings"]
    assert (ordering["first"], ordering["second"], ordering["matters"], ordering["removes"]) == (6, 8, True, True)
    assert "a barrier between the FlowMod of step 8 and what leads to step 6 removes this trace" in ordering["text"]
    assert sdnloom("export", finding["trace_file"], result, "--explain").code == 0
    (again,) = json.loads(result.read_text())["results"][0]["findings"]
    assert again["trace"]["orderings"] == finding["trace"]["orderings"]
