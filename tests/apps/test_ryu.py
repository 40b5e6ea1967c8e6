"""Ryu's own apps, unchanged, under `sdnloom check`: the published defects are found, with exact counts."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.apps.conftest import HASHES, ROOT
from tests.cli.running import CommandLine

EXAMPLES = ROOT / "examples" / "ryu"


def test_the_apps_are_those_of_the_published_archive(ryu: Path) -> None:
    found = {name: hashlib.sha256((ryu / "ryu" / "app" / f"{name}.py").read_bytes()).hexdigest() for name in HASHES}
    assert found == HASHES


@pytest.mark.parametrize("app", ["simple_switch", "simple_switch_13", "example_switch_13", "simple_monitor_13"])
def test_a_learning_switch_keeps_what_any_app_should(ryu: Path, sdnloom: CommandLine, app: str) -> None:
    run = sdnloom("check", "--app", f"ryu.app.{app}", "--path", ryu, "--topology", "linear,2", "--format", "json")
    report = json.loads(run.out)
    counts = {"simple_switch": (458, 790)}
    assert (run.code, report["verdict"], report["states"], report["transitions"]) == (
        0,
        "holds",
        *counts.get(app, (323, 546)),
    )


@pytest.mark.parametrize(
    ("scenario", "violated", "steps", "states", "transitions"),
    [
        ("switch13_bug1", "NoBlackHolesMobile", 27, 4_942, 11_231),
        ("switch13_bug2", "StrictDirectPaths", 20, 136, 217),
        ("switch13_bug3", "NoForwardingLoops", 14, 458, 1_004),
        ("switch10_bug1", "NoBlackHolesMobile", 27, 8_390, 19_499),
        ("switch10_bug2", "StrictDirectPaths", 20, 193, 305),
        ("switch10_bug3", "NoForwardingLoops", 14, 611, 1_292),
    ],
)
def test_published_defects_of_mac_learning_are_found(
    ryu: Path,
    sdnloom: CommandLine,
    tmp_path: Path,
    scenario: str,
    violated: str,
    steps: int,
    states: int,
    transitions: int,
) -> None:
    run = sdnloom("check", EXAMPLES / f"{scenario}.toml", "--format", "json")
    report = json.loads(run.out)
    assert (run.code, report["property"], report["violations"][0]["steps"]) == (1, violated, steps)
    assert report["violations"][0]["shortest"]
    assert (report["states"], report["transitions"]) == (states, transitions)
    replayed = sdnloom("replay", tmp_path / report["trace"])
    assert (replayed.code, replayed.out.split()[:2]) == (1, ["CONFIRMED", f"{violated}:"])
