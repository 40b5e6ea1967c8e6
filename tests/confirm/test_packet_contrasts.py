"""Frames side by side: fields by name, other headers as packets, and octets where nothing else tells them apart."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.confirm.outcome import Contrast
from sdnloom.confirm.packet_contrasts import packet_contrasts
from sdnloom.network.packet import Arp, Ethernet, IPv4, Udp, Vlan, encode, stack

ETHERNET, IP, UDP = Ethernet(dst=2, src=1), IPv4(src=0x0A000001, dst=0x0A000002), Udp(1, 2)
FRAME = encode(stack(ETHERNET, IP, UDP, payload=b"hello"))


def test_a_field_that_differs_is_named() -> None:
    other = encode(stack(replace(ETHERNET, src=3), replace(IP, ttl=63), UDP, payload=b"hallo"))
    assert packet_contrasts("s1 out of port 2", FRAME, other) == (
        Contrast("s1 out of port 2: Ethernet src", "00:00:00:00:00:01", "00:00:00:00:00:03"),
        Contrast("s1 out of port 2: IPv4 ttl", "64", "63"),
        Contrast("s1 out of port 2: payload", b"hello".hex(), b"hallo".hex()),
    )


def test_the_second_of_two_tags_is_told_from_the_first() -> None:
    one, other = (encode(stack(ETHERNET, Vlan(1), Vlan(vid), IP, UDP)) for vid in (2, 3))
    assert packet_contrasts("x", one, other) == (Contrast("x: Vlan 2 vid", "2", "3"),)


def test_packets_with_other_headers_are_told_as_packets() -> None:
    arp = encode(stack(ETHERNET, Arp(op=1, sha=1, spa=1, tha=0, tpa=2)))
    [contrast] = packet_contrasts("x", FRAME, arp)
    assert "UDP" in contrast.expected
    assert "ARP" in contrast.observed


def test_a_frame_that_is_not_there_is_nothing() -> None:
    [lost], [more] = packet_contrasts("x", FRAME, b""), packet_contrasts("x", b"", FRAME)
    assert (lost.what, lost.observed, more.expected) == ("x", "", "")
    assert lost.expected == more.observed != ""


@given(st.integers(0, len(FRAME) - 1), st.integers(1, 255), st.binary(max_size=4), st.booleans())
def test_any_other_octet_is_a_contrast_whose_sides_differ(place: int, change: int, more: bytes, longer: bool) -> None:
    other = bytearray(FRAME)
    other[place] ^= change
    changed = bytes(other) + more if longer else bytes(other)
    found = packet_contrasts("x", FRAME, changed)
    assert found
    assert any(each.expected != each.observed for each in found)
    assert packet_contrasts("x", changed, changed) == ()


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_any_bytes_can_be_compared(one: bytes, other: bytes) -> None:
    assert bool(packet_contrasts("x", one, other)) == (one != other)
