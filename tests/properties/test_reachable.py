"""Reachable with `rerouted`: a program must route packets around a failed link, if a path exists."""

import pytest

from sdnloom.engine.result import Holds, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.network.build import build
from sdnloom.network.network import LinkFaults, Network
from sdnloom.network.openflow import Match, Output, PortState
from sdnloom.network.topology import custom
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import Reachable

TRIANGLE = custom(
    ["s1", "s2", "s3"],
    [("s1:2", "s2:2"), ("s1:3", "s3:2"), ("s2:3", "s3:3")],
    [("A", "s1:1"), ("B", "s2:1")],
)
LINE = custom(["s1", "s2"], [("s1:2", "s2:2")], [("A", "s1:1"), ("B", "s2:1")])


class Static:
    """Forwards all packets from s1 to s2 and from s2 to B, and ignores failures."""

    def switch_join(self, net, switch, features):
        out = {"s1": 2, "s2": 1, "s3": 3}[switch]
        net.install(switch, Match(), Output(out))


class Rerouting(Static):
    """Goes around through s3 while the direct link is down."""

    def port_status(self, net, switch, message):
        if (switch, message.desc.port_no) == ("s1", 2):
            down = message.desc.state & PortState.LINK_DOWN
            net.install("s1", Match(), Output(3 if down else 2))


def verdict(topology, program, rerouted, **fails):
    names = {f"{link.a}_{link.b}": link.name for link in topology.links}
    faults = tuple((names.get(link, link), LinkFaults(fail=count)) for link, count in fails.items())
    network = Network(topology, link_faults=faults)
    rule = Reachable(source="A", target="B", rerouted=rerouted)
    result = search(build(network, PythonProgram(program), (rule,)), SearchOptions(engine="loop")).verdict
    if isinstance(result, Violated):
        return result.counterexample.message
    assert isinstance(result, Holds)
    return None


def test_without_rerouted_nothing_is_checked_while_a_link_is_down():
    assert verdict(TRIANGLE, Static, False, s1_s2=1) is None


def test_a_program_that_ignores_a_failed_link_is_found():
    assert verdict(TRIANGLE, Static, True, s1_s2=1) == "a packet from A to B, who is at s2:1, ends at nowhere"


def test_a_program_that_goes_around_it_is_right():
    assert verdict(TRIANGLE, Rerouting, True, s1_s2=1) is None


def test_a_failed_link_off_the_path_does_not_matter():
    assert verdict(TRIANGLE, Static, True, s2_s3=1) is None


@pytest.mark.parametrize("fails", [{"s1_s2": 1}, {"A": 1}, {"B": 1}])
def test_nothing_is_checked_while_no_path_exists(fails):
    assert verdict(LINE, Static, True, **fails) is None
