"""The field types of the layout table: conversion between the bits of a field and its value."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.openflow import match10
from sdnloom.network.openflow.constants import VLAN_PRESENT, FlowFlag
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.match import Match


class FieldType(NamedTuple):
    """Both directions of the conversion; the second argument is the width of the field in bits."""

    read: Callable[[int, int], Any]
    write: Callable[[Any, int], int]


def _read_port(number: int, bits: int) -> int:
    return match10.port_from_16(number) if bits == 16 else number


def _write_port(number: int, bits: int) -> int:
    return match10.port_to_16(number) if bits == 16 else number


def _read_text(number: int, bits: int) -> str:
    return number.to_bytes(bits // 8, "big").rstrip(b"\0").decode("utf-8", "surrogateescape")


def _write_text(text: str, bits: int) -> int:
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise EncodeError(f"text {text!r}: expected characters that UTF-8 can carry") from None
    if len(data) > bits // 8 or data.endswith(b"\0"):
        raise EncodeError(f"text {text!r}: expected at most {bits // 8} bytes, the last one not NUL")
    return int.from_bytes(data.ljust(bits // 8, b"\0"), "big")


def _read_words(number: int, bits: int) -> tuple[int, ...]:
    return tuple(number >> shift & 0xFFFFFFFF for shift in range(bits - 32, -1, -32))


def _write_words(words: tuple[int, ...], bits: int) -> int:
    if len(words) != bits // 32 or not all(isinstance(word, int) and 0 <= word <= 0xFFFFFFFF for word in words):
        raise EncodeError(f"{words!r}: expected {bits // 32} numbers of 32 bits")
    return sum(word << shift for word, shift in zip(words, range(bits - 32, -1, -32), strict=True))


def _read_flags(flags: int, bits: int) -> int:
    return flags & ~4 | (flags & 4) << 14  # bit 2 becomes EMERG


def _write_flags(flags: int, bits: int) -> int:
    if flags & FlowFlag.RESET_COUNTS:
        raise EncodeError(f"flags {flags:#x}: RESET_COUNTS does not exist in OpenFlow 1.0")
    return flags & ~FlowFlag.EMERG | 4 if flags & FlowFlag.EMERG else flags


def _write_in_port(match: Match, bits: int) -> int:
    if len(match.fields) != 1 or (port := match.exact("in_port")) is None:
        raise EncodeError(f"{match!r} of a packet-in: expected in_port and nothing else in OpenFlow 1.0")
    return match10.port_to_16(port)


def _argument(value: int, most: int, unit: int = 1) -> int:
    if value > most or value % unit:
        raise DecodeError("bad_action", "bad_argument", f"argument {value:#x}: expected at most {most:#x}")
    return value // unit


def _write_vlan(value: int, bits: int) -> int:
    if not VLAN_PRESENT <= value < 2 * VLAN_PRESENT:
        raise EncodeError(f"vlan_vid {value:#x}: expected a VLAN number with the bit VLAN_PRESENT in OpenFlow 1.0")
    return value & ~VLAN_PRESENT


def _small(most: int, unit: int = 1) -> Callable[[int, int], int]:
    def write(value: int, bits: int) -> int:
        if not 0 <= value <= most:
            raise EncodeError(f"argument {value}: expected a number from 0 to {most}")
        return value * unit

    return write


FIELD_TYPES: dict[str, FieldType] = {
    "": FieldType(lambda number, bits: number, lambda number, bits: number),
    "port": FieldType(_read_port, _write_port),
    "text": FieldType(_read_text, _write_text),
    "words": FieldType(_read_words, _write_words),
    "flags": FieldType(_read_flags, _write_flags),
    "match": FieldType(
        lambda number, bits: match10.read_match10(number), lambda match, bits: match10.write_match10(match)
    ),
    "in_port": FieldType(lambda number, bits: Match.of(in_port=match10.port_from_16(number)), _write_in_port),
    "vlan": FieldType(lambda number, bits: _argument(number, 0xFFF) | VLAN_PRESENT, _write_vlan),
    "pcp": FieldType(lambda number, bits: _argument(number, 7), _small(7)),
    "tos": FieldType(lambda number, bits: _argument(number, 0xFC, unit=4), _small(0x3F, unit=4)),
}
