"""Before a search: one course of events, in which packets travel and time passes only if the network says so."""

import pytest

from sdnloom.engine.path import replay
from sdnloom.engine.semantics import Semantics
from sdnloom.errors import SdnloomError
from sdnloom.network.build import build_network, switch_config
from sdnloom.network.network import Network, NetworkError, SwitchOptions
from sdnloom.network.openflow import ApplyActions, FlowMod, Hello, Match, Output, PacketIn, PacketOut, Port, PortStats
from sdnloom.network.program import Call, ClockTick, MessageIn, Reaction, SwitchDown, SwitchUp, ThreadTurn, TimerInput
from sdnloom.network.startup.course import Startup
from sdnloom.network.startup.result import follow_path
from sdnloom.network.startup.setup_steps import SetupCall, SetupReport, SetupTicks
from sdnloom.network.topology.shapes import linear, ring
from sdnloom.platforms.capture.freeze import restore
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, NoForwardingLoops, NoHandlerException

FRAME = b"\xff" * 6 + b"\x02" + bytes(5) + b"\x08\x00" + bytes(46)


class Prober:
    """Sends a packet out of port 2 of each switch that joins, and one more at each of its three ticks."""

    name = "prober"
    timers_seen = ()

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
    return Startup(network, Prober(), configs).run().program


def test_packets_of_a_program_travel_without_a_warm_up_and_are_named_in_the_bounds():
    network = Network(linear(2), (), SwitchOptions(buffers=0))
    built = build_network(network, Prober())
    assert built.notes == ("the program sends packets before the search: they travel in one order",)
    assert begin() == begin(warmup=0)


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


# -- an exception, or a storm, before the search ----------------------------------------------------------------------


class Fragile:
    """Raises when s2 joins."""

    def __init__(self):
        self.joined = []

    def switch_join(self, net, switch, features):
        net.install(switch, Match(), Output(Port.CONTROLLER, 0xFFFF))
        if switch == "s2":
            raise KeyError(switch)
        self.joined.append(switch)

    def packet_in(self, net, switch, message):
        net.flood(switch, message)


RAISES = Fragile.switch_join.__code__.co_firstlineno + 3


class Flooder(Fragile):
    """Sends a broadcast when s1 joins, and floods whatever comes in."""

    def switch_join(self, net, switch, features):
        self.joined.append(switch)
        net.install(switch, Match(), Output(Port.CONTROLLER, 0xFFFF))
        if switch == "s3":
            net.send(switch, PacketOut((Output(Port.FLOOD),), FRAME))


def search_of(built):
    return follow_path(built.system, *built.early, "", lambda event: None)


def steps_of(result):
    (violation,) = result.violations
    return [(step.component, step.action) for step in violation.path.steps]


def test_an_exception_while_the_switches_join_is_a_violation_with_its_trace():
    built = build_network(Network(linear(2)), PythonProgram(Fragile), [NoHandlerException(), NoBlackHoles()])
    result = search_of(built)
    assert [(each.property, each.message) for each in result.violations] == [
        ("NoHandlerException", f"test_startup.py:{RAISES}: switch_join of Fragile raised KeyError: 's2'")
    ]
    assert steps_of(result) == [("s2", "connect"), ("controller", "handle s2")]
    again = replay(Semantics(built.system), result.violations[0].path)
    assert len(again) == 2


def test_an_exception_that_no_property_forbids_is_a_note_and_the_search_goes_on():
    built = build_network(Network(linear(2)), PythonProgram(Fragile), [NoBlackHoles()])
    assert built.early is None
    assert built.notes == (
        f"test_startup.py:{RAISES}: switch_join of Fragile raised KeyError: 's2' while the switches join, "
        "before the search",
    )
    controller = built.system.components[0].initial
    assert restore(Fragile(), controller.program).joined == ["s1"]


def test_an_exception_that_the_steps_do_not_show_is_an_error_and_never_a_pass(monkeypatch):
    monkeypatch.setattr("sdnloom.network.build.early_violation", lambda system, course: None)
    with pytest.raises(NetworkError, match=f"test_startup.py:{RAISES}: switch_join of Fragile raised KeyError"):
        build_network(Network(linear(2)), PythonProgram(Fragile), [NoHandlerException()])


def test_a_broadcast_that_goes_round_is_a_forwarding_loop():
    network = Network(ring(3), (), SwitchOptions(buffers=0))
    built = build_network(network, PythonProgram(Flooder), [NoForwardingLoops()])
    (violation,) = search_of(built).violations
    assert violation.message == (
        "packet 02:00:00:00:00:00 > ff:ff:ff:ff:ff:ff of the program came in at s2:3 more often than it was sent"
    )


def test_the_same_broadcast_in_a_line_goes_nowhere_twice():
    network = Network(linear(3), (), SwitchOptions(buffers=0))
    built = build_network(network, PythonProgram(Flooder), [NoForwardingLoops()])
    assert built.early is None


def test_a_storm_that_no_property_forbids_is_an_error_with_its_last_messages():
    network = Network(ring(3), (), SwitchOptions(buffers=0))
    with pytest.raises(NetworkError, match=r"end while the switches join: .* the last were a packet that comes"):
        build_network(network, PythonProgram(Flooder), [NoHandlerException()])


def test_a_packet_that_is_made_again_and_again_is_no_loop():
    """Prober sends the same packet at every tick: it comes in at one port more often than any other."""
    network = Network(linear(2), (), SwitchOptions(buffers=0), warmup=3)
    built = build_network(network, Prober(), [NoForwardingLoops()])
    assert built.early is None


# -- set-up -----------------------------------------------------------------------------------------------------------


class Configured:
    """Keeps what it was told."""

    def __init__(self):
        self.seen = []

    def external(self, net, name, *arguments):
        self.seen.append([name, *arguments])
        if arguments:
            arguments[0].append("mine")  # its own list
        if name == "fail":
            raise ValueError("no")

    def stats(self, net, switch, message):
        self.seen.append([switch, *((row.port_no, row.tx_bytes) for row in message.ports)])


def seen_by(*setup):
    built = build_network(Network(linear(2), setup=setup), PythonProgram(Configured))
    return restore(Configured(), built.system.components[0].initial.program).seen


def test_setup_happens_in_order_and_arguments_are_plain_values():
    call = SetupCall("set", ([1, {"a": True}],))
    report = SetupReport("s1", (PortStats(2, tx_bytes=7),))
    expected = ["set", [1, {"a": True}, "mine"]]
    assert seen_by(call, report, call) == [expected, ["s1", (1, 0), (2, 7)], expected]


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (
            SetupCall("fail"),
            r"setup step 1 \(fail\): .*: external of Configured raised ValueError: no; expected no",
        ),
        (SetupTicks(1), r"setup step 1 \(time passes\): the program has no timer"),
        (SetupReport("s1", (PortStats(9),)), "s1:9 is a missing port"),
        (SetupReport("s9", (PortStats(1),)), "s9:1 is on no switch"),
    ],
)
def test_a_setup_that_fails_names_its_step(setup, message):
    with pytest.raises(SdnloomError, match=message):
        seen_by(setup)


def test_an_exception_in_the_setup_is_a_violation_if_a_property_forbids_it():
    network = Network(linear(2), setup=(SetupCall("good"), SetupCall("fail")))
    built = build_network(network, PythonProgram(Configured), [NoHandlerException()])
    result = search_of(built)
    assert steps_of(result)[-2:] == [("controller", "setup 1: good"), ("controller", "setup 2: fail")]


def test_a_call_that_nobody_handles_is_named_in_the_bounds():
    built = build_network(Network(linear(2), setup=(SetupCall("x"),)), PythonProgram(Fragile))
    assert built.notes[-1] == "setup step 1 (x) changed nothing"


def test_setup_needs_switches_that_have_joined():
    with pytest.raises(NetworkError, match="expected one or the other"):
        build_network(Network(linear(2), joining=True, setup=(SetupCall("x"),)), PythonProgram(Configured))


def test_time_passes_in_the_setup_as_often_as_it_says():
    heard, left = begin(setup=(SetupTicks(2),))
    assert (len(heard), left) == (4, 1)


def test_an_argument_that_is_no_plain_value_is_refused():
    with pytest.raises(NetworkError, match="an argument of 'x' is "):
        SetupCall("x", ([object()],))


def test_the_warm_up_ends_when_lldp_has_crossed_every_link():
    network = Network(linear(3), (), SwitchOptions(buffers=0), warmup="links")
    built = build_network(network, Announcer())
    assert built.notes == (
        "warm-up before the search, in one order: switches join, time passes 3 times, LLDP crossed every link",
    )
    assert built.system.components[0].initial.program == 3


class Announcer:
    """Sends LLDP out of one more switch port at each tick."""

    name = "announcer"
    timers_seen = ()
    order = (("s1", 2), ("s2", 2), ("s2", 3), ("s3", 2))

    def initial(self):
        return -1

    def handle(self, core, given):
        match given:
            case SwitchUp():
                all_to_us = FlowMod(Match(), instructions=(ApplyActions((Output(Port.CONTROLLER, 0xFFFF),)),))
                first = [self.probe(0)] if core < 0 else []
                return (Reaction(max(core, 0), ((given.switch, all_to_us), *first)),)
            case ClockTick():
                return (Reaction(core + 1, (self.probe((core + 1) % 4),)),)
        return (Reaction(core),)

    def probe(self, place):
        switch, port = self.order[place]
        return switch, PacketOut((Output(port),), FRAME[:12] + b"\x88\xcc" + bytes(46))
