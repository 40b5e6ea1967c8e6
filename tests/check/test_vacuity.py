"""Results in which too little happened: what is said, and what counts as enough."""

from collections.abc import Callable

import pytest

from sdnloom import Client, Network, NoForwardingLoops, PythonProgram, Reachable, Scenario, Sometimes, linear
from sdnloom.check.report import Report
from sdnloom.network.network import SwitchOptions
from sdnloom.network.openflow import Match, Output

IDLE = (
    "no handler of the program ran after start-up, and it left all flow tables empty; [[hosts]] and [topology] decide "
    "which packets are sent, and a switch sends those to the program that its entries say"
)


class Idle:
    """Does nothing: with OpenFlow 1.3 a switch without entries drops everything."""

    def packet_in(self, net, switch, message):
        net.flood(switch, message)


class Configures:
    """Connects both ports of each switch when it joins, and is never asked again."""

    def switch_join(self, net, switch, features):
        for one, other in ((1, 2), (2, 1)):
            net.install(switch, Match.of(in_port=one), Output(other))


def checked(program: Callable[[], object], *properties, sends: int = 1) -> Report:
    hosts = (Client("h1", to=("h2",), sends=sends),)
    return Scenario(Network(linear(2), hosts, SwitchOptions(version="1.3")), PythonProgram(program), properties).check()


def test_a_program_that_never_does_anything_gives_a_vacuous_result():
    report = checked(Idle, NoForwardingLoops())
    assert (report.verdict, report.vacuous) == ("vacuous", (IDLE,))


def test_a_program_that_configures_the_switches_before_the_search_has_done_something():
    assert checked(Configures, NoForwardingLoops(), Sometimes(event="Received", at="h2")).verdict == "holds"


@pytest.mark.parametrize(
    ("program", "properties", "expected"),
    [
        (
            Configures,
            (NoForwardingLoops(),),
            ("nothing ever happens; `sends` of a client in [[hosts]] lets a host send",),
        ),
        (Configures, (Reachable(source="h1", target="h2"),), ()),
        (
            Configures,
            (Reachable(source="h1", target="h2"), Sometimes(event="Received")),
            ("sometimes Received was never seen",),
        ),
    ],
)
def test_where_nothing_happens_only_a_property_of_states_says_something(program, properties, expected):
    report = checked(program, *properties, sends=0)
    assert report.vacuous == expected
    assert report.verdict == ("vacuous" if expected else "holds")
