"""Symbolic bytes: bytes of a fixed length with a unit for each byte."""

from collections.abc import Iterable
from typing import Any

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.values.code_units import (
    CodeUnit,
    Digit,
    concat_units,
    concretise_units,
    digit_unit,
    is_concrete,
    unit_number,
    units_of_terms,
)
from sdnloom.symbolic.values.fork import decide
from sdnloom.symbolic.values.sym_int import SymInt, bits_needed, concrete_int, fit, make_int
from sdnloom.symbolic.values.sym_sequence import SymSequence, concretise_other_methods


class SymBytes(SymSequence, bytes):
    """Bytes with a term; made by `bytes_of_units`."""

    __class__ = property(lambda self: bytes)  # for the program; isinstance checks type() first
    kind = bytes
    blank = frozenset(b" \t\n\r\x0b\f")
    _units: tuple[CodeUnit, ...]

    def units(self) -> tuple[CodeUnit, ...]:
        return self._units

    def concrete(self) -> bytes:
        return bytes.__bytes__(self)

    def concretise(self, construct: str) -> bytes:
        concrete = self.concrete()
        concretise_units(self._units, concrete, construct)
        return concrete

    @classmethod
    def of_units(cls, value: bytes, units: tuple[CodeUnit, ...]) -> bytes:
        return bytes_of_units(value, units)

    @classmethod
    def units_of(cls, other: Any) -> tuple[CodeUnit, ...]:
        return units_of_bytes(other)

    def at(self, index: int, units: tuple[CodeUnit, ...]) -> int:
        return unit_number(units[index], self.concrete()[index])

    def __eq__(self, other: object) -> Any:
        if isinstance(other, bytearray | memoryview):
            other = bytes_of(other)
        return SymSequence.__eq__(self, other)

    __hash__ = SymSequence.__hash__

    def __len__(self) -> int:
        return bytes.__len__(self)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, bytes | bytearray | memoryview):
            return NotImplemented
        return bytes_of_units(self.concrete() + concrete_bytes(other), self._units + units_of_bytes(other))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, bytes | bytearray | memoryview):
            return NotImplemented
        if isinstance(other, bytearray):  # not made by rewritten code, so it cannot hold symbolic bytes
            return other + self.concretise("concatenation with a bytearray")
        return bytes_of_units(concrete_bytes(other) + self.concrete(), units_of_bytes(other) + self._units)

    def __bytes__(self) -> bytes:
        return self

    def __repr__(self) -> str:
        return repr(self.concretise("repr of bytes"))

    __str__ = __repr__

    def _part(self, part: Any) -> Any:
        if isinstance(part, int):
            if not 0 <= part < 256:
                raise ValueError("byte must be in range(0, 256)")
            return bytes_of_numbers((part,))
        return bytes_of(part) if isinstance(part, bytearray) else SymSequence._part(self, part)

    def hex(self, *grouping: Any) -> str:
        from sdnloom.symbolic.values.sym_str import text_of_units  # the modules depend on each other

        if grouping:
            return self.concretise("bytes.hex with a separator").hex(*grouping)
        return text_of_units(self.concrete().hex(), hex_digits(self))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        from sdnloom.symbolic.values.sym_str import text_of_units

        name = encoding.lower().replace("-", "").replace("_", "")
        terms_here = [unit for unit in self._units if isinstance(unit, Term)]
        if name in ("latin1", "iso88591"):
            return text_of_units(self.concrete().decode("latin-1"), self._units)
        if name in ("utf8", "ascii", "usascii"):
            tops = [terms.extract(unit, 7, 7) for unit in terms_here]
            low = all(
                code < 128 for code, unit in zip(self.concrete(), self._units, strict=True) if isinstance(unit, Term)
            )
            if (not tops or decide(terms.eq(terms.concat(*tops), const(0, len(tops))), low)) and all(
                unit < 128 for unit in self._units if isinstance(unit, int)
            ):
                return text_of_units(self.concrete().decode("ascii"), self._units)
        return self.concretise(f"decode of {encoding}").decode(encoding, errors)

    def lower(self) -> bytes:
        return self._mapped(bytes.lower)

    def upper(self) -> bytes:
        return self._mapped(bytes.upper)

    def _mapped(self, change: Any) -> bytes:
        concrete = self.concrete()
        return bytes_of_units(change(concrete), tuple(changed_case(unit, change(b"a") == b"a") for unit in self._units))

    def join(self, parts: Iterable[Any]) -> bytes:
        return joined_bytes(self, parts)


concretise_other_methods(SymBytes, bytes)


def changed_case(unit: CodeUnit, lower: bool) -> CodeUnit:
    """Return an ASCII unit in lower or upper case."""
    if isinstance(unit, int):
        return ord(chr(unit).lower() if lower else chr(unit).upper()) if unit < 128 else unit
    if isinstance(unit, Digit):
        return Digit(unit.number, not lower)
    first, last = (b"A", b"Z") if lower else (b"a", b"z")
    inside = terms.all_(terms.ule(const(first[0], 8), unit), terms.ule(unit, const(last[0], 8)))
    return terms.ite(inside, terms.bv_xor(unit, const(32, 8)), unit)


def bytes_of_units(plain_value: bytes, units: tuple[CodeUnit, ...]) -> bytes:
    """Return bytes with these units; plain bytes if no unit depends on an input."""
    if is_concrete(units):
        return plain_value
    symbolic = bytes.__new__(SymBytes, plain_value)
    symbolic._units = units
    return symbolic


def octet_terms(term: Term) -> tuple[Term, ...]:
    """Return the bytes of a term as terms, most significant first."""
    return tuple(terms.extract(term, low + 7, low) for low in range(term.width - 8, -1, -8))


def bytes_of_term(plain_value: bytes, term: Term) -> bytes:
    """Return bytes whose bits, most significant first, are those of a term."""
    return bytes_of_octets(plain_value, octet_terms(term))


def bytes_of_octets(plain_value: bytes, parts: Iterable[Term]) -> bytes:
    """Return bytes with one of these terms for each byte."""
    return bytes_of_units(plain_value, units_of_terms(parts, plain_value))


def concrete_bytes(value: Any) -> bytes:
    """Return the concrete content of a bytes-like value."""
    return value.concrete() if isinstance(value, SymSequence) else bytes(memoryview(value))


def units_of_bytes(value: Any) -> tuple[CodeUnit, ...]:
    """Return the units of a bytes-like value."""
    if isinstance(value, SymBytes):
        return value.units()
    tracked = getattr(value, "symbolic_units", None)
    return tracked() if tracked is not None else tuple(bytes(value))


def bytes_of(value: Any) -> bytes:
    """Return a bytes-like value as bytes, with its units."""
    if isinstance(value, SymBytes):
        return value
    return bytes_of_units(concrete_bytes(value), units_of_bytes(value))


def bytes_of_numbers(numbers: Iterable[int]) -> bytes:
    """Return `bytes(numbers)`; forks on whether each number is in range."""
    codes, units = [], []
    for number in numbers:
        if not 0 <= number < 256:
            raise ValueError("bytes must be in range(0, 256)")
        codes.append(concrete_int(number))
        units.append(unit_of(number))
    return bytes_of_units(bytes(codes), tuple(units))


def unit_of(number: int) -> CodeUnit:
    """Return the unit of a number that is between 0 and 255 on this path."""
    return byte_term(number) if isinstance(number, SymInt) else int(number)


def byte_term(number: SymInt) -> Term:
    """Return the low 8 bits of a number."""
    return terms.extract(fit(number, max(8, bits_needed(number.low, number.high))), 7, 0)


def joined_bytes(separator: Any, parts: Iterable[Any]) -> bytes:
    """Return the parts with the separator between them."""
    plain_parts: list[bytes] = []
    units: tuple[CodeUnit, ...] = ()
    between = units_of_bytes(separator)
    for number, part in enumerate(parts):
        plain_parts.append(concrete_bytes(part))
        units += (between if number else ()) + units_of_bytes(part)
    return bytes_of_units(concrete_bytes(separator).join(plain_parts), units)


def int_of_bytes(value: Any, byteorder: str = "big", *, signed: bool = False) -> int:
    """Return `int.from_bytes(value, ...)`."""
    if not isinstance(value, bytes | bytearray | memoryview):
        value = bytes_of_numbers(value)
    units, concrete = units_of_bytes(value), concrete_bytes(value)
    number = int.from_bytes(concrete, byteorder, signed=signed)  # type: ignore[arg-type]
    if not units or is_concrete(units):
        return number
    term = concat_units(units if byteorder == "big" else units[::-1])
    if signed:
        return make_int(number, term, -1 << term.width - 1, (1 << term.width - 1) - 1)
    return make_int(number, term)


def bytes_of_int(number: SymInt, length: int, byteorder: str, signed: bool) -> bytes:
    """Return `number.to_bytes(...)`; forks on whether the number fits."""
    if not signed and number < 0:
        raise OverflowError("can't convert negative int to unsigned")
    low, high = (-1 << 8 * length - 1, (1 << 8 * length - 1) - 1) if signed and length else (0, (1 << 8 * length) - 1)
    if not low <= number <= high:
        raise OverflowError("int too big to convert")
    concrete = concrete_int(number).to_bytes(length, byteorder, signed=signed)  # type: ignore[arg-type]
    if not length:
        return concrete
    width = max(8 * length, bits_needed(number.low, number.high))
    symbolic = bytes_of_term(
        concrete if byteorder == "big" else concrete[::-1], terms.extract(fit(number, width), 8 * length - 1, 0)
    )
    return symbolic if byteorder == "big" else symbolic[::-1]


def hex_digits(value: Any) -> tuple[CodeUnit, ...]:
    """Return the units of the hexadecimal digits of bytes."""
    digits: list[CodeUnit] = []
    for number in bytes_of(value):
        digits += [digit_unit(nibble) for nibble in (number >> 4, number & 15)]
    return tuple(digits)


def bytes_of_hex(units: Iterable[CodeUnit], codes: Iterable[int]) -> bytes:
    """Return the bytes of hexadecimal digits; forks on the kind of each digit."""
    numbers = [digit_value(unit, code, 16) for unit, code in zip(units, codes, strict=True)]
    return bytes_of_numbers(high << 4 | low for high, low in zip(numbers[::2], numbers[1::2], strict=True))


def digit_value(unit: CodeUnit, code: int, base: int) -> int:
    """Return the value of a digit of a base; forks on its kind; raises ValueError if it is no digit."""
    if isinstance(unit, Digit) and is_digit_of_base(unit, base):
        return unit.number
    number = unit_number(unit, code)
    for first, last, value in ((48, 48 + min(base, 10) - 1, 0), (97, 86 + base, 10), (65, 54 + base, 10)):
        if first <= last and first <= number <= last:
            return number - first + value
    raise ValueError(f"{chr(code)!r} is no digit of base {base}")


def is_digit_of_base(unit: Digit, base: int) -> bool:
    """Return whether a digit is below the base for all its values."""
    return unit.number.high < base
