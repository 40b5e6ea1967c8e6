"""Failures of links and switches, timers and externals, as the program sees them."""

from dataclasses import replace

import pytest

from sdnloom.engine.model import Mode
from sdnloom.engine.result import Holds, SearchOptions, Vacuous, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.network.build import build
from sdnloom.network.controller_component import ControllerCore
from sdnloom.network.events import (
    BufferDiscarded,
    EntryRemoved,
    ExternalCalled,
    Lost,
    MessageApplied,
    SwitchFailed,
    SwitchJoined,
    SwitchLeft,
    TimerFired,
)
from sdnloom.network.hosts import Client, Host, Replier
from sdnloom.network.network import (
    External,
    LinkFaults,
    Network,
    NetworkError,
    ProgramTimer,
    SwitchFaults,
    SwitchOptions,
    Timeouts,
)
from sdnloom.network.openflow import BarrierRequest, Match, Output, PacketIn, Port
from sdnloom.network.topology import custom
from sdnloom.platforms.capture.freeze import thaw
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, NoForgottenPackets, NoForwardingLoops, NoHandlerException
from tests.network.programs import hub, learning, silent, witness
from tests.network.state_space import column, events_of, explore, quiescent

LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")])
ONE = custom(["s1"], [], [("A", "s1:1"), ("B", "s1:2")])
REFERENCE = SwitchOptions(profile="reference")


def histories(system):
    """What the witness program has seen in each state."""
    cores = [column(system, state, "controller") for state in explore(system)[0]]
    return {tuple(tuple(map(thaw, entry.items)) for entry in dict(core.program)["seen"].items) for core in cores}


JOINS = (("join", "s1", 2), ("join", "s2", 2))


def test_a_link_that_fails_and_comes_back_is_told_by_both_ends():
    system = build(Network(LINE, switches=REFERENCE, link_faults=(("s1:2-s2:1", LinkFaults(fail=1)),)), witness)
    downs = {("port", "s1", 2, 1), ("port", "s2", 1, 1)}
    ups = {("port", "s1", 2, 0), ("port", "s2", 1, 0)}
    longest = [seen for seen in histories(system) if len(seen) == 6]
    assert longest
    for seen in longest:
        assert seen[:2] == JOINS
        assert set(seen[2:]) == downs | ups
        for switch in ("s1", "s2"):
            assert [entry[3] for entry in seen[2:] if entry[1] == switch] == [1, 0]


@pytest.mark.slow
def test_packets_into_a_dead_link_are_lost_to_the_fault_and_no_black_holes():
    network = Network(
        LINE, (Client("A", to=("B",), sends=2), Replier("B")), link_faults=(("s2:1-s1:2", LinkFaults(fail=1)),)
    )
    rules = (NoBlackHoles(), NoForwardingLoops())
    assert isinstance(search(build(network, hub, rules)).verdict, Holds)
    lost = {
        (str(event.port), event.reason) for event in events_of(build(network, hub, rules)) if isinstance(event, Lost)
    }
    assert lost == {("s1:2", "port down"), ("s2:1", "port down")}


def test_a_switch_that_fails_forgets_everything_and_joins_again():
    hosts = (Client("A", to=("B",)), Host("B"))
    network = Network(LINE, hosts, REFERENCE, switch_faults=(("s2", SwitchFaults(fail=1)),))
    system = build(network, learning, (NoBlackHoles(), NoHandlerException()))
    assert isinstance(search(system).verdict, Holds)
    events = events_of(system)
    assert {SwitchFailed("s2"), SwitchJoined("s2")} <= events
    assert {event.reason for event in events if isinstance(event, Lost)} == {"switch down", "port down"}
    system = build(replace(network, hosts=()), witness)
    longest = {seen[2:] for seen in histories(system) if len(seen) == 6}
    for seen in longest:
        assert [entry for entry in seen if entry[1] == "s2"] == [("leave", "s2"), ("join", "s2", 2)]
        assert [entry for entry in seen if entry[1] == "s1"] == [("port", "s1", 2, 1), ("port", "s1", 2, 0)]
    assert len(longest) == 6  # every order of the news from the two switches


def test_a_packet_whose_switch_lost_its_controller_is_no_black_hole():
    """The program's answer about a kept packet finds a broken connection, and the packet is kept for ever."""
    network = Network(ONE, (Client("A", to=("B",)),), switch_faults=(("s1", SwitchFaults(disconnect=1)),))
    for buffers in (256, 0):
        options = SwitchOptions(profile="reference", buffers=buffers)
        system = build(replace(network, switches=options), learning, (NoBlackHoles(), NoForgottenPackets()))
        assert isinstance(search(system).verdict, Holds)
        assert "no controller" in {event.reason for event in events_of(system) if isinstance(event, Lost)}


def test_messages_of_an_earlier_connection_are_void():
    """A PacketOut sent before the switch failed must not act on the switch that came back."""
    network = Network(ONE, (Client("A", to=("B",)),), REFERENCE, switch_faults=(("s1", SwitchFaults(fail=1)),))
    system = build(network, learning)
    void = [
        transition
        for transition in explore(system)[1]
        if transition.step.component == "s1" and transition.step.action == "of" and not transition.outcome.sends
    ]
    assert void
    for transition in void:
        assert transition.step.message.epoch < column(system, transition.state, "s1").epoch
        assert [type(event) for event in transition.outcome.events] == [MessageApplied]


@pytest.mark.parametrize(
    ("version", "profile", "keeps"),
    [("1.0", "reference", False), ("1.3", "reference", True), ("1.0", "openvswitch", True)],
)
def test_a_disconnected_switch_works_on_as_its_version_and_profile_say(version, profile, keeps):
    network = Network(
        ONE,
        (Client("A", to=("B",)), Host("B")),
        SwitchOptions(version=version, profile=profile),
        switch_faults=(("s1", SwitchFaults(disconnect=1)),),
    )
    system = build(network, hub, (NoBlackHoles(),))
    assert isinstance(search(system).verdict, Holds)
    events = events_of(system)
    assert {SwitchLeft("s1"), SwitchJoined("s1")} <= events
    assert any(isinstance(event, EntryRemoved) for event in events) is not keeps
    assert ("no controller" in {event.reason for event in events if isinstance(event, Lost)}) is not keeps


def test_timers_and_calls_happen_as_often_as_their_budgets_say():
    network = Network(
        ONE, externals=(External("block", ("A", 3), 2),), timers=(ProgramTimer("poll", 1), ProgramTimer("never", 0))
    )
    system = build(network, witness)
    seen = {entry[1:] for entry in histories(system)}
    block, poll = ("external", "block", "A", 3), ("timer", "poll")
    assert seen == {
        (),
        (block,),
        (poll,),
        (block, block),
        (block, poll),
        (poll, block),
        (block, block, poll),
        (block, poll, block),
        (poll, block, block),
    }
    assert {TimerFired("poll"), ExternalCalled("block")} <= events_of(system)


def test_calls_of_one_name_are_told_apart_by_their_arguments():
    alike = (External("put", ("a", 1)), External("put", ("b",)), External("get", ("c",)))
    [controller] = [one for one in build(Network(ONE, externals=alike), witness).components if one.name == "controller"]
    names = [action.name for action in controller.actions if action.name.startswith("external")]
    assert names == ["external put a 1", "external put b", "external get"]


class Timed:
    """Installs one rule with both timeouts in each switch and asks for a report of its removal."""

    def __init__(self):
        self.gone = []

    def switch_join(self, net, switch, features):
        net.install(switch, Match.of(in_port=1), Output(Port.FLOOD), idle_timeout=5, hard_timeout=9, flags=1)

    def flow_removed(self, net, switch, message):
        self.gone.append(message.reason)


@pytest.mark.parametrize(
    ("timeouts", "reasons"),
    [
        (Timeouts(), set()),
        (Timeouts(expiries=1), {"idle timeout", "hard timeout"}),
        (Timeouts(settle=True), {"hard timeout"}),
    ],
)
def test_timeouts_end_rules_as_the_network_says(timeouts, reasons):
    system = build(Network(ONE, timeouts=timeouts), PythonProgram(Timed))
    removed = {event.reason for event in events_of(system) if isinstance(event, EntryRemoved)}
    assert removed == reasons
    final = {tuple(dict(column(system, state, "controller").program)["gone"].items) for state in explore(system)[0]}
    codes = {"idle timeout": 0, "hard timeout": 1}
    assert final == {(), *((codes[reason],) for reason in reasons)}


def test_a_state_with_a_hard_timeout_pending_is_quiescent_but_not_settled():
    system = build(Network(ONE, timeouts=Timeouts(settle=True)), PythonProgram(Timed))
    semantics = Semantics(system)
    modes = [{t.action.mode for t in semantics.transitions(state)} for state in quiescent(system)]
    assert modes.count({Mode.IDLE}) == 1
    assert modes.count(set()) == 1


def test_a_buffer_may_run_out():
    options = SwitchOptions(profile="reference", buffer_timeout=1000)
    network = Network(ONE, (Client("A", to=("B",)),), options, timeouts=Timeouts(expiries=1))
    assert any(isinstance(event, BufferDiscarded) for event in events_of(build(network, silent)))


class Greedy:
    """Sends a packet as soon as a switch joins."""

    def switch_join(self, net, switch, features):
        net.packet_out(switch, PacketIn(Match.of(in_port=1), b"x" * 60), Output(2))


class Chatty:
    """Answers every barrier with another one."""

    def switch_join(self, net, switch, features):
        self.barrier_reply(net, switch, None)

    def barrier_reply(self, net, switch, message):
        net.send(switch, BarrierRequest())


class Astray:
    """Sends a message to a switch that is not connected."""

    def switch_join(self, net, switch, features):
        net.install("s7", Match())


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            Chatty,
            "exchange messages without end while the switches join: the same state comes back again and again; the "
            "last were .*BarrierReply from s1, BarrierRequest to s1; expected them to come to rest",
        ),
        (Astray, "the switch 's7'; expected one of s1"),
    ],
)
def test_a_start_that_cannot_be_taken_for_granted_is_refused(kind, message):
    with pytest.raises(NetworkError, match=message):
        build(Network(ONE), PythonProgram(kind))


def test_a_greedy_program_can_be_searched_whether_or_not_joining_is_part_of_it():
    assert search(build(Network(ONE), PythonProgram(Greedy))).verdict == Vacuous(("nothing ever happens",))
    assert isinstance(search(build(Network(ONE, joining=True), PythonProgram(Greedy))).verdict, Holds)


@pytest.mark.slow
@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize(
    "knobs",
    [
        {"link_faults": (("s1:2-s2:1", LinkFaults(fail=1)),)},
        {"switch_faults": (("s2", SwitchFaults(fail=1)),)},
        {"switch_faults": (("s1", SwitchFaults(disconnect=1)),)},
        {"timeouts": Timeouts(expiries=1, settle=True), "externals": (External("call"),)},
        {"joining": True},
    ],
    ids=lambda knobs: next(iter(knobs)),
)
def test_what_failing_parts_declare_is_true(knobs, reduce):
    network = Network(LINE, (Client("A", to=("B",)), Host("B")), **knobs)
    for program in (learning, PythonProgram(Timed)):
        result = search(build(network, program), SearchOptions(engine="loop", checked=True, reduce=reduce))
        assert isinstance(result.verdict, Holds)


def test_an_unconnected_switch_gets_no_messages():
    core = ControllerCore((), (None,))
    assert core.epochs == (None,)
    network = Network(ONE, externals=(External("push"),), joining=True)

    class Pusher:
        def external(self, net, name):
            net.install("s1", Match())

    system = build(network, PythonProgram(Pusher))
    sent = {bool(t.outcome.sends) for t in explore(system)[1] if t.step.action == "external push"}
    assert sent == {True, False}


def test_an_exception_of_a_handler_that_a_fault_provokes_is_found():
    class Fragile:
        def switch_leave(self, net, switch):
            raise KeyError(switch)

    network = Network(ONE, switch_faults=(("s1", SwitchFaults(disconnect=1)),))
    verdict = search(build(network, PythonProgram(Fragile), (NoHandlerException(),))).verdict
    assert isinstance(verdict, Violated)
    assert "switch_leave of Fragile raised KeyError: 's1'" in verdict.counterexample.message
