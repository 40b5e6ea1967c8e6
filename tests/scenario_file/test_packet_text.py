"""Packets as scenario files write them, malformed ones included."""

from typing import Any

import pytest

from sdnloom.network.packet import Ethernet, encode, stack
from sdnloom.network.topology import linear
from sdnloom.scenario_file.packet_text import PacketTextError, read_packet

NETWORK = linear(2)
H1 = NETWORK.host("h1")


def read(**table: Any) -> Any:
    return read_packet(table, NETWORK, H1)


def test_any_frame_can_be_written_in_hexadecimal_digits() -> None:
    cfm = read(type=0x8902, hex="0063 0000")
    assert cfm == stack(Ethernet(0xFFFFFFFFFFFF, 1, 0x8902), payload=bytes.fromhex("00630000"))
    assert encode(cfm)[12:18] == bytes.fromhex("890200630000")


def test_text_comes_before_bytes() -> None:
    assert read(payload="x", hex="ff").payload == b"x\xff"


@pytest.mark.parametrize("digits", ["0", "0g", "0x00", "é"])
def test_other_digits_are_refused(digits: str) -> None:
    with pytest.raises(PacketTextError, match="no pairs of hexadecimal digits"):
        read(hex=digits)


def test_digits_must_be_a_string() -> None:
    with pytest.raises(PacketTextError, match="hex is 12"):
        read(hex=12)
