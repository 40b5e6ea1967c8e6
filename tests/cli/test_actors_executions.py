"""`sdnloom check FILE.py --count executions` as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.cli.running import CommandLine

BALANCER = str(Path(__file__).parents[2] / "examples" / "actors" / "load_balancer.py")


@pytest.mark.parametrize(
    ("level", "count", "loops"), [("none", "286", "110"), ("actor", "10", "4"), ("entry", "8", "2"), (None, "8", "2")]
)
def test_executions_are_counted_at_the_level_of_the_reduction(sdnloom: CommandLine, level, count, loops) -> None:
    given = ("--reduction", level) if level else ()
    run = sdnloom("check", BALANCER, "--count", "executions", "--no-trace", *given)
    told = f"(independence: {level or 'context'})"
    assert run.code == 1
    assert f"executions: {count} {told}; NoForwardingLoop violated in {loops}" in run.out.splitlines()


def test_json_has_the_count(sdnloom: CommandLine) -> None:
    document = json.loads(sdnloom("check", BALANCER, "--count", "executions", "--no-trace", "--format", "json").out)
    assert (document["executions"], document["final_states"]) == (8, 8)
    assert document["execution_count"] == {
        "counted": 8,
        "level": "context",
        "incomplete": None,
        "violating": {"NoForwardingLoop": 2},
    }


def test_what_a_limit_leaves_uncounted_is_said(sdnloom: CommandLine) -> None:
    run = sdnloom("check", f"{BALANCER}:with_barriers", "--count", "executions", "--max-states", "200")
    assert run.code == 0  # the search needs fewer states
    assert any(
        line.startswith("executions: at least ") and "limit of 200 states" in line for line in run.out.splitlines()
    )
    document = json.loads(
        sdnloom(
            "check", f"{BALANCER}:with_barriers", "--count", "executions", "--max-states", "200", "--format", "json"
        ).out
    )
    assert document["executions"] is None
    assert document["execution_count"]["incomplete"] == "the limit of 200 states was reached"


@pytest.mark.parametrize(
    ("suffix", "start"), [("svg", "<svg "), ("txt", "8 exec"), ("dot", "digraph"), ("mmd", "flow")]
)
def test_the_tree_is_written_in_the_format_of_its_name(sdnloom: CommandLine, suffix: str, start: str) -> None:
    run = sdnloom("check", BALANCER, "--no-trace", "--tree", f"tree.{suffix}")
    assert run.code == 1
    assert run.err.splitlines()[-1] == f"tree of 8 executions: tree.{suffix}"
    assert Path(f"tree.{suffix}").read_text().startswith(start)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tree", "tree.png"), "--tree tree.png: expected a name that ends with one of .svg, .txt, .dot, .mmd"),
        (("--tree", "no/tree.svg"), "--tree no/tree.svg: expected a file in a folder that exists"),
        (("--tree", "tree.svg", "--reduction", "none"), "there are more than 200 at the level of none"),
    ],
)
def test_a_tree_that_cannot_be_written_is_an_error(sdnloom: CommandLine, options, message: str) -> None:
    run = sdnloom("check", BALANCER, "--no-trace", *options)
    assert run.code == 2
    assert message in run.err.splitlines()[-1]
    assert not Path("tree.svg").exists()
