"""Structures of bit fields: one line of text declares the layout, which drives encoding and decoding.

`BitStruct("udp", "src:16 dst:16 length:16 checksum:16")` names the fields and their bits in wire order. `-` is padding,
written as zero and ignored when read. The third part of `port:16:port` is a field type, whose meaning a codec defines.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sdnloom.errors import SdnloomError


class EncodeError(SdnloomError):
    """A value has no wire form."""


@dataclass(frozen=True)
class Slot:
    """The position of a field: its offset in bits from the start of the structure, and its width in bits."""

    name: str
    offset: int
    bits: int
    kind: str = ""


class _Fast(NamedTuple):
    name: str
    shift: int
    mask: int


class BitStruct:
    """A structure of fixed size, in whole bytes."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        slots, offset = [], 0
        for item in text.split():
            field, bits, *kind = item.split(":")
            if field != "-":
                slots.append(Slot(field, offset, int(bits), *kind))
            offset += int(bits)
        assert offset % 8 == 0, f"{name} has {offset} bits"
        assert len({slot.name for slot in slots}) == len(slots), f"{name} names a field twice"
        self.size = offset // 8
        self.slots: dict[str, Slot] = {slot.name: slot for slot in slots}
        self._fast = [_Fast(slot.name, offset - slot.offset - slot.bits, (1 << slot.bits) - 1) for slot in slots]

    def __repr__(self) -> str:
        return f"<BitStruct {self.name}, {self.size} bytes: {' '.join(self.slots)}>"

    def unpack(self, data: bytes, at: int = 0) -> dict[str, int]:
        """Return the fields of the structure at an offset. The caller checks that all its bytes are there."""
        part = data[at : at + self.size]
        number = int.from_bytes(part, "big") if type(part) is bytes else _number(part)
        return {name: number >> shift & mask for name, shift, mask in self._fast}

    def pack(self, values: Mapping[str, int]) -> bytes:
        """Return the bytes; a value that is too large for its field raises EncodeError."""
        number = 0
        for name, shift, mask in self._fast:
            value = values[name]
            if not isinstance(value, int) or not 0 <= value <= mask:
                raise EncodeError(f"{self.name}.{name} = {value!r}: expected a number from 0 to {mask:#x}")
            number |= value << shift
        return number.to_bytes(self.size, "big")


def _number(part: bytes) -> int:
    """Return bytes of another type as a number, which is symbolic if they are."""
    from sdnloom.symbolic.values.sym_bytes import int_of_bytes  # slow to import, and rarely needed

    return int_of_bytes(part, "big")
