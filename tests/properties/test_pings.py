"""PingsAnswered: which ping or ARP request is not answered, and what is excused."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from sdnloom.engine.result import Holds, SearchOptions, Vacuous, Violated
from sdnloom.engine.search import search
from sdnloom.network.build import build
from sdnloom.network.hosts import ArpHost, Client, Host, MobileHost, Replier
from sdnloom.network.network import LinkFaults, Network, SwitchFaults, SwitchOptions
from sdnloom.network.openflow import Match, Output, PacketOut, PopMpls, PopVlan, PushMpls, PushVlan, SetField
from sdnloom.network.packet import Arp, Icmp, decode, encode
from sdnloom.network.packet_id import packet_id_of
from sdnloom.network.topology import SwitchPort, custom, ring
from sdnloom.network.traffic import ECHO_REQUEST, answer_to, arp_reply, arp_request, header_of, ping
from sdnloom.network.value import ip, mac
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoBlackHoles, NoForwardingLoops, PingsAnswered
from tests.network.programs import hub, learning, silent

ONE = custom(["s1"], [], [("A", "s1:1"), ("B", "s1:2"), ("C", "s1:3")], ports=4)
LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")])
ARP_HOSTS = (ArpHost("A", to=("B",), sends=2), ArpHost("B"))
OLD_HOSTS = (Client("A", to=("B",), sends=2), Replier("B"))


def run(network, program, *rules, **options):
    system = build(network, program, rules or (PingsAnswered(),))
    return search(system, SearchOptions(**{"engine": "loop"} | options))


def message(network, program, *rules, **options):
    """The violation's message, or None when the rules hold."""
    verdict = run(network, program, *rules, **options).verdict
    if isinstance(verdict, Violated):
        return verdict.counterexample.message
    assert isinstance(verdict, Holds | Vacuous)
    return None


def losing(lost):
    """A hub that drops the packets for which `lost(headers)` is true."""

    class Losing:
        def packet_in(self, net, switch, message):
            if not lost(decode(message.data)):
                net.flood(switch, message)

    return PythonProgram(Losing)


def from_host(name, kind):
    return lambda packet: packet.headers[0].src == ONE.host(name).mac and header_of(packet, kind) is not None


@pytest.mark.parametrize("options", [{}, {"reduce": True}, {"engine": "kernel"}], ids=["loop", "reduced", "kernel"])
@pytest.mark.parametrize("hosts", [ARP_HOSTS, OLD_HOSTS], ids=["arp", "replier"])
def test_a_learning_switch_answers_every_ping(hosts, options):
    assert message(Network(LINE, hosts), learning, **options) is None


@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize(
    ("hosts", "program", "expected"),
    [
        (ARP_HOSTS, silent, "A never got an answer to its ARP request for B: the request never reached B"),
        (
            ARP_HOSTS,
            losing(from_host("B", Arp)),
            "A never got an answer to its ARP request for B: B's answer never reached A",
        ),
        (
            ARP_HOSTS,
            losing(from_host("A", Icmp)),
            "A's ping 1 to B was not answered: the request never reached B",
        ),
        (
            ARP_HOSTS,
            losing(from_host("B", Icmp)),
            "A's ping 1 to B was not answered: B's answer never reached A",
        ),
        (OLD_HOSTS, silent, "A's ping 1 to B was not answered: the request never reached B"),
        (
            OLD_HOSTS,
            losing(lambda packet: packet_id_of(packet) == "B:to:A:2"),
            "A's ping 2 to B was not answered: B's answer never reached A",
        ),
        ((ArpHost("A", to=("10.0.0.9",)),), hub, "A never got an answer to its ARP request for 10.0.0.9"),
    ],
)
def test_what_is_missing_is_named(hosts, program, expected, reduce):
    assert message(Network(ONE, hosts), program, reduce=reduce) == expected


def test_a_host_that_never_answers_is_not_blamed():
    assert message(Network(ONE, (Client("A", to=("B",)), Host("B"))), hub) is None
    assert message(Network(ONE, (ArpHost("A", to=("B",)), Host("B"))), hub) is None
    assert message(Network(ONE, (Client("A", to=("B",)), Client("B", to=("A",)))), hub) is None


@pytest.mark.parametrize("hosts", [ARP_HOSTS, OLD_HOSTS], ids=["arp", "replier"])
@pytest.mark.parametrize("link", ["s1:2-s2:1", "A", "B"])
def test_what_a_link_drops_is_excused(hosts, link):
    network = Network(LINE, hosts, link_faults=((link, LinkFaults(drop=1)),))
    assert message(network, hub) is None
    assert "never reached" in message(network, silent)


class Trunk:
    """Forwards in both directions, with a tag or a label between the switches."""

    on: tuple
    off: tuple
    match: tuple

    def switch_join(self, net, switch, features):
        near, far = (1, 2) if switch == "s1" else (2, 1)
        for kind in (0x0800, 0x0806):
            net.install(switch, Match.of(in_port=near, eth_type=kind), *self.on, Output(far))
        net.install(switch, Match.of(in_port=far, **dict(self.match)), *self.off, Output(near))


TAGS = {
    "on": (PushVlan(), SetField("vlan_vid", 0x1005)),
    "off": (PopVlan(),),
    "match": (("vlan_vid", 0x1005),),
}
LABELS = {
    "on": (PushMpls(), SetField("mpls_label", 5)),
    "off": (PopMpls(0x0800),),
    "match": (("eth_type", 0x8847),),
}


@pytest.mark.parametrize(("hosts", "way"), [(ARP_HOSTS, TAGS), (OLD_HOSTS, TAGS), (OLD_HOSTS, LABELS)])
def test_what_a_link_drops_is_excused_with_tags_and_labels_too(hosts, way):
    program = PythonProgram(type("Tunnel", (Trunk,), way))
    network = Network(LINE, hosts, switches=SwitchOptions(version="1.3"))
    assert message(network, program) is None
    assert message(replace(network, link_faults=(("s1:2-s2:1", LinkFaults(drop=1)),)), program) is None
    one_way = PythonProgram(type("OneWay", (Trunk,), {**way, "off": ()}))
    assert "never reached" in message(network, one_way)


def test_what_a_switch_without_power_drops_is_excused():
    assert message(Network(LINE, ARP_HOSTS, switch_faults=(("s2", SwitchFaults(fail=1)),)), hub) is None


def test_pings_to_a_host_that_has_moved_are_not_judged():
    mobile = MobileHost("B", host=Replier("B"), to=(SwitchPort("s1", 4),))
    assert message(Network(ONE, (Client("A", to=("B",), sends=2), mobile)), learning) is None
    assert "never reached B" in message(Network(ONE, (Client("A", to=("B",), sends=2), mobile)), silent)


class Proxy:
    """Answers ARP requests for B and for 10.0.0.100 itself, and pings to 10.0.0.100; floods everything else."""

    macs = MappingProxyType({ONE.host("B").ip: ONE.host("B").mac, ip("10.0.0.100"): mac("00:00:00:00:01:00")})

    def packet_in(self, net, switch, message):
        packet = decode(message.data)
        arp, icmp = header_of(packet, Arp), header_of(packet, Icmp)
        answer = None
        if arp is not None and arp.tpa in self.macs:
            owner = replace(ONE.host("B"), mac=self.macs[arp.tpa], ip=arp.tpa)
            answer = arp_reply(owner, arp.sha, arp.spa)
        elif icmp is not None and packet.headers[1].dst == ip("10.0.0.100") and icmp.type == ECHO_REQUEST:
            answer = self.echo(packet)
        if answer is None:
            net.flood(switch, message)
        else:
            net.send(switch, PacketOut((Output(message.in_port),), data=encode(answer)))

    def echo(self, packet):
        return replace(answer_to(packet), payload=packet.payload)


def test_an_arp_proxy_answers_and_the_request_is_no_black_hole():
    assert message(Network(ONE, ARP_HOSTS), PythonProgram(Proxy), NoBlackHoles(), PingsAnswered()) is None


class CachingProxy:
    """Floods ARP requests, and answers those for hosts that it has heard of itself; floods everything else."""

    def __init__(self):
        self.macs = {}

    def packet_in(self, net, switch, message):
        arp = header_of(decode(message.data), Arp)
        if arp is not None:
            self.macs[arp.spa] = arp.sha
        if arp is None or arp.op != 1 or arp.tpa not in self.macs:
            net.flood(switch, message)
        else:
            owner = replace(ONE.host("B"), mac=self.macs[arp.tpa], ip=arp.tpa)
            answer = arp_reply(owner, arp.sha, arp.spa)
            net.send(switch, PacketOut((Output(message.in_port),), data=encode(answer)))


@pytest.mark.parametrize("link", ["s1:2-s2:1", "A"])
def test_an_answer_of_a_proxy_to_the_second_copy_of_a_request_is_no_loop(link):
    network = Network(LINE, (ArpHost("A", to=("B",)), ArpHost("B")), link_faults=((link, LinkFaults(duplicate=1)),))
    assert message(network, PythonProgram(CachingProxy), NoForwardingLoops(), reduce=True) is None


def test_a_program_answers_pings_to_an_address_of_its_own():
    network = Network(ONE, (ArpHost("A", to=("10.0.0.100",), sends=2),))
    assert message(network, PythonProgram(Proxy), NoBlackHoles(), PingsAnswered()) is None
    bare = PythonProgram(type("Bare", (Proxy,), {"echo": lambda self, packet: answer_to(packet)}))
    assert message(network, bare) is None  # without the payload of the ping
    mute = PythonProgram(type("Mute", (Proxy,), {"echo": lambda self, packet: None}))
    assert message(network, mute) == "A's ping 1 to 10.0.0.100 was not answered"


class Balancer:
    """Sends pings to 10.0.0.100 to B with B's addresses, and its answers back with the virtual ones."""

    VIRTUAL = (ip("10.0.0.100"), mac("00:00:00:00:01:00"))
    returns = True

    def switch_join(self, net, switch, features):
        virtual_ip, virtual_mac = self.VIRTUAL
        b = ONE.host("B")
        there = (SetField("eth_dst", b.mac), SetField("ipv4_dst", b.ip), Output(2))
        back = (SetField("eth_src", virtual_mac), SetField("ipv4_src", virtual_ip), Output(1))
        net.install(switch, Match.of(eth_type=0x0800, ipv4_dst=virtual_ip), *there)
        net.install(switch, Match.of(eth_type=0x0800, ipv4_src=b.ip), *(back if self.returns else ()))

    def packet_in(self, net, switch, message):
        packet = decode(message.data)
        arp = header_of(packet, Arp)
        owner = replace(ONE.host("B"), mac=self.VIRTUAL[1], ip=self.VIRTUAL[0])
        if arp is not None and arp.tpa == owner.ip:
            answer = arp_reply(owner, arp.sha, arp.spa)
            net.send(switch, PacketOut((Output(message.in_port),), data=encode(answer)))


def test_a_load_balancer_may_rewrite_the_addresses_of_ping_and_answer():
    network = Network(ONE, (ArpHost("A", to=("10.0.0.100",), sends=2), ArpHost("B")))
    assert message(network, PythonProgram(Balancer), NoBlackHoles(), PingsAnswered()) is None
    half = PythonProgram(type("Half", (Balancer,), {"returns": False}))
    assert message(network, half) == "A's ping 1 to 10.0.0.100 was not answered: the answer never reached A"


class Redirecting:
    """Sends what is for B to C, with C's addresses."""

    def switch_join(self, net, switch, features):
        c = ONE.host("C")
        net.install(switch, Match.of(in_port=1), SetField("eth_dst", c.mac), SetField("ipv4_dst", c.ip), Output(3))

    def packet_in(self, net, switch, message):
        net.flood(switch, message)


class Misled:
    """Sends what is for B to C, as it is."""

    def switch_join(self, net, switch, features):
        net.install(switch, Match.of(in_port=1), Output(3))


def test_a_packet_that_is_rewritten_for_another_host_is_not_lost():
    network = Network(ONE, (Client("A", to=("B",)), Host("B"), Host("C")))
    assert message(network, PythonProgram(Redirecting), NoBlackHoles()) is None
    assert message(network, PythonProgram(Misled), NoBlackHoles()) == "packet A:1 never reached B"


def test_a_broadcast_that_loops_is_a_loop_and_answered_all_the_same():
    network = Network(ring(3), (ArpHost("h1", to=("h2",), sends=1), ArpHost("h2")))
    found = run(network, hub, NoForwardingLoops(), PingsAnswered())
    assert isinstance(found.verdict, Violated)
    assert found.verdict.counterexample.property == "NoForwardingLoops"


def test_requests_whose_answer_would_go_elsewhere_are_not_judged():
    a, b = ONE.host("A"), ONE.host("B")
    elsewhere = replace(a, mac=mac("02:00:00:00:00:77"), ip=ip("10.0.0.77"))
    nobody = replace(b, mac=mac("02:ff:00:00:00:fe"))
    packets = (ping(elsewhere, b), ping(a, nobody), arp_request(elsewhere, b.ip), arp_request(a, ip("10.0.0.9")))
    assert message(Network(ONE, (Client("A", packets=packets),)), silent) is None


@pytest.mark.parametrize("hosts", [ARP_HOSTS, OLD_HOSTS], ids=["arp", "replier"])
def test_the_fold_commutes(hosts):
    """A checked search with reduction tests that."""
    run(Network(ONE, hosts), learning, checked=True, reduce=True, find_all=True)
