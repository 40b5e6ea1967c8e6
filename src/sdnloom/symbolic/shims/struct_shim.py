"""`struct` for symbolic values: pack and unpack with a code unit for each byte.

A format is parsed once. Integers, bytes (`s`), characters (`c`) and truth values (`?`) keep their terms; floats,
pointers and Pascal strings are concretised. Formats without a byte order are those of this machine, as in the
original: sizes and alignment come from it.
"""

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple

from sdnloom.symbolic.values.code_units import CodeUnit
from sdnloom.symbolic.values.make import SymByteArray, SymInt, SymSequence, concrete, concretise_all, has_symbolic
from sdnloom.symbolic.values.sym_bytes import bytes_of_int, bytes_of_units, concrete_bytes, int_of_bytes, units_of_bytes
from sdnloom.symbolic.values.sym_int import fork_or_concretise

_INTEGERS: Final = "bBhHiIlLqQnN"


class StructItem(NamedTuple):
    """One value of a format: its code, offset and size."""

    code: str
    offset: int
    size: int


class StructLayout(NamedTuple):
    """The fields of a format."""

    fields: tuple[StructItem, ...]
    size: int
    order: str  # "big" or "little"


@cache
def parse_format(form: str) -> StructLayout:
    """Return the layout of a format; raises struct.error like the original."""
    size = struct.calcsize(form)
    prefix, body = (form[0], form[1:]) if form[:1] in tuple("@=<>!") else ("@", form)
    little = prefix == "<" or (prefix in "@=" and struct.pack("=H", 1) == b"\x01\x00")
    fields: list[StructItem] = []
    seen, count = "", ""
    for char in body:
        if char.isspace():
            continue
        if char.isdigit():
            count += char
            continue
        times = int(count or 1)
        if char in "sp":
            seen += f"{count}{char}"
            fields.append(StructItem(char, struct.calcsize(prefix + seen) - times, times))
        else:
            one = struct.calcsize(prefix + char)
            for _ in range(times):
                seen += char
                if char != "x":
                    fields.append(StructItem(char, struct.calcsize(prefix + seen) - one, one))
        count = ""
    return StructLayout(tuple(fields), size, "little" if little else "big")


def calcsize(form: Any) -> int:
    """Return the size of a format."""
    return struct.calcsize(_format(form))


def _format(form: Any) -> Any:
    if isinstance(form, SymSequence):
        return form.concretise("struct format")
    return form.decode("ascii") if isinstance(form, bytes) else form


def unpack_from(form: Any, buffer: Any, offset: Any = 0) -> tuple[Any, ...]:
    """Return the values at an offset of a buffer."""
    form, offset = _format(form), _offset(offset)
    plain_buffer = concrete_bytes(buffer)
    values = struct.unpack_from(form, plain_buffer, offset)
    if not has_symbolic(buffer):
        return values
    found = parse_format(form)
    start = offset if offset >= 0 else len(plain_buffer) + offset
    units = units_of_bytes(buffer)[start : start + found.size]
    return tuple(
        _value(field, value, plain_buffer[start:], units, found.order)
        for field, value in zip(found.fields, values, strict=True)
    )


def _offset(offset: Any) -> int:
    return fork_or_concretise(offset, "offset of struct") if isinstance(offset, SymInt) else offset


def _value(field: StructItem, value: Any, content: bytes, units: Sequence[CodeUnit], order: str) -> Any:
    code, offset, size = field
    own = tuple(units[offset : offset + size])
    part = bytes_of_units(content[offset : offset + size], own)
    if not isinstance(part, SymSequence):
        return value
    if code in "sc":
        return part
    if code in _INTEGERS:
        return int_of_bytes(part, order, signed=code.islower())
    if code == "?":
        return bool(int_of_bytes(part))
    part.concretise(f"struct format {code!r}")
    return value


def unpack(form: Any, buffer: Any) -> tuple[Any, ...]:
    """Return the values of a buffer of exactly the format's size."""
    form = _format(form)
    if len(buffer) != struct.calcsize(form):
        return struct.unpack(form, concrete_bytes(buffer))  # raises the original's error
    return unpack_from(form, buffer)


def iter_unpack(form: Any, buffer: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the values of each part of a buffer."""
    form = _format(form)
    size = struct.calcsize(form)
    if not has_symbolic(buffer) or not size or len(buffer) % size:
        yield from struct.iter_unpack(form, concrete_bytes(buffer))
        return
    for place in range(0, len(buffer), size):
        yield unpack_from(form, buffer, place)


def pack(form: Any, *values: Any) -> bytes:
    """Return the packed values; forks on whether a symbolic number fits, and raises struct.error if not."""
    form = _format(form)
    if not any(map(has_symbolic, values)):
        return struct.pack(form, *map(concrete, values))
    found = parse_format(form)
    if len(values) != len(found.fields):
        return struct.pack(form, *map(concrete, values))  # raises the original's error
    units: list[CodeUnit] = [0] * found.size
    for field, value in zip(found.fields, values, strict=True):
        units[field.offset : field.offset + field.size] = _packed(field, value, found.order)
    return bytes_of_units(struct.pack(form, *map(concrete, values)), tuple(units))


def _packed(field: StructItem, value: Any, order: str) -> tuple[CodeUnit, ...]:
    code, _, size = field
    if code in _INTEGERS and isinstance(value, SymInt):
        low, high = (-1 << 8 * size - 1, (1 << 8 * size - 1) - 1) if code.islower() else (0, (1 << 8 * size) - 1)
        if not low <= value <= high:
            raise struct.error(f"'{code}' format requires {low} <= number <= {high}")
        return units_of_bytes(bytes_of_int(value, size, order, code.islower()))
    if code in "sc" and isinstance(value, bytes | bytearray):
        return (units_of_bytes(value)[:size] + (0,) * size)[:size]
    if code == "?":
        return (1 if value else 0,)
    concretise_all(value, f"struct format {code!r}")
    content = struct.pack(
        ("<" if order == "little" else ">") + (f"{size}{code}" if code in "sp" else code), concrete(value)
    )
    return tuple(content[:size])


def pack_into(form: Any, buffer: Any, offset: Any, *values: Any) -> None:
    """Write the packed values into a buffer; they are concretised if it cannot hold symbolic bytes."""
    form, offset = _format(form), _offset(offset)
    packed = pack(form, *values)
    if isinstance(packed, SymSequence) and not isinstance(buffer, SymByteArray):
        packed.concretise("struct.pack_into a buffer that rewritten code did not make")
    struct.pack_into(form, buffer, offset, *map(concrete, values))
    if isinstance(buffer, SymByteArray) and packed:
        start = offset if offset >= 0 else len(buffer) + offset
        buffer[start : start + len(packed)] = packed


class SymbolicStruct:
    """`struct.Struct` for symbolic values."""

    def __init__(self, form: Any) -> None:
        self.format = _format(form)
        self.size = struct.calcsize(self.format)

    def pack(self, *values: Any) -> bytes:
        """Return the values packed."""
        return pack(self.format, *values)

    def pack_into(self, buffer: Any, offset: Any, *values: Any) -> None:
        """Put the packed values into a buffer."""
        pack_into(self.format, buffer, offset, *values)

    def unpack(self, buffer: Any) -> tuple[Any, ...]:
        """Return the values of a buffer."""
        return unpack(self.format, buffer)

    def unpack_from(self, buffer: Any, offset: Any = 0) -> tuple[Any, ...]:
        """Return the values at an offset of a buffer."""
        return unpack_from(self.format, buffer, offset)

    def iter_unpack(self, buffer: Any) -> Iterator[tuple[Any, ...]]:
        """Yield the values of each part of a buffer."""
        return iter_unpack(self.format, buffer)


def struct_module() -> ModuleType:
    """Return a module `struct` for code that is not rewritten."""
    replacement = ModuleType("struct", struct.__doc__)
    vars(replacement).update(vars(struct))
    for function in (calcsize, unpack_from, unpack, iter_unpack, pack, pack_into, SymbolicStruct):
        setattr(replacement, function.__name__, function)
    return replacement


def struct_replacements() -> dict[Any, Any]:
    """Return the functions that rewritten code calls instead of the originals if an argument is symbolic."""
    names = ("calcsize", "unpack_from", "unpack", "iter_unpack", "pack", "pack_into")
    return {getattr(struct, name): globals()[name] for name in names}


def struct_methods() -> dict[str, Any]:
    """Return the methods of the original Struct as functions, for rewritten code."""
    return {
        "pack": lambda replacement, *values: pack(replacement.format, *values),
        "pack_into": lambda replacement, buffer, offset, *values: pack_into(
            replacement.format, buffer, offset, *values
        ),
        "unpack": lambda replacement, buffer: unpack(replacement.format, buffer),
        "unpack_from": lambda replacement, buffer, offset=0: unpack_from(replacement.format, buffer, offset),
        "iter_unpack": lambda replacement, buffer: iter_unpack(replacement.format, buffer),
    }
