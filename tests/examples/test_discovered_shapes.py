"""Firewall, load balancer, router and traffic engineering: planted defects are found with nothing but discovery."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from sdnloom import load_scenario
from sdnloom.check.scenario import Report
from sdnloom.inputs.options import DiscoverOptions
from tests.cli.running import CommandLine
from tests.examples.expected import EXAMPLES

SHAPES = EXAMPLES / "discovery"


class Planted(NamedTuple):
    """A defect: the property that it violates, the steps that show it, and the part of discovery that finds it."""

    property: str
    steps: int
    needs: str


PLANTED = {
    "firewall/wide": Planted("Closed", 4, "tables"),
    "firewall/priority": Planted("Closed", 4, "tables"),
    "firewall/hole": Planted("Closed", 10, "tables"),
    "firewall/misplaced": Planted("Open", 2, "tables"),
    "load_balancer/silent": Planted("Answered", 4, "constants"),
    "load_balancer/unhidden": Planted("Hidden", 6, "constants"),
    "load_balancer/bucket": Planted("Hidden", 3, "tables"),
    "router/prefix": Planted("NothingMisrouted", 3, "constants"),
    "router/expired": Planted("NothingMisrouted", 5, "constants"),
    "router/hop": Planted("NothingMisrouted", 3, "constants"),
    "router/proxy": Planted("OwnAddressesOnly", 5, "constants"),
    "traffic_engineering/mask": Planted("Waypoint(h1, centre, s3)", 4, "tables"),
    "traffic_engineering/archive": Planted("Waypoint(h1, centre, s3)", 7, "constants"),
    "traffic_engineering/threshold": Planted("RelievedWhileBusy", 7, "statistics"),
}
# Corrected app -> states and packets of the last round.
CORRECTED = {
    "firewall/firewall": (24_545, 96),
    "load_balancer/balancer": (426, 53),
    "router/router": (92, 43),
    "traffic_engineering/engineering": (88, 29),
    "traffic_engineering/load": (27, 0),
}
LIMIT = ("--max-states", 50_000)  # a state space that has become endless fails, and does not hang


def scenario_files() -> list[Path]:
    return [file for file in SHAPES.glob("*/*.toml") if not file.name.endswith(".part.toml")]


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def test_every_scenario_has_an_expected_verdict() -> None:
    assert {name_of(file) for file in scenario_files()} == PLANTED.keys() | CORRECTED.keys()


def test_no_scenario_names_a_packet() -> None:
    hosts, tables = set(), set()
    for file in SHAPES.glob("*/*.toml"):
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        tables |= document.keys()
        hosts |= {key for host in document.get("hosts", ()) for key in host}
        assert document.get("discover", {}).keys() <= {"statistics"}
    assert tables == {"include", "program", "properties", "topology", "hosts", "discover", "ticks", "settle_ticks"}
    assert hosts == {"name", "at", "ip", "kind", "discover"}


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_found_and_its_trace_replays(sdnloom: CommandLine, name: str) -> None:
    run = sdnloom("check", SHAPES / f"{name}.toml", "--discover", "--format", "json", *LIMIT)
    found = json.loads(run.out)
    violation = found["violations"][0]
    assert (run.code, violation["property"]) == (1, PLANTED[name].property)
    assert (violation["steps"], violation["shortest"]) == (PLANTED[name].steps, True)
    replayed = sdnloom("replay", violation["trace"])
    assert replayed.out.startswith(f"CONFIRMED {violation['property']}: {violation['message']}\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", CORRECTED)
def test_the_corrected_app_holds(sdnloom: CommandLine, name: str) -> None:
    run = sdnloom("check", SHAPES / f"{name}.toml", "--discover", "--format", "json", *LIMIT)
    found = json.loads(run.out)
    packets = sum(map(len, found["discovery"]["packets"].values()))
    assert (run.code, found["verdict"], found["discovery"]["complete"]) == (0, "holds", True)
    assert (found["states"], packets) == CORRECTED[name]


def report_without(name: str, part: str) -> Report:
    """The report of a check with discovery in which one part of it is switched off."""
    scenario = load_scenario(SHAPES / f"{name}.toml")
    if part == "statistics":
        return replace(scenario, network=replace(scenario.network, answers=None)).check()
    return replace(scenario.discovering(), discovery=DiscoverOptions(**{part: False})).check()


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_the_defect_is_missed_without_the_part_of_discovery_that_finds_it(name: str) -> None:
    report = report_without(name, PLANTED[name].needs)
    assert (report.verdict != "violated", report.violations) == (True, ())
