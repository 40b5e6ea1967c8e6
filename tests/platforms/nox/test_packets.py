"""NOX's packet library reads what our own codec wrote, field by field, and writes it back byte for byte."""

import copy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.network.packet import Arp, Ethernet, Icmp, IPv4, Lldp, Tcp, Udp, Vlan, decode, encode, stack
from sdnloom.platforms.nox.octets import Octets, array, octet_array
from sdnloom.platforms.nox.packet.arp import arp
from sdnloom.platforms.nox.packet.ethernet import ETHER_BROADCAST, NDP_MULTICAST, ethernet
from sdnloom.platforms.nox.packet.icmp import TYPE_DEST_UNREACH, echo, icmp, unreach
from sdnloom.platforms.nox.packet.ipv4 import ipv4
from sdnloom.platforms.nox.packet.lldp import chassis_id, end_tlv, lldp, port_id, ttl, unknown_tlv
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import (
    array_to_ipstr,
    checksum,
    ethtype_to_str,
    ip_to_str,
    ipproto_to_str,
    ipstr_to_int,
    longlong_to_octstr,
    mac_to_int,
    mac_to_str,
    octstr_to_array,
)
from sdnloom.platforms.nox.packet.tcp import tcp, tcp_opt
from sdnloom.platforms.nox.packet.udp import udp
from sdnloom.platforms.nox.packet.vlan import vlan
from tests.network.packet.generators import arps, bits, ethernets, icmps, ipv4s, packets, tcps, udps

# Our header -> NOX's class, and our fields -> what NOX calls them.
FIELDS = {
    Ethernet: (ethernet, lambda h: {"dst": h.dst, "src": h.src, "type": h.type}),
    Vlan: (vlan, lambda h: {"id": h.vid, "pcp": h.pcp, "cfi": h.dei, "eth_type": h.type}),
    Arp: (
        arp,
        lambda h: (
            {"opcode": h.op, "hwsrc": h.sha, "protosrc": h.spa, "hwdst": h.tha, "protodst": h.tpa}
            | {"hwtype": 1, "prototype": 0x800, "hwlen": 6, "protolen": 4}
        ),
    ),
    IPv4: (
        ipv4,
        lambda h: (
            {"srcip": h.src, "dstip": h.dst, "protocol": h.proto, "ttl": h.ttl, "tos": h.dscp << 2 | h.ecn}
            | {"id": h.ident, "flags": h.flags, "frag": h.offset, "hl": 5 + len(h.options) // 4, "v": 4}
        ),
    ),
    Tcp: (
        tcp,
        lambda h: (
            {"srcport": h.src, "dstport": h.dst, "seq": h.seq, "ack": h.ack, "win": h.window, "urg": h.urgent}
            | {"flags": h.flags & 0xFF, "res": h.flags >> 8, "off": 5 + len(h.options) // 4}
        ),
    ),
    Udp: (udp, lambda h: {"srcport": h.src, "dstport": h.dst}),
    Icmp: (icmp, lambda h: {"type": h.type, "code": h.code}),
    Lldp: (lldp, lambda h: {}),
}


def chain(packet):
    """The headers of a packet, outermost first."""
    found = []
    while isinstance(packet, packet_base):
        found.append(packet)
        packet = packet.next
    return found


def value(content):
    return mac_to_int(content) if isinstance(content, array) else content


@st.composite
def known_packets(draw):
    """A packet of headers that NOX knows, with options of TCP that are well formed."""
    below = [draw(ethernets), *draw(st.lists(st.builds(Vlan, vid=bits(12), pcp=bits(3), dei=bits(1)), max_size=2))]
    kind = draw(st.sampled_from(["arp", "lldp", "icmp", "tcp", "udp", "echo"]))
    payload = draw(st.binary(max_size=20))
    if kind in ("arp", "lldp"):
        return stack(*below, draw(arps if kind == "arp" else messages), payload=payload)
    segment = {"icmp": icmps, "udp": udps, "tcp": segments, "echo": icmps.map(lambda h: replace(h, type=8))}[kind]
    return stack(*below, draw(ipv4s), draw(segment), payload=payload, trailer=draw(st.binary(max_size=5)))


def elements(kind, least, most):
    return st.tuples(st.just(kind), st.binary(min_size=least, max_size=most))


messages = st.builds(
    lambda who, where, long, others: Lldp((who, where, long, *others)),
    elements(1, 2, 9),
    elements(2, 2, 9),
    elements(3, 2, 2),
    st.lists(st.tuples(st.integers(4, 127), st.binary(max_size=9)), max_size=3),
)
option = st.one_of(
    st.just(b"\x01"),
    bits(16).map(lambda n: b"\x02\x04" + n.to_bytes(2, "big")),
    bits(8).map(lambda n: bytes((3, 3, n))),
    st.just(b"\x04\x02"),
    bits(64).map(lambda n: b"\x08\x0a" + n.to_bytes(8, "big")),
    st.binary(max_size=8).map(lambda content: bytes((99, 2 + len(content))) + content),
)
options = st.lists(option, max_size=3).map(b"".join).map(lambda text: text + bytes(-len(text) % 4))
segments = st.builds(replace, tcps.map(lambda header: replace(header, options=b"")), options=options)


@given(known_packets())
def test_headers_have_the_fields_that_our_codec_says(packet):
    theirs = chain(ethernet(encode(packet)))
    for header, found in zip(packet.headers, theirs, strict=False):
        kind, expected = FIELDS[type(header)]
        assert type(found) is kind
        assert {name: value(getattr(found, name)) for name in expected(header)} == expected(header)
    assert len(theirs) >= len(packet.headers)


@given(st.one_of(known_packets(), packets()))
def test_a_packet_is_written_back_byte_for_byte(packet):
    data = encode(packet)
    assert ethernet(data).tostring() == data


@given(st.binary(max_size=120))
def test_no_bytes_make_the_parser_fail(data):
    packet = ethernet(data)
    assert packet.parsed == bool(packet) == (len(data) >= 14)
    assert isinstance(str(packet), str)


@given(st.sampled_from([0x0800, 0x0806, 0x8100, 0x88CC, 0x8035]), st.binary(max_size=80))
def test_no_bytes_after_a_known_type_make_the_parser_fail(kind, data):
    frame = bytes(12) + kind.to_bytes(2, "big") + data
    packet = ethernet(frame)
    assert isinstance(str(packet), str)
    assert all(header.parsed for header in chain(packet))


@given(st.sampled_from([1, 6, 17]), st.binary(max_size=60))
def test_no_bytes_after_ip_make_the_parser_fail(proto, data):
    packet = stack(Ethernet(1, 2), IPv4(1, 2, proto=proto), payload=data)
    found = ethernet(encode(packet))
    assert isinstance(found.next, ipv4)
    assert all(header.parsed for header in chain(found))


@given(bits(32), bits(32), bits(16), bits(16), st.binary(max_size=30), st.sampled_from([tcp, udp]))
def test_a_segment_that_an_app_builds_is_one_that_our_codec_reads_without_a_wrong_checksum(
    src, dst, sport, dport, data, kind
):
    segment = kind()
    segment.srcport, segment.dstport = sport, dport
    segment.set_payload(data)
    if kind is tcp:
        segment.off = 5
    else:
        segment.len = 8 + len(data)
    datagram = ipv4()
    datagram.srcip, datagram.dstip = src, dst
    datagram.protocol = ipv4.TCP_PROTOCOL if kind is tcp else ipv4.UDP_PROTOCOL
    datagram.set_payload(segment)
    datagram.iplen = 20 + len(segment)
    segment.csum = segment.checksum()
    packet = ethernet()
    packet.type, packet.dst = ethernet.IP_TYPE, ETHER_BROADCAST
    packet.set_payload(datagram)
    header = Tcp(sport, dport) if kind is tcp else Udp(sport, dport)
    assert decode(packet.tostring()) == stack(Ethernet(0xFFFFFFFFFFFF, 0), IPv4(src, dst, ttl=64), header, payload=data)


def test_an_echo_that_an_app_builds_is_one_that_our_codec_reads():
    inner = echo()
    inner.id, inner.seq = 3, 4
    inner.set_payload("ping")
    outer = icmp()
    outer.type = 8
    outer.set_payload(inner)
    outer.csum = outer.checksum()
    packet = ipv4()
    packet.protocol, packet.iplen = 1, 32
    packet.set_payload(outer)
    found = decode(bytes(12) + b"\x08\x00" + packet.tostring())
    assert found.headers[2] == Icmp(8, 0, 3 << 16 | 4)
    assert found.payload == b"ping"


def test_an_unreachable_message_holds_the_packet_that_did_not_get_there():
    quoted = encode(stack(Ethernet(1, 2), IPv4(7, 8), Udp(1, 2)))[14:]
    packet = stack(Ethernet(1, 2), IPv4(8, 7), Icmp(TYPE_DEST_UNREACH, 1, 1500), payload=quoted)
    found = ethernet(encode(packet))
    assert [type(each) for each in chain(found)] == [ethernet, ipv4, icmp, unreach, ipv4, udp]
    assert (found.next.next.next.next_mtu, found.next.next.next.next.srcip) == (1500, 7)
    assert found.tostring() == encode(packet)


def test_an_arp_reply_that_an_app_builds_is_one_that_our_codec_reads():
    reply = arp()
    reply.hwlen, reply.protolen, reply.opcode = 6, 4, arp.REPLY
    reply.hwsrc, reply.hwdst = octstr_to_array("00:00:00:00:00:01"), b"\0\0\0\0\0\x02"
    reply.protosrc, reply.protodst = ipstr_to_int("10.0.0.1"), ipstr_to_int("10.0.0.2")
    packet = ethernet()
    packet.type, packet.src, packet.dst = ethernet.ARP_TYPE, reply.hwsrc, reply.hwdst
    packet.set_payload(reply)
    assert decode(packet.tostring()) == stack(Ethernet(2, 1), Arp(2, 1, 0x0A000001, 2, 0x0A000002))
    assert reply.prev is packet


def test_a_discovery_packet_is_built_and_read_back():
    message = lldp()
    who, where, long = chassis_id(), port_id(), ttl()
    who.fill(chassis_id.SUB_MAC, octet_array(b"\0\0\0\0\0\x07"))
    where.fill(port_id.SUB_PORT, octet_array(b"\0\x03"))
    long.fill(120)
    for each in (who, where, long, end_tlv()):
        message.add_tlv(each)
    packet = ethernet()
    packet.type, packet.dst, packet.src = ethernet.LLDP_TYPE, NDP_MULTICAST, Octets(b"\0\0\0\0\0\x07")
    packet.set_payload(message)
    data = packet.tostring()
    tlvs = ((1, b"\x04\0\0\0\0\0\x07"), (2, b"\x02\0\x03"), (3, b"\0\x78"))
    assert decode(data) == stack(Ethernet(0x012320000001, 7), Lldp(tlvs))
    found = ethernet(data).next
    assert isinstance(found, lldp)
    assert [each.type for each in found.tlvs] == [lldp.CHASSIS_ID_TLV, lldp.PORT_ID_TLV, lldp.TTL_TLV, lldp.END_TLV]
    assert (found.tlvs[0].subtype, found.tlvs[0].id[5], found.tlvs[2].ttl) == (4, 7, 120)
    assert found.tostring() == message.tostring()


def test_other_elements_of_a_discovery_packet_are_kept():
    tlvs = ((1, b"\x04\0\0\0\0\0\x07"), (2, b"\x02\0\x03"), (3, b"\0\x78"), (5, b"name"))
    data = encode(stack(Ethernet(1, 2), Lldp(tlvs), payload=b"padding"))
    found = ethernet(data)
    assert isinstance(found.next.tlvs[3], unknown_tlv)
    assert (found.next.tlvs[3].type, found.next.tlvs[3].next) == (5, b"name")
    assert found.tostring() == data


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (b"\x02\x04\x05\xb4", [(tcp_opt.MSS, 1460)]),
        (b"\x01\x03\x03\x07", [(tcp_opt.NOP, None), (tcp_opt.WSOPT, 7)]),
        (b"\x04\x02\x00\x00", [(tcp_opt.SACKPERM, None)]),
        (b"\x01\x01\x08\x0a\0\0\0\x01\0\0\0\x02", [(1, None), (1, None), (tcp_opt.TSOPT, (1, 2))]),
        (b"\x63\x04ab", [(0x63, b"ab")]),
        (b"\x01\x00ab", [(tcp_opt.NOP, None)]),  # what follows their end is kept as well
    ],
)
def test_options_of_tcp_are_read_and_written(options, expected):
    data = encode(stack(Ethernet(1, 2), IPv4(1, 2), Tcp(1, 2, options=options), payload=b"x"))
    segment = ethernet(data).find("tcp")
    assert [(each.type, each.val) for each in segment.options] == expected
    assert ethernet(data).tostring() == data


@pytest.mark.parametrize("options", [b"\x02\x03\x05\xb4", b"\x02\x00\x05\xb4", b"\x63\x09ab", b"\x01\x01\x01\x02"])
def test_a_segment_with_malformed_options_is_left_as_bytes(options):
    data = encode(stack(Ethernet(1, 2), IPv4(1, 2), Tcp(1, 2, options=options), payload=b"x"))
    packet = ethernet(data)
    assert packet.find("tcp") is None
    assert isinstance(packet.find("ipv4").next, Octets)
    assert packet.tostring() == data


def test_find_goes_by_class_or_name_and_only_to_what_was_parsed():
    packet = ethernet(encode(stack(Ethernet(1, 2), Vlan(5), IPv4(1, 2), Tcp(1, 2), payload=b"data")))
    assert packet.find("ipv4") is packet.find(ipv4) is packet.next.next
    assert packet.find(tcp).payload == b"data"
    assert packet.find("udp") is None
    assert packet.next.next.prev is packet.next
    assert ipv4().find("ipv4") is None


def test_a_payload_is_a_header_or_a_byte_string():
    packet = ethernet()
    with pytest.raises(TypeError, match="payload must be string or packet subclass"):
        packet.set_payload(17)
    packet.payload = b"abc"
    assert packet.tostring() == bytes(14) + b"abc"
    packet.next = None
    assert packet.pack() == bytes(14)


def test_an_address_is_an_array_whose_byte_string_behaves_as_in_python_2():
    packet = ethernet(encode(stack(Ethernet(0x0102030405FF, 2), payload=b"")))
    text = packet.dst.tostring()
    assert ord(text[0]) == 1
    assert [ord(each) for each in text] == [1, 2, 3, 4, 5, 255]
    assert text[1:3] == b"\x02\x03"
    assert {text: 1}[b"\x01\x02\x03\x04\x05\xff"] == 1
    assert isinstance(text[1:] + b"a", Octets)
    assert packet.dst == octstr_to_array("01:02:03:04:05:ff")
    assert packet.dst[0] == 1


def test_an_array_keeps_the_methods_of_python_2_through_slices_sums_and_copies():
    made = array("B", "ab\xff")
    for each in (made[:], made + made, copy.copy(made), copy.deepcopy([made])[0]):
        assert each.tostring()[:3] == b"ab\xff"
    made.fromstring("c")
    assert made.tostring() == b"ab\xffc"
    assert array("H", [1, 2])[1] == 2


def test_a_copied_packet_is_independent_of_the_first_one():
    first = ethernet(encode(stack(Ethernet(1, 2), IPv4(1, 2), Udp(1, 2))))
    second = copy.deepcopy(first)
    second.dst[5] = 9
    second.next.srcip = 7
    assert (first.dst[5], first.next.srcip) == (1, 1)
    assert second.tostring()[:6] == b"\0\0\0\0\0\x09"


def test_addresses_become_text_and_back():
    assert mac_to_str(octet_array(b"\0\x01\x02\x03\x04\xff")) == "00:01:02:03:04:ff"
    assert mac_to_str(Octets(b"\0\x01\x02\x03\x04\xff")) == mac_to_str(0x0102_0304_FF) == "00:01:02:03:04:ff"
    assert mac_to_int(b"\0\x01\x02\x03\x04\xff") == 0x01020304FF
    assert (ip_to_str(0x0A000001), ipstr_to_int("10.0.0.1")) == ("10.0.0.1", 0x0A000001)
    assert array_to_ipstr([10, 0, 0, 1]) == "10.0.0.1"
    assert longlong_to_octstr(0x1A) == "00:00:00:00:00:00:00:1a"
    assert longlong_to_octstr(0x1A)[6:] == "00:00:00:00:00:1a"
    assert (ethtype_to_str(0x806), ethtype_to_str(0x1234), ethtype_to_str(5)) == ("ARP", "1234", "llc")
    assert (ipproto_to_str(6), ipproto_to_str(200)) == ("TCP", "c8")


@given(st.binary(max_size=41))
def test_the_checksum_makes_the_whole_sum_up(data):
    even = data + b"\0" * (len(data) % 2)
    assert checksum(even + checksum(data, 0).to_bytes(2, "big"), 0) == 0
