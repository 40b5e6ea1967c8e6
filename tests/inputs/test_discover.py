"""Discovery of packets as pools, compared with NICE's figure 5."""

from dataclasses import replace

import pytest

from sdnloom.check.discovery import discover
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Holds, Incomplete, Limits, SearchOptions, Vacuous, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, reachable
from sdnloom.engine.stop_points import LimitReached
from sdnloom.inputs.clients import discovering_clients, with_packet_discovery
from sdnloom.inputs.domains import DomainError
from sdnloom.inputs.explorer import InputClasses
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.stacks import StackError
from sdnloom.network.build import build
from sdnloom.network.hosts import ArpHost, Client, Host, HostView, MobileHost, Replier, TcpClient
from sdnloom.network.hosts.mobile import inner_host
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.openflow import Match, Output, Port
from sdnloom.network.packet import decode
from sdnloom.network.topology import SwitchPort, linear, ring, single
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoForwardingLoops
from tests.inputs.brute_force import BruteForce
from tests.inputs.figure5 import every_packet_outcomes, outcome, quiescent_outcomes
from tests.network.programs import Hub, Learning, Silent

# Brute force needs domains that are lists.
ETHERNET = DiscoverOptions(stacks=("ethernet",), fields=(("eth.type", "0x88b5"),), constants=False)
LEARNING = PythonProgram(Learning)


SWITCH_PORT = 0x0200_0001_0001  # the address of a port, which is no role of its own


class Spoken:
    """Treats packets to a port of the switch in a way of their own once it has seen a broadcast."""

    def __init__(self):
        self.heard = 0

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        if frame.dst == 0xFFFF_FFFF_FFFF:
            self.heard = 1
        elif self.heard and frame.dst == SWITCH_PORT:
            self.heard = 2
        net.flood(switch, message)


class ByPort:
    """Installs a rule for the exact connection, so that a packet of the same class must use another port to be seen."""

    def __init__(self):
        self.count = 0

    def packet_in(self, net, switch, message):
        packet = decode(message.data)
        tcp = packet.headers[2]
        if tcp.dst == 80:
            self.count = min(self.count + 1, 3)
            net.install(switch, Match.of(eth_type=0x800, ip_proto=6, tcp_src=tcp.src, tcp_dst=80), Output(2))


def found(network, program, wanted=ETHERNET, options=None, explorer=None, properties=()):
    options = options or SearchOptions()

    def searching(ready, program, observers):
        system = build(ready, program, properties)
        return search(system, options, observers=observers(system))

    return discover(network, program, explorer or BruteForce(program), wanted, options, searching)


def labels(discovery, host):
    one = next(each for each in discovery.network.hosts if each.name == host)
    return {str(port): [label for label, _ in pool] for port, pool in inner_host(one).pools}


def moving(client):
    return MobileHost(client.name, host=client, to=(SwitchPort("s1", 3),), moves=1)


_SMALL = {
    "one client": (single(2), (Client("h1", sends=2, discover=True), Replier("h2"))),
    "two clients": (single(2), (Client("h1", discover=True), Client("h2", discover=True))),
    "two switches": (linear(2), (Client("h1", discover=True), Client("h2", discover=True))),
    "a client that moves": (single(2, ports=3), (moving(Client("h1", sends=2, discover=True)),)),
    "a host that moves": (single(2, ports=3), (Client("h1", discover=True), moving(Client("h2", to=("h1",))))),
}
SMALL = {name: Network(*parts, SwitchOptions(profile="reference")) for name, parts in _SMALL.items()}


# Spoken looks at what one client sends, so other hosts and switches take long and show nothing more.
COMPARED = [
    (name, kind)
    for name in SMALL
    for kind in (Learning, Spoken, Hub, Silent)
    if kind is not Spoken or name in ("one client", "a client that moves")
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), COMPARED, ids=lambda each: getattr(each, "__name__", each))
def test_pools_reach_every_quiescent_outcome_of_figure_5(name, kind):
    network, program = SMALL[name], PythonProgram(kind)
    discovery = found(network, program)
    literal, _ = quiescent_outcomes(network, program, BruteForce(program), ETHERNET)
    assert isinstance(discovery.result.verdict, Holds | Vacuous)  # a hub asks for no packet
    assert literal
    assert literal <= _reached(discovery, program)


class ByType:
    """Its rules tell apart three types of packets, of which the handler sees one and asks for nothing."""

    def switch_join(self, net, switch, features):
        net.install(switch, Match.of(eth_type=0x88B6), Output(2))
        net.install(switch, Match.of(eth_type=0x9000, eth_dst=(1 << 40, 1 << 40)), Output(Port.FLOOD))
        net.install(switch, Match.of(eth_type=0x9000), priority=1)

    def packet_in(self, net, switch, message):
        net.install(switch, Match.of(in_port=message.in_port), Output(Port.FLOOD), release=message, priority=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "network",
    [
        SMALL["one client"],
        SMALL["two clients"],
        replace(SMALL["a client that moves"], hosts=(moving(Client("h1", discover=True)),)),
    ],
    ids=["one client", "two clients", "a client that moves"],
)
def test_where_flow_tables_tell_all_packets_apart_pools_reach_every_outcome_of_every_packet(network):
    program = PythonProgram(ByType)
    fields = (("eth.type", "0x88b5,0x88b6,0x9000"), ("eth.dst", "hosts,broadcast,fresh"))
    wanted = DiscoverOptions(stacks=("ethernet",), fields=fields)
    every = every_packet_outcomes(network, program, wanted)
    assert _reached(found(network, program, wanted), program) == every
    without = found(network, program, replace(wanted, tables=False))
    assert _reached(without, program) < every


def _reached(discovery, program):
    semantics = Semantics(build(discovery.network, program))
    return {outcome(semantics, state) for state in reachable(semantics) if semantics.is_quiescent(state)}


def test_a_packet_for_each_role_of_a_class_and_no_more():
    discovery = found(SMALL["one client"], LEARNING)
    nobody, everybody = "ethernet eth.dst=02:ff:00:00:00:fe", "ethernet eth.dst=ff:ff:ff:ff:ff:ff"
    assert labels(discovery, "h1") == {"s1:1": ["ethernet eth.dst=h2", everybody, nobody]}
    assert [(one.states, one.transitions, one.packets) for one in discovery.rounds] == [(1, 0, 0), (311, 535, 3)]
    assert discovery.result.statistics.transitions == 535


def test_packets_that_matter_only_later_are_found_later():
    network = Network(single(3), (Client("h1", sends=2, discover=True),))
    discovery = found(network, PythonProgram(Spoken))
    assert [one.packets for one in discovery.rounds] == [0, 4, 5]
    assert labels(discovery, "h1")["s1:1"][-1] == "ethernet eth.dst=02:00:00:01:00:01"


def test_a_client_that_moves_has_a_pool_for_each_port():
    assert list(labels(found(SMALL["a client that moves"], LEARNING), "h1")) == ["s1:1", "s1:3"]


def test_once_a_rule_is_there_a_packet_is_sent_that_it_does_not_match():
    wanted = DiscoverOptions(
        stacks=("ipv4/tcp",),
        fields=(("tcp.flags", "2"), ("tcp.dst_port", "80,81"), ("eth.dst", "h2"), ("ipv4.dst", "h2")),
        constants=False,
    )
    network = Network(single(2), (Client("h1", sends=2, discover=True),))
    discovery = found(network, PythonProgram(ByPort), wanted)
    ports = [label.partition("tcp.")[2] for label in labels(discovery, "h1")["s1:1"]]
    # Once the rule for port 1024 is there, only a packet from port 1025 is seen by the handler that counts.
    assert ports == ["flags=2", "dst_port=81 tcp.flags=2", "src_port=1025 tcp.flags=2"]
    assert {core.program for core in _controllers(discovery.network, PythonProgram(ByPort))} == {
        PythonProgram(ByPort).initial(),
        *(_counting(n) for n in (1, 2)),
    }


def _controllers(network, program):
    semantics = Semantics(build(network, program))
    return {semantics.column("controller", state) for state in reachable(semantics)}


def _counting(number):
    program = PythonProgram(ByPort)
    instance = ByPort()
    instance.count = number
    return program._core(instance)


def test_discovery_is_the_same_on_both_engines_and_every_seed():
    one = found(SMALL["two switches"], LEARNING, options=SearchOptions(engine="loop"))
    other = found(SMALL["two switches"], LEARNING, options=SearchOptions(engine="kernel"))
    assert (one.network, one.rounds) == (other.network, other.rounds)


def test_handlers_run_once_per_situation_in_all_rounds():
    program = PythonProgram(Spoken)
    runs = []
    handle = program.handle

    def counted(core, given):
        runs.append((core, given))
        return handle(core, given)

    explorer = BruteForce(PythonProgram(Spoken))
    program.handle = counted
    discovery = found(Network(single(3), (Client("h1", sends=2, discover=True),)), program, explorer=explorer)
    assert len(discovery.rounds) == 3
    assert len(runs) == len(set(runs)) == discovery.result.statistics.evaluations["controller"]


def test_each_question_is_asked_once():
    explorer = BruteForce(LEARNING)
    discovery = found(SMALL["two switches"], LEARNING, explorer=explorer)
    assert explorer.asked == sum(one.questions for one in discovery.rounds)


def test_a_violation_found_with_discovered_packets_is_replayed_with_them():
    network = Network(ring(3), (Client("h1", discover=True),))
    discovery = found(network, LEARNING, properties=(NoForwardingLoops(),))
    assert isinstance(discovery.result.verdict, Violated)
    assert discovery.result.violations[0].path.steps[0].choice == "ethernet eth.dst=h2"


class Gap:
    """An explorer that says that it did not see everything."""

    def __init__(self, program):
        self.inner = BruteForce(program)

    def explore(self, question):
        found = self.inner.explore(question)
        return InputClasses(found.classes, ("app.py:7: the time limit",))


def test_holds_only_if_every_class_was_found():
    discovery = found(SMALL["one client"], LEARNING, explorer=Gap(LEARNING))
    assert discovery.result.verdict == Incomplete(
        "inputs may be missing that the program tells apart: app.py:7: the time limit"
    )


def test_holds_never_with_a_reduction():
    discovery = found(SMALL["one client"], LEARNING, options=SearchOptions(reduce=True))
    assert isinstance(discovery.result.verdict, Incomplete)
    assert "a reduction leaves out states" in discovery.result.verdict.reason


def test_limits_end_discovery_as_incomplete():
    discovery = found(SMALL["two switches"], LEARNING, options=SearchOptions(limits=Limits(states=50)))
    assert isinstance(discovery.result.verdict, Incomplete)


def test_wherever_a_limit_strikes_discovery_says_so_and_keeps_what_it_found(monkeypatch):
    network = SMALL["one client"]
    whole = found(network, LEARNING)
    assert whole.result.incomplete is None
    reasons, packets = set(), []
    for at in (*range(1, 21), *range(21, 400, 10)):  # what happens first changes at each call
        calls = iter(range(1, at))
        with monkeypatch.context() as patched:
            patched.setattr(LimitWatch, "_reason", lambda watch, calls=calls: None if next(calls, 0) else "over")
            try:
                discovery = found(network, LEARNING)
            except LimitReached:  # before the first search: a run has a report for that
                assert not packets
                continue
        if discovery.finished:
            assert (discovery.network, discovery.rounds) == (whole.network, whole.rounds)
            break
        assert isinstance(discovery.result.verdict, Incomplete)
        reasons.add(discovery.result.verdict.reason)
        packets.append(discovery.packets)
    assert discovery.finished
    assert {"over in round 1", "over in round 2", "over while inputs were discovered, in round 1"} <= reasons
    assert "over; 3 new packets were not searched with" in reasons
    assert packets == sorted(packets)


def test_packets_that_never_come_to_the_controller_are_sent_too():
    network = Network(single(2), (Client("h1", discover=True),), SwitchOptions(version="1.3"))
    discovery = found(network, LEARNING)  # an empty flow table of 1.3 drops everything
    assert len(labels(discovery, "h1")["s1:1"]) == len(("a host", "everybody", "nobody"))
    assert discovery.questions == 0


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        (DiscoverOptions(stacks=("ipx",)), StackError, "'ipx' is no protocol stack; expected one of ethernet, lldp"),
        (DiscoverOptions(fields=(("eth.dest", "h2"),)), StackError, "'eth.dest' is no field of the stacks ethernet"),
        (
            DiscoverOptions(fields=(("eth.dst", "h9"),)),
            DomainError,
            "eth.dst=h9: 'h9' is not a value of the field; expected",
        ),
        (DiscoverOptions(fields=(("eth.type", "0x10000"),)), DomainError, "'0x10000' is out of range"),
    ],
)
def test_invalid_options_are_named(wanted, error, message):
    with pytest.raises(error) as raised:
        found(SMALL["one client"], LEARNING, wanted)
    assert message in str(raised.value)


def test_a_host_with_arp_discovers_as_a_client_does():
    plain = found(Network(single(2), (Client("h1", discover=True), Host("h2"))), LEARNING)
    with_arp = found(Network(single(2), (ArpHost("h1", discover=True), Host("h2"))), LEARNING)
    assert with_arp.network.hosts[0].pools == plain.network.hosts[0].pools != ()


def test_under_discovery_hosts_with_arp_discover_and_those_that_they_ping_answer_everything():
    network = Network(single(3), (ArpHost("h1", to=("h2",), sends=2), ArpHost("h2"), ArpHost("h3")))
    others = ArpHost("h2", answers="everything"), ArpHost("h3")
    told = ArpHost("h1", to=("h2",), sends=2, discover=True)
    assert with_packet_discovery(network).hosts == (told, *others)
    assert with_packet_discovery(network, only=True).hosts == (ArpHost("h1", sends=2, discover="only"), *others)


@pytest.mark.parametrize("kind", [Client, ArpHost])
def test_discovery_adds_to_what_a_client_is_told_or_replaces_it(kind):
    told = kind("h1", to=("h2",), packets=(decode(bytes(14)),), order="listed")
    hosts = told, moving(replace(told, name="h2", to=("h1",))), Replier("h3"), TcpClient("h4", to="h1")
    network = Network(single(4, ports=5), hosts)
    assert [each.name for each in discovering_clients(network)] == []
    both, only = with_packet_discovery(network), with_packet_discovery(network, only=True)
    assert next(each.client for each in discovering_clients(both)) == replace(told, discover=True)
    assert [each.spec.name for each in discovering_clients(both)] == ["h1", "h2"]
    assert next(each.client for each in discovering_clients(only)) == kind("h1", discover="only")
    assert both.hosts[2:] == only.hosts[2:] == network.hosts[2:]
    assert with_packet_discovery(only) == only


def test_discovered_packets_come_before_between_and_after_listed_ones():
    one, two, found = (decode(bytes(13) + bytes([number])) for number in (1, 2, 3))
    at = SwitchPort("s1", 1)
    client = Client("h1", packets=(one, two), sends=3, order="listed", discover=True, pools=((at, (("new", found),)),))
    view = HostView(single(2).host("h1"), single(2))
    orders = {()}
    states = {(): client.initial(view)}
    for _ in range(3):
        taken = [(*path, step.choice, step.state) for path in orders for step in client.send(view, states[path])]
        states = {path: state for *path_, state in taken for path in [tuple(path_)]}
        orders = set(states)
    assert orders == {
        ("packet 1", "packet 2", "packet 1"),
        *{("new", "packet 1", "packet 2"), ("packet 1", "new", "packet 2"), ("packet 1", "packet 2", "new")},
        *{("new", "new", "packet 1"), ("new", "packet 1", "new"), ("packet 1", "new", "new"), ("new", "new", "new")},
    }
