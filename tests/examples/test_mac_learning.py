"""The MAC-learning switch: its three published defects (NICE, 9.1), partial corrections, and corrections that hold."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from sdnloom.engine.path import final_state, replay
from sdnloom.engine.result import Holds, Limits, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.network.build import build
from sdnloom.network.hosts import Client, MobileHost, Replier
from sdnloom.network.network import Network, SwitchOptions, Timeouts
from sdnloom.network.topology import SwitchPort, Topology, custom
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import (
    NoBlackHoles,
    NoBlackHolesMobile,
    NoForgottenPackets,
    NoForwardingLoops,
    NoHandlerException,
    Reachable,
    Sometimes,
    StrictDirectPaths,
)

FILE = Path(__file__).parents[2] / "examples" / "mac_learning" / "learning.py"
_spec = importlib.util.spec_from_file_location("learning", FILE)
learning = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(learning)

REFERENCE = SwitchOptions(profile="reference")  # the switch of NICE's model
ONE = custom(["s1"], [], [("A", "s1:1"), ("B", "s1:2")], ports=3)
LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")], ports=3)
RING = custom(
    ["s1", "s2", "s3"], [("s1:2", "s2:2"), ("s2:3", "s3:2"), ("s1:3", "s3:3")], [("A", "s1:1"), ("B", "s2:1")]
)


def moving(topology=ONE):
    """A streams to B, waiting for each answer; B may move once and says hello from its new port."""
    b = MobileHost("B", host=Replier("B"), to=(SwitchPort("s1", 3),), announces=True)
    return Network(topology, (Client("A", to=("B",), sends=3, burst=1), b), REFERENCE, timeouts=Timeouts(settle=True))


def pinging(topology, sends=2):
    return Network(topology, (Client("A", to=("B",), sends=sends), Replier("B")), REFERENCE)


def verdict(network, program, *rules, arguments=None, **options):
    """The verdict; every counterexample is replayed from its steps alone."""
    system = build(network, PythonProgram(getattr(learning, program), arguments), rules)
    result = search(system, SearchOptions(order="bfs", **options))  # for shortest counterexamples
    assert not result.never
    if isinstance(result.verdict, Violated):
        found = result.verdict.counterexample
        assert found.shortest == (not options.get("reduce"))
        semantics = Semantics(system)
        ending = final_state(semantics, replay(semantics, found.path))
        assert (found.property, found.message) in {(one.property, one.message) for one in semantics.findings(ending)}
    return result


def violation(*arguments, **options):
    result = verdict(*arguments, **options).verdict
    assert isinstance(result, Violated)
    return result.counterexample.message, len(result.counterexample.path)


def holds(*arguments, **options):
    return isinstance(verdict(*arguments, **options).verdict, Holds)


# -- BUG-I: a host that moved stays unreachable ------------------------------------------------------------------

LOST = NoBlackHolesMobile()
FOR_EVER = Reachable(source="A", target="B")
DONE = Sometimes(event="HostMoved", at="B")


def test_bug_1_packets_to_a_host_that_moved_are_lost_although_the_program_heard_from_it():
    assert violation(moving(), "PySwitch", LOST, DONE) == ("packet A:3 never reached B", 25)


def test_bug_1_the_loss_lasts_for_ever():
    message = "a packet from A to B, who is at s1:3, ends at s1:2"
    assert violation(moving(), "PySwitch", FOR_EVER, DONE) == (message, 21)


def test_bug_1_violates_the_plain_property_too():
    message, length = violation(moving(), "PySwitch", NoBlackHoles())
    assert message.endswith("never reached B")
    assert length < 25


def test_a_hard_timeout_ends_the_lasting_loss_but_not_the_passing_one():
    assert holds(moving(), "HardTimeout", FOR_EVER, DONE)
    assert violation(moving(), "HardTimeout", LOST, DONE) == ("packet A:3 never reached B", 25)


@pytest.mark.slow
@pytest.mark.parametrize("reduce", [False, True])
def test_following_the_host_corrects_bug_1(reduce):
    rules = (LOST, FOR_EVER, NoForgottenPackets(), NoHandlerException(), DONE)
    assert holds(moving(), "Following", *rules, reduce=reduce)


@pytest.mark.slow
def test_following_the_host_corrects_bug_1_across_switches():
    network = moving(LINE)
    assert violation(network, "PySwitch", LOST)[1] == 38
    assert violation(network, "HardTimeout", LOST)[1] == 38
    assert holds(network, "Following", LOST)


def test_losses_before_the_program_can_know_are_no_violation():
    """B moves without a word: no program could do better, and the property knows."""
    network = moving()
    silent = replace(network.hosts[1], announces=False)
    quiet = replace(network, hosts=(Client("A", to=("B",), sends=2), silent))
    assert holds(quiet, "Following", LOST)
    assert not holds(quiet, "Following", NoBlackHoles())


# -- BUG-II: the direct path comes too late ----------------------------------------------------------------------

ANSWERED = Sometimes(event="Received", at="A")


@pytest.mark.slow
@pytest.mark.parametrize(("topology", "length"), [(ONE, 12), (LINE, 18)], ids=["one switch", "two switches"])
def test_bug_2_the_second_packet_still_goes_to_the_controller(topology, length):
    message, steps = violation(pinging(topology), "PySwitch", StrictDirectPaths(), ANSWERED)
    assert message.startswith("packet A:2 at s1 went to the controller")
    assert steps == length


@pytest.mark.parametrize(("topology", "length"), [(ONE, 12), (LINE, 18)], ids=["one switch", "two switches"])
def test_the_reverse_rule_second_does_not_correct_it(topology, length):
    """The answer leaves with the first rule; A's next packet can be faster than the second."""
    message, steps = violation(pinging(topology), "ReverseSecond", StrictDirectPaths(), ANSWERED)
    assert message.startswith("packet A:2 at s1 went to the controller")
    assert steps == length


@pytest.mark.slow
@pytest.mark.parametrize("topology", [ONE, LINE], ids=["one switch", "two switches"])
@pytest.mark.parametrize("sends", [2, 3])
def test_the_reverse_rule_first_corrects_bug_2(topology, sends):
    rules = (StrictDirectPaths(), NoBlackHoles(), NoForgottenPackets(), NoHandlerException(), ANSWERED)
    assert holds(pinging(topology, sends), "ReverseFirst", *rules)


# -- BUG-III: packets go round for ever ----------------------------------------------------------------------------

LINKS = {"links": [[link.a, link.a_port, link.b, link.b_port] for link in RING.links]}


def test_bug_3_a_flooded_packet_goes_round():
    message, length = violation(pinging(RING), "PySwitch", NoForwardingLoops())
    assert message == "packet A:1 came in at s2:2 a second time"
    assert length == 14


@pytest.mark.parametrize("reduce", [False, True])
def test_a_spanning_tree_corrects_bug_3(reduce):
    rules = (NoForwardingLoops(), NoBlackHoles(), NoForgottenPackets(), NoHandlerException(), ANSWERED)
    assert holds(pinging(RING), "SpanningTree", *rules, arguments=LINKS, reduce=reduce)


def test_without_a_cycle_there_is_no_bug_3():
    assert holds(pinging(LINE), "PySwitch", NoForwardingLoops())


@pytest.mark.parametrize(
    ("links", "closed"),
    [
        ([], set()),
        ([["s1", 1, "s2", 1]], set()),
        ([["s1", 1, "s2", 1], ["s1", 2, "s2", 2]], {("s1", 2), ("s2", 2)}),
        (LINKS["links"], {("s2", 3), ("s3", 2)}),
    ],
)
def test_a_link_that_closes_a_cycle_is_not_flooded(links, closed):
    assert learning.closed_ends(links) == closed


# -- all of them ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "program", "rule"),
    [
        (moving(), "PySwitch", LOST),
        (moving(), "PySwitch", FOR_EVER),
        (pinging(LINE), "PySwitch", StrictDirectPaths()),
        (pinging(RING), "PySwitch", NoForwardingLoops()),
    ],
    ids=["lost", "for ever", "direct", "loops"],
)
def test_a_search_with_reduction_finds_the_same_defects(network, program, rule):
    full = violation(network, program, rule)
    reduced = violation(network, program, rule, reduce=True)
    assert reduced[1] >= full[1]


def turned(topology: Topology) -> Topology:
    return Topology(topology.name, topology.switches[::-1], topology.hosts[::-1], topology.links[::-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "program", "rules", "arguments"),
    [
        (moving(), "Following", (LOST, FOR_EVER), None),
        (moving(), "HardTimeout", (FOR_EVER,), None),
        (pinging(LINE), "ReverseFirst", (StrictDirectPaths(),), None),
        (pinging(RING), "SpanningTree", (NoForwardingLoops(),), LINKS),
    ],
    ids=["Following", "HardTimeout", "ReverseFirst", "SpanningTree"],
)
def test_the_order_of_hosts_and_switches_changes_no_count(network, program, rules, arguments):
    other = replace(network, topology=turned(network.topology), hosts=network.hosts[::-1])
    one, two = (verdict(each, program, *rules, arguments=arguments) for each in (network, other))
    assert isinstance(one.verdict, Holds)
    assert isinstance(two.verdict, Holds)
    assert (one.statistics.states, one.statistics.transitions) == (two.statistics.states, two.statistics.transitions)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["PySwitch", "HardTimeout", "Following", "ReverseSecond", "ReverseFirst"])
def test_what_the_programs_promise_about_switches_is_true(program):
    """`per_switch` is believed by the reduction; a checked search tries every pair of steps in both orders."""
    options = {"engine": "loop", "checked": True, "limits": Limits(states=2000)}
    verdict(pinging(LINE), program, **options)
