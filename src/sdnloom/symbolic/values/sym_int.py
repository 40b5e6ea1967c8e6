"""SymInt: a Python int with its term and the interval of its values.

Laws: under every model of the recorded path, the number equals the term, read as two's complement if `low` is
negative and unsigned otherwise; it lies between `low` and `high`. Arithmetic never wraps: a result is as wide as its
interval needs. A comparison that the interval decides is no branch.
"""

import math
from collections.abc import Callable
from enum import IntFlag
from typing import Any, Literal, NoReturn

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.terms.memo import remembered
from sdnloom.symbolic.values.fork import concretise_term, decide, decided_without_fork

MAX_SHIFT = 256  # largest symbolic amount of a shift; a larger one is concretised
MAX_FORKS = 16  # an interval up to this size is enumerated by forks instead of concretised
MAX_ENUMERATED = 256  # the same for numbers on which a length depends
MAX_EXPONENT = 16


def bits_needed(low: int, high: int) -> int:
    """Return the width that every number of an interval fits into, with a sign bit if one is negative."""
    if low >= 0:
        return max(high.bit_length(), 1)
    return max((~low).bit_length(), high.bit_length() if high > 0 else 0) + 1


class SymInt(int):
    """An int with `term`, `low` and `high`; made by `make_int`."""

    __class__ = property(lambda self: int)  # for the program; isinstance checks type() first
    term: Term
    low: int
    high: int

    # Comparisons fork and return plain truth values.

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return _equal(self, other)
        if isinstance(other, float):
            return _equal(self, int(other)) if other.is_integer() else False
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, float):
            return is_less(self, math.ceil(other)) if math.isfinite(other) else concrete_int(self) < other
        return is_less(self, other) if isinstance(other, int) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        if isinstance(other, float):
            return is_less(math.floor(other), self) if math.isfinite(other) else concrete_int(self) > other
        return is_less(other, self) if isinstance(other, int) else NotImplemented

    def __le__(self, other: Any) -> bool:
        found = self.__gt__(other)
        return found if found is NotImplemented else (not found and other == other)

    def __ge__(self, other: Any) -> bool:
        found = self.__lt__(other)
        return found if found is NotImplemented else (not found and other == other)

    def __bool__(self) -> bool:
        return not _equal(self, 0)

    def __hash__(self) -> int:
        from sdnloom.symbolic.values.hash_value import hash_of  # the modules depend on each other

        return hash_of(self)

    # Arithmetic.

    def __add__(self, other: Any) -> Any:
        return _arithmetic(self, other, "+", _add)

    def __radd__(self, other: Any) -> Any:
        return _arithmetic(other, self, "+", _add)

    def __sub__(self, other: Any) -> Any:
        return _arithmetic(self, other, "-", _sub)

    def __rsub__(self, other: Any) -> Any:
        return _arithmetic(other, self, "-", _sub)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _SEQUENCES):
            return other * fork_or_concretise(self, "repetition of a sequence", 0)
        return _arithmetic(self, other, "*", _mul)

    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, _SEQUENCES):
            return other * fork_or_concretise(self, "repetition of a sequence", 0)
        return _arithmetic(other, self, "*", _mul)

    def __floordiv__(self, other: Any) -> Any:
        return _arithmetic(self, other, "//", _floordiv)

    def __rfloordiv__(self, other: Any) -> Any:
        return _arithmetic(other, self, "//", _floordiv)

    def __mod__(self, other: Any) -> Any:
        return _arithmetic(self, other, "%", _mod)

    def __rmod__(self, other: Any) -> Any:
        return _arithmetic(other, self, "%", _mod)

    def __divmod__(self, other: Any) -> Any:
        return _arithmetic(self, other, "divmod", lambda a, b: (_floordiv(a, b), _mod(a, b)))

    def __rdivmod__(self, other: Any) -> Any:
        return _arithmetic(other, self, "divmod", lambda a, b: (_floordiv(a, b), _mod(a, b)))

    def __truediv__(self, other: Any) -> Any:
        return _arithmetic(self, other, "/", _truediv)

    def __rtruediv__(self, other: Any) -> Any:
        return _arithmetic(other, self, "/", _truediv)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        return _arithmetic(self, other, "**", lambda a, b: _power(a, b, modulus))

    def __rpow__(self, other: Any, modulus: Any = None) -> Any:
        return _arithmetic(other, self, "**", lambda a, b: _power(a, b, modulus))

    def __lshift__(self, other: Any) -> Any:
        return _arithmetic(self, other, "<<", _lshift)

    def __rlshift__(self, other: Any) -> Any:
        return _arithmetic(other, self, "<<", _lshift)

    def __rshift__(self, other: Any) -> Any:
        return _arithmetic(self, other, ">>", _rshift)

    def __rrshift__(self, other: Any) -> Any:
        return _arithmetic(other, self, ">>", _rshift)

    def __and__(self, other: Any) -> Any:
        found = _arithmetic(self, other, "&", _and)
        return found if type(other) is int or not isinstance(other, IntFlag) else _flags(found, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return _arithmetic(self, other, "|", _or)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return _arithmetic(self, other, "^", _xor)

    __rxor__ = __xor__

    def __neg__(self) -> int:
        return _sub(0, self)

    def __pos__(self) -> int:
        return self

    def __invert__(self) -> int:
        return _sub(-1, self)

    def __abs__(self) -> int:
        if self.low >= 0:
            return self
        high = max(-self.low, self.high)
        width = bits_needed(-high, high)
        term = fit(self, width)
        flipped = terms.ite(terms.slt(term, const(0, width)), terms.neg(term), term)
        return make_int(abs(concrete_int(self)), flipped, 0, high)

    def concretise(self, construct: str) -> int:
        """Return the concrete number, because of the construct."""
        return concretise_int(self, construct)

    # Conversions. Those for which C needs a plain value concretise it.

    def __int__(self) -> int:
        return concretise_int(self, "int() in code that is not rewritten")

    def __index__(self) -> int:
        return concretise_int(self, "index in code that is not rewritten")

    def __float__(self) -> float:
        return float(concretise_int(self, "float()"))

    def __round__(self, digits: Any = None) -> int:
        if digits is None or digits >= 0:
            return self
        return round(concretise_int(self, "round()"), digits)

    def __trunc__(self) -> int:
        return self

    __floor__ = __ceil__ = conjugate = __trunc__

    @property
    def real(self) -> int:
        return self

    numerator = real

    def as_integer_ratio(self) -> tuple[int, Literal[1]]:
        return self, 1

    def is_integer(self) -> Literal[True]:
        return True

    def bit_length(self) -> int:
        size = abs(self)
        if not isinstance(size, SymInt):
            return size.bit_length()
        width = bits_needed(size.low, size.high)
        term, found = fit(size, width), const(0, 16)
        for bit in range(width):
            found = terms.ite(terms.eq(terms.extract(term, bit, bit), const(1, 1)), const(bit + 1, 16), found)
        return make_int(concrete_int(size).bit_length(), found, 0, size.high.bit_length())

    def bit_count(self) -> int:
        size = abs(self)
        return sum(size >> bit & 1 for bit in range(bounds(size)[1].bit_length()))

    def to_bytes(self, length: Any = 1, byteorder: Any = "big", *, signed: bool = False) -> bytes:
        from sdnloom.symbolic.values.sym_bytes import bytes_of_int  # the modules depend on each other

        return bytes_of_int(self, fork_or_concretise(length, "length of to_bytes"), byteorder, signed)

    def __repr__(self) -> str:
        return self.__format__("d")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        from sdnloom.symbolic.values.sym_str import text_of_int  # the modules depend on each other

        return text_of_int(self, spec)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return int, (concretise_int(self, "copy or pickle"),)

    def __copy__(self) -> "SymInt":
        return self

    def __deepcopy__(self, memo: object) -> "SymInt":
        return self


def _flags(number: int, mask: IntFlag) -> int:
    """Return `number & mask` as flags, by forks, if the mask has one or two bits; with more it stays a number."""
    bits = [1 << bit for bit in range(mask.value.bit_length()) if mask.value >> bit & 1]
    if mask.value < 0 or len(bits) > 2:
        return number
    possible = [*bits, sum(bits)] if len(bits) > 1 else bits
    return type(mask)(next((each for each in possible if number == each), 0))


_SEQUENCES = (str, bytes, list, tuple, bytearray)


def make_int(value: int, term: Term, low: int | None = None, high: int | None = None) -> int:
    """Return the number with its term, or a plain int if only one value is possible.

    Without an interval the term is read as unsigned.
    """
    if low is None or high is None:
        low, high = 0, (1 << term.width) - 1
    if term.op == "const" or low == high:
        return concrete_int(value)
    symbolic = int.__new__(SymInt, value)
    symbolic.term, symbolic.low, symbolic.high = term, low, high
    return symbolic


def concrete_int(value: int) -> int:
    """Return the number without its term."""
    return int.__int__(value)


def fit(value: int, width: int) -> Term:
    """Return the number as a two's complement term of `width` bits, which must be enough for its interval."""
    return _fit_form(*number_form(value), width)


def number_form(value: int) -> tuple[Term | int, bool]:
    """Return what `fit` needs of a number: its term, or itself, and whether it may be negative."""
    if isinstance(value, SymInt):
        return value.term, value.low < 0
    return concrete_int(value), False


@remembered
def combined(
    operation: Callable[[Term, Term], Term],
    width: int,
    left: Term | int,
    left_signed: bool,
    right: Term | int,
    right_signed: bool,
) -> Term:
    """Return the operation on two numbers in so many bits."""
    return operation(_fit_form(left, left_signed, width), _fit_form(right, right_signed, width))


def _fit_form(form: Term | int, is_signed: bool, width: int) -> Term:
    if isinstance(form, int):
        return const(form, width)
    if form.width > width:
        return terms.extract(form, width - 1, 0)
    return terms.sign_extend(form, width) if is_signed else terms.zero_extend(form, width)


def bounds(value: int) -> tuple[int, int]:
    """Return the interval of a number."""
    if isinstance(value, SymInt):
        return value.low, value.high
    return value, value


def bit_field(value: SymInt, low: int, size: int) -> int:
    """Return `value >> low & (1 << size) - 1` of a non-negative number, in one step."""
    number = concrete_int(value) >> low & (1 << size) - 1
    if value.high >> low == 0:
        return number
    width = min(size, value.term.width - low)
    return make_int(number, terms.extract(value.term, low + width - 1, low), 0, min(value.high >> low, (1 << size) - 1))


def narrow_interval(value: int, low: int, high: int) -> int:
    """Return the number with the part of its interval between `low` and `high`, which the path has decided."""
    if not isinstance(value, SymInt):
        return value
    return make_int(concrete_int(value), value.term, max(low, value.low), min(high, value.high))


def concretise_int(value: int, construct: str) -> int:
    """Return the concrete number: enumerated by forks if few are possible, otherwise pinned and reported."""
    number = concrete_int(value)
    if isinstance(value, SymInt):
        if value.high - value.low < MAX_FORKS:
            return fork_on_value(value, value.low, value.high)
        concretise_term(value.term, number & ((1 << value.term.width) - 1), construct)
    return number


def fork_or_concretise(value: int, construct: str, least: int | None = None) -> int:
    """Return the concrete number: enumerated by forks if its interval is small, otherwise pinned and reported.

    With `least`, all smaller numbers are returned as `least`, without further forks.
    """
    if not isinstance(value, SymInt):
        return value
    if least is not None and value.low < least:
        if value <= least:
            return least
        value = narrow_interval(value, least + 1, value.high)
        if not isinstance(value, SymInt):
            return value
    if value.high - value.low >= MAX_ENUMERATED:
        return concretise_int(value, construct)
    return fork_on_value(value, value.low, value.high)


def fork_on_value(value: int, low: int, high: int) -> int:
    """Return the concrete number, which is between two bounds on this path, by forks of a binary search."""
    if not isinstance(value, SymInt):
        return value
    low, high = max(low, value.low), min(high, value.high)
    while low < high:
        middle = (low + high) // 2
        if is_less(middle, value):
            low = middle + 1
        else:
            high = middle
    return low


def concrete_index(index: int, length: int, what: str) -> int:
    """Return a symbolic index of a sequence as a concrete, non-negative one; raises IndexError as Python does."""
    if index < -length or index >= length:
        raise IndexError(f"{what} index out of range")
    found = fork_on_value(index, -length, length - 1)
    return found + length if found < 0 else found


def concrete_slice(given: slice, length: int) -> slice:
    """Return a slice with concrete bounds that selects the same elements of a sequence of this length."""
    step = given.step if given.step is None else fork_or_concretise(given.step, "step of a slice")
    return slice(_bound(given.start, length), _bound(given.stop, length), step)


def _bound(index: Any, length: int) -> Any:
    if not isinstance(index, SymInt):
        return index
    if index < -length:
        return -length - 1
    return length if index >= length else fork_on_value(index, -length, length - 1)


def common_width(left: int, right: int) -> int:
    """Return a width at which both numbers can be compared."""
    ends = (*bounds(left), *bounds(right))
    return bits_needed(min(ends), max(ends))


def _equal(left: SymInt, right: int) -> bool:
    low, high = bounds(right)
    taken = concrete_int(left) == concrete_int(right)
    if high < left.low or left.high < low:
        return decided_without_fork(taken)
    width = common_width(left, right)
    return decide(combined(terms.eq, width, *number_form(left), *number_form(right)), taken)


def is_less(left: int, right: int) -> bool:
    """Return `left < right`, and fork unless the intervals decide it."""
    (a_low, a_high), (b_low, b_high) = bounds(left), bounds(right)
    taken = concrete_int(left) < concrete_int(right)
    if a_high < b_low or a_low >= b_high:
        return decided_without_fork(taken)
    width = common_width(left, right)
    compare = terms.slt if min(a_low, b_low) < 0 else terms.ult
    return decide(combined(compare, width, *number_form(left), *number_form(right)), taken)


def _arithmetic(left: Any, right: Any, sign: str, operation: Callable[[int, int], Any]) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return operation(left, right)
    if sign in "+-*/" and (type(left) in _FLOATS or type(right) in _FLOATS):
        from sdnloom.symbolic.values.sym_float import float_of_int  # the modules depend on each other

        return _FLOATING[sign](*(float_of_int(each) if isinstance(each, SymInt) else each for each in (left, right)))
    if isinstance(left, float | complex) or isinstance(right, float | complex):
        for value in (left, right):
            if isinstance(value, SymInt):
                concretise_int(value, f"{sign} with a float")
        return _FLOATING[sign](*(concrete_int(value) if isinstance(value, int) else value for value in (left, right)))
    return NotImplemented


_FLOATS = (float,)  # a symbolic one has operations of its own
_FLOATING: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "divmod": divmod,
    "**": lambda a, b: a**b,
}


def _make_result(
    value: int, low: int, high: int, operation: Callable[[Term, Term], Term], left: int, right: int
) -> int:
    ends = (low, high, *bounds(left), *bounds(right))
    width = bits_needed(min(ends), max(ends))
    return make_int(value, combined(operation, width, *number_form(left), *number_form(right)), low, high)


def _add(left: int, right: int) -> int:
    (a, b), (c, d) = bounds(left), bounds(right)
    return _make_result(concrete_int(left) + concrete_int(right), a + c, b + d, terms.add, left, right)


def _sub(left: int, right: int) -> int:
    (a, b), (c, d) = bounds(left), bounds(right)
    return _make_result(concrete_int(left) - concrete_int(right), a - d, b - c, terms.sub, left, right)


def _mul(left: int, right: int) -> int:
    corners = [x * y for x in bounds(left) for y in bounds(right)]
    return _make_result(concrete_int(left) * concrete_int(right), min(corners), max(corners), terms.mul, left, right)


def _and(left: int, right: int) -> int:
    (a, b), (c, d) = bounds(left), bounds(right)
    if a >= 0 or c >= 0:
        low, high = 0, min(end for start, end in ((a, b), (c, d)) if start >= 0)
    else:
        low, high = -1 << bits_needed(min(a, c), max(b, d)) - 1, max(b, d)
    return _make_result(concrete_int(left) & concrete_int(right), low, high, terms.bv_and, left, right)


def _or(left: int, right: int) -> int:
    return _make_result(concrete_int(left) | concrete_int(right), *_spread(left, right), terms.bv_or, left, right)


def _xor(left: int, right: int) -> int:
    return _make_result(concrete_int(left) ^ concrete_int(right), *_spread(left, right), terms.bv_xor, left, right)


def _spread(left: int, right: int) -> tuple[int, int]:
    ends = (*bounds(left), *bounds(right))
    width = bits_needed(min(ends), max(ends))
    return (0, (1 << width) - 1) if min(ends) >= 0 else (-1 << width - 1, (1 << width - 1) - 1)


def _lshift(left: int, right: int) -> int:
    if right < 0:
        _negative_shift()
    right = narrow_interval(right, 0, bounds(right)[1])
    if bounds(right)[1] > MAX_SHIFT and isinstance(right, SymInt):
        right = fork_or_concretise(right, "shift by a large amount")
    corners = [x << y for x in bounds(left) for y in bounds(right)]
    return _make_result(concrete_int(left) << concrete_int(right), min(corners), max(corners), terms.shl, left, right)


def _rshift(left: int, right: int) -> int:
    if right < 0:
        _negative_shift()
    right = narrow_interval(right, 0, bounds(right)[1])
    corners = [x >> y for x in bounds(left) for y in bounds(right)]
    operation = terms.ashr if bounds(left)[0] < 0 else terms.lshr
    return _make_result(concrete_int(left) >> concrete_int(right), min(corners), max(corners), operation, left, right)


def _negative_shift() -> NoReturn:
    raise ValueError("negative shift count")


def _floordiv(left: int, right: int) -> int:
    left, right = positive_divisor(left, right, "integer division or modulo by zero")
    if not isinstance(right, SymInt) and right & (right - 1) == 0:
        return _rshift(left, right.bit_length() - 1)
    (a, b), (c, d) = bounds(left), bounds(right)
    corners = [x // y for x in (a, b) for y in (c, d)]
    return _make_result(
        concrete_int(left) // concrete_int(right),
        min(corners),
        max(corners),
        _quotient if a < 0 else terms.udiv,
        left,
        right,
    )


def _truediv(left: int, right: int) -> float:
    from sdnloom.symbolic.values.sym_float import quotient  # the modules depend on each other

    return quotient(left, right)


def _mod(left: int, right: int) -> int:
    negated = right < 0
    left, right = positive_divisor(left, right, "integer modulo by zero")
    (a, b), d = bounds(left), bounds(right)[1]
    if not isinstance(right, SymInt) and right & (right - 1) == 0:
        found = _and(left, right - 1)
    elif a >= 0:
        found = _make_result(concrete_int(left) % concrete_int(right), 0, min(b, d - 1), terms.urem, left, right)
    else:
        found = _make_result(concrete_int(left) % concrete_int(right), 0, d - 1, _remainder, left, right)
    return _sub(0, found) if negated else found


def positive_divisor(left: int, right: int, message: str) -> tuple[int, int]:
    """Return an equal fraction with a positive divisor; forks on the sign of the divisor."""
    if right == 0:
        raise ZeroDivisionError(message)
    if right < 0:
        left, right = _sub(0, left), _sub(0, right)
    return left, narrow_interval(right, 1, bounds(right)[1])


def _quotient(left: Term, right: Term) -> Term:
    """Return the floor of left / right for a positive right: for a negative left it is ~(~left / right)."""
    negative = terms.slt(left, const(0, left.width))
    return terms.ite(negative, terms.bv_not(terms.udiv(terms.bv_not(left), right)), terms.udiv(left, right))


def _remainder(left: Term, right: Term) -> Term:
    """Return left modulo a positive right: for a negative left it is right - 1 - (~left % right)."""
    negative = terms.slt(left, const(0, left.width))
    below = terms.sub(terms.sub(right, const(1, right.width)), terms.urem(terms.bv_not(left), right))
    return terms.ite(negative, below, terms.urem(left, right))


def _power(left: int, right: int, modulus: Any) -> Any:
    if modulus is not None:
        parts = [
            concretise_int(part, "pow with a modulus") if isinstance(part, int) else part
            for part in (left, right, modulus)
        ]
        return pow(*parts)
    if not isinstance(left, SymInt) and concrete_int(left) == 2 and right >= 0 and bounds(right)[1] <= MAX_SHIFT:
        return _lshift(1, right)
    exponent = fork_or_concretise(right, "exponent")
    if not 0 <= exponent <= MAX_EXPONENT:
        return concretise_int(left, "power") ** exponent
    found = 1
    for _ in range(exponent):
        found = _mul(found, left)
    return found
