"""MPLS labels: pushed, popped, matched and rewritten as the specification says, and as Open vSwitch does it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import pytest

from sdnloom.network.openflow import (
    V10,
    V13,
    ApplyActions,
    CopyTtlIn,
    CopyTtlOut,
    DecMplsTtl,
    DecNwTtl,
    FlowMod,
    Match,
    OpenFlowAction,
    Output,
    PacketIn,
    PopMpls,
    PopVlan,
    PushMpls,
    PushVlan,
    SetField,
    SetMplsTtl,
    WriteActions,
)
from sdnloom.network.packet import (
    Arp,
    Ethernet,
    EtherType,
    Header,
    Icmp,
    IPv4,
    IPv6,
    Mpls,
    Packet,
    Udp,
    Vlan,
    decode,
    encode,
    stack,
)
from sdnloom.network.switch import Switch, pipeline, receive_packet
from tests.network.switch.build import add, after, error, only, switch
from tests.network.switch.differential import Comparison
from tests.network.switch.sequences import Arrival, Generator, Send, Stimulus

ETHERNET, IP = Ethernet(2, 1), IPv4(0x0A000001, 0x0A000002, ttl=9, dscp=10)
PLAIN = stack(ETHERNET, IP, Udp(5, 6), payload=bytes(30))
ONE = stack(ETHERNET, Mpls(5, 1, ttl=20), IP, Udp(5, 6), payload=bytes(30))
TWO = stack(ETHERNET, Mpls(7, 2, ttl=30), Mpls(5, 1, ttl=20), IP, Udp(5, 6), payload=bytes(30))
LABELLED = Match.of(eth_type=EtherType.MPLS)
OUT = Output(2)


def sent(packet: Packet, *actions: OpenFlowAction, match: Match | None = None, profile: str = "reference") -> Packet:
    """Return the packet that leaves a switch whose only entry has these actions."""
    config = switch(V13, profile=profile)
    core = after(config, add(*actions, OUT, match=match or Match()))
    ((port, found),) = only(receive_packet(config, core, 1, packet)).outputs
    assert port == 2
    assert found == decode(encode(found))  # as the next switch will parse it
    return found


def headers(packet: Packet) -> tuple[Header, ...]:
    return tuple(header for header in packet.headers if not isinstance(header, Udp))


# -- by the specification ---------------------------------------------------------------------------------------------


def test_a_pushed_label_has_the_values_of_the_specification() -> None:
    first = Ethernet(2, 1, EtherType.MPLS), Mpls(0, 0, 1, 9), replace(IP, proto=17)
    assert headers(sent(PLAIN, PushMpls())) == first
    second = Mpls(5, 1, 0, 20), Mpls(5, 1, 1, 20)
    assert headers(sent(ONE, PushMpls(), match=LABELLED))[1:3] == second
    arp = stack(ETHERNET, Arp(1, 1, 2, 3, 4))
    labelled = sent(arp, PushMpls(EtherType.MPLS_MULTICAST))
    assert labelled.headers == (Ethernet(2, 1, EtherType.MPLS_MULTICAST), Mpls(0, 0, 1, 0))
    assert labelled.payload == encode(arp)[14:]  # a label does not say what follows it


def test_a_label_is_pushed_after_the_vlan_tags_and_a_tag_before_the_labels() -> None:
    tagged = stack(ETHERNET, Vlan(5, 3), IP, Udp(5, 6))
    assert [type(each) for each in sent(tagged, PushMpls()).headers[:3]] == [Ethernet, Vlan, Mpls]
    assert [type(each) for each in sent(ONE, PushVlan()).headers[:3]] == [Ethernet, Vlan, Mpls]
    both = stack(ETHERNET, Vlan(5, 3), Mpls(5), IP, Udp(5, 6))
    match = Match.of(eth_type=EtherType.MPLS, vlan_vid=0x1005)
    assert headers(sent(both, PopVlan(), match=match))[:2] == (Ethernet(2, 1, EtherType.MPLS), Mpls(5))


def test_popping_gives_the_rest_the_type_of_the_action() -> None:
    assert sent(ONE, PopMpls(EtherType.IPV4), match=LABELLED) == PLAIN
    assert sent(TWO, PopMpls(EtherType.MPLS), match=LABELLED) == ONE
    assert sent(PLAIN, PushMpls(), PopMpls(EtherType.IPV4)) == PLAIN
    opaque = sent(ONE, PopMpls(0x88B5), match=LABELLED)
    assert (opaque.headers, opaque.payload) == ((Ethernet(2, 1, 0x88B5),), encode(PLAIN)[14:])


def test_fields_and_time_to_live_of_the_outermost_label_are_set() -> None:
    actions = SetField("mpls_label", 77), SetField("mpls_tc", 3), SetMplsTtl(7)
    assert sent(TWO, *actions, match=LABELLED).headers[1:3] == (Mpls(77, 3, 0, 7), Mpls(5, 1, 1, 20))
    assert sent(TWO, DecMplsTtl(), match=LABELLED).headers[1] == Mpls(7, 2, 0, 29)
    assert sent(ONE, SetField("mpls_bos", 0), match=LABELLED).headers[1] == Mpls(5, 1, 0, 20)
    assert sent(PLAIN, PushMpls(), SetField("mpls_label", 3)).headers[1] == Mpls(3, 0, 1, 9)


@pytest.mark.parametrize(
    ("packet", "action", "times"),
    [
        (ONE, CopyTtlIn(), (20, 20)),
        (ONE, CopyTtlOut(), (9, 9)),
        (TWO, CopyTtlIn(), (30, 30, 9)),
        (TWO, CopyTtlOut(), (20, 20, 9)),
    ],
)
def test_times_to_live_are_copied_between_the_two_outermost_headers(
    packet: Packet, action: OpenFlowAction, times: tuple[int, ...]
) -> None:
    found = sent(packet, action, match=LABELLED)
    assert tuple(each.ttl for each in found.headers if isinstance(each, Mpls | IPv4)) == times


@pytest.mark.parametrize("ttl", [0, 1])
def test_a_packet_whose_label_has_no_time_left_is_dropped(ttl: int) -> None:
    config = switch(V13)
    core = after(config, add(DecMplsTtl(), OUT, match=LABELLED))
    dying = stack(ETHERNET, Mpls(5, ttl=ttl), IP)
    assert only(receive_packet(config, core, 1, dying)).outputs == ()


@pytest.mark.parametrize(
    ("fields", "packet", "hit"),
    [
        ({"mpls_label": 5}, ONE, True),
        ({"mpls_label": 5}, TWO, False),
        ({"mpls_label": 7, "mpls_tc": 2, "mpls_bos": 0}, TWO, True),
        ({"mpls_bos": 1}, ONE, True),
        ({"mpls_tc": 0}, ONE, False),
        ({"mpls_label": 5}, PLAIN, False),
    ],
)
def test_a_match_is_about_the_outermost_label(fields: dict[str, int], packet: Packet, hit: bool) -> None:
    config = switch(V13)
    core = after(config, add(OUT, match=Match.of(eth_type=EtherType.MPLS, **fields)))
    assert bool(only(receive_packet(config, core, 1, packet)).outputs) == hit


def test_what_follows_a_label_is_opaque() -> None:
    config = switch(V13)
    core = after(config, add(OUT, match=Match.of(eth_type=EtherType.IPV4)))
    assert only(receive_packet(config, core, 1, ONE)).outputs == ()
    rewriting = FlowMod(
        Match.of(eth_type=EtherType.IPV4), instructions=(WriteActions((SetField("ipv4_dst", 1), PushMpls(), OUT)),)
    )
    ((_, found),) = only(receive_packet(config, after(config, rewriting), 1, PLAIN)).outputs
    assert next(each.dst for each in found.headers if isinstance(each, IPv4)) == IP.dst  # the label is pushed first


REFUSED: dict[str, tuple[FlowMod, tuple[str, str]]] = {
    "pop without a label": (add(PopMpls(0x800), OUT), ("bad_action", "match_inconsistent")),
    "set without a label": (add(SetField("mpls_label", 3), OUT), ("bad_action", "match_inconsistent")),
    "lower without a label": (add(DecMplsTtl(), OUT), ("bad_action", "match_inconsistent")),
    "set time without a label": (add(SetMplsTtl(3), OUT), ("bad_action", "match_inconsistent")),
    "IP under a label": (
        add(PushMpls(), SetField("ipv4_dst", 1), OUT, match=Match.of(eth_type=0x800)),
        ("bad_action", "match_inconsistent"),
    ),
    "IP time under a label": (
        add(PushMpls(), DecNwTtl(), OUT, match=Match.of(eth_type=0x800)),
        ("bad_action", "match_inconsistent"),
    ),
    "UDP after a pop": (
        add(PopMpls(0x800), SetField("udp_dst", 1), OUT, match=LABELLED),
        ("bad_action", "match_inconsistent"),
    ),
    "push of another type": (add(PushMpls(0x800), OUT), ("bad_action", "bad_argument")),
    "match without type": (add(OUT, match=Match.of(mpls_label=3)), ("bad_match", "bad_prereq")),
    "match with a mask": (add(OUT, match=Match.of(eth_type=0x8847, mpls_label=(3, 7))), ("bad_match", "bad_mask")),
}
ONLY_OPEN_VSWITCH: dict[str, tuple[FlowMod, tuple[str, str]]] = {
    "copy in": (add(CopyTtlIn(), OUT, match=LABELLED), ("bad_action", "bad_type")),
    "copy out": (add(CopyTtlOut(), OUT, match=LABELLED), ("bad_action", "bad_type")),
    "bottom of stack": (add(SetField("mpls_bos", 0), OUT, match=LABELLED), ("bad_action", "bad_set_argument")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_use_of_labels_is_refused(name: str) -> None:
    message, expected = REFUSED[name]
    assert error(switch(V13), message) == expected


@pytest.mark.parametrize("name", ONLY_OPEN_VSWITCH)
def test_open_vswitch_refuses_more(name: str) -> None:
    message, expected = ONLY_OPEN_VSWITCH[name]
    assert error(switch(V13, profile="openvswitch"), message) == expected
    after(switch(V13), message)


def test_1_0_has_no_labels() -> None:
    assert error(switch(V10), add(PushMpls(), OUT)) == ("bad_action", "bad_type")
    assert error(switch(V10), add(PopMpls(0x800), OUT)) == ("bad_action", "bad_type")


# -- beside Open vSwitch ----------------------------------------------------------------------------------------------


def test_open_vswitch_refuses_the_same_and_fills_in_a_pushed_label(compare: Callable[[int], Comparison]) -> None:
    comparison = compare(V13)
    for message, _ in (*REFUSED.values(), *ONLY_OPEN_VSWITCH.values()):
        assert comparison.run([Send(message)]) is None
    other = Packet((Ethernet(2, 1, 0x88B5),), bytes(50))
    for packet in (PLAIN, stack(ETHERNET, IPv6(1, 2, ttl=9, dscp=12), Udp(5, 6), payload=bytes(30)), ONE, TWO, other):
        assert comparison.run([Send(add(PushMpls(), OUT)), Arrival(1, packet)]) is None
    dying = stack(ETHERNET, Mpls(5, ttl=1), IP, Udp(5, 6), payload=bytes(30))
    assert comparison.run([Send(add(DecMplsTtl(), OUT, match=LABELLED)), Arrival(1, dying)]) is None
    assert not sum(comparison.named.values())
    assert sent(PLAIN, PushMpls(), profile="openvswitch").headers[1] == Mpls(0, 2, 1, 9)


class LabelGenerator(Generator):
    """Sequences in which many packets have labels, and entries match, push, pop and change them."""

    def packet(self) -> Packet:
        if not self._one_in(2):
            return super().packet()
        pick = self.random.choice
        labels = [Mpls(pick((5, 6)), pick((0, 1)), ttl=pick((1, 2, 64))) for _ in range(pick((1, 1, 2)))]
        outer: list[Header] = [Ethernet(pick((0x020000000002, 0x020000000003)), 0x020000000001)]
        outer += [Vlan(5)] if self._one_in(4) else []
        inner: list[Header] = [IP, pick((Udp(80, 81), Icmp(8)))] if not self._one_in(4) else []
        return stack(*outer, *labels, *inner, payload=bytes(50))

    def match(self) -> Match:
        if not self._one_in(2):
            return super().match()
        fields: dict[str, object] = {"eth_type": EtherType.MPLS}
        self._maybe(fields, "mpls_label", (5, 6, 0))
        self._maybe(fields, "mpls_tc", (0, 1))
        if self._one_in(2):
            fields["mpls_bos"] = self.random.choice((0, 1))
        return Match.of(**fields)  # type: ignore[arg-type]

    def _change(self, fields: dict[str, object]) -> OpenFlowAction:
        pick = self.random.choice
        if fields.get("eth_type") not in (EtherType.MPLS, EtherType.MPLS_MULTICAST):
            return super()._change(fields) if not self._one_in(4) else PushMpls()
        options: list[OpenFlowAction] = [
            SetField("mpls_label", pick((5, 6, 9))),
            SetField("mpls_tc", pick((0, 1))),
            SetMplsTtl(pick((1, 9))),
            DecMplsTtl(),
            SetField("eth_dst", 0x020000000003),
        ]
        if "mpls_bos" in fields:  # the type that a pop leaves is then known
            options += [PopMpls(EtherType.IPV4 if fields["mpls_bos"] else EtherType.MPLS)] * 3
        return pick(options)

    def actions(self, packet_out: bool = False, fields: dict[str, object] | None = None) -> tuple[OpenFlowAction, ...]:
        """At most one push or pop: after a second one Open vSwitch runs out of labels, or loses some."""
        found = super().actions(packet_out, fields)
        moves = [each for each in found if isinstance(each, PushMpls | PopMpls)][1:]
        return tuple(each for each in found if not any(each is move for move in moves))


@contextmanager
def _few_labels(limit: int = 3) -> Iterator[list[int]]:
    """Note the packets that get more labels than Open vSwitch has room for: it drops them."""
    beyond: list[int] = []
    push = pipeline.push_mpls

    def watched(packet: Packet, ethertype: int, fills_in: bool) -> Packet:
        found = push(packet, ethertype, fills_in)
        count = sum(isinstance(each, Mpls) for each in found.headers)
        beyond.extend([count] * (count > limit))
        return found

    with patch.object(pipeline, "push_mpls", watched):
        yield beyond


@pytest.mark.slow
def test_labels_of_the_model_and_of_open_vswitch_are_alike(compare: Callable[[int], Comparison]) -> None:
    comparison = compare(V13)
    full = 0
    for number in range(200):
        sequence: list[Stimulus] = LabelGenerator(comparison.config, number).sequence()
        with _few_labels() as beyond:
            difference = comparison.run(sequence)
        full += bool(beyond)
        assert difference is None or beyond, f"sequence {number}: {difference}"
    assert full < 5
    assert comparison.steps > 7 * 200
    assert sum(comparison.named.values()) < 0.07 * comparison.steps


def test_a_report_of_a_labelled_packet_has_its_bytes() -> None:
    config: Switch = switch(V13, buffers=0)
    entry = FlowMod(LABELLED, instructions=(ApplyActions((Output(0xFFFFFFFD, 0xFFFF),)),))
    (message,) = only(receive_packet(config, after(config, entry), 1, TWO)).messages
    assert isinstance(message, PacketIn)
    assert decode(message.data) == TWO
