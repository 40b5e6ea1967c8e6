"""Parts of the compact switch against slow, obvious oracles: arithmetic, checksums, matches, malformed messages."""

from random import Random

import pytest

from sdnloom.crosscheck.agent import Close, Wait
from sdnloom.crosscheck.agents.compact.arithmetic import above_bit, any_equal_bit, equal_bit, nonzero_bit
from sdnloom.crosscheck.agents.compact.behaviours import OVS_LIKE, REFERENCE_LIKE
from sdnloom.crosscheck.agents.compact.frame import CompactFrame
from sdnloom.crosscheck.agents.compact.openflow10.match import CompactMatch10
from sdnloom.crosscheck.agents.compact.openflow10.protocol import Protocol10
from sdnloom.crosscheck.agents.compact.switch import CompactSwitch
from sdnloom.network.openflow import V10, V13, DecodeError, Error, decode
from sdnloom.network.openflow.match10 import read_match10
from sdnloom.network.packet import IPv4, IPv6, Tcp, Udp, encode
from sdnloom.network.packet import decode as decode_packet
from sdnloom.network.switch import Switch, plain_ports
from sdnloom.network.switch.rewrite import set_field
from sdnloom.network.switch.tables.lookup import covers, matches, overlap, packet_fields
from tests.network.switch.sequences import Generator

CONFIG = Switch(1, plain_ports(1, 2, 3), V10)
FLOW_MOD = bytes.fromhex("010e0050 00000009 003fffff" + "00" * 36 + "00" * 8 + "0000 0000 0000 8000 ffffffff ffff 0000")
OUTPUT = bytes.fromhex("0000 0008 0002 0000")
PACKET_OUT = bytes.fromhex("010d0020 00000009 ffffffff ffff 0008") + OUTPUT + bytes(8)


def test_bits_are_those_of_comparisons() -> None:
    for left in range(16):
        assert nonzero_bit(left, 4) == (left != 0)
        assert any_equal_bit(left, (3, 7, 15), 4) == (left in (3, 7, 15))
        for right in range(16):
            assert equal_bit(left, right, 4) == (left == right)
            assert above_bit(left, right, 4) == (left > right)


def test_changed_headers_have_the_checksums_of_the_packet_library() -> None:
    random, seen = Random(1), 0
    generator = Generator(CONFIG, 7)
    for _ in range(300):
        packet = generator.packet()
        network = next((header for header in packet.headers if isinstance(header, IPv4)), None)
        if network is None or network.offset or network.flags & 1:
            continue
        frame = CompactFrame(encode(packet))
        address, port = random.choice((0, 0xFFFFFFFF, random.getrandbits(32))), random.choice((0, 0xFFFF, 77))
        assert frame.with_address(12, address) == encode(set_field(packet, "ipv4_src", address))
        assert frame.with_address(16, address) == encode(set_field(packet, "ipv4_dst", address))
        assert frame.with_service(0xFF) == encode(set_field(packet, "ip_dscp", 63))
        assert frame.with_transport_port(2, port) == encode(set_field(packet, "tp_dst", port))
        seen += any(isinstance(header, Tcp | Udp) for header in packet.headers)
    assert seen > 60


def random_match(random: Random, generator: Generator) -> bytes:
    """Return the octets of a match near the values that packets have, with any bits of wildcards."""
    wildcards = random.choice((0x3FFFFF, 0, random.getrandbits(32), random.getrandbits(22) | 0x3820E0))
    kept = Protocol10().key(CompactFrame(encode(generator.packet())), random.choice((1, 2, 3)))[0].to_bytes(36, "big")
    octets = bytearray(wildcards.to_bytes(4, "big") + kept)
    if random.randrange(2):
        octets[random.randrange(4, 40)] = random.choice((0, 1, 6, 255))
    return bytes(octets)


def test_matches_have_the_relations_of_the_model() -> None:
    random, generator = Random(2), Generator(CONFIG, 3)
    seen = dict.fromkeys(("matches", "covers", "overlap", "equal"), 0)
    for _ in range(1500):
        one, other = random_match(random, generator), random_match(random, generator)
        other = random.choice((other, one[:4] + other[4:], other[:4] + one[4:]))
        first, second = CompactMatch10(one), CompactMatch10(other)
        wanted, special = (read_match10(int.from_bytes(each, "big")) for each in (one, other))
        packet = generator.packet()
        if any(isinstance(header, IPv6) for header in packet.headers):
            continue
        data, port = encode(packet), random.choice((1, 2, 3))
        key = Protocol10().key(CompactFrame(data), port)
        found = {
            "matches": first.misses(key) == 0,
            "covers": first.excludes(second) == 0,
            "overlap": first.separates(second) == 0,
            "equal": first.differs(second) == 0,
        }
        fields = packet_fields(decode_packet(data), port, zero_ports=True)
        assert found == {
            "matches": matches(wanted, fields),
            "covers": covers(wanted, special),
            "overlap": overlap(wanted, special),
            "equal": wanted == special,
        }, (one.hex(), other.hex())
        seen = {name: count + found[name] for name, count in seen.items()}
    assert min(seen.values()) > 50


MALFORMED = {
    "unknown type": bytes.fromhex("01630008 00000009"),
    "another version": bytes.fromhex("04050008 00000009"),
    "features request with a body": bytes.fromhex("0105000c 00000009 00000000"),
    "set config without a field": bytes.fromhex("0109000a 00000009 0000"),
    "stats request without a type": bytes.fromhex("01100008 00000009"),
    "port statistics without a port": bytes.fromhex("0110000c 00000009 00040000"),
    "description with a body": bytes.fromhex("01100014 00000009 00000000 0000000000000000"),
    "port mod that is cut off": bytes.fromhex("010f0018 00000009") + bytes(16),
    "queue request without a port": bytes.fromhex("01140008 00000009"),
    "flow mod that is cut off": bytes.fromhex("010e0040 00000009") + bytes(56),
    "flow mod with half an action": FLOW_MOD[:2] + b"\0\x4c" + FLOW_MOD[4:] + OUTPUT[:4],
    "action of 4 octets": FLOW_MOD + bytes.fromhex("00000004 00020000"),
    "action beyond the end": FLOW_MOD + bytes.fromhex("00000010 00020000"),
    "output of 16 octets": FLOW_MOD[:2] + b"\0\x58" + FLOW_MOD[4:] + bytes.fromhex("00000010 00020000") + bytes(8),
    "address of 8 octets": FLOW_MOD + bytes.fromhex("00040008 00020000"),
    "actions beyond the end": PACKET_OUT[:14] + b"\0\x18" + PACKET_OUT[16:],
    "actions of 4 octets": PACKET_OUT[:14] + b"\0\x04" + PACKET_OUT[16:],
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_message_is_refused_as_the_codec_does(what: str) -> None:
    data = MALFORMED[what]
    try:
        decode(data, V10)
        expected = Error("bad_request", "bad_type", data, xid=9)  # no class of its own
    except DecodeError as error:
        expected = error.reply(data)
    for behaviours in (REFERENCE_LIKE, OVS_LIKE):
        (found,) = CompactSwitch(behaviours).message(data)
        assert isinstance(found, bytes)
        assert decode(found, V10) == expected


def test_a_stream_is_cut_into_messages() -> None:
    switch = CompactSwitch(REFERENCE_LIKE)
    barrier = bytes.fromhex("01120008 00000009")
    assert switch.message(barrier[:5]) == [Wait()]
    assert switch.message(barrier[5:] + barrier) == [bytes.fromhex("01130008 00000009")] * 2
    assert switch.message(barrier + barrier[:4]) == [bytes.fromhex("01130008 00000009"), Wait()]
    switch.reset()
    assert switch.message(bytes.fromhex("01120007 00000009")) == [Close()]


@pytest.mark.parametrize(("version", "older"), [(V10, 0), (V13, 3)])
def test_a_hello_of_an_older_version_ends_the_connection(version: int, older: int) -> None:
    switch = CompactSwitch(OVS_LIKE, version)
    assert switch.reset() == [bytes((version, 0, 0, 8, 0, 0, 0, 0))]
    assert switch.message(bytes((version + 1, 0, 0, 8, 0, 0, 0, 0))) == []
    refusal, end = switch.message(bytes((older, 0, 0, 8, 0, 0, 0, 5)))
    assert isinstance(refusal, bytes)
    answer = decode(refusal, version)
    assert isinstance(answer, Error)
    assert (answer.type, answer.code, answer.xid, end) == ("hello_failed", "incompatible", 5, Close())
