"""Configured statistics: each reply has any of the listed values, and nothing else changes."""

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.build import build
from sdnloom.network.network import Network, PortCounter, ProgramTimer, SwitchOptions
from sdnloom.network.openflow import Port, PortStatsRequest
from sdnloom.network.statistics import COUNTERS
from sdnloom.network.topology import SwitchPort, custom
from sdnloom.platforms.capture.freeze import restore
from sdnloom.platforms.python.program import PythonProgram
from tests.network.state_space import explore, quiescent

ONE = custom(["s1", "s2"], [], [("A", "s1:1"), ("B", "s1:2"), ("C", "s2:1")])


class Asking:
    """Asks both switches about all ports whenever its timer fires, and remembers the answers of each."""

    def __init__(self):
        self.answers = {"s1": (), "s2": ()}

    def timer(self, net, name):
        for switch in ("s1", "s2"):
            net.send(switch, PortStatsRequest(Port.ANY))

    def stats(self, net, switch, message):
        rows = tuple((row.port_no, row.tx_bytes, row.rx_packets) for row in message.ports)
        self.answers[switch] = (*self.answers[switch], rows)


def answers(*counters, times=1, **knobs):
    """Return the final knowledge of the program about each switch, over all runs with `times` timer events."""
    options = knobs.pop("switches", SwitchOptions(profile="reference"))
    network = Network(ONE, (), options, timers=(ProgramTimer("poll", times),), statistics=counters, **knobs)
    system = build(network, PythonProgram(Asking))
    ends = [restore(object.__new__(Asking), state.cores[0].program).answers for state in quiescent(system)]
    return {(end["s1"], end["s2"]) for end in ends if len(end["s1"]) == times}


def test_without_statistics_a_switch_tells_what_it_counted():
    assert answers() == {((((1, 0, 0), (2, 0, 0)),), (((1, 0, 0),),))}


def test_a_named_counter_has_any_of_its_values_and_others_stay_as_they_are():
    found = answers(PortCounter(SwitchPort("s1", 2), (5, 7)))
    assert found == {((((1, 0, 0), (2, value, 0)),), (((1, 0, 0),),)) for value in (5, 7)}


def test_several_counters_vary_independently_and_every_time_anew():
    counters = (PortCounter(SwitchPort("s1", 1), (1, 2)), PortCounter(SwitchPort("s1", 2), (3, 4), "rx_packets"))
    assert len(answers(*counters)) == 4
    assert len(answers(*counters, times=2)) == 16


def test_the_chosen_value_is_the_label_of_the_step():
    counters = (PortCounter(SwitchPort("s1", 1), (1, 2)), PortCounter(SwitchPort("s1", 2), (9,)))
    network = Network(ONE, timers=(ProgramTimer("poll"),), statistics=counters)
    choices = {edge.step.choice for edge in explore(build(network, PythonProgram(Asking)))[1]}
    assert choices == {"", "tx_bytes of port 1 is 1", "tx_bytes of port 1 is 2"}


def test_a_named_counter_wins_over_what_the_switch_counted():
    found = answers(PortCounter(SwitchPort("s2", 1), (8,)), switches=SwitchOptions(profile="reference", counters=True))
    assert {two for _, two in found} == {(((1, 8, 0),),)}


@pytest.mark.parametrize(
    ("counters", "message"),
    [
        ([PortCounter(SwitchPort("s9", 1), (1,))], "s9:1 is on no switch; expected one of s1, s2"),
        ([PortCounter(SwitchPort("s2", 2), (1,))], "s2:2 is a missing port; the ports of s2 are 1"),
        (
            [PortCounter(SwitchPort("s1", 1), ())],
            "statistics of s1:1: values are []; expected at least one, and each once",
        ),
        ([PortCounter(SwitchPort("s1", 1), (1, 1))], "values are [1, 1]; expected at least one, and each once"),
        ([PortCounter(SwitchPort("s1", 1), (1,), "port_no")], f"'port_no'; expected one of {', '.join(COUNTERS)}"),
        ([PortCounter(SwitchPort("s1", 1), (1,))] * 2, "statistics of s1:1: tx_bytes is given twice; expected it once"),
    ],
)
def test_counters_that_cannot_be_are_refused(counters, message):
    with pytest.raises(SdnloomError) as caught:
        build(Network(ONE, statistics=tuple(counters)), PythonProgram(Asking))
    assert str(caught.value).endswith(message)


def test_a_value_below_zero_is_refused():
    with pytest.raises(SdnloomError, match="tx_bytes of s1:1 is -1; expected a whole number of at least 0"):
        PortCounter(SwitchPort("s1", 1), (-1,))
