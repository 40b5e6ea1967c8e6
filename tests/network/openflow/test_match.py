"""Matches are canonical, and the fixed match of 1.0 is equivalent to its Match."""

import pytest
from hypothesis import given, settings

from sdnloom.network.openflow import V10, V13, EncodeError, FlowMod, Match, MatchError, encode, ip, mac
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match10 import read_match10, write_match10
from tests.network.openflow.generators import bits, matches


def raw10(**slots: int) -> int:
    """The number of a 1.0 match: all wild unless given."""
    struct = STRUCTS[V10]["match"]
    return int.from_bytes(struct.pack(dict.fromkeys(struct.slots, 0) | {"wildcards": 0x3FFFFF} | slots), "big")


def test_equal_meanings_are_equal_values() -> None:
    one = Match.of(ipv4_dst=("10.1.2.3", 0xFF000000), eth_type=0x0800, eth_src=(0, 0), in_port=None)
    other = Match.of(eth_type=0x0800, ipv4_dst="10.0.0.0/8")
    assert one == other
    assert hash(one) == hash(other)
    assert one.fields == (("eth_type", 0x0800, None), ("ipv4_dst", ip("10.0.0.0"), 0xFF000000))
    assert Match.of(ipv4_src="10.0.0.1/32") == Match.of(ipv4_src="10.0.0.1") == Match.of(ipv4_src=ip("10.0.0.1"))
    assert Match.of(ipv6_src="::/0") == Match()


def test_fields_can_be_asked_for() -> None:
    match = Match.of(in_port=3, eth_src=("00:00:00:00:00:01", 1))
    assert (match.get("in_port"), match.get("eth_src"), match.get("eth_dst")) == ((3, 0xFFFFFFFF), (1, 1), None)
    assert (match.exact("in_port"), match.exact("eth_src"), match.exact("eth_dst")) == (3, None, None)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"nw_src": 1}, "unknown match field 'nw_src'"),
        ({"eth_src": "10.0.0.1"}, "eth_src: '10.0.0.1' is no MAC address"),
        ({"ipv4_src": "nobody"}, "ipv4_src: 'nobody' is no IP address"),
        ({"ipv4_src": "10.0.0.0/33"}, "expected a prefix length of 0 to 32"),
        ({"ipv4_src": "10.0.0.0/" + "9" * 5000}, "expected a prefix length"),
        ({"oxm_8000_0_4": 1}, "match field 'oxm_8000_0_4' has a name: expected in_port"),
        ({"oxm_ffff_1_4": 1}, "expected an experimenter's number at its end"),
        ({"oxm_1234_1_4_00002320": 1}, "expected an experimenter's number at its end in class ffff only"),
        ({"in_port": -1}, "in_port=-1"),
        ({"in_port": 1.5}, "in_port=1.5"),
        ({"in_port": (1, 2, 3)}, "expected a value or a pair"),
        ({"in_port": 1 << 32}, "in_port=4294967296: expected at most 0xffffffff"),
        ({"ipv4_src": "::1:2:3"}, "expected at most"),
    ],
)
def test_a_field_that_makes_no_sense_is_refused_by_name(fields: dict[str, object], message: str) -> None:
    with pytest.raises(MatchError, match=message):
        Match.of(**fields)  # type: ignore[arg-type]


@pytest.mark.slow
@given(bits(320))
@settings(max_examples=500)
def test_every_fixed_match_has_a_meaning_that_survives(number: int) -> None:
    match = read_match10(number)
    assert read_match10(write_match10(match)) == match


@given(matches(V10))
def test_a_match_of_10_survives_as_13(match: Match) -> None:
    assert read_match10(write_match10(match)) == match
    encode(FlowMod(match), V13)


@pytest.mark.parametrize(
    ("slots", "match"),
    [
        ({}, Match()),
        ({"wildcards": 0x3FFFFE, "in_port": 0xFFFE}, Match.of(in_port=0xFFFFFFFE)),
        ({"wildcards": 0x3FFFFD, "dl_vlan": 0xFFFF}, Match.of(vlan_vid=0)),
        ({"wildcards": 0x3FFFFD, "dl_vlan": 5}, Match.of(vlan_vid=0x1005)),
        ({"wildcards": 0x2FFFFD, "dl_vlan": 0xFFFF, "dl_vlan_pcp": 3}, Match.of(vlan_vid=0)),
        ({"wildcards": 0x2FFFFF, "dl_vlan_pcp": 3}, Match.of(vlan_vid=(0x1000, 0x1000), vlan_pcp=3)),
        # nw_src /24 counts only when the packet type says what it is
        ({"wildcards": 0x3FC8FF, "nw_src": 0x0A000001}, Match()),
        (
            {"wildcards": 0x3FC8EF, "dl_type": 0x0800, "nw_src": 0x0A000001},
            Match.of(eth_type=0x0800, ipv4_src="10.0.0.0/24"),
        ),
        (
            {"wildcards": 0x3FC8EF, "dl_type": 0x0806, "nw_src": 0x0A000001},
            Match.of(eth_type=0x0806, arp_spa="10.0.0.0/24"),
        ),
        ({"wildcards": 0x3FFFCF, "dl_type": 0x0806, "nw_proto": 2}, Match.of(eth_type=0x0806, arp_op=2)),
        ({"wildcards": 0x1FFFEF, "dl_type": 0x0800, "nw_tos": 0xBB}, Match.of(eth_type=0x0800, ip_dscp=0x2E)),
        (
            {"wildcards": 0x3FFF0F, "dl_type": 0x0800, "nw_proto": 6, "tp_src": 1, "tp_dst": 2},
            Match.of(eth_type=0x0800, ip_proto=6, tcp_src=1, tcp_dst=2),
        ),
        (
            {"wildcards": 0x3FFF0F, "dl_type": 0x0800, "nw_proto": 1, "tp_src": 8, "tp_dst": 0},
            Match.of(eth_type=0x0800, ip_proto=1, icmpv4_type=8, icmpv4_code=0),
        ),
        (
            {"wildcards": 0x3FFF0F, "dl_type": 0x0800, "nw_proto": 47, "tp_src": 8},
            Match.of(eth_type=0x0800, ip_proto=47),
        ),
    ],
)
def test_fixed_fields_mean(slots: dict[str, int], match: Match) -> None:
    assert read_match10(raw10(**slots)) == match


@pytest.mark.parametrize(
    "match",
    [
        Match.of(metadata=1),
        Match.of(eth_src=(mac("02:00:00:00:00:00"), mac("02:00:00:00:00:00"))),
        Match.of(vlan_vid=(0x1000, 0x1000)),
        Match.of(vlan_vid=(0x1001, 0x1001)),
        Match.of(ipv4_src="10.0.0.1"),
        Match.of(eth_type=0x0800, ipv4_src=(ip("10.0.0.1"), ip("255.0.0.255"))),
        Match.of(eth_type=0x0800, ip_proto=6, udp_src=1),
        Match.of(eth_type=0x86DD, ip_proto=6),
        Match.of(in_port=70_000),
        Match.of(oxm_1234_5_2=1),
    ],
)
def test_a_match_that_10_cannot_say_is_refused(match: Match) -> None:
    with pytest.raises(EncodeError, match=r"OpenFlow 1\.0"):
        encode(FlowMod(match), V10)
