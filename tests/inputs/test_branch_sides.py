"""Constants of a program are reached without options; sides of branches that no packet takes are named."""

import ipaddress
import json

import netaddr
import pytest

from sdnloom.inputs.branch_sides import BranchSides, HostDomains, Senders, UnreachedBranch
from sdnloom.inputs.skeletons import DEFAULT_STACKS, SenderView, make_skeletons
from sdnloom.network.packet import Arp, IPv4, Tcp, decode
from sdnloom.network.topology import single
from sdnloom.network.value import ip4_text
from sdnloom.platforms.python.program import PythonProgram
from tests.inputs.program_pair import Pair

TOPOLOGY = single(3)
H1, H2, H3 = (SenderView(TOPOLOGY, spec) for spec in TOPOLOGY.hosts)
STACKS = ("ethernet", "arp", "ipv4/tcp")


def header(message, kind):
    return next((each for each in decode(message.data).headers if isinstance(each, kind)), None)


class Base:
    """Floods the packets that a program asks about."""

    def packet_in(self, net, switch, message):
        if self.wants(message):
            net.flood(switch, message)


class AnInteger(Base):
    def wants(self, message):
        return decode(message.data).headers[0].dst == 0x63


class AText(Base):
    def wants(self, message):
        return f"{decode(message.data).headers[0].dst:012x}" == "000000000063"


class Time(Base):
    """How long a packet has lived."""

    def wants(self, message):
        found = header(message, IPv4)
        return found is not None and found.ttl == 1


class AnAddress(Base):
    def wants(self, message):
        found = header(message, IPv4)
        return found is not None and ipaddress.ip_address(found.dst) == ipaddress.ip_address("192.0.2.7")


class ANetwork(Base):
    def __init__(self):
        self.network = "192.0.2.0/24"

    def wants(self, message):
        found = header(message, IPv4)
        return found is not None and ipaddress.ip_address(found.dst) in ipaddress.ip_network(self.network)


class AnotherLibrary(Base):
    def wants(self, message):
        found = header(message, IPv4)
        return found is not None and netaddr.IPAddress(found.dst) in netaddr.IPNetwork("192.0.2.0/24")


class ASet(Base):
    def __init__(self):
        self.virtual = {"192.0.2.7", "192.0.2.8"}

    def wants(self, message):
        found = header(message, IPv4)
        return found is not None and str(ipaddress.ip_address(found.dst)) in self.virtual


class ATable(Base):
    def __init__(self):
        self.services = {0xC0000207: 80}

    def wants(self, message):
        found, tcp = header(message, IPv4), header(message, Tcp)
        return tcp is not None and tcp.dst == self.services.get(found.dst)


class AConfiguration(Base):
    def __init__(self):
        self.allowed = json.loads('{"arp": {"operations": [9], "target": "192.0.2.7"}}')["arp"]

    def wants(self, message):
        arp = header(message, Arp)
        if arp is None or arp.op not in self.allowed["operations"]:
            return False
        return str(ipaddress.ip_address(arp.tpa)) == self.allowed["target"]


class ARange(Base):
    def wants(self, message):
        tcp = header(message, Tcp)
        return tcp is not None and 5000 <= tcp.src < 6000 and tcp.flags & 0x100


def asked(kind, sender=H1, overrides=None, constants=True, stacks=STACKS, senders=None):
    """The classes of a program for one host, and its branches."""
    pair = Pair.of(PythonProgram(kind))
    skeletons = make_skeletons(stacks, sender, overrides or {}, constants=constants)
    hosts = senders or (sender,)
    sides = BranchSides(
        Senders(
            tuple(HostDomains(each, tuple(make_skeletons(stacks, each, overrides or {}))) for each in hosts),
            tuple(spec for spec in TOPOLOGY.hosts if spec not in [each.host for each in hosts]),
        )
    )
    classes = []
    for skeleton in skeletons:
        answer = pair.explore(pair.question(skeleton.stack.name, 1, overrides, sender, constants))
        assert answer.gaps == ()
        sides.add(skeleton, answer)
        classes += answer.classes
    return classes, sides


CONSTANTS = [
    *(AnInteger, AText, Time, AnAddress, ANetwork, AnotherLibrary, ASet, ATable, AConfiguration, ARange),
]


@pytest.mark.parametrize("kind", CONSTANTS, ids=lambda kind: kind.__name__)
def test_what_a_program_compares_with_is_reached_in_whatever_form_it_is_written(kind):
    classes, sides = asked(kind)
    assert any(one.handler_run.messages for one in classes)
    assert sides.unreached() == ()
    restricted, _ = asked(kind, constants=False)
    assert not any(one.handler_run.messages for one in restricted)


def test_preferred_values_represent_the_classes_that_have_one():
    classes, _ = asked(ASet, stacks=("ipv4/tcp",))
    found = {one.readable: (ip4_text(one.witness["ipv4.dst"]), one.witness["ipv4.ttl"]) for one in classes}
    assert found == {
        "ipv4.dst == 192.0.2.7": ("192.0.2.7", 64),
        "ipv4.dst == 192.0.2.8": ("192.0.2.8", 64),
        "ipv4.dst other than 192.0.2.7, 192.0.2.8": ("10.0.0.2", 64),
    }


# -- unreached sides ---------------------------------------------------------------------------------------------------


class Administrator(Base):
    def wants(self, message):
        found = header(message, IPv4)
        return found is not None and str(ipaddress.ip_address(found.src)) == "10.0.0.9"


class Neighbour(Base):
    def wants(self, message):
        return decode(message.data).headers[0].src == 2


class NotTheFirst(Base):
    def wants(self, message):
        return decode(message.data).headers[0].src != 1


class Liar(Base):
    def wants(self, message):
        arp = header(message, Arp)
        return arp is not None and arp.sha != decode(message.data).headers[0].src


class Web(Base):
    def wants(self, message):
        tcp = header(message, Tcp)
        return tcp is not None and tcp.dst == 443


class Types(Base):
    def wants(self, message):
        return decode(message.data).headers[0].type == 0x86DD


class Dead(Base):
    def wants(self, message):
        tcp = header(message, Tcp)
        return tcp is not None and tcp.dst > 5 and tcp.dst == 3


class Learner(Base):
    def __init__(self):
        self.ports = {2: 2, 3: 3}

    def wants(self, message):
        frame = decode(message.data).headers[0]
        self.ports[frame.src] = message.in_port
        return self.ports.get(frame.dst)


class Twice(Base):
    """Asks again on another line, where the answer is known in one case only."""

    def wants(self, message):
        frame = decode(message.data).headers[0]
        if frame.type == 0x9000 and frame.src != 1:
            return True
        return frame.src == 1


def unreached(kind, **options):
    return asked(kind, **options)[1].unreached()


def test_a_source_address_that_nobody_has_is_named_with_the_option_that_gives_it():
    [found] = unreached(Administrator)
    assert (found.file, found.condition) == ("test_branch_sides.py", "ipv4.src == 10.0.0.9")
    assert found.values == (("ipv4.src", "10.0.0.9"),)
    assert (found.option, found.silent) == ("--field ipv4.src=own,10.0.0.9", ())
    assert unreached(Administrator, overrides={"ipv4.src": "own,10.0.0.9"}) == ()
    assert unreached(Administrator, sender=SenderView()) == ()


def test_the_address_of_a_host_that_sends_nothing_is_named_with_the_host():
    [found] = unreached(Neighbour)
    assert (found.option, found.silent) == ("--field eth.src=own,h2", ("h2",))
    assert str(found).endswith("--field eth.src=own,h2, or let h2 send something, who has this address")


def test_the_address_of_a_host_that_sends_is_a_matter_of_bounds():
    assert unreached(Neighbour, senders=(H1, H2)) == ()


def test_the_other_side_is_named_too():
    [found] = unreached(NotTheFirst)
    assert (found.condition, found.option) == ("eth.src != h1", "--field eth.src=own,h2")


def test_addresses_that_contradict_each_other_are_named_though_hosts_have_them():
    [found] = unreached(Liar, senders=(H1, H2, H3))
    assert found.option in ("--field arp.sha=own,h2", "--field eth.src=own,h2")


def test_values_that_an_option_leaves_out_are_named():
    [found] = unreached(Web, overrides={"tcp.dst_port": "80,8000-8080"})
    assert found.option == "--field tcp.dst_port=80,8000-8080,443"
    assert unreached(Web) == ()


def test_a_type_whose_stack_is_not_explored_is_named_with_the_stack():
    [found] = unreached(Types, stacks=DEFAULT_STACKS)
    assert (found.values, found.option) == ((("eth.type", "0x86dd"),), "--stack default --stack ipv6")
    assert unreached(Types, stacks=("default", "ipv6")) == ()
    assert unreached(Types, stacks=(*STACKS, "ipv6")) == ()
    assert [each.option for each in unreached(Types, stacks=("ethernet",))] == ["--stack ethernet --stack ipv6"]


def test_a_side_that_no_packet_takes_is_dead_and_not_named():
    assert unreached(Dead, overrides={"tcp.dst_port": "1-100"}) == ()


def test_storing_is_no_branch_and_neither_is_the_key_of_the_packet_itself():
    assert unreached(Learner) == ()


def test_a_side_is_taken_on_every_line_that_asks():
    first = Twice.wants.__code__.co_firstlineno + 2
    assert [(each.line, each.condition) for each in unreached(Twice)] == [
        (first, "eth.src != h1"),
        (first + 2, "eth.src != h1"),
    ]
    assert unreached(Twice, overrides={"eth.src": "any"}) == ()
    [found] = unreached(Twice, overrides={"eth.type": "0x9000", "eth.src": "any"}, stacks=("ethernet",))
    assert (found.condition, found.option) == ("eth.type != 0x9000", "--field eth.type=0x9000,0x9001")


def test_without_constants_nothing_is_said():
    assert asked(Administrator, constants=False)[1].unreached() == ()


def test_what_no_solver_decides_is_said_to_be_undecided():
    assert str(UnreachedBranch("app.py", 7, "eth.src == h9")) == (
        "app.py:7: no packet takes the side eth.src == h9, and whether packets outside of the domains do is undecided"
    )


def test_domains_in_force_are_those_of_the_fields_that_conditions_mention():
    _, sides = asked(ATable, overrides={"tcp.dst_port": "80,443"})
    line = ATable.wants.__code__.co_firstlineno + 2
    assert [(each.field, each.values, each.constants) for each in sides.domains()] == [
        (
            "ipv4.dst",
            "any except own, preferred topology",
            (("192.0.2.7", f"test_branch_sides.py:{line}"),),
        ),
        ("tcp.dst_port", "80, 443", (("80", f"test_branch_sides.py:{line}"),)),
    ]
