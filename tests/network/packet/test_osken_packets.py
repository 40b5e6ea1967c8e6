"""os-ken's packet library as the oracle: the same headers give the same bytes, checksums and lengths included."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from os_ken.lib.packet import arp, ethernet, icmp, icmpv6, ipv4, ipv6, mpls, packet, tcp, udp, vlan

from sdnloom.network.packet import (
    Arp,
    Ethernet,
    EtherType,
    Icmp,
    Icmpv6,
    IPv4,
    IPv6,
    Mpls,
    Packet,
    Tcp,
    Udp,
    Vlan,
    decode,
    encode,
    ip4_text,
    ip6_text,
    mac_text,
    stack,
)
from sdnloom.network.packet.checksum import checksum, padded_number
from tests.network.packet import generators


def theirs(ours: Packet) -> bytes:
    """Return os-ken's bytes of a packet, whose checksums and lengths it computes itself."""
    built = packet.Packet()
    for header in ours.headers:
        built.add_protocol(one(header))
    if ours.payload:
        built.add_protocol(bytearray(ours.payload))
    built.serialize()
    return bytes(built.data)


def one(header: object) -> object:
    match header:
        case Ethernet(dst, src, kind):
            return ethernet.ethernet(mac_text(dst), mac_text(src), kind)
        case Vlan(vid, pcp, dei, kind):
            return vlan.vlan(pcp, dei, vid, kind)
        case Mpls(label, tc, bos, ttl):
            return mpls.mpls(label, tc, bos, ttl)
        case Arp(op, sha, spa, tha, tpa):
            texts = mac_text(sha), ip4_text(spa), mac_text(tha), ip4_text(tpa)
            return arp.arp(1, EtherType.IPV4, 6, 4, op, *texts)
        case IPv4():
            tos = header.dscp << 2 | header.ecn
            return ipv4.ipv4(
                4,
                5 + len(header.options) // 4,
                tos,
                0,
                header.ident,
                header.flags,
                header.offset,
                header.ttl,
                header.proto,
                0,
                ip4_text(header.src),
                ip4_text(header.dst),
                header.options or None,
            )
        case IPv6():
            return ipv6.ipv6(
                6,
                header.dscp << 2 | header.ecn,
                header.label,
                0,
                header.proto,
                header.ttl,
                ip6_text(header.src),
                ip6_text(header.dst),
            )
        case Tcp():
            return tcp.tcp(
                header.src,
                header.dst,
                header.seq,
                header.ack,
                0,
                header.flags,
                header.window,
                0,
                header.urgent,
            )
        case Udp(src, dst):
            return udp.udp(src, dst)
        case Icmp(kind, code, rest):
            return icmp.icmp(kind, code, 0, rest.to_bytes(4, "big"))
        case Icmpv6(kind, code):
            return icmpv6.icmpv6(kind, code, 0)
    raise AssertionError(header)


flags = st.integers(0, 63)  # os-ken has no place for the rest of the word
transports4 = st.one_of(
    st.builds(Tcp, src=generators.bits(16), dst=generators.bits(16), seq=generators.bits(32), flags=flags),
    st.builds(Udp, src=generators.bits(16), dst=generators.bits(16)),
    # other ICMP types have bodies that os-ken builds from objects
    st.builds(Icmp, type=st.sampled_from([13, 17, 200]), code=generators.bits(8), rest=generators.bits(32)),
)
transports6 = st.one_of(
    st.builds(Tcp, src=generators.bits(16), dst=generators.bits(16), ack=generators.bits(32), flags=flags),
    st.builds(Udp, src=generators.bits(16), dst=generators.bits(16)),
)


@given(generators.ethernets, generators.vlans, st.data())
def test_os_ken_writes_the_same_bytes(below: Ethernet, tags: list[Vlan], data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["arp", "ipv4", "ipv6"]))
    if kind == "arp":
        ours = stack(below, *tags, data.draw(generators.arps))
    else:
        network = data.draw(generators.ipv4s if kind == "ipv4" else generators.ipv6s)
        above = data.draw(transports4 if kind == "ipv4" else transports6)
        labels = data.draw(generators.labels)
        ours = stack(below, *tags, *labels, network, above, payload=data.draw(generators.payloads))
    if isinstance(ours.headers[-1], Icmp):
        ours = Packet(ours.headers)  # its data is the rest of the header
    wire = encode(ours)
    assert theirs(ours) == wire.ljust(60, b"\0")  # it pads to the least size of a frame
    assert decode(theirs(ours)[: len(wire)]) == ours


@given(st.binary(max_size=64))
def test_the_checksum_is_the_ones_complement_sum(data: bytes) -> None:
    total = 0
    for at in range(0, len(data), 2):
        total += int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big")
        total = (total & 0xFFFF) + (total >> 16)
    assert checksum(padded_number(data)) == total ^ 0xFFFF


@pytest.mark.parametrize("data", [b"", bytes(2), bytes(20), b"\xff\xff", b"\xff\xff" * 3, b"\xff\xfe\x00\x01"])
def test_the_two_zeros_of_ones_complement_are_told_apart(data: bytes) -> None:
    assert checksum(padded_number(data)) == (0 if any(data) else 0xFFFF)
