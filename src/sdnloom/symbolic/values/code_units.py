"""Code units: the characters of a symbolic text or the bytes of symbolic bytes, one by one.

A unit is a constant code, an 8-bit term, or a Digit: the character that writes a number below 16. Keeping a digit as
the number it writes makes `mac[:8] == "00:00:5e"` a condition on the address itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, Term, const
from sdnloom.symbolic.values.fork import concretise_term, decide
from sdnloom.symbolic.values.sym_int import SymInt, concrete_int, fit, make_int

DIGITS = "0123456789abcdef"
CODE_BITS = 21  # width of the largest code point


@dataclass(frozen=True)
class Digit:
    """The character that writes `number`, which is between 0 and 15."""

    number: SymInt
    upper: bool = False

    def value_of(self, code: int) -> int | None:
        """Return the number that this character writes, or None if it is not a possible digit."""
        text = chr(code)
        found = (DIGITS.upper() if self.upper else DIGITS).find(text)
        return found if self.number.low <= found <= self.number.high else None

    def always(self, codes: set[int]) -> bool | None:
        """Return whether the character is one of these for all numbers, or for none; None if it depends."""
        shown = (DIGITS.upper() if self.upper else DIGITS)[self.number.low : self.number.high + 1]
        answers = {ord(char) in codes for char in shown}
        return answers.pop() if len(answers) == 1 else None

    @cached_property
    def term(self) -> Term:
        """The code of the character."""
        value = fit(self.number, 8)
        digit = terms.add(value, const(48, 8))
        if self.number.high < 10:
            return digit
        letter = terms.add(value, const(55 if self.upper else 87, 8))
        return terms.ite(terms.ult(value, const(10, 8)), digit, letter)


CodeUnit = int | Term | Digit


def digit_unit(number: int, upper: bool = False) -> CodeUnit:
    """Return the unit of the character that writes a number below 16."""
    if isinstance(number, SymInt):
        return Digit(number, upper)
    return ord(DIGITS.upper()[number] if upper else DIGITS[number])


def term_of(unit: CodeUnit, width: int = 8) -> Term:
    """Return a unit as a term of at least 8 bits."""
    if isinstance(unit, int):
        return const(unit, width)
    return terms.zero_extend(unit.term if isinstance(unit, Digit) else unit, width)


def concat_units(units: Sequence[CodeUnit], width: int = 8) -> Term:
    """Return the concatenation of at least one unit, the first most significant."""
    return terms.concat(*(term_of(unit, width) for unit in units))


def is_concrete(units: Iterable[CodeUnit]) -> bool:
    """Return whether no unit depends on an input."""
    return all(isinstance(unit, int) for unit in units)


def unit_number(unit: CodeUnit, code: int) -> int:
    """Return the code of a unit as an int, symbolic if the unit is; `code` is its code in this run."""
    return code if isinstance(unit, int) else make_int(code, term_of(unit))


def units_of_terms(units: Iterable[Term], codes: Iterable[int]) -> tuple[CodeUnit, ...]:
    """Return terms as units; constant terms become codes."""
    return tuple(code if term.op == "const" else term for term, code in zip(units, codes, strict=True))


def equality(left: Sequence[CodeUnit], right: Sequence[CodeUnit]) -> Term:
    """Return the condition that two sequences of the same length are equal."""
    conditions: list[Term] = []
    wide_left: list[CodeUnit] = []
    wide_right: list[CodeUnit] = []
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
        conditions.append(terms.eq(concat_units(wide_left), concat_units(wide_right)))
    return terms.all_(*merged_equalities(conditions))


def merged_equalities(conditions: list[Term]) -> list[Term]:
    """Merge equalities of neighbouring bits with constants into one equality, which is shorter and easier to invert."""
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


def decide_equal(left: Sequence[CodeUnit], right: Sequence[CodeUnit], taken: bool) -> bool:
    """Return whether two sequences are equal; forks if both answers are possible."""
    if len(left) != len(right):
        return False
    condition = equality(left, right)
    if condition is TRUE or condition is FALSE:
        return taken
    return decide(condition, taken)


def decide_less(left: Sequence[CodeUnit], right: Sequence[CodeUnit], taken: bool) -> bool:
    """Return whether left is before right in lexicographic order; forks if both answers are possible."""
    shared = min(len(left), len(right))
    if not shared or (is_concrete(left) and is_concrete(right)):
        return taken
    width = CODE_BITS if any(isinstance(unit, int) and unit > 255 for unit in (*left, *right)) else 8
    a, b = concat_units(left[:shared], width), concat_units(right[:shared], width)
    condition = terms.ult(a, b) if len(left) >= len(right) else terms.ule(a, b)
    return decide(condition, taken)


def decide_among(unit: CodeUnit, code: int, codes: Iterable[int]) -> bool:
    """Return whether a unit has one of the codes; forks once if both answers are possible."""
    wanted = set(codes)
    if isinstance(unit, Term) and wanted == set(range(128)):
        decide(terms.eq(terms.extract(unit, 7, 7), const(0, 1)), code < 128)
    elif isinstance(unit, Digit) and unit.always(wanted) is not None:
        pass
    elif not isinstance(unit, int):
        decide(terms.any_(*(equality((unit,), (each,)) for each in sorted(wanted) if each < 256)), code in wanted)
    return code in wanted


def concretise_units(units: Sequence[CodeUnit], codes: Iterable[int], construct: str) -> None:
    """Concretise every unit, because of the construct."""
    wanted: list[CodeUnit] = []
    known: list[int] = []
    for unit, code in zip(units, codes, strict=True):
        if isinstance(unit, Digit):
            concretise_term(unit.number.term, concrete_int(unit.number), construct)
        elif isinstance(unit, Term):
            wanted.append(unit)
            known.append(code)
    if wanted:
        concretise_term(concat_units(wanted), int.from_bytes(known, "big"), construct)
