"""NICE's search strategies: the orders that each explores, those that it leaves out, and its verdict."""

from dataclasses import replace
from typing import Any

import pytest

from sdnloom import Scenario
from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Step
from sdnloom.engine.result import Incomplete, SearchOptions
from sdnloom.engine.system_graph import SystemGraph
from sdnloom.errors import SdnloomError
from sdnloom.network.hosts import Client, MobileHost, Replier
from sdnloom.network.network import External, Network, NetworkError, SwitchOptions
from sdnloom.network.openflow import FlowMod, Match, Output, PacketIn
from sdnloom.network.packet import Ethernet, IPv4, Packet, Tcp, decode, stack
from sdnloom.network.topology import SwitchPort, linear, single
from sdnloom.network.traffic import flow_of
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, NoForgottenPackets, NoForwardingLoops
from sdnloom.strategies import FlowIR, NoDelay, PktSeq, SearchStrategy, Unusual, make_strategies, same_connection
from sdnloom.strategies.flow_ir import initial_packets

REFERENCE = SwitchOptions(profile="reference")


class Learning:
    """A learning switch: one table for each switch, rules by destination."""

    per_switch = True

    def __init__(self):
        self.ports = {}

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        known = self.ports.setdefault(switch, {})
        known[frame.src] = message.in_port
        if frame.dst in known:
            match = Match.of(in_port=message.in_port, eth_dst=frame.dst)
            net.install(switch, match, Output(known[frame.dst]), release=message)
        else:
            net.flood(switch, message)


class WholePath:
    """Installs the path to h3 at all switches at once and releases the packet at the first."""

    def __init__(self, order="forward"):
        self.order = order

    def packet_in(self, net, switch, message):
        if switch != "s1":
            return
        names = ["s1", "s2", "s3"]
        for name in names if self.order == "forward" else names[::-1]:
            out = Output(1 if name == "s3" else 3 if name == "s2" else 2)
            net.install(name, Match.of(eth_dst=flow_of(decode(message.data)).eth_dst), out,
                        release=message if name == "s1" else None)  # fmt: skip


def pings(*strategies: SearchStrategy, sends: int = 2, **options: Any) -> Scenario:
    network = Network(linear(2), (Client("h1", to=("h2",), sends=sends), Replier("h2")), REFERENCE)
    program = PythonProgram(Learning)
    return Scenario(network, program, (NoForwardingLoops(),), SearchOptions(**options), strategies=strategies)


def whole_path(order: str, *strategies: SearchStrategy) -> Scenario:
    network = Network(linear(3), (Client("h1", to=("h3",)),), REFERENCE)
    program = PythonProgram(WholePath, {"order": order})
    return Scenario(network, program, (NoForgottenPackets(),), strategies=strategies)


def explored(scenario: Scenario) -> list[tuple[Any, list[Step]]]:
    """Return each state that a search under the scenario's strategies visits, with the steps taken from it."""
    narrow = scenario.narrowed()
    system = narrow.system()
    graph = SystemGraph(Memo(system), None, narrow.strategy(system))
    loop = LoopSearch(graph)
    loop.run()
    return [(graph.value(state), [step for step, _ in graph.labelled(state)]) for state in loop.states]


def is_control(step: Step) -> bool:
    return step.action == "of" or step.component == "controller"


# NO-DELAY


def test_under_no_delay_nothing_happens_while_a_control_message_is_in_flight():
    scenario = pings(NoDelay())
    system = scenario.system()
    control = [n for n, channel in enumerate(system.channels) if channel.name.endswith((".of", ".up"))]
    lock_steps = 0
    for state, steps in explored(scenario):
        if any(state.contents[n] for n in control):
            assert len(steps) == 1
            assert is_control(steps[0])
            lock_steps += 1
    assert lock_steps == 80


@pytest.mark.parametrize(
    ("strategies", "states", "transitions"),
    [
        ((), 331, 564),
        ((NoDelay(),), 165, 206),
        ((Unusual(),), 151, 189),
        ((FlowIR(same_connection),), 331, 564),
        ((FlowIR(same_connection), NoDelay()), 165, 206),
        ((PktSeq(burst=1),), 29, 28),
        ((PktSeq(length=1), NoDelay()), 17, 16),
    ],
)
@pytest.mark.parametrize("engine", ["loop", "kernel"])
def test_strategies_have_their_counts_on_two_pings(strategies, states, transitions, engine):
    statistics = pings(*strategies, engine=engine).check().result.statistics
    assert (statistics.states, statistics.transitions) == (states, transitions)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [NoDelay(), Unusual(), FlowIR(same_connection)])
def test_engines_agree_under_a_strategy_and_a_reduction(strategy):
    results = [pings(strategy, engine=engine, reduce=True).check().result for engine in ("loop", "kernel")]
    loop, kernel = (
        replace(one.statistics, engine="", seconds=0, evaluations={}, cores={}, bytes_per_state=None) for one in results
    )
    assert loop == kernel
    assert results[0].verdict == results[1].verdict
    plain = pings(strategy, engine="loop").check().result.statistics
    assert loop.transitions <= plain.transitions


def test_no_delay_hides_a_race_and_says_so():
    assert whole_path("forward").check().verdict == "violated"
    report = whole_path("forward", NoDelay()).check()
    assert report.result.verdict == Incomplete(
        "the strategy NO-DELAY skips delays of messages between controller and switches"
    )
    assert "without delays of messages between controller and switches (NO-DELAY)" in report.bounds


# UNUSUAL


@pytest.mark.parametrize("order", ["forward", "backward"])
def test_unusual_finds_a_packet_that_overtakes_its_rules_in_every_order_of_sending(order):
    report = whole_path(order, Unusual()).check()
    assert report.verdict == "violated"
    assert report.result.statistics.transitions < whole_path(order).check().result.statistics.transitions


def test_unusual_delivers_the_last_sent_message_first():
    orders = set()

    class Rules:
        """Three rules in turn and nothing else."""

        def external(self, net, name):
            for switch in ("s1", "s2", "s3"):
                net.send(switch, FlowMod(Match.of(eth_dst=1)))

    network = Network(linear(3), externals=(External("install"),))
    scenario = Scenario(network, PythonProgram(Rules), (NoForwardingLoops(),), strategies=(Unusual(),))
    for _, steps in explored(scenario):
        assert len(steps) <= 1
        orders |= {step.component for step in steps if step.action == "of"}
    assert orders == {"s1", "s2", "s3"}
    path = [step.component for _, steps in explored(scenario) for step in steps]
    assert path == ["controller", "s3", "s2", "s1"]


def test_under_unusual_switches_process_messages_only_when_nothing_else_must_happen():
    scenario = pings(Unusual())
    late = 0
    for _, steps in explored(scenario):
        obeying = [step for step in steps if step.action == "of"]
        free = [step for step in steps if step.component == "h1" and step.action == "send"]
        if obeying:
            assert len(obeying) + len(free) == len(steps)
            late += 1
    assert late == 34


# FLOW-IR


def two_pairs(*strategies: SearchStrategy, calls: int = 0) -> Scenario:
    """h1 sends to h2, h3 to h4, all at one switch; an external call does not change the program."""
    network = Network(
        single(4),
        (Client("h1", to=("h2",), sends=2), Client("h3", to=("h4",), sends=2)),
        REFERENCE,
        externals=(External("call", budget=calls),) if calls else (),
    )
    return Scenario(network, PythonProgram(Learning), (NoForwardingLoops(),), strategies=strategies)


def _packets_in(message: Any) -> list[Packet]:
    if isinstance(message, PacketIn):
        return [decode(message.data)]
    parts = message if isinstance(message, tuple) else (message,)
    return [part[1] if isinstance(part, tuple) else part for part in parts if isinstance(part, tuple | Packet)]


def by_destination(one: Any, other: Any) -> bool:
    return flow_of(one).eth_dst == flow_of(other).eth_dst


def test_flow_ir_explores_one_flow_after_the_other():
    began = 0
    for _, steps in explored(two_pairs(FlowIR(by_destination))):
        sends = {step.component for step in steps if step.action == "send"}
        assert len(sends) <= 1
        if "h3" in sends:  # the first flow is complete: all later steps are of the second
            packets = [packet for step in steps if step.message for packet in _packets_in(step.message)]
            assert all(flow_of(packet).eth_dst == 4 for packet in packets)
            began += 1
    assert began > 0
    full, narrow = (two_pairs(*some).check().result.statistics.states for some in ((), (FlowIR(by_destination),)))
    assert (full, narrow) == (14730, 169)


def test_flow_ir_with_one_flow_is_the_full_search():
    everything = FlowIR(lambda one, other: True)
    one, other = (two_pairs(*some).check().result.statistics for some in ((), (everything,)))
    assert (one.states, one.transitions) == (other.states, other.transitions)


def test_flow_ir_lets_external_calls_happen_at_any_time():
    before, after = (
        two_pairs(FlowIR(by_destination), calls=calls).check().result.statistics.states for calls in (0, 1)
    )
    assert after == 2 * before


def test_flow_ir_does_not_delay_a_move_and_its_announcement():
    host = MobileHost("h2", host=Replier("h2"), to=(SwitchPort("s1", 3),), moves=1, announces=True)
    network = Network(single(2, ports=3), (Client("h1", to=("h2",)), host))
    scenario = Scenario(network, PythonProgram(Learning), (NoForwardingLoops(),), strategies=(FlowIR(by_destination),))
    first = explored(scenario)[0][1]
    assert {(step.component, step.action) for step in first} == {("h1", "send"), ("h2", "move")}


def test_same_connection_goes_both_ways_and_tells_ports_and_hosts_apart():
    def segment(src: int, dst: int, src_port: int, dst_port: int) -> Packet:
        return stack(Ethernet(dst, src), IPv4(src, dst), Tcp(src_port, dst_port))

    there = segment(1, 2, 1000, 80)
    assert same_connection(there, there)
    assert same_connection(there, segment(2, 1, 80, 1000))
    for other in (segment(2, 1, 1000, 80), segment(1, 2, 1001, 80), segment(1, 3, 1000, 80)):
        assert not same_connection(there, other)


def test_flow_ir_finds_every_packet_that_a_host_can_send_at_the_start():
    network = Network(single(4), (Client("h1", to=("h2", "h3", "h4"), sends=3, order="listed"),))
    system = Scenario(network, PythonProgram(Learning), ()).system()
    assert [flow_of(packet).eth_dst for packet in initial_packets(network, system)] == [2, 3, 4]


# PKT-SEQ


def test_pkt_seq_is_a_bound_that_a_verdict_states_and_can_hold_within():
    report = pings(PktSeq(length=1, burst=1), sends=3).check()
    assert report.verdict == "holds"
    assert report.bounds == ("h1: at most 1 packet (1 unanswered)",)


def test_pkt_seq_never_widens_what_a_client_allows():
    wide = pings(PktSeq(length=9, burst=9), sends=2)
    assert wide.narrowed().network.hosts[0] == Client("h1", to=("h2",), sends=2, burst=9)
    assert pings(PktSeq(), sends=2).narrowed().network == pings(sends=2).network
    moving = MobileHost("h1", host=Client("h1", to=("h2",), sends=3), to=(SwitchPort("s1", 3),))
    cut = PktSeq(length=1).narrow(Network(linear(2), (moving,))).hosts[0]
    assert cut == replace(moving, host=Client("h1", to=("h2",), sends=1))


def test_a_counterexample_within_pkt_seq_replays_on_the_scenario_as_it_was_written():
    scenario = replace(pings(PktSeq(length=1), sends=3), properties=(NoBlackHoles(),))
    broken = replace(scenario, program=PythonProgram(Forgetful))
    report = broken.check()
    assert report.verdict == "violated"
    trace = broken.trace(report.violations[0].path, None, {})
    assert replace(broken, strategies=()).replay(trace).diverged is None


class Forgetful:
    """Drops every packet."""

    def packet_in(self, net, switch, message):
        net.packet_out(switch, message)


@pytest.mark.parametrize("wrong", [{"length": -1}, {"burst": 1.5}, {"length": True}])
def test_an_invalid_bound_is_refused_by_name(wrong):
    (name,) = wrong
    with pytest.raises(NetworkError, match=f"{name} of pkt-seq is "):
        PktSeq(**wrong)


# Names


def test_strategies_are_made_by_name_and_in_order():
    assert make_strategies([]) == (PktSeq(),)
    assert make_strategies(["flow-ir", "no-delay"], same_connection, PktSeq(3)) == (
        PktSeq(3),
        FlowIR(same_connection),
        NoDelay(),
    )
    assert make_strategies(["pkt-seq", "unusual"]) == (PktSeq(), Unusual())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["fast"], "strategy 'fast' is unknown; expected one of pkt-seq, no-delay, unusual, flow-ir"),
        (["unusual", "unusual"], "strategy 'unusual' is given twice"),
        (["flow-ir"], "strategy 'flow-ir' does not know which packets belong together"),
    ],
)
def test_an_unknown_strategy_is_refused_by_name(names, message):
    with pytest.raises(SdnloomError, match=message):
        make_strategies(names)
