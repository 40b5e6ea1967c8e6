"""Encoding and decoding are inverse, for packets and for every byte string, well formed or not."""

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.network.packet import *  # noqa: F403 - the reprs are evaluated in this module
from sdnloom.network.packet import (
    Arp,
    EncodeError,
    Ethernet,
    Icmp,
    Icmpv6,
    IPv4,
    IPv6,
    IPv6Extension,
    IPv6Fragment,
    Lldp,
    Mpls,
    Packet,
    Tcp,
    TcpFlag,
    Udp,
    Vlan,
    decode,
    encode,
    ip,
    mac,
    stack,
)
from tests.network.packet.generators import packets

MACS = {"dst": mac("00:00:00:00:00:02"), "src": mac("00:00:00:00:00:01")}
HOSTS = {"src": ip("10.0.0.1"), "dst": ip("10.0.0.2")}


@pytest.mark.slow
@given(packets())
@settings(max_examples=400)
def test_decoding_what_was_encoded_gives_the_same_packet(packet: Packet) -> None:
    assert decode(encode(packet)) == packet


@given(packets())
def test_a_packet_prints_as_python_that_builds_it(packet: Packet) -> None:
    assert eval(repr(packet)) == packet


@given(st.binary(max_size=120))
@settings(max_examples=500)
def test_encoding_what_was_decoded_gives_the_same_bytes(data: bytes) -> None:
    assert encode(decode(data)) == data


@pytest.mark.slow
@given(packets(), st.data())
@settings(max_examples=400)
def test_damaged_packets_survive_too(packet: Packet, data: st.DataObject) -> None:
    wire = bytearray(encode(packet))
    for _ in range(data.draw(st.integers(1, 3))):
        index = data.draw(st.integers(0, len(wire) - 1))
        wire[index] = data.draw(st.one_of(st.integers(0, 255), st.sampled_from([0, 255, 0x45, 0x81])))
    wire = wire[: data.draw(st.integers(0, len(wire)))] + data.draw(st.binary(max_size=4))
    decoded = decode(bytes(wire))
    assert encode(decoded) == bytes(wire)
    assert decode(encode(decoded)) == decoded


def test_an_arp_request_has_its_well_known_bytes() -> None:
    packet = stack(
        Ethernet(dst=mac("ff:ff:ff:ff:ff:ff"), src=mac("00:00:00:00:00:01")),
        Arp(1, sha=mac("00:00:00:00:00:01"), spa=ip("10.0.0.1"), tha=0, tpa=ip("10.0.0.2")),
    )
    wire = bytes.fromhex(
        "ffffffffffff 000000000001 08060001 0800 06 04 0001 000000000001 0a000001 000000000000 0a000002".replace(
            " ", ""
        )
    )
    assert encode(packet) == wire
    assert decode(wire) == packet


def test_a_published_ipv4_header_has_its_published_checksum() -> None:
    # The worked example of the internet checksum that textbooks use: 0xb861.
    wire = bytes.fromhex("000000000002000000000001 0800 45000073000040004011b861c0a80001c0a800c7".replace(" ", ""))
    header = decode(wire + bytes(95)).headers[1]
    assert header == IPv4(ip("192.168.0.1"), ip("192.168.0.199"), proto=17, flags=2)


def test_a_tcp_syn_has_its_bytes_checked_by_hand() -> None:
    packet = stack(Ethernet(**MACS), IPv4(**HOSTS), Tcp(1000, 80, seq=1, flags=TcpFlag.SYN, window=8192))
    wire = encode(packet)
    assert wire[:14].hex() == "0000000000020000000000010800"
    # 4500+0028+0000+0000+4006+0000+0a00+0001+0a00+0002 = 0x9931; complement 0x66ce
    assert wire[14:34].hex() == "450000280000000040" + "06" + "66ce" + "0a000001" + "0a000002"
    # pseudo 0a00+0001+0a00+0002+0006+0014 = 0x141d; tcp 03e8+0050+0000+0001+0+0+5002+2000+0 = 0x743b; sum 0x8858
    assert wire[34:].hex() == "03e80050" + "00000001" + "00000000" + "50022000" + "77a7" + "0000"


def test_stacked_vlan_tags_keep_their_tpids() -> None:
    packet = stack(Ethernet(**MACS, type=0x88A8), Vlan(5, pcp=3), Vlan(6, dei=1), IPv4(**HOSTS), Udp(1, 2))
    wire = encode(packet)
    assert wire[12:24].hex() == "88a8" + "6005" + "8100" + "1006" + "0800" + "4500"
    assert decode(wire) == packet


def test_a_stack_of_labels_ends_with_its_last_one() -> None:
    packet = stack(Ethernet(**MACS), Mpls(16, tc=1, ttl=9), Mpls(3), IPv4(**HOSTS), Udp(1, 2))
    wire = encode(packet)
    assert wire[12:23].hex() == "8847" + "00010209" + "00003140" + "45"
    assert decode(wire) == packet
    assert decode(encode(stack(Ethernet(**MACS, type=0x8848), Mpls(16)))).headers[0] == Ethernet(**MACS, type=0x8848)


@pytest.mark.parametrize("inside", [b"", b"\x45", b"\x12ab", b"\x60\0"])
def test_what_follows_labels_and_is_no_ip_is_payload(inside: bytes) -> None:
    packet = stack(Ethernet(**MACS), Mpls(16), payload=inside)
    assert decode(encode(packet)) == packet
    endless = encode(Packet((Ethernet(**MACS, type=0x8847), Mpls(16, bos=0)), b"\0\0"))
    assert decode(endless).payload == b"\0\0"


def test_lldp_keeps_its_tlvs_and_padding() -> None:
    packet = stack(Ethernet(**MACS), Lldp(((1, b"\x07s1"), (2, b"\x02\0\0\0\1"), (3, b"\0\x78"))), payload=bytes(3))
    assert encode(packet)[14:].hex() == "0203077331" + "04050200000001" + "06020078" + "0000" + "000000"
    assert decode(encode(packet)) == packet


def test_ethernet_padding_after_a_datagram_is_the_trailer() -> None:
    packet = stack(Ethernet(**MACS), IPv4(**HOSTS), Icmp(8, rest=0x00010002), payload=b"ping")
    assert decode(encode(packet) + bytes(14)) == replace(packet, trailer=bytes(14))


def test_a_truncated_packet_states_the_length_and_checksum_it_had() -> None:
    packet = stack(Ethernet(**MACS), IPv4(**HOSTS), Udp(1, 2), payload=b"x" * 100)
    cut = decode(encode(packet)[:60])
    _, network, transport = cut.headers
    assert isinstance(network, IPv4)
    assert isinstance(transport, Udp)
    assert (network.length, network.checksum, transport.length) == (128, None, 108)
    assert transport.checksum is not None
    assert cut.payload == b"x" * 18


@pytest.mark.parametrize(("flags", "offset"), [(1, 0), (1, 5), (0, 5)])
def test_a_fragment_has_no_transport_header(flags: int, offset: int) -> None:
    packet = Packet((Ethernet(**MACS, type=0x800), IPv4(**HOSTS, proto=6, flags=flags, offset=offset)), bytes(30))
    assert decode(encode(packet)) == packet


@pytest.mark.parametrize(("more", "offset", "headers"), [(0, 0, 4), (1, 0, 3), (0, 9, 3)])
def test_an_ipv6_fragment_has_a_transport_header_only_when_whole(more: int, offset: int, headers: int) -> None:
    packet = stack(Ethernet(**MACS), IPv6(1, 2), IPv6Fragment(0, offset, more), Udp(1, 2))
    assert len(decode(encode(packet)).headers) == headers


def test_a_udp_checksum_of_zero_means_none_and_stays() -> None:
    packet = stack(Ethernet(**MACS), IPv4(**HOSTS), Udp(1, 2, checksum=0), payload=b"data")
    assert encode(packet)[40:42] == bytes(2)
    assert decode(encode(packet)) == packet


def test_a_computed_udp_checksum_of_zero_is_written_as_all_ones() -> None:
    free = encode(stack(Ethernet(**MACS), IPv4(**HOSTS), Udp(0, 2)))
    packet = stack(Ethernet(**MACS), IPv4(**HOSTS), Udp(int.from_bytes(free[40:42], "big"), 2))
    assert encode(packet)[40:42] == b"\xff\xff"
    assert decode(encode(packet)) == packet


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (Ethernet(1 << 48, 0), r"ethernet.dst = 281474976710656: expected a number from 0 to 0xffffffffffff"),
        (Vlan(4096), "vlan.vid = 4096"),
        (Vlan(-1), "vlan.vid = -1"),
        (IPv4(0, 1 << 32), "ipv4.dst"),
        (IPv4(0, 0, options=b"abc"), "IPv4.options has 3 bytes"),
        (Tcp(1, 2, options=bytes(44)), "Tcp.options has 44 bytes"),
        (IPv6Extension(1, b""), "IPv6Extension.data"),
        (Lldp(((128, b""),)), "LLDP TLV"),
        (Lldp(((1, bytes(512)),)), "LLDP TLV"),
        (Icmpv6("no"), "icmpv6.type = 'no'"),  # type: ignore[arg-type]
        (Packet(), "is no header"),
        (IPv4(0, 0, options="abcd"), "IPv4.* holds a value of a wrong type"),  # type: ignore[arg-type]
    ],
)
def test_a_value_that_has_no_wire_form_is_refused_by_name(header: object, message: str) -> None:
    with pytest.raises(EncodeError, match=message):
        encode(Packet((header,)))  # type: ignore[arg-type]


def test_a_payload_that_is_no_bytes_is_refused() -> None:
    with pytest.raises(EncodeError, match="the packet's payload = 'text': expected bytes"):
        encode(Packet((), "text"))  # type: ignore[arg-type]


def test_an_address_of_a_wrong_type_is_refused() -> None:
    with pytest.raises(EncodeError, match="holds a value of a wrong type"):
        encode(stack(Ethernet(**MACS), IPv4("10.0.0.1", 0), Tcp(1, 2)))  # type: ignore[arg-type]


def test_an_oversized_payload_is_refused() -> None:
    with pytest.raises(EncodeError, match=r"udp.length = 66008"):
        encode(stack(Ethernet(**MACS), IPv4(**HOSTS), Udp(1, 2), payload=bytes(66000)))


@pytest.mark.parametrize(
    ("unit", "headers"),
    [
        (bytes.fromhex("00018100"), 60_001),
        (
            bytes.fromhex("3c00000000000000"),
            8_193,
        ),  # destination options in destination options, as long as IPv6 allows
    ],
)
def test_the_longest_stacks_take_linear_time(unit: bytes, headers: int) -> None:
    count = 60_000 if len(unit) == 4 else 8_191
    start = bytes(12) + (b"\x81\x00" if len(unit) == 4 else bytes.fromhex("86dd60000000fff83c40") + bytes(32))
    packet = decode(start + unit * count)
    assert len(packet.headers) == headers
    assert encode(packet) == start + unit * count


def test_reprs_and_bytes_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from sdnloom.network.packet import *; p = stack(Ethernet(2, 1), Vlan(7), IPv4(1, 2), Tcp(1, 2), payload=b'x');"
        "print(p, encode(p).hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
