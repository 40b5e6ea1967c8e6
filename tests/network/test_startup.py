"""Before a search: one course of events, in which packets travel and time passes only if the network says so."""

import pytest

from sdnloom.network.build import switch_config
from sdnloom.network.network import Network, NetworkError, SwitchOptions
from sdnloom.network.openflow import ApplyActions, FlowMod, Hello, Match, Output, PacketIn, PacketOut, Port
from sdnloom.network.program import Call, ClockTick, MessageIn, Reaction, SwitchDown, SwitchUp, ThreadTurn, TimerInput
from sdnloom.network.startup import Startup
from sdnloom.network.topology.shapes import linear

FRAME = b"\xff" * 6 + b"\x02" + bytes(5) + b"\x08\x00" + bytes(46)


class Prober:
    """Sends a packet out of port 2 of each switch that joins, and one more at each of its three ticks."""

    name = "prober"
    timed = True

    def initial(self):
        return ((), 3)

    def handle(self, core, given):
        heard, ticks = core
        probe = PacketOut((Output(2),), FRAME)
        match given:
            case SwitchUp():
                all_to_us = FlowMod(Match(), instructions=(ApplyActions((Output(Port.CONTROLLER, 0xFFFF),)),))
                return (Reaction(core, ((given.switch, all_to_us), (given.switch, probe))),)
            case ClockTick():
                return (Reaction((heard, ticks - 1), (("s1", probe),)),) if ticks else ()
        assert isinstance(given.message, PacketIn)
        return (Reaction(((*heard, (given.switch, given.message.in_port)), ticks)),)


def begin(**options):
    network = Network(linear(2), (), SwitchOptions(buffers=0), **options)
    configs = {each.name: switch_config(each, network.switches) for each in network.topology.switches}
    return Startup(network, Prober(), configs).run()[0]


def test_packets_of_a_program_are_refused_without_a_warm_up():
    with pytest.raises(NetworkError, match=r"sends packets out of 's1' as soon as it joins; .* \(warmup\)"):
        begin()


def test_packets_travel_from_switch_to_switch():
    assert begin(warmup=0) == ((("s2", 2), ("s1", 2)), 3)


@pytest.mark.parametrize(("warmup", "ticks"), [(1, 1), (3, 3), (9, 3)])
def test_time_passes_as_often_as_the_warm_up_says_while_there_are_timers(warmup, ticks):
    heard, left = begin(warmup=warmup)
    assert heard[2:] == (("s2", 2),) * ticks
    assert left == 3 - ticks


def test_nothing_has_happened_yet_when_joining_is_part_of_the_search():
    assert begin(joining=True) == ((), 3)


def test_a_warm_up_is_checked():
    with pytest.raises(NetworkError, match="warmup is -1; expected a whole number of at least 0"):
        Network(linear(2), warmup=-1)


def test_inputs_of_different_kinds_are_never_equal():
    inputs = [
        ThreadTurn(),
        ClockTick(),
        SwitchDown("x"),
        TimerInput("x"),
        Call("x"),
        MessageIn("x", Hello()),
        SwitchUp("x", 1, ()),
    ]
    assert len(set(inputs)) == len(inputs)
