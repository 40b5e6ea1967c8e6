"""Symbolic bytes: bytes of a fixed length with a cell for each byte."""

from collections.abc import Iterable
from typing import Any

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.values.cells import Cell, Digit, digit_cell, give_up, is_concrete, number_of, simplified, vector
from sdnloom.symbolic.values.fork import decide
from sdnloom.symbolic.values.sym_int import SymInt, bits_needed, fit, integer, plain
from sdnloom.symbolic.values.vector import Vector, pin_the_rest


class SymBytes(Vector, bytes):
    """Made by `bytes_of_cells`."""

    __class__ = property(lambda self: bytes)  # what a program sees; isinstance asks type() first
    kind = bytes
    blank = frozenset(b" \t\n\r\x0b\f")
    _cells: tuple[Cell, ...]

    def cells(self) -> tuple[Cell, ...]:
        return self._cells

    def bare(self) -> bytes:
        return bytes.__bytes__(self)

    def give_up(self, construct: str) -> bytes:
        bare = self.bare()
        give_up(self._cells, bare, construct)
        return bare

    @classmethod
    def of_cells(cls, plain: bytes, cells: tuple[Cell, ...]) -> bytes:
        return bytes_of_cells(plain, cells)

    @classmethod
    def cells_of(cls, other: Any) -> tuple[Cell, ...]:
        return cells_of_bytes(other)

    def at(self, index: int, cells: tuple[Cell, ...]) -> int:
        return number_of(cells[index], self.bare()[index])

    def __eq__(self, other: object) -> Any:
        if isinstance(other, bytearray | memoryview):
            other = bytes_of(other)
        return Vector.__eq__(self, other)

    __hash__ = Vector.__hash__

    def __len__(self) -> int:
        return bytes.__len__(self)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, bytes | bytearray | memoryview):
            return NotImplemented
        return bytes_of_cells(self.bare() + bare_bytes(other), self._cells + cells_of_bytes(other))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, bytes | bytearray | memoryview):
            return NotImplemented
        if isinstance(other, bytearray):  # one that rewritten code did not make: it stays what it is
            return other + self.give_up("concatenation with a bytearray")
        return bytes_of_cells(bare_bytes(other) + self.bare(), cells_of_bytes(other) + self._cells)

    def __bytes__(self) -> bytes:
        return self

    def __repr__(self) -> str:
        return repr(self.give_up("repr of bytes"))

    __str__ = __repr__

    def _part(self, part: Any) -> Any:
        if isinstance(part, int):
            if not 0 <= part < 256:
                raise ValueError("byte must be in range(0, 256)")
            return bytes_of_numbers((part,))
        return bytes_of(part) if isinstance(part, bytearray) else Vector._part(self, part)

    def hex(self, *grouping: Any) -> str:
        from sdnloom.symbolic.values.sym_str import text_of_cells  # text is made of bytes, and bytes of text

        if grouping:
            return self.give_up("bytes.hex with a separator").hex(*grouping)
        return text_of_cells(self.bare().hex(), hex_digits(self))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        from sdnloom.symbolic.values.sym_str import text_of_cells

        name = encoding.lower().replace("-", "").replace("_", "")
        terms_here = [cell for cell in self._cells if isinstance(cell, Term)]
        if name in ("latin1", "iso88591"):
            return text_of_cells(self.bare().decode("latin-1"), self._cells)
        if name in ("utf8", "ascii", "usascii"):
            tops = [terms.extract(cell, 7, 7) for cell in terms_here]
            low = all(code < 128 for code, cell in zip(self.bare(), self._cells, strict=True) if isinstance(cell, Term))
            if (not tops or decide(terms.eq(terms.concat(*tops), const(0, len(tops))), low)) and all(
                cell < 128 for cell in self._cells if isinstance(cell, int)
            ):
                return text_of_cells(self.bare().decode("ascii"), self._cells)
        return self.give_up(f"decode of {encoding}").decode(encoding, errors)

    def lower(self) -> bytes:
        return self._mapped(bytes.lower)

    def upper(self) -> bytes:
        return self._mapped(bytes.upper)

    def _mapped(self, change: Any) -> bytes:
        bare = self.bare()
        return bytes_of_cells(change(bare), tuple(changed_case(cell, change(b"a") == b"a") for cell in self._cells))

    def join(self, parts: Iterable[Any]) -> bytes:
        return joined_bytes(self, parts)


pin_the_rest(SymBytes, bytes)


def changed_case(cell: Cell, lower: bool) -> Cell:
    """Return an ASCII cell in lower or upper case."""
    if isinstance(cell, int):
        return ord(chr(cell).lower() if lower else chr(cell).upper()) if cell < 128 else cell
    if isinstance(cell, Digit):
        return Digit(cell.number, not lower)
    first, last = (b"A", b"Z") if lower else (b"a", b"z")
    inside = terms.all_(terms.ule(const(first[0], 8), cell), terms.ule(cell, const(last[0], 8)))
    return terms.ite(inside, terms.bv_xor(cell, const(32, 8)), cell)


def bytes_of_cells(plain_value: bytes, cells: tuple[Cell, ...]) -> bytes:
    """Return bytes with these cells, plain ones if none depends on an input."""
    if is_concrete(cells):
        return plain_value
    made = bytes.__new__(SymBytes, plain_value)
    made._cells = cells
    return made


def octets(term: Term) -> tuple[Term, ...]:
    """Return the bytes of a term, most significant first."""
    return tuple(terms.extract(term, low + 7, low) for low in range(term.width - 8, -1, -8))


def bytes_of_term(plain_value: bytes, term: Term) -> bytes:
    """Return bytes whose bits, most significant first, are those of a term."""
    return bytes_of_octets(plain_value, octets(term))


def bytes_of_octets(plain_value: bytes, parts: Iterable[Term]) -> bytes:
    """Return bytes that are these terms, one each."""
    return bytes_of_cells(plain_value, simplified(parts, plain_value))


def bare_bytes(value: Any) -> bytes:
    """Return the plain bytes of this run of anything like bytes."""
    return value.bare() if isinstance(value, Vector) else bytes(memoryview(value))


def cells_of_bytes(value: Any) -> tuple[Cell, ...]:
    """Return the cells of anything like bytes."""
    if isinstance(value, SymBytes):
        return value.cells()
    tracked = getattr(value, "symbolic_cells", None)
    return tracked() if tracked is not None else tuple(bytes(value))


def bytes_of(value: Any) -> bytes:
    """Return anything like bytes as bytes, with its cells."""
    if isinstance(value, SymBytes):
        return value
    return bytes_of_cells(bare_bytes(value), cells_of_bytes(value))


def bytes_of_numbers(numbers: Iterable[int]) -> bytes:
    """Return the bytes with these numbers, as `bytes(numbers)` does; forks on a number being in range."""
    codes, cells = [], []
    for number in numbers:
        if not 0 <= number < 256:
            raise ValueError("bytes must be in range(0, 256)")
        codes.append(plain(number))
        cells.append(cell_of(number))
    return bytes_of_cells(bytes(codes), tuple(cells))


def cell_of(number: int) -> Cell:
    """Return the cell of a number that the path has shown to lie between 0 and 255."""
    return byte_term(number) if isinstance(number, SymInt) else int(number)


def byte_term(number: SymInt) -> Term:
    """Return the low 8 bits of a number."""
    return terms.extract(fit(number, max(8, bits_needed(number.low, number.high))), 7, 0)


def joined_bytes(separator: Any, parts: Iterable[Any]) -> bytes:
    """Return the parts with the separator between them."""
    plain_parts: list[bytes] = []
    cells: tuple[Cell, ...] = ()
    between = cells_of_bytes(separator)
    for number, part in enumerate(parts):
        plain_parts.append(bare_bytes(part))
        cells += (between if number else ()) + cells_of_bytes(part)
    return bytes_of_cells(bare_bytes(separator).join(plain_parts), cells)


def int_of_bytes(value: Any, byteorder: str = "big", *, signed: bool = False) -> int:
    """Return the number that bytes hold, as `int.from_bytes` does."""
    if not isinstance(value, bytes | bytearray | memoryview):
        value = bytes_of_numbers(value)
    cells, bare = cells_of_bytes(value), bare_bytes(value)
    number = int.from_bytes(bare, byteorder, signed=signed)  # type: ignore[arg-type]
    if not cells or is_concrete(cells):
        return number
    term = vector(cells if byteorder == "big" else cells[::-1])
    if signed:
        return integer(number, term, -1 << term.width - 1, (1 << term.width - 1) - 1)
    return integer(number, term)


def bytes_of_int(number: SymInt, length: int, byteorder: str, signed: bool) -> bytes:
    """Return the bytes that hold a number, as `int.to_bytes` does; forks on whether it fits."""
    if not signed and number < 0:
        raise OverflowError("can't convert negative int to unsigned")
    low, high = (-1 << 8 * length - 1, (1 << 8 * length - 1) - 1) if signed and length else (0, (1 << 8 * length) - 1)
    if not low <= number <= high:
        raise OverflowError("int too big to convert")
    bare = plain(number).to_bytes(length, byteorder, signed=signed)  # type: ignore[arg-type]
    if not length:
        return bare
    width = max(8 * length, bits_needed(number.low, number.high))
    made = bytes_of_term(
        bare if byteorder == "big" else bare[::-1], terms.extract(fit(number, width), 8 * length - 1, 0)
    )
    return made if byteorder == "big" else made[::-1]


def hex_digits(value: Any) -> tuple[Cell, ...]:
    """Return the cells of the hexadecimal digits of bytes."""
    digits: list[Cell] = []
    for number in bytes_of(value):
        digits += [digit_cell(nibble) for nibble in (number >> 4, number & 15)]
    return tuple(digits)


def bytes_of_hex(cells: Iterable[Cell], codes: Iterable[int]) -> bytes:
    """Return the bytes that hexadecimal digits write; forks on what kind of digit each one is."""
    numbers = [digit_value(cell, code, 16) for cell, code in zip(cells, codes, strict=True)]
    return bytes_of_numbers(high << 4 | low for high, low in zip(numbers[::2], numbers[1::2], strict=True))


def digit_value(cell: Cell, code: int, base: int) -> int:
    """Return the number that a digit of a base stands for; forks on its kind; ValueError if it is no digit."""
    if isinstance(cell, Digit) and bounds_below(cell, base):
        return cell.number
    number = number_of(cell, code)
    for first, last, value in ((48, 48 + min(base, 10) - 1, 0), (97, 86 + base, 10), (65, 54 + base, 10)):
        if first <= last and first <= number <= last:
            return number - first + value
    raise ValueError(f"{chr(code)!r} is no digit of base {base}")


def bounds_below(cell: Digit, base: int) -> bool:
    """Return whether a digit is one of the base, whatever its value."""
    return cell.number.high < base
