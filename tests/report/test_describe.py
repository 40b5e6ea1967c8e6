"""Packets, messages and events as short text."""

import pytest

from sdnloom.network import events
from sdnloom.network.openflow import (
    ApplyActions,
    BarrierRequest,
    Error,
    FlowMod,
    FlowRemoved,
    GotoTable,
    Match,
    Output,
    PacketIn,
    PacketOut,
    Port,
    PortDesc,
    PortStats,
    PortStatsReply,
    PortStatus,
    SetField,
    WriteActions,
)
from sdnloom.network.packet import Arp, Ethernet, Icmp, IPv4, IPv6, Lldp, Packet, Tcp, Udp, Vlan, encode, ip, mac, stack
from sdnloom.network.packet_id import add_packet_id
from sdnloom.network.program import SwitchDown, SwitchUp
from sdnloom.network.switch_component import Carrier, EpochMessage, EpochSwitchUp
from sdnloom.network.topology import SwitchPort, linear
from sdnloom.report.describe import Names, counted, event_words, match_words, words

NAMES = Names.of(linear(2))
PING = stack(Ethernet(2, 1), IPv4(ip("10.0.0.1"), ip("10.0.0.2")), Icmp(8))
DATA = encode(PING)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (PING, "h1 > h2 ICMP echo request"),
        (
            stack(Ethernet(9, 1), IPv4(ip("10.0.0.1"), ip("10.0.0.9")), Icmp(0, 0, 7)),
            "h1 > 00:00:00:00:00:09 IP h1 > 10.0.0.9 ICMP echo reply 7",
        ),
        (
            stack(Ethernet(0xFFFFFFFFFFFF, 1), Arp(1, 1, ip("10.0.0.1"), 0, ip("10.0.0.2"))),
            "h1 > everyone ARP who is h2",
        ),
        (stack(Ethernet(1, 2), Arp(2, 2, ip("10.0.0.2"), 1, ip("10.0.0.1"))), "h2 > h1 ARP h2 is 00:00:00:00:00:02"),
        (
            stack(Ethernet(2, 1), Vlan(7), IPv4(ip("10.0.0.1"), ip("10.0.0.2")), Tcp(5, 80, flags=0x12), payload=b"ab"),
            "h1 > h2 VLAN 7 TCP 5 > 80 SYN+ACK payload 6162",
        ),
        (
            stack(Ethernet(2, 1), IPv4(1, 2), Udp(5, 53), payload=bytes(9)),
            "h1 > h2 IP 0.0.0.1 > 0.0.0.2 UDP 5 > 53, 9 bytes of padding",
        ),
        (stack(Ethernet(2, 1), IPv6(1, 2)), "h1 > h2 IPv6 ::1 > ::2"),
        (stack(Ethernet(2, 1, 0x88B5)), "h1 > h2 type 0x88b5"),
        (stack(Ethernet(2, 1), Lldp()), "h1 > h2 LLDP"),
        (Packet(), "an empty packet"),
        (Match.of(in_port=1, eth_dst=1), "in_port=1,eth_dst=h1"),
        ((3, PING), "h1 > h2 ICMP echo request"),
        (add_packet_id(PING, "h1.1"), "h1.1 (h1 > h2 ICMP echo request)"),
        (((1, PING), (2, PING)), "port 1: h1 > h2 ICMP echo request; port 2: h1 > h2 ICMP echo request"),
        (PacketIn(Match.of(in_port=3), DATA, buffer_id=4), "PacketIn port 3 buffer 4: h1 > h2 ICMP echo request"),
        (PacketOut((Output(Port.FLOOD),), buffer_id=4), "PacketOut buffer 4 flood"),
        (PacketOut((), DATA), "PacketOut drop: h1 > h2 ICMP echo request"),
        (
            FlowMod(
                Match.of(in_port=1, eth_dst=mac("00:00:00:00:00:02")),
                instructions=(ApplyActions((Output(2),)),),
                idle_timeout=5,
            ),
            "FlowMod add in_port=1,eth_dst=h2: port 2 (idle 5 s)",
        ),
        (FlowMod(command=4), "FlowMod delete strict *"),
        (
            PortStatsReply((PortStats(1), PortStats(2, tx_bytes=60))),
            "PortStatsReply ports=[port_no=1, port_no=2 tx_bytes=60]",
        ),
        (FlowMod(command=99), "FlowMod 99 *"),
        (
            FlowMod(
                Match.of(eth_type=0x800, ipv4_dst="10.0.0.0/8"),
                instructions=(WriteActions((SetField("eth_dst", 2),)), GotoTable(1)),
                hard_timeout=1,
            ),
            "FlowMod add eth_type=0x800,ipv4_dst=10.0.0.0/8: write(eth_dst:=h2); goto table 1 (hard 1 s)",
        ),
        (FlowRemoved(Match.of(in_port=1), reason=1), "FlowRemoved in_port=1 (hard timeout)"),
        (PortStatus(2, PortDesc(3, state=1)), "PortStatus port 3 modify down"),
        (Error("bad_action", "bad_out_port", b""), "Error bad_action bad_out_port"),
        (BarrierRequest(), "BarrierRequest"),
        (SwitchUp("s1", 1, ()), "s1 joins"),
        (EpochSwitchUp(2, SwitchUp("s1", 1, ())), "s1 joins"),
        (SwitchDown("s1"), "s1 leaves"),
        (EpochMessage(1, BarrierRequest()), "BarrierRequest"),
        (Carrier(2, False, "x"), "port 2 goes down"),
        ("text", "text"),
        (frozenset({2, 1}), "frozenset({1, 2})"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_value_in_words(value: object, expected: str) -> None:
    assert words(value, NAMES) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (events.Sent("h1", PING), "h1 > h2 ICMP echo request"),
        (events.Forwarded("s1", 2, PING), "out 2"),
        (events.ToController("s1", 2, PING), "to the controller"),
        (events.Dropped("s1", PING), "dropped"),
        (events.Lost(SwitchPort("s1", 2), PING, "moved"), "lost (moved)"),
        (events.MessageSent("s1", BarrierRequest()), "s1: BarrierRequest"),
        (events.MessageRefused("s1", "bad_action", 3), "refused (bad_action 3)"),
        (events.EntryRemoved("s1", 0, 1, Match.of(eth_src=1), "by message"), "removed eth_src=h1 (by message)"),
        (events.CallAnswered("GET /x", 404), "answer 404"),
        (events.CallAnswered("GET /x", 200, "[1,\n 2]"), "answer 200 [1, 2]"),
        (events.CallAnswered("GET /x", 200, "x" * 70), f"answer 200 {'x' * 57}..."),
        (events.HostMoved("h1", SwitchPort("s1", 1), SwitchPort("s2", 3)), "from s1:1 to s2:3"),
        (events.LinkFailed(SwitchPort("s1", 1), SwitchPort("s2", 3)), "link s1:1-s2:3 fails"),
        (
            events.HandlerRaised("P", "packet_in", "/x/y/p.py", 3, "KeyError: 1"),
            "packet_in raised KeyError: 1 (p.py:3)",
        ),
        (events.Received("h1", PING), None),
        (("mine", 1), None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_event_in_words(event: object, expected: str | None) -> None:
    assert event_words(event, NAMES) == expected


@pytest.mark.parametrize(
    ("mask", "text"),
    [(0xFFFFFF80, "10.0.0.128/25"), (0x80000000, "10.0.0.128/1"), (0xFF00FF00, "10.0.0.128/0xff00ff00")],
)
def test_masked_addresses_read_as_prefixes_where_they_are(mask: int, text: str) -> None:
    assert match_words(Match((("ipv4_src", 0x0A000080, mask),))) == f"ipv4_src={text}"


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [(0, "step", "0 steps"), (1, "step", "1 step"), (2, "class", "2 classes"), (1000, "state", "1,000 states")],
)
def test_a_count_of_one_is_singular(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text
