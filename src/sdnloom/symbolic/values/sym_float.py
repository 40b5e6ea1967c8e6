"""SymFloat: a Python float that is a monotone function of the quotient of two ints, at least one of them symbolic.

Rates and shares are such: `(new - old) * 8 / period`, then some operations with plain numbers. Rounding is monotone, so
a comparison with a plain number is true from one quotient on, or up to one. It is found by bisection, on floats as
Python computes them, and becomes a condition on the two ints.

Laws: the float equals `shape(top / bottom)`, and `bottom` is positive on this path. `shape` is monotone and finite
between `low` and `high`, the smallest and the largest quotient. Everything else, such as the sum of two such floats or
the integer part of one, concretises the ints.
"""

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sdnloom.symbolic.values.fork import decided_without_fork
from sdnloom.symbolic.values.sym_int import (
    SymInt,
    bounds,
    concrete_int,
    concretise_int,
    is_less,
    narrow_interval,
    positive_divisor,
)

Shape = Callable[[float], float]
_SHORT = 1_000_000  # denominators of conditions that people read


class SymFloat(float):
    """A float with `top`, `bottom`, `shape`, `low` and `high`; made by `quotient`."""

    __class__ = property(lambda self: float)  # for the program; isinstance checks type() first
    top: int
    bottom: int
    shape: Shape
    low: float
    high: float

    def concretise(self, construct: str) -> float:
        """Return the concrete number, because of the construct."""
        concretise_int(self.top, construct)
        concretise_int(self.bottom, construct)
        return concrete_float(self)

    # Comparisons fork and return plain truth values.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | float):
            return NotImplemented
        given = _plain(other, "comparison of two floats")
        return not math.isnan(given) and self._is(lambda value: value >= given) and self._is(lambda v: v <= given)

    def __ne__(self, other: object) -> bool:
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, lambda value, given: value < given)

    def __le__(self, other: Any) -> bool:
        return self._compared(other, lambda value, given: value <= given)

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, lambda value, given: value > given)

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, lambda value, given: value >= given)

    def __bool__(self) -> bool:
        return self != 0

    def __hash__(self) -> int:
        from sdnloom.symbolic.values.hash_value import hash_of  # the modules depend on each other

        return hash_of(self)

    def _compared(self, other: Any, compare: Callable[[float, Any], bool]) -> bool:
        if not isinstance(other, int | float):
            return NotImplemented  # type: ignore[no-any-return]
        given = _plain(other, "comparison of two floats")
        return self._is(lambda value: compare(value, given))

    def _is(self, holds: Callable[[float], bool]) -> bool:
        """Fork on a predicate that changes at most once from the smallest to the largest value."""
        first, last = holds(self.shape(self.low)), holds(self.shape(self.high))
        if first == last:
            return decided_without_fork(first)
        return last if self._quotient_from(*self._border(holds, last)) else first

    def _border(self, holds: Callable[[float], bool], last: bool) -> tuple[float, float]:
        """Return two neighbouring quotients between which a predicate becomes `last`."""
        below, above = _key(self.low), _key(self.high)
        while above - below > 1:
            middle = (below + above) // 2
            if holds(self.shape(_float_of(middle))) == last:
                above = middle
            else:
                below = middle
        return _float_of(below), _float_of(above)

    def _quotient_from(self, before: float, start: float) -> bool:
        """Fork on whether the quotient, rounded to a float, is at least `start`; `before` is the float below it."""
        if not isinstance(self.bottom, SymInt):
            return not is_less(self.top, _least_top(before, start, self.bottom))
        border, included = _rounding(before, start)
        if abs(border) * bounds(self.bottom)[1] < 1:  # nearer to 0 than every other quotient
            return not is_less(self.top, 1 if border > 0 or (border == 0 and not included) else 0)
        if not isinstance(self.top, SymInt):
            return self._bottom_fits(Fraction(self.top) / border, included)
        border, included = _simplest(border, included, bounds(self.bottom)[1])
        left, right = self.top * border.denominator, self.bottom * border.numerator
        return not is_less(left, right) if included else is_less(right, left)

    def _bottom_fits(self, limit: Fraction, included: bool) -> bool:
        """Fork on whether the bottom keeps to its limit: at most, or for a negative top at least."""
        if self.top > 0:
            return not is_less(math.floor(limit) if included else math.ceil(limit) - 1, self.bottom)
        return not is_less(self.bottom, math.ceil(limit) if included else math.floor(limit) + 1)

    # Arithmetic with plain numbers.

    def __add__(self, other: Any) -> Any:
        return self._then(other, "+", lambda value, given: value + given)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._then(other, "-", lambda value, given: value - given)

    def __rsub__(self, other: Any) -> Any:
        return self._then(other, "-", lambda value, given: given - value)

    def __mul__(self, other: Any) -> Any:
        return self._then(other, "*", lambda value, given: value * given)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._then(other, "/", lambda value, given: value / given)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        if self == 0:
            raise ZeroDivisionError("float division by zero")
        part = self._part(lambda value: value > 0) if self > 0 else self._part(lambda value: value < 0)
        return part._then(other, "of", lambda value, given: given / value)

    def _part(self, holds: Callable[[float], bool]) -> "SymFloat":
        """Return the float with the part of its range in which a predicate holds, as it does on this path."""
        first, last = holds(self.shape(self.low)), holds(self.shape(self.high))
        if first == last or isinstance(self.bottom, SymInt):
            return self
        least = _least_top(*self._border(holds, last), self.bottom)
        low, high = (least, bounds(self.top)[1]) if last else (bounds(self.top)[0], least - 1)
        top = narrow_interval(self.top, low, high)
        found = _made(top, self.bottom, self.shape, low / self.bottom, high / self.bottom)
        assert isinstance(found, SymFloat)
        return found

    def __floordiv__(self, other: Any) -> Any:
        return self._concretised(other, "//", lambda value, given: value // given)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._concretised(other, "//", lambda value, given: given // value)

    def __mod__(self, other: Any) -> Any:
        return self._concretised(other, "%", lambda value, given: value % given)

    def __rmod__(self, other: Any) -> Any:
        return self._concretised(other, "%", lambda value, given: given % value)

    def __divmod__(self, other: Any) -> Any:
        return self._concretised(other, "divmod", divmod)

    def __rdivmod__(self, other: Any) -> Any:
        return self._concretised(other, "divmod", lambda value, given: divmod(given, value))

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        return self._concretised(other, "**", lambda value, given: pow(value, given, modulus))

    def __rpow__(self, other: Any, modulus: None = None) -> Any:
        return self._concretised(other, "**", lambda value, given: pow(given, value, modulus))

    def __neg__(self) -> float:
        return self._shaped(lambda value: -value, "-")

    def __pos__(self) -> float:
        return self

    def __abs__(self) -> float:
        return -self if self < 0 else self

    def _then(self, other: Any, sign: str, operation: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        given = _plain(other, f"{sign} of two floats")
        if sign == "/" and not given:
            return operation(concrete_float(self), given)  # raises whatever the quotient is
        if not math.isfinite(given) or (not given and sign == "*"):
            return operation(self.concretise(f"{sign} with {given}"), given)
        return self._shaped(lambda value: operation(value, given), sign)

    def _concretised(self, other: Any, sign: str, operation: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        return operation(self.concretise(f"{sign} with a float"), _plain(other, f"{sign} with a float"))

    def _shaped(self, step: Shape, sign: str) -> float:
        """Return the result of one more monotone step."""
        before = self.shape
        found = _made(self.top, self.bottom, lambda value: step(before(value)), self.low, self.high)
        return step(self.concretise(f"{sign} of a large float")) if found is None else found

    # Conversions. Those for which C needs a plain value concretise it.

    def __round__(self, digits: Any = None) -> Any:
        if digits is None or type(digits) is not int:
            return round(self.concretise("round()"), digits)
        return self._shaped(lambda value: round(value, digits), "round()")

    def __int__(self) -> int:
        return int(self.concretise("int() of a float"))

    def __float__(self) -> float:
        return self.concretise("float() in code that is not rewritten")

    def __trunc__(self) -> int:
        return math.trunc(self.concretise("trunc() of a float"))

    def __floor__(self) -> int:
        return math.floor(self.concretise("floor() of a float"))

    def __ceil__(self) -> int:
        return math.ceil(self.concretise("ceil() of a float"))

    def is_integer(self) -> bool:
        return self.concretise("is_integer()").is_integer()

    def as_integer_ratio(self) -> tuple[int, int]:
        return self.concretise("as_integer_ratio()").as_integer_ratio()

    def hex(self) -> str:
        return self.concretise("hex()").hex()

    @property
    def real(self) -> float:
        return self

    def conjugate(self) -> float:
        return self

    def __repr__(self) -> str:
        return repr(self.concretise("text of a float"))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.concretise("text of a float"), spec)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return float, (self.concretise("copy or pickle"),)

    def __copy__(self) -> "SymFloat":
        return self

    def __deepcopy__(self, memo: object) -> "SymFloat":
        return self


def concrete_float(value: float) -> float:
    """Return the number without its ints."""
    return -float.__neg__(value)


def quotient(left: int, right: int) -> float:
    """Return `left / right`; forks on the sign of a symbolic right one."""
    top, bottom = positive_divisor(left, right, "division by zero")
    if not isinstance(top, SymInt) and not isinstance(bottom, SymInt):
        return top / bottom
    try:
        ends = [x / y for x in bounds(top) for y in bounds(bottom)]
    except OverflowError:
        return concretise_int(left, "true division") / concretise_int(right, "true division")
    found = _made(top, bottom, lambda value: value, min(ends), max(ends))
    assert found is not None
    return found


def float_of_int(value: int) -> float:
    """Return `float(value)` of a symbolic int."""
    return quotient(value, 1)


def _rounding(before: float, start: float) -> tuple[Fraction, bool]:
    """Return the number from which on quotients are rounded to `start` and not to `before`, and whether it is too."""
    border = (Fraction(before) + Fraction(start)) / 2
    return border, border.numerator / border.denominator == start


def _simplest(border: Fraction, included: bool, most: int) -> tuple[Fraction, bool]:
    """Return a border with short numbers that separates the same quotients with a bottom of at most `most`.

    Two different fractions are at least 1 / (product of their denominators) apart.
    """
    found = border.limit_denominator(_SHORT)
    if found == border or abs(found - border) * found.denominator * most >= 1:
        return border, included
    return found, found > border


def _least_top(before: float, start: float, bottom: int) -> int:
    """Return the least int whose quotient by a plain one is rounded to `start` or more."""
    border, included = _rounding(before, start)
    exact = border * bottom
    return math.ceil(exact) if included else math.floor(exact) + 1


def _made(top: int, bottom: int, shape: Shape, low: float, high: float) -> float | None:
    """Return the float; None if it is not finite everywhere."""
    try:
        if not math.isfinite(shape(low)) or not math.isfinite(shape(high)):
            return None
        value = shape(concrete_int(top) / concrete_int(bottom))
    except (OverflowError, ZeroDivisionError):
        return None
    symbolic = float.__new__(SymFloat, value)
    symbolic.top, symbolic.bottom, symbolic.shape, symbolic.low, symbolic.high = top, bottom, shape, low, high
    return symbolic


def _plain(value: int | float, construct: str) -> int | float:
    """Return a number without its term; a symbolic one is concretised."""
    if isinstance(value, SymFloat):
        return value.concretise(construct)
    return concretise_int(value, construct) if isinstance(value, SymInt) else value


def _key(value: float) -> int:
    """Return the position of a float in the order of all floats; both zeros have the same."""
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return int(bits) if bits >= 0 else -(int(bits) & 0x7FFF_FFFF_FFFF_FFFF)


def _float_of(key: int) -> float:
    (value,) = struct.unpack("<d", struct.pack("<q", abs(key)))
    return float(value) if key >= 0 else -float(value)
