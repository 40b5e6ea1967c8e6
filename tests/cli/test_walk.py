"""`sdnloom walk`: random walks are repeatable, what they find replays, and what they do not find proves nothing."""

import json
from pathlib import Path

from tests.check.scenarios import SCENARIO, write
from tests.cli.running import CommandLine
from tests.platforms.osken.test_repeated import HEAD, LINKS

TWO = SCENARIO.replace('host = "h2"', 'host = "h2", most = 1').replace('to = ["h2"]', 'to = ["h2"]\nsends = 2')


def test_a_walk_finds_and_shrinks_a_violation_that_replays(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, TWO)
    run = sdnloom("walk", "hub.toml", "--seed", 3)
    assert run.code == 1
    lines = run.out.splitlines()
    assert lines[0] == "VIOLATED quiet h2: h2 received 2"
    assert lines[1] == "counterexample, 16 steps, none can be left out (the walk had 16, seed 3):"
    assert lines[-1] == "replay: sdnloom replay hub.quiet-h2.sdnloom-trace.json"
    assert sdnloom(*lines[-1].split()[2:]).out.startswith("CONFIRMED quiet h2: h2 received 2\n")
    assert sdnloom("walk", "hub.toml", "--seed", 3).out == run.out


def test_walks_that_find_nothing_are_incomplete(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, TWO.replace("most = 1", "most = 2"))
    run = sdnloom("walk", "hub.toml", "--runs", 5, "--seed", 2, "--max-steps", 10)
    assert (run.code, run.out) == (
        3,
        "INCOMPLETE no violation in 5 random walks with 50 steps in all, seeds 2 to 6\n"
        "to try more, raise --runs or --max-steps, or search everything with `sdnloom check`\n",
    )


def test_walks_as_json(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, TWO)
    run = sdnloom("walk", "hub.toml", "--seed", 3, "--format", "json")
    assert run.code == 1
    result = json.loads(run.out)
    path = result["violation"].pop("path")
    assert (len(path), path[0].split(":")[0]) == (16, "h1")
    assert result == {
        "schema": "sdnloom-walk-1",
        "verdict": "violated",
        "runs": 1,
        "steps": 16,
        "seed": 3,
        "violation": {
            "property": "quiet h2",
            "message": "h2 received 2",
            "steps": 16,
            "walked": 16,
            "seed": 3,
            "trace": "hub.quiet-h2.sdnloom-trace.json",
        },
    }
    write(tmp_path, TWO.replace("most = 1", "most = 2"))
    nothing = json.loads(sdnloom("walk", "hub.toml", "--runs", 2, "--max-steps", 10, "--format", "json").out)
    assert (nothing["verdict"], nothing["runs"], nothing["steps"], nothing["violation"]) == ("incomplete", 2, 20, None)


def test_one_walk_is_one(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, TWO)
    run = sdnloom("walk", "hub.toml", "--runs", 1, "--max-steps", 1, "--seed", 7)
    assert run.out.splitlines()[0] == "INCOMPLETE no violation in 1 random walk with 1 step in all, seed 7"


def test_a_bad_scenario_ends_with_exit_code_2(sdnloom: CommandLine) -> None:
    run = sdnloom("walk", "gone.toml")
    assert (run.code, run.out) == (2, "")


def test_walks_and_steps_work_with_link_discovery(sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "links.py").write_text(HEAD + LINKS)
    app = ("--app", tmp_path / "links.py", "--topology", "linear,2", "--observe-links", "--ticks", 2)
    run = sdnloom("walk", *app, "--runs", 2, "--max-steps", 20, "--property", "NoHandlerException")
    assert run.code == 3
    assert run.out.startswith("INCOMPLETE no violation in 2 random walks with 40 steps in all, seeds 0 to 1\n")
    run = sdnloom("step", *app, stdin="1\n1\n1\nb\nb\n1\nq\n")
    assert (run.code, run.err) == (0, "")
