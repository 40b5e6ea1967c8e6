"""Cells: the characters of a symbolic text or the bytes of symbolic bytes, one by one.

A cell is a plain code, an 8-bit term, or a Digit: the character that writes a number below its base. Keeping a digit as
the number it writes makes `mac[:8] == "00:00:5e"` a condition on the address itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, Term, const
from sdnloom.symbolic.values.fork import decide, settle
from sdnloom.symbolic.values.sym_int import SymInt, fit, integer, plain

DIGITS = "0123456789abcdef"
CODE_BITS = 21  # of the largest code point


@dataclass(frozen=True)
class Digit:
    """The character that writes `number`, which is between 0 and 15."""

    number: SymInt
    upper: bool = False

    def value_of(self, code: int) -> int | None:
        """Return the number that a character stands for here, or None."""
        text = chr(code)
        found = (DIGITS.upper() if self.upper else DIGITS).find(text)
        return found if self.number.low <= found <= self.number.high else None

    def always(self, codes: set[int]) -> bool | None:
        """Return whether the character is one of these whatever the number, or never; None if that depends."""
        shown = (DIGITS.upper() if self.upper else DIGITS)[self.number.low : self.number.high + 1]
        met = {ord(char) in codes for char in shown}
        return met.pop() if len(met) == 1 else None

    @cached_property
    def term(self) -> Term:
        """The code of the character."""
        value = fit(self.number, 8)
        digit = terms.add(value, const(48, 8))
        if self.number.high < 10:
            return digit
        letter = terms.add(value, const(55 if self.upper else 87, 8))
        return terms.ite(terms.ult(value, const(10, 8)), digit, letter)


Cell = int | Term | Digit


def digit_cell(number: int, upper: bool = False) -> Cell:
    """Return the character that writes a number below 16."""
    if isinstance(number, SymInt):
        return Digit(number, upper)
    return ord(DIGITS.upper()[number] if upper else DIGITS[number])


def term_of(cell: Cell, width: int = 8) -> Term:
    """Return a cell as a term of at least 8 bits."""
    if isinstance(cell, int):
        return const(cell, width)
    return terms.zero_extend(cell.term if isinstance(cell, Digit) else cell, width)


def vector(cells: Sequence[Cell], width: int = 8) -> Term:
    """Return one term for at least one cell side by side, the first most significant."""
    return terms.concat(*(term_of(cell, width) for cell in cells))


def is_concrete(cells: Iterable[Cell]) -> bool:
    """Return whether no cell depends on an input."""
    return all(isinstance(cell, int) for cell in cells)


def number_of(cell: Cell, code: int) -> int:
    """Return the code of a cell as a number that follows it; `code` is its code in this run."""
    return code if isinstance(cell, int) else integer(code, term_of(cell))


def simplified(cells: Iterable[Term], codes: Iterable[int]) -> tuple[Cell, ...]:
    """Return terms as cells, plain codes where they are constant."""
    return tuple(code if term.op == "const" else term for term, code in zip(cells, codes, strict=True))


def equality(left: Sequence[Cell], right: Sequence[Cell]) -> Term:
    """Return the condition that two vectors of one length are equal."""
    conditions: list[Term] = []
    wide_left: list[Cell] = []
    wide_right: list[Cell] = []
    for a, b in zip(left, right, strict=True):
        if isinstance(a, int) and not isinstance(b, int):
            a, b = b, a
        if isinstance(a, int) and isinstance(b, int):
            if a != b:
                return FALSE
        elif isinstance(a, Digit) and isinstance(b, Digit) and a.upper == b.upper:
            conditions.append(terms.eq(fit(a.number, 4), fit(b.number, 4)))
        elif isinstance(a, Digit) and isinstance(b, int):
            value = a.value_of(b)
            if value is None:
                return FALSE
            conditions.append(terms.eq(fit(a.number, 4), const(value, 4)))
        elif isinstance(b, int) and b > 255:
            return FALSE
        else:
            wide_left.append(a)
            wide_right.append(b)
    if wide_left:
        conditions.append(terms.eq(vector(wide_left), vector(wide_right)))
    return terms.all_(*_merged(conditions))


def _merged(conditions: list[Term]) -> list[Term]:
    """Return equalities of neighbouring bits with constants as one equality: it is shorter and easier to invert."""
    merged: list[Term] = []
    for condition in conditions:
        if merged and condition.op == merged[-1].op == "eq":
            (a, x), (b, y) = merged[-1].args, condition.args
            if x.op == y.op:
                joined = terms.concat(a, b)
                if joined.op != "concat":
                    merged[-1] = terms.eq(joined, terms.concat(x, y))
                    continue
        merged.append(condition)
    return merged


def decide_equal(left: Sequence[Cell], right: Sequence[Cell], taken: bool) -> bool:
    """Return whether two vectors are equal; a fork where both answers are possible."""
    if len(left) != len(right):
        return False
    condition = equality(left, right)
    if condition is TRUE or condition is FALSE:
        return taken
    return decide(condition, taken)


def decide_less(left: Sequence[Cell], right: Sequence[Cell], taken: bool) -> bool:
    """Return whether left comes before right in lexicographic order; a fork where both answers are possible."""
    shared = min(len(left), len(right))
    if not shared or (is_concrete(left) and is_concrete(right)):
        return taken
    width = CODE_BITS if any(isinstance(cell, int) and cell > 255 for cell in (*left, *right)) else 8
    a, b = vector(left[:shared], width), vector(right[:shared], width)
    condition = terms.ult(a, b) if len(left) >= len(right) else terms.ule(a, b)
    return decide(condition, taken)


def decide_among(cell: Cell, code: int, codes: Iterable[int]) -> bool:
    """Return whether a cell has one of the codes; one fork where both answers are possible."""
    wanted = set(codes)
    if isinstance(cell, Term) and wanted == set(range(128)):
        decide(terms.eq(terms.extract(cell, 7, 7), const(0, 1)), code < 128)
    elif isinstance(cell, Digit) and cell.always(wanted) is not None:
        pass
    elif not isinstance(cell, int):
        decide(terms.any_(*(equality((cell,), (each,)) for each in sorted(wanted) if each < 256)), code in wanted)
    return code in wanted


def give_up(cells: Sequence[Cell], codes: Iterable[int], construct: str) -> None:
    """Pin every cell to its code in this run and report the construct."""
    wanted: list[Cell] = []
    known: list[int] = []
    for cell, code in zip(cells, codes, strict=True):
        if isinstance(cell, Digit):
            settle(cell.number.term, plain(cell.number), construct)
        elif isinstance(cell, Term):
            wanted.append(cell)
            known.append(code)
    if wanted:
        settle(vector(wanted), int.from_bytes(known, "big"), construct)
