"""Scenarios in Python: the same as in files, and orders that make no difference."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom.check.bounds import stated_bounds
from sdnloom.check.load import load_scenario
from sdnloom.check.run import shuffled
from sdnloom.check.scenario import Scenario
from sdnloom.engine.result import Holds, Limits, Progress, SearchOptions
from sdnloom.engine.search import search
from sdnloom.network.hosts import ArpHost, Client, MobileHost, Replier, TcpClient
from sdnloom.network.network import LinkFaults, Network
from sdnloom.network.topology import SwitchPort, linear
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, NoForwardingLoops
from tests.check.scenarios import write


class Flooder:
    """Floods every packet."""

    def packet_in(self, net, switch, message) -> None:
        net.flood(switch, message)


NETWORK = Network(linear(2), (Client("h1", to=("h2",), sends=2), Replier("h2")))
SCENARIO = Scenario(NETWORK, PythonProgram(Flooder), (NoForwardingLoops(), NoBlackHoles()))


def test_a_scenario_in_python_is_checked_with_one_call() -> None:
    report = SCENARIO.check()
    assert report.verdict == "holds"
    assert isinstance(report.result.verdict, Holds)
    assert report.bounds == ("h1: at most 2 packets",)
    assert report.violations == ()
    assert report.handler_runs == report.result.statistics.evaluations["controller"] > 0


def test_file_and_python_give_the_same_search(tmp_path: Path) -> None:
    loaded = load_scenario(write(tmp_path)).check()
    built = Scenario(
        Network(linear(2), (Client("h1", to=("h2",)),)), PythonProgram(Flooder), (NoForwardingLoops(),)
    ).check()
    assert loaded.verdict == "violated"
    assert (built.result.statistics.states, built.result.statistics.transitions) == (9, 8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("reduce", [False, True])
def test_a_seed_changes_no_count_and_no_verdict_of_a_whole_search(seed: int, reduce: bool) -> None:
    def counts(scenario: Scenario) -> tuple:
        report = scenario.check()
        return report.verdict, report.result.statistics.states, report.result.statistics.transitions

    plain = replace(SCENARIO, options=SearchOptions(checked=not reduce))
    if reduce:  # how much a reduction saves depends on the order, what it finds does not
        assert replace(SCENARIO, options=SearchOptions(reduce=True), seed=seed).check().verdict == "holds"
    else:
        assert counts(replace(plain, seed=seed)) == counts(plain)


def test_hosts_and_switches_in_another_order_change_no_count() -> None:
    expected = SCENARIO.check().result.statistics
    topology = NETWORK.topology
    for seed in range(4):
        chance = random.Random(seed)
        other = replace(
            topology,
            switches=tuple(chance.sample(topology.switches, 2)),
            hosts=tuple(chance.sample(topology.hosts, 2)),
        )
        network = replace(NETWORK, topology=other, hosts=tuple(chance.sample(NETWORK.hosts, 2)))
        found = replace(SCENARIO, network=network).check().result.statistics
        assert (found.states, found.transitions) == (expected.states, expected.transitions)


def test_seed_zero_leaves_the_system_as_it_is() -> None:
    system = SCENARIO.system()
    assert shuffled(system, 0) is system
    assert {one.name for one in shuffled(system, 1).components} == {one.name for one in system.components}
    assert search(shuffled(system, 7)).statistics.states == search(system).statistics.states


def test_budgets_and_limits_are_stated_as_bounds() -> None:
    moving = MobileHost("h2", host=Replier("h2"), to=(SwitchPort("s1", 1),), moves=1)
    network = replace(NETWORK, link_faults=(("h1", LinkFaults(drop=1, fail=2)),))
    for host, expected in (
        (Client("h1", to=("h2",), sends=1), ("h1: at most 1 packet",)),
        (Client("h1", to=("h2",), sends=3, burst=2), ("h1: at most 3 packets (2 unanswered)",)),
        (ArpHost("h1", to=("h2",), asks=2), ("h1: at most 1 packet, 2 ARP requests",)),
        (TcpClient("h1", "h2"), ("h1: at most one TCP connection",)),
        (moving, ("h2: at most 1 move",)),
        (Replier("h2"), ()),
    ):
        assert stated_bounds(Network(linear(2), (host,)), SearchOptions()) == expected
    report = replace(SCENARIO, network=network, options=SearchOptions(limits=Limits(states=10, depth=4))).check()
    assert report.verdict == "incomplete"
    assert report.bounds == (
        "h1: at most 2 packets",
        "link h1 drops a packet at most once in each direction, fails at most 2 times",
        "at most 10 states",
        "at most 4 steps deep",
    )


def test_fingerprints_tell_scenarios_and_programs_apart() -> None:
    class Other(Flooder):
        """Another program."""

        def switch_join(self, net, switch, features) -> None:
            self.switches = [switch]

    changed = replace(SCENARIO, program=PythonProgram(Other))
    larger = replace(SCENARIO, network=replace(NETWORK, hosts=NETWORK.hosts[:1]))
    assert SCENARIO.fingerprint() == changed.fingerprint() != larger.fingerprint()
    assert SCENARIO.code_fingerprint() == larger.code_fingerprint() != changed.code_fingerprint()


def test_events_of_the_search_are_passed_on() -> None:
    seen: list = []
    SCENARIO.check(seen.append)
    assert not isinstance(seen[-1], Progress)
    assert seen[-1].result.statistics.states > 0
