"""The system of a network has the sizes of the engine's benchmark, and irrelevant order does not matter."""

import itertools
from dataclasses import replace

import pytest

from benchmarks.pings import pings
from sdnloom.engine.result import Holds, Limits, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.errors import SdnloomError
from sdnloom.network.build import build
from sdnloom.network.hosts import Client, Host, MobileHost, Replier
from sdnloom.network.network import LinkFaults, Network, NetworkError, SwitchFaults, SwitchOptions
from sdnloom.network.openflow import Match, Output, Port
from sdnloom.network.topology import SwitchPort, Topology, custom
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, NoForwardingLoops, StrictDirectPaths
from tests.network.programs import hub, learning

LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")])


def ping_network(count, topology=LINE, hosts=None):
    """NICE's figure 1: a ping carries identity, a reply does not, and B tells its answers apart."""
    return Network(
        topology,
        hosts or (Client("A", to=("B",), sends=count, numbered=True), Replier("B", tells_apart=True)),
        SwitchOptions(profile="reference"),
    )


def sizes(system, **options):
    statistics = search(system, SearchOptions(**options)).statistics
    return statistics.states, statistics.transitions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "states", "transitions"), [(1, 17, 16), (2, 296, 508), (3, 4649, 11231), (4, 68868, 207817)]
)
def test_the_ping_network_has_exactly_the_sizes_of_the_benchmark(count, states, transitions):
    assert sizes(build(ping_network(count), learning), engine="loop") == (states, transitions)


@pytest.mark.slow
def test_five_pings_have_the_size_of_the_benchmark():
    assert sizes(build(ping_network(5), learning), engine="kernel") == (1_004_445, 3_549_726)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_ping_network_goes_through_the_benchmarks_levels(count):
    ours = [sizes(build(ping_network(count), learning), engine="loop", limits=limits) for limits in _depths(count)]
    theirs = [sizes(pings(count), engine="loop", limits=limits) for limits in _depths(count)]
    assert ours == theirs


def _depths(count):
    # Sizes add up over the levels: a level that differs shows at every later one, so some will do.
    return [Limits(depth=depth) for depth in range(1, 17 * count, 2 * count)]


@pytest.mark.slow
def test_the_handlers_run_as_rarely_as_in_the_benchmark():
    evaluations = search(build(ping_network(4), learning), SearchOptions(engine="loop")).statistics.evaluations
    assert {name: evaluations[name] for name in ("controller", "s1", "s2")} == {"controller": 85, "s1": 598, "s2": 606}


@pytest.mark.slow
@pytest.mark.parametrize("reduce", [False, True])
def test_the_declarations_are_true(reduce):
    rules = (NoBlackHoles(), NoForwardingLoops())
    for program in (learning, hub):
        options = SearchOptions(engine="loop", checked=True, reduce=reduce)
        assert isinstance(search(build(ping_network(2), program, rules), options).verdict, Holds)


def permutations_of(topology: Topology):
    """Yield the topology with its switches, hosts and links in every other order and links reversed."""
    turned = tuple(replace(link, a=link.b, a_port=link.b_port, b=link.a, b_port=link.a_port) for link in topology.links)
    for index, switches in enumerate(itertools.permutations(topology.switches)):
        hosts = list(itertools.permutations(topology.hosts))[index]
        yield Topology(topology.name, switches, hosts, (topology.links[::-1], turned)[index % 2])


@pytest.mark.slow
def test_the_order_in_which_the_network_is_written_down_changes_nothing():
    triangle = custom(
        ["s1", "s2", "s3"], [("s1:2", "s2:1"), ("s2:3", "s3:1")], [("A", "s1:1"), ("B", "s2:2"), ("C", "s3:2")]
    )
    hosts = (Client("A", to=("B",), sends=2), Replier("B"), Replier("C"))
    outcomes = set()
    for topology in permutations_of(triangle):
        for order in (hosts, hosts[::-1]):
            result = search(
                build(Network(topology, order), learning, (StrictDirectPaths(),)), SearchOptions(engine="loop")
            )
            assert isinstance(result.verdict, Violated)
            statistics = search(build(Network(topology, order), learning), SearchOptions(engine="loop")).statistics
            outcomes.add((len(result.verdict.counterexample.path), statistics.states, statistics.transitions))
    assert len(outcomes) == 1


class TwoRules:
    """Installs two rules for each switch in one of two orders."""

    def __init__(self, turned):
        self.turned = turned

    def switch_join(self, net, switch, features):
        rules = [(Match.of(in_port=port), Output(Port.FLOOD)) for port in (1, 2)]
        for match, action in rules[::-1] if self.turned else rules:
            net.install(switch, match, action)


def test_the_order_in_which_rules_are_installed_changes_nothing():
    programs = [PythonProgram(TwoRules, {"turned": turned}) for turned in (False, True)]
    one, other = (sizes(build(ping_network(2), program), engine="loop") for program in programs)
    assert one == other


def test_switches_that_join_during_the_search_end_in_the_same_states():
    joined = search(build(ping_network(1), learning), SearchOptions(engine="loop"))
    joining = search(build(replace(ping_network(1), joining=True), learning), SearchOptions(engine="loop"))
    assert joined.statistics.states < joining.statistics.states
    assert isinstance(joining.verdict, Holds)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Network(LINE, (Host("C"),)), "'C' is no host of the topology"),
        (Network(LINE, (Host("A"), Host("A"))), "host 'A' has two behaviours"),
        (Network(LINE, (Client("A"),)), "host 'A' has nothing to send"),
        (Network(LINE, (Client("A", to=("X",)),)), "'X' is no host"),
        (Network(LINE, (Client("A", to=("B",), sends=-1),)), "sends of host 'A' is -1"),
        (Network(LINE, (Client("A", to=("B",), order="odd"),)), "order of host 'A' is 'odd'"),
        (Network(LINE, (MobileHost("A", host=Host("B")),)), "expected one name for both"),
        (Network(LINE, (MobileHost("A", host=Host("A"), to=(SwitchPort("s2", 2),)),)), "expected a port of its own"),
        (Network(LINE, (MobileHost("A", host=Host("A"), to=(SwitchPort("s1", 9),)),)), "s1:9 is a missing port"),
        (Network(LINE, link_faults=(("s1-s9", LinkFaults()),)), "'s1-s9', which is no link"),
        (Network(LINE, link_faults=(("A", LinkFaults()), ("A", LinkFaults()))), "are given twice"),
        (Network(LINE, switch_faults=(("s9", SwitchFaults()),)), "faults of the switch 's9'"),
    ],
)
def test_a_network_that_cannot_be_is_refused_with_a_reason(network, message):
    with pytest.raises(SdnloomError, match=message):
        build(network, learning)


@pytest.mark.parametrize("kind", [LinkFaults, SwitchFaults])
@pytest.mark.parametrize("value", [-1, True, "1", None])
def test_a_budget_is_a_whole_number(kind, value):
    with pytest.raises(NetworkError, match="expected a whole number of at least 0"):
        kind(fail=value)
