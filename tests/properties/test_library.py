"""Each property of the library: a network that violates it, one that does not, and cases that only look like one."""

from dataclasses import replace

import pytest

from sdnloom.engine.model import Needs, Property
from sdnloom.engine.result import Holds, SearchOptions, Vacuous, Violated
from sdnloom.engine.search import search
from sdnloom.errors import SdnloomError
from sdnloom.network.build import build
from sdnloom.network.events import Forwarded, Received
from sdnloom.network.hosts import ArpHost, Client, Host, Replier, TcpClient, TcpServer
from sdnloom.network.network import LinkFaults, Network, SwitchOptions, Timeouts
from sdnloom.network.openflow import FlowCommand, FlowMod, Match, Output, PacketOut, Port, SetField
from sdnloom.network.packet import decode, encode
from sdnloom.network.topology import custom
from sdnloom.network.traffic import BROADCAST, arp_request, flow_of, frame, ping
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import (
    LIBRARY,
    DirectPaths,
    FlowAffinity,
    Isolated,
    NetworkProperty,
    NoAmbiguousMatch,
    NoBlackHoles,
    NoBlackHolesMobile,
    NoForgottenPackets,
    NoForwardingLoops,
    NoHandlerException,
    Reachable,
    Sometimes,
    StrictDirectPaths,
    Waypoint,
    sometimes,
)
from tests.network.programs import hub, learning, silent
from tests.network.state_space import events_of

ONE = custom(["s1"], [], [("A", "s1:1"), ("B", "s1:2"), ("C", "s1:3")])
LINE = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s2:2")])
RING = custom(
    ["s1", "s2", "s3"], [("s1:2", "s2:2"), ("s2:3", "s3:2"), ("s1:3", "s3:3")], [("A", "s1:1"), ("B", "s2:1")]
)


def run(network, program, *rules, **options):
    return search(build(network, program, rules), SearchOptions(**{"engine": "loop"} | options))


def message(network, program, *rules, **options):
    """The violation's message, or None when the rules hold."""
    verdict = run(network, program, *rules, **options).verdict
    if isinstance(verdict, Violated):
        return verdict.counterexample.message
    assert isinstance(verdict, Holds)
    return None


def pinging(topology=ONE, sends=2, **knobs):
    knobs = {"switches": SwitchOptions(profile="reference"), **knobs}
    return Network(topology, (Client("A", to=("B",), sends=sends), Replier("B")), **knobs)


def class_program(**methods):
    return PythonProgram(type("Program", (), methods))


def test_the_library_knows_its_properties_by_name():
    assert all(issubclass(kind, NetworkProperty) and name == kind.__name__ for name, kind in LIBRARY.items())
    assert {"NoForwardingLoops", "NoBlackHoles", "NoBlackHolesMobile", "DirectPaths"} <= LIBRARY.keys()
    assert {"StrictDirectPaths", "NoForgottenPackets"} <= LIBRARY.keys()


# -- delays and reorderings alone trigger nothing ----------------------------------------------------------------

EVERYTHING = (
    NoBlackHoles(),
    NoBlackHolesMobile(),
    NoForgottenPackets(),
    NoForwardingLoops(),
    NoHandlerException(),
    NoAmbiguousMatch(),
    Isolated(source="B", target="C"),
    Waypoint(source="A", target="B", via="s1"),
    Reachable(source="A", target="B"),
    FlowAffinity(replicas=("A", "B")),
)


@pytest.mark.parametrize("reduce", [False, True])
def test_a_correct_network_satisfies_everything_under_every_delay(reduce):
    switch_rules = class_program(
        switch_join=lambda self, net, switch, features: [
            net.install(switch, Match.of(in_port=port), Output(3 - port)) for port in (1, 2)
        ]
    )
    assert message(pinging(), switch_rules, *EVERYTHING, StrictDirectPaths(), DirectPaths(), reduce=reduce) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", [*EVERYTHING, StrictDirectPaths(), DirectPaths()], ids=lambda rule: rule.name or type(rule).__name__
)
def test_folds_of_properties_commute_or_their_actions_are_watched(rule):
    """A checked search with reduction tests that folds commute or that their actions are watched."""
    run(pinging(), learning, rule, checked=True, reduce=True, find_all=True)


# -- loops ---------------------------------------------------------------------------------------------------------


def test_a_packet_that_comes_back_is_a_loop():
    assert message(pinging(RING, 1), hub, NoForwardingLoops()) == "packet A:1 came in at s2:2 a second time"


def test_a_packet_duplicated_by_a_link_is_no_loop():
    faults = (("s1:2-s2:1", LinkFaults(duplicate=1)), ("A", LinkFaults(duplicate=1)))
    for reduce in (False, True):
        assert message(pinging(LINE, 1, link_faults=faults), hub, NoForwardingLoops(), reduce=reduce) is None


class Asking:
    """Asks for B with the same ARP packet at every packet that comes in."""

    def packet_in(self, net, switch, message):
        asker = replace(LINE.host("A"), mac=0x0200_0000_0009, ip=0x0A00_0009)
        if switch == "s1":
            net.send("s1", PacketOut((Output(2),), data=encode(arp_request(asker, LINE.host("B").ip))))


def test_equal_arp_packets_of_the_program_are_no_loop_but_one_of_a_host_that_comes_back_is():
    assert message(pinging(LINE, 3), PythonProgram(Asking), NoForwardingLoops()) is None
    asking = Network(RING, (ArpHost("A", to=("B",)), ArpHost("B")))
    found = message(asking, hub, NoForwardingLoops())
    assert found == "packet ARP 10.0.0.1 asks 10.0.0.2 came in at s2:2 a second time"


def test_two_packets_that_look_alike_are_no_loop():
    assert message(pinging(LINE, 3), hub, NoForwardingLoops()) is None


# -- black holes ---------------------------------------------------------------------------------------------------

drop_all = class_program(switch_join=lambda self, net, switch, features: net.install(switch, Match()))


def test_a_packet_that_a_rule_drops_is_lost():
    assert message(pinging(sends=1), drop_all, NoBlackHoles()) == "packet A:1 never reached B"


def test_a_packet_that_a_fault_dropped_is_no_black_hole():
    network = pinging(LINE, 2, link_faults=(("s1:2-s2:1", LinkFaults(drop=1)),))
    assert message(network, hub, NoBlackHoles()) is None
    assert message(network, drop_all, NoBlackHoles()) == "packet A:1 never reached B"


def test_broadcasts_and_packets_to_unknown_addresses_are_not_counted():
    packets = (addressed(0x0200_0000_0077), addressed(BROADCAST))
    network = Network(ONE, (Client("A", packets=packets, sends=2),))
    assert message(network, drop_all, NoBlackHoles()) is None


def addressed(destination):
    packet = frame(ONE.host("A"), ONE.host("B"))
    return replace(packet, headers=(replace(packet.headers[0], dst=destination),))


# -- forgotten packets -----------------------------------------------------------------------------------------------


def test_a_packet_that_the_program_ignores_is_forgotten():
    assert message(pinging(sends=2), silent, NoForgottenPackets()) == "s1 still buffers 1 packet for the program"
    everyone = run(pinging(sends=2), silent, NoForgottenPackets(), find_all=True)
    assert {one.message for one in everyone.violations} == {
        "s1 still buffers 1 packet for the program",
        "s1 still buffers 2 packets for the program",
    }
    assert message(pinging(), learning, NoForgottenPackets()) is None


def test_a_packet_that_waited_too_long_was_forgotten():
    knobs = {"switches": SwitchOptions(profile="reference", buffer_timeout=1000), "timeouts": Timeouts(expiries=1)}
    found = run(pinging(sends=1, **knobs), silent, NoForgottenPackets(), find_all=True).violations
    assert any("was discarded" in one.message for one in found)


# -- direct paths ----------------------------------------------------------------------------------------------------


def test_mac_learning_has_no_direct_path_after_the_first_packet():
    assert message(pinging(), learning, DirectPaths()).startswith("packet A:2 at s1 went to the controller")


def test_packets_already_in_flight_may_go_to_the_controller():
    """A floods both packets at once: the second is late only because it was sent early."""
    one_way = class_program(
        packet_in=lambda self, net, switch, message: net.install(switch, Match(), Output(Port.FLOOD), release=message)
    )
    assert message(Network(ONE, (Client("A", to=("B",), sends=3), Host("B"))), one_way, DirectPaths()) is None


def test_after_a_timeout_everything_has_to_be_learned_again():
    expiring = class_program(
        packet_in=lambda self, net, switch, message: net.install(
            switch, Match(), Output(Port.FLOOD), release=message, hard_timeout=5
        )
    )
    network = Network(ONE, (Client("A", to=("B",), sends=2), Host("B")), timeouts=Timeouts(expiries=1))
    assert message(network, expiring, DirectPaths()) is None


class Rewriting:
    """Sends what A sends to the address 02:..:09 to B, with B's address, by rules that it installs for each packet."""

    def packet_in(self, net, switch, message):
        net.send(switch, PacketOut((SetField("eth_dst", ONE.host("B").mac), Output(2)), data=message.data))


def test_a_path_is_known_by_what_was_sent_even_if_it_is_rewritten_on_the_way():
    network = Network(ONE, (Client("A", packets=(to_nobody(),), sends=2), Host("B")), switches=SwitchOptions(buffers=0))
    assert message(network, PythonProgram(Rewriting), DirectPaths()).startswith(
        "packet A:2 at s1 went to the controller"
    )


def to_nobody():
    packet = ping(ONE.host("A"), ONE.host("B"))
    return replace(packet, headers=(replace(packet.headers[0], dst=0x0200_0000_0009), *packet.headers[1:]))


def test_an_entry_that_the_program_deletes_excuses_nothing():
    class Deleting:
        def packet_in(self, net, switch, message):
            net.install(switch, Match(), Output(Port.FLOOD), release=message)
            net.send(switch, FlowMod(Match(), FlowCommand.DELETE))

    network = Network(ONE, (Client("A", to=("B",), sends=2), Host("B")))
    assert message(network, PythonProgram(Deleting), DirectPaths()) is not None


# -- hosts that may, must and must not reach each other ----------------------------------------------------------------


def test_isolation_is_violated_by_the_first_packet_that_gets_through():
    assert message(pinging(sends=1), hub, Isolated(source="A", target="C")) == "a packet from A reached C"
    assert message(pinging(sends=1), hub, Isolated(source="C", target="A")) is None


def test_a_waypoint_must_be_passed():
    split = custom(["s1", "s2"], [("s1:2", "s2:1")], [("A", "s1:1"), ("B", "s1:3"), ("C", "s2:2")])
    network = Network(split, (Client("A", to=("B", "C"), sends=2),))
    straight = class_program(switch_join=lambda self, net, switch, features: net.install(switch, Match(), Output(3)))
    around = "packet A:1 from A reached B without passing s2"
    assert message(network, straight, Waypoint(source="A", target="B", via="s2")) == around
    assert message(network, hub, Waypoint(source="A", target="B", via="s2")) is None  # a copy passes
    assert message(network, hub, Waypoint(source="A", target="C", via="s2")) is None


def test_reachability_follows_the_tables():
    rule = Reachable(source="A", target="B")
    assert message(pinging(), drop_all, rule) == "a packet from A to B, who is at s1:2, ends at nowhere"
    assert message(pinging(), hub, rule) is None
    assert message(pinging(LINE), hub, rule) is None
    assert message(Network(RING), hub, rule) is None  # the walk does not go round for ever
    wrong = class_program(switch_join=lambda self, net, switch, features: net.install(switch, Match(), Output(3)))
    assert message(pinging(), wrong, rule) == "a packet from A to B, who is at s1:2, ends at s1:3"


def test_a_packet_that_reaches_the_controller_is_not_lost():
    assert message(pinging(), silent, Reachable(source="A", target="B")) is None


# -- connections -------------------------------------------------------------------------------------------------------

VIRTUAL = (0x0200_0000_0099, 0x0A00_0063)


class Balancer:
    """Sends each packet to the next server; with `sticky` each connection."""

    def __init__(self, sticky):
        self.sticky, self.turn, self.chosen = sticky, 0, {}

    def packet_in(self, net, switch, message):
        flow = flow_of(decode(message.data))
        if message.in_port != 1:
            net.packet_out(switch, message, Output(1))
            return
        key = flow.port_src if self.sticky else len(self.chosen)
        port = self.chosen.setdefault(key, 2 + len(self.chosen) % 2)
        net.packet_out(switch, message, Output(port))


@pytest.mark.parametrize("sticky", [False, True])
def test_a_connection_stays_with_its_server(sticky):
    hosts = (TcpClient("A", to=VIRTUAL, segments=0), TcpServer("B"), TcpServer("C"))
    rule = FlowAffinity(replicas=("B", "C"))
    found = message(Network(ONE, hosts), PythonProgram(Balancer, {"sticky": sticky}), rule)
    assert found == (None if sticky else "the connection of 10.0.0.1:1024 went to B and to C")


# -- programs and switches ---------------------------------------------------------------------------------------------


def test_an_exception_is_reported_with_file_and_line():
    class Broken:
        def packet_in(self, net, switch, message):
            return {}[switch]

    found = message(pinging(), PythonProgram(Broken), NoHandlerException())
    assert found.startswith("test_library.py:")
    assert found.endswith("packet_in of Broken raised KeyError: 's1'")


@pytest.mark.parametrize(("overlap", "length"), [("any", 2), ("first", 1)])
def test_an_open_choice_between_rules_is_reported_when_it_matters(overlap, length):
    def join(self, net, switch, features):
        net.install(switch, Match.of(in_port=1), Output(2))
        net.install(switch, Match.of(eth_src=ONE.host("A").mac), Output(3))

    network = pinging(sends=1, switches=SwitchOptions(overlap=overlap))
    system = build(network, class_program(switch_join=join), (NoAmbiguousMatch(),))
    verdict = search(system, SearchOptions(engine="loop")).verdict
    assert isinstance(verdict, Violated)
    assert verdict.counterexample.message.startswith("s1 may use either of in_port=1 and ")
    ways = {event.port for event in events_of(system) if isinstance(event, Forwarded)}
    assert len(ways) == length


# -- properties of one's own -------------------------------------------------------------------------------------------


def test_an_event_that_never_happens_is_named():
    result = run(pinging(), drop_all, Sometimes(event="Received", at="B"), Sometimes(event="Sent"))
    assert result.verdict == Vacuous(("sometimes Received at B was never seen",))
    assert result.never == ("sometimes Received at B",)
    assert [one.property for one in result.witnesses] == ["sometimes Sent"]


def test_a_property_of_ones_own_takes_a_few_lines():
    def count(memory, event):
        return memory + (isinstance(event, Received) and event.host == "B")

    twice = Property("B gets two", Needs.EVENT, lambda memory, _: "two" if memory >= 2 else None, fold=count, initial=0)
    assert message(pinging(sends=2), hub, twice) == "two"
    assert message(pinging(sends=1), hub, twice) is None
    assert run(pinging(sends=1), hub, sometimes(twice)).never == ("B gets two",)


def test_a_rule_with_a_name_of_its_own_keeps_it():
    verdict = run(pinging(sends=1), drop_all, NoBlackHoles(name="all mail arrives")).verdict
    assert verdict.counterexample.property == "all mail arrives"


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Reachable(source="A", target="X"), "'X' is no host"),
        (Isolated(source="X", target="A"), "'X' is no host"),
        (Waypoint(source="A", target="B", via="s9"), "'s9' is no switch"),
        (FlowAffinity(replicas=("X",)), "'X' is no host"),
        (Sometimes(event="Nonsense"), "event is 'Nonsense'; expected one of Arrived"),
    ],
)
def test_a_property_about_an_unknown_host_or_switch_is_refused(rule, text):
    with pytest.raises(SdnloomError, match=text):
        build(pinging(), hub, (rule,))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (FlowAffinity(), "FlowAffinity: replicas is empty; expected the hosts that serve connections"),
        (Sometimes(event="Received", at="D"), "Received at 'D'; expected a host: A, B, C"),
        (Sometimes(event="Arrived", at="A"), "Arrived at 'A'; expected a switch: s1"),
    ],
)
def test_a_property_that_could_never_say_anything_is_refused(rule, expected):
    with pytest.raises(SdnloomError) as raised:
        build(pinging(), hub, (rule,))
    assert str(raised.value) == expected
