"""The thirteen defects with discovered packets and port statistics."""

import json
from dataclasses import replace
from functools import cache

import pytest

from sdnloom import load_scenario
from sdnloom.check.scenario import Report, Scenario
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.strategies import FlowIR, same_connection
from tests.cli.running import CommandLine
from tests.examples.expected import BUGS, DISCOVERED, EXAMPLES, EXPECTED


def discovering(name: str) -> Scenario:
    """The scenario with nothing but discovered inputs."""
    return load_scenario(EXAMPLES / f"{name}.toml").discovering(only=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", DISCOVERED)
def test_discover_finds_the_defect_and_its_trace_replays(sdnloom: CommandLine, name: str) -> None:
    expected = DISCOVERED[name]
    found = json.loads(sdnloom("check", EXAMPLES / f"{name}.toml", "--discover-only", "--format", "json").out)
    assert (found["verdict"], found["property"]) == ("violated", expected.property)
    assert (found["states"], found["transitions"]) == (expected.states, expected.transitions)
    assert not found["discovery"]["complete"]  # the first violation ends the search
    (violation, *_) = found["violations"]
    assert (violation["steps"], violation["shortest"]) == (expected.steps, True)
    replayed = sdnloom("replay", violation["trace"])
    assert replayed.out.startswith(f"CONFIRMED {violation['property']}: {violation['message']}\n")


def test_discovered_inputs_violate_the_same_property_as_given_ones() -> None:
    for defect, _ in BUGS.values():
        found = DISCOVERED.get(defect) or EXPECTED[f"{defect}_discover"]
        assert found.property == EXPECTED[defect].property


@cache
def report_of_the_correction(bug: str) -> Report:
    scenario = discovering(BUGS[bug][1][0])
    if bug == "II":  # its rules are for one type of packets, so one of another type is news to the switch
        scenario = replace(scenario, discovery=DiscoverOptions(stacks=("ethernet",), fields=(("eth.type", "0x88b5"),)))
    elif bug in ("XII", "XIII"):  # the app of X and XI, which are checked with all stacks: six times the questions
        scenario = replace(scenario, discovery=DiscoverOptions(stacks=("ethernet",)))
    return scenario.check()


def unreached(report: Report) -> list[tuple[str, int, str]]:
    """The branches that keep a correction from holding: where they are, and the option that reaches them."""
    assert report.discovery is not None
    assert (report.verdict, report.violations, report.discovery.gaps) == ("incomplete", (), ())
    return [(each.file, each.line, each.option) for each in report.discovery.unreached]


# Sources that no host of the network has, or that no host which sends has.
GROUP_SOURCE = ("pyswitch.py", 17, "--field eth.src=own,01:00:00:00:00:01")
OTHER_SOURCE = ("engineering.py", 79, "--field eth.src=own,h2")
OTHER_GROUP = ("balancer.py", 166, "--field ipv4.src=own,203.0.113.9")


@pytest.mark.slow
@pytest.mark.parametrize("bug", ["II", "III", "X", "XI", "XII"])
def test_the_cure_holds_for_all_discovered_inputs_but_for_one_branch_on_the_source(bug: str) -> None:
    report = report_of_the_correction(bug)
    assert unreached(report) == [GROUP_SOURCE if bug in ("II", "III") else OTHER_SOURCE]
    assert report.result.never == ()


@pytest.mark.slow
@pytest.mark.parametrize("bug", ["IV", "V", "VI", "VII", "VIII", "IX"])
def test_the_cure_of_the_load_balancer_holds_for_all_discovered_inputs_of_clients(bug: str) -> None:
    defect, corrections = BUGS[bug]
    network = load_scenario(EXAMPLES / f"{defect}_discover.toml")
    correction = load_scenario(EXAMPLES / f"{corrections[0]}.toml")
    scenario = replace(network, program=correction.program, code=correction.code)
    assert unreached(scenario.check()) == [OTHER_GROUP]
    # A client of the other group of addresses takes the other side of that branch.
    fields = (*scenario.discovery.fields, ("ipv4.src", "own,10.0.0.200"))
    assert replace(scenario, discovery=replace(scenario.discovery, fields=fields)).check().verdict == "holds"


@pytest.mark.slow
def test_a_load_that_rises_and_drops_is_found_from_the_program() -> None:
    report = report_of_the_correction("XIII")
    assert unreached(report) == [OTHER_SOURCE]
    assert report.result.never == ()
    assert report.discovery is not None
    assert report.discovery.network.answers == (
        (
            "s1",
            (
                ("statistics", ()),
                ("statistics port3.tx_bytes=1000001", (("port3.tx_bytes", 1_000_001),)),
                ("statistics port3.tx_bytes=2000002", (("port3.tx_bytes", 2_000_002),)),
            ),
        ),
    )


def test_the_virtual_address_is_found_from_the_program(sdnloom: CommandLine) -> None:
    file = EXAMPLES / "load_balancer/bug6_discover.toml"
    run = sdnloom("check", file, "--field", "ipv4.dst=any", "--field", "arp.tpa=any", "--no-trace")
    assert run.code == 1
    assert "client: sends client > 00:00:00:00:01:00 IP client > 10.0.0.100 TCP 1024 > 80 SYN" in run.out


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["loop", "kernel"])
def test_both_engines_discover_the_same(engine: str) -> None:
    scenario = discovering("traffic_engineering/bug11")
    report = replace(scenario, options=replace(scenario.options, engine=engine)).check()
    expected = DISCOVERED["traffic_engineering/bug11"]
    assert report.result.statistics.engine == engine
    assert (report.result.statistics.states, report.result.statistics.transitions) == (
        expected.states,
        expected.transitions,
    )


@pytest.mark.slow
@pytest.mark.parametrize("bug", ["V", "VIII"])
def test_flow_ir_leaves_the_choice_between_discovered_packets_open(bug: str) -> None:
    scenario = load_scenario(EXAMPLES / f"{BUGS[bug][0]}_discover.toml")
    assert replace(scenario, strategies=(FlowIR(same_connection),)).check().verdict == "violated"
