"""Discovery on Ryu's own apps, unchanged: the published defects, without a packet that clients are told."""

import json
from pathlib import Path

import pytest

from tests.apps.conftest import ROOT
from tests.cli.running import CommandLine

EXAMPLES = ROOT / "examples" / "ryu"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "violated", "steps"),
    [
        ("switch13_bug1", "NoBlackHolesMobile", 27),
        ("switch13_bug2", "StrictDirectPaths", 20),
        ("switch13_bug3", "NoForwardingLoops", 14),
        ("switch10_bug1", "NoBlackHolesMobile", 27),
        ("switch10_bug2", "StrictDirectPaths", 20),
        ("switch10_bug3", "NoForwardingLoops", 14),
    ],
)
def test_published_defects_are_found_without_a_configured_packet(
    ryu: Path, sdnloom: CommandLine, tmp_path: Path, scenario: str, violated: str, steps: int
) -> None:
    run = sdnloom("check", "--discover-only", EXAMPLES / f"{scenario}.toml", "--format", "json")
    report = json.loads(run.out)
    [found] = report["violations"]
    assert (run.code, report["property"], found["steps"], found["shortest"]) == (1, violated, steps, True)
    discovery = report["discovery"]
    assert (discovery["complete"], [one["packets"] for one in discovery["rounds"]]) == (True, [0, 4])
    everybody, nobody = "ethernet eth.dst=ff:ff:ff:ff:ff:ff", "ethernet eth.dst=02:ff:00:00:00:fe"
    assert discovery["packets"]["h1 at s1:1"] == ["ethernet eth.dst=h2", everybody, nobody, "lldp"]
    replayed = sdnloom("replay", report["trace"])
    assert (replayed.code, replayed.out.split()[:2]) == (1, ["CONFIRMED", f"{violated}:"])


def test_a_ring_that_is_no_ring_holds_for_all_that_the_app_tells_apart(ryu: Path, sdnloom: CommandLine) -> None:
    run = sdnloom(
        *("check", "--app", "ryu.app.simple_switch_13", "--path", ryu, "--topology", "linear,2"),
        *("--property", "NoForwardingLoops", "--property", "NoHandlerException", "--discover", "--format", "json"),
    )
    report = json.loads(run.out)
    assert (run.code, report["verdict"]) == (0, "holds")
    assert report["discovery"]["complete"]
    assert report["bounds"][-1].startswith("4 packets discovered, one for each class that the program tells apart")


def test_a_trace_of_discovered_packets_needs_no_option_to_be_replayed(ryu: Path, sdnloom: CommandLine) -> None:
    found = sdnloom("check", "--discover-only", EXAMPLES / "switch13_bug3.toml")
    assert "h1: send [ethernet eth.dst=h2]" in found.out
    replayed = sdnloom("replay", "switch13_bug3.NoForwardingLoops.sdnloom-trace.json")
    steps = [line for line in found.out.splitlines() if line.startswith("  ")]
    assert [line for line in replayed.out.splitlines() if line.startswith("  ")] == steps
