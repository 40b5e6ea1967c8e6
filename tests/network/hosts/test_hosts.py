"""The packets that each kind of host sends, over all runs."""

from dataclasses import dataclass

import pytest

from sdnloom.engine.model import Mode
from sdnloom.engine.result import Holds, SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.network.build import build
from sdnloom.network.events import HostMoved, Lost, Received, Sent
from sdnloom.network.hosts import (
    ArpHost,
    Client,
    Host,
    HostAction,
    HostStep,
    HostView,
    MobileHost,
    Replier,
    TcpClient,
    TcpServer,
)
from sdnloom.network.network import Network
from sdnloom.network.packet import Arp, Tcp, decode, encode
from sdnloom.network.packet_id import add_packet_id, packet_id_of
from sdnloom.network.topology import SwitchPort, custom
from sdnloom.network.traffic import answer_to, arp_reply, ends_of, flow_of, frame, header_of, ping
from tests.network.programs import hub, learning
from tests.network.state_space import column, events_of, explore, quiescent

ONE = custom(["s1"], [], [("A", "s1:1"), ("B", "s1:2")], ports=3)
A, B = (ONE.host(name) for name in "AB")


def network(*hosts, **knobs):
    return Network(ONE, hosts, **knobs)


def system(*hosts, program=hub, **knobs):
    return build(network(*hosts, **knobs), program)


def sends(built, host):
    """The sets of packets that a host has sent at the end of each run."""
    return {event.packet for event in events_of(built) if isinstance(event, Sent) and event.host == host}


@pytest.mark.parametrize("budget", [0, 1, 2, 3])
def test_a_client_sends_as_often_as_it_may(budget):
    built = system(Client("A", to=("B",), sends=budget, numbered=True))
    numbers = {packet_id_of(packet) for packet in sends(built, "A")}
    assert numbers == {f"A:{number}" for number in range(1, budget + 1)}


def test_a_client_waits_for_answers_when_its_burst_is_used_up():
    """Without answers a burst of two is all; with a replier each answer allows one more, up to the budget."""
    alone = system(Client("A", to=("B",), sends=5, burst=2, numbered=True))
    answered = system(Client("A", to=("B",), sends=5, burst=2, numbered=True), Replier("B"))
    assert len(sends(alone, "A")) == 2
    assert len(sends(answered, "A")) == 5
    unanswered = [column(answered, state, "A").state for state in explore(answered)[0]]
    assert all(0 <= state.credit <= 2 for state in unanswered)


def test_credit_that_can_never_be_used_makes_no_state():
    built = system(Client("A", to=("B",), sends=1, burst=5), Client("B", to=("A",), sends=3))
    assert {column(built, state, "A").state for state in explore(built)[0]} == {(0, 1, 0), (1, 0, 0)}


def test_a_client_chooses_among_its_packets_or_takes_them_in_turn():
    first, second = frame(A, B, 0x88B5), frame(A, B, 0x88B6)

    def orders(order):
        built = system(Client("A", packets=(first, second), sends=2, order=order))
        return {
            (transition.step.choice, transition.outcome.events[0].packet)
            for transition in explore(built)[1]
            if transition.step.action == "send"
        }

    assert orders("any") == {("packet 1", first), ("packet 2", second)}
    assert orders("listed") == {("", first), ("", second)}
    listed = system(Client("A", packets=(first, second), sends=3, order="listed"))
    path = [t.outcome.events[0].packet for t in sends_of_one_run(listed)]
    assert path == [first, second, first]


def sends_of_one_run(built):
    semantics = Semantics(built)
    state, found = semantics.initial(), []
    while True:
        step = next((t for t in semantics.transitions(state) if t.step.action == "send"), None)
        if step is None:
            return found
        found.append(step)
        state = step.state


def test_a_replier_answers_what_is_meant_for_it_once():
    built = system(Client("A", packets=(ping(A, B), frame(A, A)), sends=2, numbered=True), Replier("B"), identity=True)
    answers = sends(built, "B")
    assert {flow_of(packet)[:2] for packet in answers} == {(B.mac, A.mac)}
    assert {packet_id_of(packet) for packet in answers} == {"B:to:A:1", "B:to:A:2"}


def test_a_replier_does_not_answer_answers():
    assert len(sends(system(Replier("A"), Client("B", to=("A",))), "A")) == 1
    assert sends(system(Replier("A"), Impostor("B")), "A") == set()


@dataclass(frozen=True)
class Impostor(Client):
    """Sends an unrequested answer: a subclass of the library's client."""

    def pool(self, view):
        return (("answer", answer_to(ping(view.other("A"), view.me))),)


def test_two_copies_of_a_request_get_two_answers_that_can_be_told_apart():
    double = custom(["s1", "s2"], [("s1:2", "s2:1"), ("s1:3", "s2:3")], [("A", "s1:1"), ("B", "s2:2")])
    built = build(Network(double, (Client("A", to=("B",)), Replier("B")), identity=True), hub)
    semantics, stamps = Semantics(built), []
    state = semantics.initial()
    for _ in range(60):
        steps = semantics.transitions(state)
        step = next((t for t in steps if t.step.component == "B"), None) or steps[-1]
        stamps += [packet_id_of(e.packet) for e in step.outcome.events if isinstance(e, Sent) and e.host == "B"]
        state = step.state
    assert len(stamps) >= 2
    assert len(set(stamps)) == len(stamps)


def test_an_arp_host_asks_before_it_sends_and_answers_who_asks():
    built = system(ArpHost("A", to=("B",)), ArpHost("B"))
    packets = sends(built, "A")
    assert {type(packet.headers[1]) for packet in packets} == {Arp, type(ping(A, B).headers[1])}
    for transition in explore(built)[1]:
        if transition.step.component == "A" and transition.step.action == "send":
            assert column(built, transition.state, "A").state.known == ((B.ip, B.mac),)
    assert {header_of(packet, Arp) is not None for packet in sends(built, "B")} == {True, False}


def test_an_arp_host_that_gets_no_answer_never_sends():
    built = system(ArpHost("A", to=("B",), asks=2), Host("B"))
    assert all(header_of(packet, Arp) for packet in sends(built, "A"))
    assert len(sends(built, "A")) == 1  # the same question twice


def flags(packets):
    return sorted(header_of(packet, Tcp).flags for packet in packets)


SYN, ACK, FIN, PSH, RST = 2, 16, 1, 8, 4


def test_a_tcp_connection_opens_carries_data_and_closes():
    built = system(TcpClient("A", to="B"), TcpServer("B"))
    assert flags(sends(built, "A")) == sorted([SYN, ACK, ACK, PSH | ACK, FIN | ACK])
    assert flags(sends(built, "B")) == sorted([SYN | ACK, ACK, FIN | ACK])
    ends = {column(built, state, "A").state.phase for state in quiescent(built)}
    assert ends == {"closed", "open", "done"}
    for state in quiescent(built):
        is_open = column(built, state, "A").state.phase == "open"
        assert bool(column(built, state, "B").state.connections) == is_open


@pytest.mark.slow
def test_a_tcp_client_repeats_its_first_packet_only_while_nothing_came():
    built = system(TcpClient("A", to="B", repeats=2, segments=0), TcpServer("B"), program=learning, identity=True)
    repeats = {packet_id_of(packet) for packet in sends(built, "A") if header_of(packet, Tcp).flags == SYN}
    assert repeats == {"A:syn", "A:syn:1", "A:syn:2"}
    for transition in explore(built)[1]:
        if transition.step.action == "repeat":
            assert column(built, transition.state, "A").state.phase == "opening"


def test_a_tcp_client_that_resolves_opens_only_after_an_answer_and_to_the_address_in_it():
    """Only B's ARP reply has its real address; the address that A was given belongs to no host."""

    class Answering(TcpServer):
        def receive(self, view, state, packet):
            arp = header_of(packet, Arp)
            if arp is not None and arp.tpa == view.me.ip:
                return (HostStep(state, (arp_reply(view.me, arp.sha, arp.spa),)),)
            return super().receive(view, state, packet)

    built = system(TcpClient("A", to=(0xABC, B.ip), resolves=True, segments=0), Answering("B"), program=learning)
    sent = sends(built, "A")
    assert {ends_of(packet)[1] for packet in sent if header_of(packet, Tcp)} == {B.mac}
    assert [header_of(packet, Arp).tpa for packet in sent if header_of(packet, Arp)] == [B.ip]
    phases = {column(built, state, "A").state.phase for state in quiescent(built)}
    assert phases == {"unresolved", "closed", "open", "done"}


def test_a_tcp_server_resets_what_it_never_opened():
    class Stray(TcpClient):
        def open(self, view, state):
            segment = self._segment(view, state, PSH | ACK, 1, 1, "stray")
            return (HostStep(state._replace(phase="done"), (segment,)),) if state.phase == "closed" else ()

    built = system(Stray("A", to="B"), TcpServer("B"), program=learning)
    assert flags(sends(built, "B")) == [RST]


def test_a_mobile_host_moves_within_its_budget_and_loses_what_comes_to_its_old_port():
    mobile = MobileHost("B", host=Host("B"), to=(SwitchPort("s1", 3),), moves=2)
    built = system(Client("A", to=("B",), sends=2), mobile)
    events = events_of(built)
    moves = {event for event in events if isinstance(event, HostMoved)}
    two, three = SwitchPort("s1", 2), SwitchPort("s1", 3)
    assert moves == {HostMoved("B", two, three), HostMoved("B", three, two)}
    assert {event.port for event in events if isinstance(event, Lost)} == {two, three}
    assert any(isinstance(event, Received) and event.host == "B" for event in events)
    assert min(column(built, state, "B").state.moves for state in explore(built)[0]) == 0


def test_a_mobile_host_announces_itself_from_its_new_port():
    mobile = MobileHost("B", host=Host("B"), to=(SwitchPort("s1", 3),), announces=True)
    built = system(mobile)
    step = next(t for t in explore(built)[1] if t.step.action == "move")
    assert [type(event) for event in step.outcome.events] == [HostMoved, Sent]
    assert step.outcome.sends[0][1][0] == 3


@dataclass(frozen=True)
class Beacon(Host):
    """A user's own host class: broadcasts once in a quiescent state."""

    def initial(self, view):
        return False

    def acts(self, view):
        return (HostAction("beacon", self.beacon, mode=Mode.IDLE),)

    def beacon(self, view, done):
        return () if done else (HostStep(True, (frame(view.me, view.other("A")),)),)


@pytest.mark.slow
@pytest.mark.parametrize(
    "hosts",
    [
        (Client("A", to=("B",), sends=2, burst=1), Replier("B")),
        (ArpHost("A", to=("B",)), ArpHost("B", to=("A",))),
        (TcpClient("A", to="B"), TcpServer("B")),
        (Client("A", to=("B",)), MobileHost("B", host=Replier("B"), to=(SwitchPort("s1", 3),), announces=True)),
        (Host("A"), Beacon("B")),
    ],
    ids=lambda hosts: "+".join(type(host).__name__ for host in hosts),
)
@pytest.mark.parametrize(("reduce", "identity"), [(False, False), (True, True)])
def test_what_hosts_declare_is_true(hosts, reduce, identity):
    options = SearchOptions(engine="loop", checked=True, reduce=reduce)
    assert isinstance(search(system(*hosts, program=learning, identity=identity), options).verdict, Holds)


@pytest.mark.parametrize(
    "hosts",
    [
        (TcpClient("A", to="B", repeats=1), TcpServer("B")),
        (TcpClient("A", to="B", resolves=True), TcpServer("B", strict=True)),
        (Client("A", to=("B",), sends=2), MobileHost("B", host=Replier("B"), to=(SwitchPort("s1", 3),))),
    ],
    ids=lambda hosts: "+".join(type(host).__name__ for host in hosts),
)
def test_what_a_host_ignores_it_ignores_in_every_state(hosts):
    built = system(*hosts)
    states = {host: {column(built, each, host.name).state for each in explore(built)[0]} for host in hosts}
    sent = {event.packet for event in events_of(built) if isinstance(event, Sent)}
    packets = sent | {ping(A, B), arp_reply(B, A.mac, A.ip)}
    ignored = 0
    for host in hosts:
        view = HostView(ONE.host(host.name), ONE)
        for packet in packets:
            answers = {state: tuple(host.receive(view, state, packet)) for state in states[host]}
            if any(doing.ignores for doings in answers.values() for doing in doings):
                ignored += 1
                assert answers == {state: (HostStep(state, ignores=True),) for state in states[host]}
    assert ignored > 1


def test_an_identity_survives_the_wire():
    for packet in (ping(A, B), frame(A, B)):
        marked = add_packet_id(packet, "A:7")
        assert packet_id_of(decode(encode(marked))) == "A:7"
        assert packet_id_of(packet) == ""
