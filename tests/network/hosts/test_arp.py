"""Hosts with ARP: what they ask, learn and answer, and by way of which gateway they send."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from sdnloom.engine.result import Holds, SearchOptions
from sdnloom.engine.search import search
from sdnloom.network.build import build
from sdnloom.network.events import Received, Sent
from sdnloom.network.hosts import ArpHost, Client, Host, HostStep, HostView, TcpClient, TcpServer
from sdnloom.network.hosts.arp import ArpState
from sdnloom.network.network import Network, NetworkError
from sdnloom.network.openflow import Match, Output, PacketOut
from sdnloom.network.packet import Arp, Icmp, IPv4, Tcp, Vlan, decode, encode, stack
from sdnloom.network.packet_id import packet_id_of
from sdnloom.network.topology import single
from sdnloom.network.topology.spec import TopologyError
from sdnloom.network.traffic import BROADCAST, arp_reply, arp_request, ends_of, header_of, ping, ping_to
from sdnloom.network.value import ip, mac
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, PingsAnswered, Reachable
from tests.network.programs import hub, learning
from tests.network.state_space import events_of, explore

TWO = single(2)
A, B = TWO.hosts
ROUTED = single(2).with_hosts(
    (
        replace(A, ip=ip("10.1.0.10"), prefix=24, gateway=ip("10.1.0.1")),
        replace(B, ip=ip("10.2.0.10"), prefix=24, gateway=ip("10.2.0.1")),
    )
)


class Router:
    """Has the addresses .1 of both networks, one MAC address for each, and knows which host is in which."""

    gateways = MappingProxyType({ip("10.1.0.1"): mac("02:00:00:00:00:01"), ip("10.2.0.1"): mac("02:00:00:00:00:02")})
    ports = MappingProxyType({ROUTED.hosts[0].ip: 1, ROUTED.hosts[1].ip: 2})

    def packet_in(self, net, switch, message):
        packet = decode(message.data)
        arp = header_of(packet, Arp)
        if arp is not None:
            if arp.tpa in self.gateways:
                me = replace(A, ip=arp.tpa, mac=self.gateways[arp.tpa])
                self.out(net, switch, message.in_port, arp_reply(me, arp.sha, arp.spa))
            return
        target = next(host for host in ROUTED.hosts if host.ip == packet.headers[1].dst)
        ethernet = replace(packet.headers[0], src=self.gateways[target.gateway], dst=target.mac)
        routed = replace(packet, headers=(ethernet, *packet.headers[1:]))
        self.out(net, switch, self.ports[target.ip], routed)

    def out(self, net, switch, port, packet):
        net.send(switch, PacketOut((Output(port),), data=encode(packet)))


def run(network, program, *rules, **options):
    return search(build(network, program, rules), SearchOptions(**{"engine": "loop"} | options))


def sent(system, host):
    return {event.packet for event in events_of(system) if isinstance(event, Sent) and event.host == host}


# -- asking and learning ---------------------------------------------------------------------------------------------


def test_each_address_is_asked_for_once():
    built = build(Network(single(3), (ArpHost("h1", to=("h2", "h3"), sends=1), ArpHost("h2"), ArpHost("h3"))), hub)
    asked = [header_of(packet, Arp).tpa for packet in sent(built, "h1") if header_of(packet, Arp)]
    assert sorted(asked) == [host.ip for host in single(3).hosts[1:]]
    assert {ends_of(packet)[1] for packet in sent(built, "h1") if header_of(packet, Icmp)} == {2, 3}


def test_who_is_asked_learns_the_address_and_need_not_ask():
    hosts = (ArpHost("h1", to=("h2",)), ArpHost("h2", to=("h1",)))
    view, state = HostView(B, TWO), ArpState(Client("h2").initial(HostView(B, TWO)))
    (answer,) = hosts[1].receive(view, state, arp_request(A, B.ip))
    assert answer == HostStep(state._replace(known=((A.ip, A.mac),)), (arp_reply(B, A.mac, A.ip),))
    assert not hosts[1].ask(view, answer.state)
    assert hosts[1].send_known(view, answer.state)[0].packets == (ping(B, A),)


def test_the_address_in_the_reply_is_used_and_a_later_one_replaces_it():
    host, view = ArpHost("h1", to=("h2",), sends=2), HostView(A, TWO)
    state = host.initial(view)
    for address in (mac("02:00:00:00:00:07"), mac("02:00:00:00:00:08")):
        (step,) = host.receive(view, state, arp_reply(replace(B, mac=address), A.mac, A.ip))
        state = step.state
        assert host.send_known(view, state)[0].packets == (ping_to(A, address, B.ip),)


def test_what_is_for_others_is_ignored_in_every_state():
    host, view = ArpHost("h1", to=("h2",)), HostView(A, TWO)
    for packet in (arp_reply(B, mac("00:00:00:00:00:03"), ip("10.0.0.3")), arp_request(B, ip("10.0.0.3")), ping(A, B)):
        (step,) = host.receive(view, host.initial(view), packet)
        assert (step.packets, step.state) == ((), host.initial(view))
    (step,) = host.receive(view, host.initial(view), ping(A, B))
    assert step.ignores


def test_a_ping_to_another_ip_address_is_not_answered():
    (step,) = ArpHost("h1").receive(HostView(A, TWO), ArpHost("h1").initial(HostView(A, TWO)), ping_to(B, A.mac, 99))
    assert step.packets == ()


def test_only_what_is_addressed_to_it_lets_it_send_again():
    host, view = ArpHost("h1", to=("h2",), sends=3, burst=1), HostView(A, TWO)
    state = host.initial(view)
    for packet in (arp_reply(B, A.mac, A.ip), arp_request(B, ip("10.0.0.9"))):
        state = host.receive(view, state, packet)[0].state
    assert state.client.credit == 1


def test_two_hosts_that_ping_each_other_have_exactly_these_states():
    hosts = (ArpHost("h1", to=("h2",)), ArpHost("h2", to=("h1",)))
    result = run(Network(TWO, hosts), hub, PingsAnswered(), NoBlackHoles())
    assert isinstance(result.verdict, Holds)
    assert (result.statistics.states, result.statistics.transitions) == (230, 414)


# -- gateways --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reduce", [False, True])
def test_packets_for_another_network_go_through_the_gateway(reduce):
    network = Network(ROUTED, (ArpHost("h1", to=("h2",), sends=2), ArpHost("h2")))
    assert isinstance(
        run(network, PythonProgram(Router), PingsAnswered(), NoBlackHoles(), reduce=reduce).verdict, Holds
    )
    built = build(network, PythonProgram(Router))
    requests = {header_of(packet, Arp).tpa for packet in sent(built, "h1") if header_of(packet, Arp)}
    assert requests == {ip("10.1.0.1")}
    pings = {
        (ends_of(packet)[1], header_of(packet, IPv4).dst) for packet in sent(built, "h1") if header_of(packet, Icmp)
    }
    assert pings == {(mac("02:00:00:00:00:01"), ip("10.2.0.10"))}


def test_a_router_that_forgets_a_network_is_a_black_hole():
    class Forgetting(Router):
        ports = MappingProxyType({ROUTED.hosts[0].ip: 1, ROUTED.hosts[1].ip: 1})

    result = run(Network(ROUTED, (ArpHost("h1", to=("h2",)), ArpHost("h2"))), PythonProgram(Forgetting), NoBlackHoles())
    assert result.verdict.counterexample.message == "packet h1:1 never reached h2"


def test_without_the_gateway_there_is_no_answer():
    network = Network(ROUTED, (ArpHost("h1", to=("h2",)), ArpHost("h2")))
    result = run(network, hub, PingsAnswered())
    assert result.verdict.counterexample.message == "h1 never got an answer to its ARP request for 10.1.0.1"


def test_a_host_may_be_the_gateway():
    three = single(3)
    one, two, three_ = three.hosts
    topology = three.with_hosts((replace(one, prefix=30, gateway=two.ip), two, replace(three_, ip=ip("10.9.0.3"))))
    built = build(Network(topology, (Client("h1", to=("h3",)), Host("h2"), Host("h3"))), hub)
    assert {ends_of(packet)[1] for packet in sent(built, "h1")} == {two.mac}


def test_a_client_without_arp_cannot_use_a_gateway_that_is_no_host():
    with pytest.raises(NetworkError, match=r"cannot know the MAC address of 10\.1\.0\.1.*expected.*kind arp"):
        build(Network(ROUTED, (Client("h1", to=("h2",)),)), hub)
    with pytest.raises(NetworkError, match=r"cannot know the MAC address of 10\.1\.0\.1"):
        build(Network(ROUTED, (TcpClient("h1", to="h2"),)), hub)


@pytest.mark.parametrize("gateway", ["10.2.0.1", "10.1.0.10"])
def test_a_gateway_is_another_address_of_the_network(gateway):
    with pytest.raises(TopologyError, match=f"has the gateway {gateway}; expected another address of its network"):
        TWO.with_hosts((replace(ROUTED.hosts[0], gateway=ip(gateway)),))


# -- TCP ---------------------------------------------------------------------------------------------------------------


def test_tcp_hosts_answer_arp_requests_for_their_own_address_only():
    for host in (TcpServer("h2"), TcpClient("h2", to="h1")):
        view = HostView(B, TWO, identity=True)
        (step,) = host.receive(view, host.initial(view), arp_request(A, B.ip))
        assert step.packets == (arp_reply(B, A.mac, A.ip),)  # known by its contents
        assert packet_id_of(step.packets[0]) == "ARP 10.0.0.2 answers 10.0.0.1"
        (again,) = host.receive(view, step.state, arp_request(A, B.ip))
        assert packet_id_of(again.packets[0]) == "h2:to:ARP 10.0.0.1 asks 10.0.0.2:2"
        for packet in (arp_request(A, 99), arp_request(B, B.ip), arp_reply(A, B.mac, B.ip)):
            assert host.receive(view, host.initial(view), packet)[0].packets == ()


@pytest.mark.parametrize("topology", [TWO, ROUTED], ids=["direct", "routed"])
def test_a_tcp_client_that_resolves_reaches_a_tcp_server(topology):
    program = learning if topology is TWO else PythonProgram(Router)
    built = build(Network(topology, (TcpClient("h1", to="h2", resolves=True, segments=0), TcpServer("h2"))), program)
    received = [event.packet for event in events_of(built) if isinstance(event, Received) and event.host == "h2"]
    assert {header_of(packet, Tcp).flags for packet in received if header_of(packet, Tcp)} == {2, 16, 17}
    assert any(ends_of(packet)[1] == BROADCAST for packet in received) == (topology is TWO)
    assert explore(built)


def test_a_host_has_mininets_prefix_and_no_gateway():
    assert (A.prefix, A.gateway, A.next_hop(ip("192.168.0.1"))) == (8, 0, ip("192.168.0.1"))


def test_a_packet_with_a_vlan_tag_is_ignored():
    host, view = ArpHost("h1"), HostView(A, TWO)
    packet = ping(B, A)
    tagged = stack(packet.headers[0], Vlan(5), *packet.headers[1:])
    assert host.receive(view, host.initial(view), packet)[0].packets
    assert host.receive(view, host.initial(view), tagged) == (HostStep(host.initial(view), ignores=True),)


def test_reachable_goes_by_way_of_the_gateway_once_the_source_knows_it():
    hosts = (ArpHost("h1", to=("h2",)), ArpHost("h2"))

    class Deaf(Router):
        def switch_join(self, net, switch, features):
            net.install(switch, Match.of(eth_type=0x0800))  # drops

    rule = Reachable(source="h1", target="h2")
    assert isinstance(run(Network(ROUTED, hosts), PythonProgram(Router), rule).verdict, Holds)
    found = run(Network(ROUTED, hosts), PythonProgram(Deaf), rule).verdict.counterexample
    assert found.message == "a packet from h1 to h2, who is at s1:2, ends at nowhere"
    assert any(step.step.component == "h1" and step.step.action == "receive" for step in found.transitions)


def test_no_bytes_follow_the_last_header_of_an_arp_packet_as_apps_see_it():
    packet_library = pytest.importorskip("os_ken.lib.packet.packet")
    built = build(Network(TWO, (ArpHost("h1", to=("h2",)), ArpHost("h2")), identity=True), hub)
    packets = sent(built, "h1") | sent(built, "h2")
    assert len({packet_id_of(packet) for packet in packets}) == len(packets) == 4
    for packet in packets:
        assert not any(isinstance(part, bytes) for part in packet_library.Packet(encode(packet)).protocols)
