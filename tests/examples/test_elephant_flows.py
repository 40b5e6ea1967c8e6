"""A program that moves fast flows to another path: its mistake shows above a limit that the scenario does not name."""

import json
from dataclasses import replace

import pytest

from sdnloom import load_scenario
from tests.cli.running import CommandLine
from tests.examples.expected import EXAMPLES

PLANTED, FIXED = (EXAMPLES / "elephant_flows" / f"{name}.toml" for name in ("elephants", "elephants_fixed"))


@pytest.mark.parametrize("options", [(), ("--engine", "kernel"), ("--reduce",), ("--discover",)])
def test_the_flow_above_the_limit_is_found_and_its_trace_replays(
    sdnloom: CommandLine, options: tuple[str, ...]
) -> None:
    run = sdnloom("check", PLANTED, "--format", "json", *options)
    found = json.loads(run.out)
    assert (run.code, found["verdict"], found["property"]) == (1, "violated", "NoBlackHoles")
    (violation,) = found["violations"]
    assert violation["steps"] == 8
    replayed = sdnloom("replay", violation["trace"])
    assert (replayed.code, replayed.out.split(":")[0]) == (1, "CONFIRMED NoBlackHoles")
    assert "[statistics flow1.byte_count=100000001]" in replayed.out


def test_the_correction_holds_for_all_counters() -> None:
    report = load_scenario(FIXED).check()
    assert (report.verdict, report.result.never) == ("holds", ())
    assert report.discovery is not None
    assert report.discovery.network.answers == (
        (
            "s1",
            (
                ("statistics", ()),
                ("statistics flow1.byte_count=100000001", (("flow1.byte_count", 100_000_001),)),
                (
                    "statistics flow1.byte_count=100000001 flow2.byte_count=100000001",
                    (("flow1.byte_count", 100_000_001), ("flow2.byte_count", 100_000_001)),
                ),
                ("statistics flow2.byte_count=100000001", (("flow2.byte_count", 100_000_001),)),
            ),
        ),
    )


def test_without_discovered_statistics_the_defect_is_missed() -> None:
    scenario = load_scenario(PLANTED)
    assert replace(scenario, network=replace(scenario.network, answers=None)).check().verdict == "holds"


def test_below_the_limit_the_defect_is_missed_and_the_limit_is_named(sdnloom: CommandLine) -> None:
    run = sdnloom("check", PLANTED, "--field", "flow.byte_count=0-100000000")
    assert (run.code, run.out.split()[0]) == (3, "INCOMPLETE")
    assert (
        "elephants.py:57: no reply takes the side flow1.byte_count >= 100000001; "
        "to reach it, give --field flow1.byte_count=0-100000000,100000001"
    ) in run.out
