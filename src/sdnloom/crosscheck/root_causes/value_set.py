"""Sets of values of a field in a form that people read: one value, a range, some bits; learned from examples.

A learner asks for single values and guesses the simplest form that fits. With a check, which finds a value where guess
and truth differ or says that there is none, the result is exact; otherwise it fits all values tried, and boundaries
between neighbouring values were tried on both sides.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Final

from sdnloom.symbolic.terms.constructors import any_, between, bv_and, const, eq, ne
from sdnloom.symbolic.terms.node import Term

_ALL_TRIED: Final = 8  # bits of a field of which every value is tried
_MOST_RANGES: Final = 6
_FEW_VALUES: Final = 4
_MOST_PLACES: Final = 64  # bits of a wide field that are changed one by one
_MOST_SAMPLES: Final = 600
_MOST_CHECKS: Final = 24


class SetForm(Enum):
    """How a set of values is written."""

    RANGES = "ranges"  # inclusive ranges, sorted
    BITS_SET = "bits set"  # value & mask != 0
    BITS_EQUAL = "bits equal"  # value & mask == wanted
    EXAMPLES = "examples"  # only these are known


@dataclass(frozen=True, slots=True)
class ReadableSet:
    """A set of values of `bits` bits: pairs of numbers by form (first and last value; mask and wanted bits)."""

    bits: int
    form: SetForm
    pairs: tuple[tuple[int, int], ...]

    def __contains__(self, value: int) -> bool:
        if self.form in (SetForm.RANGES, SetForm.EXAMPLES):
            return any(low <= value <= high for low, high in self.pairs)
        mask, wanted = self.pairs[0]
        return bool(value & mask) if self.form is SetForm.BITS_SET else value & mask == wanted

    def smallest(self) -> int:
        """Return the smallest member."""
        if self.form is SetForm.BITS_SET:
            return self.pairs[0][0] & -self.pairs[0][0]
        return self.pairs[0][1] if self.form is SetForm.BITS_EQUAL else self.pairs[0][0]

    def size(self) -> int:
        """Return the number of members."""
        if self.form in (SetForm.RANGES, SetForm.EXAMPLES):
            return sum(high - low + 1 for low, high in self.pairs)
        others = 1 << self.bits - self.pairs[0][0].bit_count()
        return (1 << self.bits) - others if self.form is SetForm.BITS_SET else others

    def term(self, field: Term) -> Term:
        """Return that a field's value is a member."""
        if self.form in (SetForm.RANGES, SetForm.EXAMPLES):
            return any_(*(between(field, low, high) for low, high in self.pairs))
        masked = bv_and(field, const(self.pairs[0][0], self.bits))
        if self.form is SetForm.BITS_SET:
            return ne(masked, const(0, self.bits))
        return eq(masked, const(self.pairs[0][1], self.bits))


class Unchecked(Enum):
    """The answer of a check that cannot say."""

    UNCHECKED = "unchecked"


Member = Callable[[int], bool | None]
# A guess -> a value for which it is wrong; None if there is none
Check = Callable[[ReadableSet], int | Unchecked | None]


def learn_set(bits: int, member: Member, candidates: Iterable[int], check: Check | None) -> tuple[ReadableSet, bool]:
    """Return the set of the values for which `member` holds, and whether it is exact.

    The candidates must have a member. `member` says no for values that are not allowed, and None where it cannot say.
    """
    known: dict[int, bool] = {}
    given = tuple(candidates)
    usual = range(1 << bits) if bits <= _ALL_TRIED else _usual_values(bits, given)
    for value in (*given, *usual):
        if 0 <= value < 1 << bits and value not in known and len(known) < _MOST_SAMPLES:
            answer = member(value)
            if answer is not None:
                known[value] = answer
    if len(known) == 1 << bits:
        guess = _guess(bits, known)
        return guess, guess.form is not SetForm.EXAMPLES
    for _ in range(_MOST_CHECKS):
        if _changes(known) <= 2 * _MOST_RANGES:
            _tighten(known, member)
        guess = _guess(bits, known)
        if guess.form is SetForm.EXAMPLES or check is None:
            return guess, False
        wrong = check(guess)
        if wrong is None:
            return guess, True
        answer = None if isinstance(wrong, Unchecked) or wrong in known else member(wrong)
        if answer is None or isinstance(wrong, Unchecked):
            return guess, False
        known[wrong] = answer
    return _examples(bits, known), False


def _usual_values(bits: int, given: tuple[int, ...]) -> Iterator[int]:
    """Yield values at boundaries, and the first given one with each of its bits changed."""
    top = (1 << bits) - 1
    yield from (0, 1, 2, 3, top, top - 1)
    for place in range(0, bits, max(1, bits // _MOST_PLACES)):
        yield from ((1 << place) - 1, 1 << place, top ^ 1 << place)
        yield from (value ^ 1 << place for value in given[:1])


def _changes(known: dict[int, bool]) -> int:
    """Return how often the answer changes from one value to the next that is known."""
    ordered = [known[value] for value in sorted(known)]
    return sum(one is not other for one, other in pairwise(ordered))


def _tighten(known: dict[int, bool], member: Member) -> None:
    """Try values between members and others until each change is between neighbours."""
    ordered = sorted(known)
    for low, high in pairwise(ordered):
        while known[low] is not known[high] and high - low > 1:
            middle = (low + high) // 2
            answer = member(middle)
            if answer is None:
                break
            known[middle] = answer
            if answer is known[low]:
                low = middle
            else:
                high = middle


def _guess(bits: int, known: dict[int, bool]) -> ReadableSet:
    """Return the simplest set that fits: a comparison, a few values, a range, some bits, several ranges."""
    ranges, masks = _ranges(known), _masks(bits, known)
    written = ReadableSet(bits, SetForm.RANGES, ranges)
    left_out = (1 << bits) - written.size()
    if len(ranges) == 1 or written.size() <= _FEW_VALUES or left_out <= 1:
        return written
    if masks:
        return masks[0]
    return written if len(ranges) <= _MOST_RANGES else _examples(bits, known)


def _ranges(known: dict[int, bool]) -> tuple[tuple[int, int], ...]:
    """Return the ranges of members, as far as the values between known ones are like both of them."""
    found: list[list[int]] = []
    inside = False
    for value in sorted(known):
        if known[value]:
            if inside:
                found[-1][1] = value
            else:
                found.append([value, value])
        inside = known[value]
    return tuple((low, high) for low, high in found)


def _masks(bits: int, known: dict[int, bool]) -> list[ReadableSet]:
    """Return the sets that are told by some bits and fit."""
    members = [value for value, holds in known.items() if holds]
    others = [value for value, holds in known.items() if not holds]
    top = (1 << bits) - 1
    found = []
    mask = top
    for value in others:
        mask &= ~value
    if mask and all(value & mask for value in members):
        found.append(ReadableSet(bits, SetForm.BITS_SET, ((mask, 0),)))
    first = members[0]
    mask = top
    for value in members:
        mask &= ~(value ^ first)
    if mask and all((value ^ first) & mask for value in others):
        found.append(ReadableSet(bits, SetForm.BITS_EQUAL, ((mask, first & mask),)))
    return found


def _examples(bits: int, known: dict[int, bool]) -> ReadableSet:
    members = sorted(value for value, holds in known.items() if holds)[:4]
    return ReadableSet(bits, SetForm.EXAMPLES, tuple((value, value) for value in members))
