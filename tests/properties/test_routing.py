"""UseCorrectRoutingTable: right and wrong routes, installed by a configurable program."""

from dataclasses import replace

import pytest

from sdnloom.engine.result import Holds, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.errors import SdnloomError
from sdnloom.network.build import build
from sdnloom.network.hosts import Client
from sdnloom.network.network import Network, PortCounter, ProgramTimer
from sdnloom.network.openflow import Match, Output, Port, PortStatsRequest
from sdnloom.network.packet import Tcp, decode
from sdnloom.network.topology import SwitchPort, custom
from sdnloom.network.traffic import tcp_segment
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import UseCorrectRoutingTable

TRIANGLE = custom(
    ["s1", "s2", "s3"],
    [("s1:3", "s2:3"), ("s1:4", "s3:3"), ("s2:4", "s3:4")],
    [("A", "s1:1"), ("B", "s2:1"), ("C", "s2:2")],
)
ANY = UseCorrectRoutingTable(always_on=("s1", "s2"), on_demand=("s1", "s3", "s2"), port=SwitchPort("s1", 3), much=100)
RULE = replace(ANY, split="even")
NAME, ALL = RULE.name, f"{RULE.name} (all)"


class Obedient:
    """Installs rules at the listed switches: `calm` for each flow in turn, `busy` once the load is above 100."""

    def __init__(self, calm, busy):
        self.calm, self.busy, self.high, self.flows = calm, busy, False, []

    def timer(self, net, name):
        net.send("s1", PortStatsRequest(3))

    def stats(self, net, switch, message):
        self.high = message.ports[0].tx_bytes > 100

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        if switch == "s1" and frame.dst not in self.flows:
            paths = self.busy if self.high else self.calm
            for each in paths[len(self.flows) % len(paths)]:
                net.install(each, Match.of(eth_src=frame.src, eth_dst=frame.dst), Output(1))
            self.flows.append(frame.dst)


def verdict(calm, busy=(("s1", "s2"),), sends=2, values=(0,), polls=0, rule=RULE, **options):
    """Return property and message of the violation, or None."""
    hosts = (Client("A", to=("B", "C"), sends=sends, order="listed"),)
    counters = (PortCounter(SwitchPort("s1", 3), values),)
    network = Network(TRIANGLE, hosts, timers=(ProgramTimer("poll", polls),), statistics=counters)
    program = PythonProgram(Obedient, {"calm": [list(path) for path in calm], "busy": [list(path) for path in busy]})
    result = search(build(network, program, (rule,)), SearchOptions(engine="loop", **options)).verdict
    if isinstance(result, Violated):
        return result.counterexample.property, result.counterexample.message
    assert isinstance(result, Holds)
    return None


DIRECT, ROUND = ("s1", "s2"), ("s1", "s3", "s2")


@pytest.mark.parametrize("reduce", [False, True])
def test_calm_flows_on_the_always_on_path_are_right(reduce):
    assert verdict([DIRECT], reduce=reduce) is None
    assert verdict([DIRECT[::-1]], reduce=reduce) is None


@pytest.mark.parametrize("reduce", [False, True])
def test_a_calm_flow_on_demand_is_wrong_as_soon_as_it_is_installed(reduce):
    found = verdict([ROUND], reduce=reduce)
    assert found == (NAME, "the rules for A > B went to s1, s2, s3; the load requires s1, s2")


def test_a_switch_left_out_is_wrong_in_the_end():
    assert verdict([("s1",)]) == (ALL, "the rules for A > B went to s1; the load requires s1, s2")
    assert verdict([()]) == (ALL, "the rules for A > B went to no switch; the load requires s1, s2")


@pytest.mark.parametrize("reduce", [False, True])
def test_busy_flows_must_be_split(reduce):
    busy = {"values": (0, 101), "polls": 1, "reduce": reduce}
    assert verdict([DIRECT], [ROUND, DIRECT], **busy) is None
    too_many = "2 of 2 flows that began while the network was busy use the on-demand path"
    assert verdict([DIRECT], [ROUND], **busy) == (NAME, too_many)
    too_few = "0 of 2 flows that began while the network was busy use the on-demand path"
    assert verdict([DIRECT], [DIRECT], **busy) == (ALL, too_few)


def test_a_busy_flow_on_no_path_is_wrong():
    found = verdict([DIRECT], [("s1", "s3")], sends=1, values=(101,), polls=1)
    assert found == (ALL, "the rules for A > B went to s1, s3; the load requires s1, s2 or s1, s2, s3")


def test_busy_means_grown_by_more_than_the_limit():
    assert verdict([DIRECT], [ROUND], values=(100,), polls=1) is None
    assert verdict([DIRECT], [ROUND], values=(101,), polls=1) is not None


def test_the_load_is_that_of_the_last_statistics():
    """After a second answer with the same count nothing has grown, and a busy path is wrong."""
    found = verdict([DIRECT], [ROUND], sends=1, values=(101,), polls=2)
    assert found == (NAME, "the rules for A > B went to s1, s2, s3; the load requires s1, s2")


@pytest.mark.parametrize("busy", [[ROUND], [DIRECT], [ROUND, DIRECT]])
def test_by_default_busy_flows_may_use_either_path(busy):
    assert verdict([DIRECT], busy, values=(0, 101), polls=1, rule=ANY) is None
    found = verdict([ROUND], busy, values=(0, 101), polls=1, rule=ANY)
    assert found == (NAME, "the rules for A > B went to s1, s2, s3; the load requires s1, s2")


class ByPair:
    """Gives each pair of hosts the direct path when it sees the first packet of one of them, in both directions."""

    def __init__(self):
        self.pairs = []

    def switch_join(self, net, switch, features):
        net.install(switch, Match(), Output(Port.CONTROLLER), priority=1)

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        if sorted((frame.src, frame.dst)) in self.pairs:
            return
        self.pairs.append(sorted((frame.src, frame.dst)))
        for each in ("s1", "s2"):
            net.install(each, Match(), Output(Port.CONTROLLER), priority=1)  # once more, for every packet
            for source, target in ((frame.src, frame.dst), (frame.dst, frame.src)):
                net.install(each, Match.of(eth_src=source, eth_dst=target), Output(3))


@pytest.mark.parametrize("rule", [ANY, RULE], ids=["any", "even"])
def test_packets_of_a_flow_that_has_its_rules_and_flows_from_the_other_end_are_no_alarm(rule):
    """A sends pings and TCP to B, B sends to A, and C, at the switch of B, to B."""
    a, b = TRIANGLE.host("A"), TRIANGLE.host("B")
    syn = tcp_segment(a, (b.mac, b.ip), Tcp(1, 80))
    hosts = (Client("A", to=("B",), packets=(syn,), sends=2), Client("B", to=("A",)), Client("C", to=("B",)))
    result = search(build(Network(TRIANGLE, hosts), PythonProgram(ByPair), (rule,)), SearchOptions(engine="loop"))
    assert isinstance(result.verdict, Holds)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"always_on": ()}, "always_on is empty; expected the names of the switches on the path"),
        ({"on_demand": ()}, "on_demand is empty; expected the names of the switches on the path"),
        ({"on_demand": ("s1", "s2")}, "on_demand is ['s1', 's2']; expected a switch that is not always on"),
        ({"on_demand": ("s1", "s3")}, "on_demand is ['s1', 's3']; expected a path between s1 and s2, as always_on is"),
        ({"split": "half"}, "split is 'half'; expected one of any, even"),
        ({"port": None}, "no port; expected the switch port that is measured, such as s1:2"),
        ({"port": SwitchPort("s1", 9)}, "s1:9 is a missing port; the ports of s1 are 1, 3, 4"),
    ],
)
def test_invalid_arguments_are_refused(arguments, message):
    given = {"always_on": DIRECT, "on_demand": ROUND, "port": SwitchPort("s1", 3)} | arguments
    with pytest.raises(SdnloomError) as caught:
        build(Network(TRIANGLE), PythonProgram(Obedient, {"calm": [], "busy": []}), (UseCorrectRoutingTable(**given),))
    assert str(caught.value).endswith(message)
