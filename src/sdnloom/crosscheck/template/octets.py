"""Octets in which some bits are symbolic: the bytes of the harmless input, and the holes that variables fill."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sdnloom.crosscheck.switch_test import Part, Variable
from sdnloom.network.bitstruct import BitStruct


@dataclass(frozen=True, slots=True)
class Hole:
    """Bits that a variable fills: the offset of the first one from the start, and the name of the variable."""

    offset: int
    bits: int
    variable: str


@dataclass(frozen=True, slots=True)
class SymbolicOctets:
    """Bytes with holes in the order of their offsets; the bytes hold the default of each variable."""

    data: bytes = b""
    holes: tuple[Hole, ...] = ()

    def parts(self) -> tuple[Part, ...]:
        """Return the template: numbers and variables in turn."""
        number, total = int.from_bytes(self.data, "big"), 8 * len(self.data)
        found: list[Part] = []
        at = 0

        def fixed(end: int) -> None:
            if end > at:
                found.append(Part(end - at, number >> total - end & (1 << end - at) - 1))

        for hole in self.holes:
            fixed(hole.offset)
            found.append(Part(hole.bits, hole.variable))
            at = hole.offset + hole.bits
        fixed(total)
        return tuple(found)


NO_OCTETS: Final = SymbolicOctets()


def join_octets(pieces: Iterable[SymbolicOctets]) -> SymbolicOctets:
    """Return the octets of the pieces one after the other."""
    data, holes = b"", list[Hole]()
    for piece in pieces:
        holes += (Hole(8 * len(data) + hole.offset, hole.bits, hole.variable) for hole in piece.holes)
        data += piece.data
    return SymbolicOctets(data, tuple(holes))


def pack_struct(struct: BitStruct, values: Mapping[str, int | Variable]) -> SymbolicOctets:
    """Return the octets of a structure; a field with a variable is a hole with the variable's default."""
    numbers = {name: value.default if isinstance(value, Variable) else value for name, value in values.items()}
    holes = [
        Hole(slot.offset, slot.bits, value.name)
        for slot in struct.slots.values()
        if isinstance(value := values[slot.name], Variable)
    ]
    return SymbolicOctets(struct.pack(numbers), tuple(holes))
