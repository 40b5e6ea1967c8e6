"""Truth values that are combined before anything is decided, so that a condition of many parts is one branch.

A comparison of symbolic numbers forks at once. Code that wants one fork for a whole predicate compares with `equal`,
combines with `all_of`, `any_of` and `negated`, chooses numbers with `select`, and at last calls `holds`. Law: a truth
has the value that its term has in this run.
"""

from typing import NamedTuple

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term
from sdnloom.symbolic.terms.memo import remembered
from sdnloom.symbolic.values.fork import decide
from sdnloom.symbolic.values.sym_int import (
    bits_needed,
    bounds,
    combined,
    common_width,
    concrete_int,
    fit,
    make_int,
    number_form,
)

_all_terms, _any_term, _ite = remembered(terms.all_), remembered(terms.any_), remembered(terms.ite)


class Truth(NamedTuple):
    """A truth value of this run and its condition."""

    value: bool
    term: Term


ALWAYS = Truth(True, terms.TRUE)
NEVER = Truth(False, terms.FALSE)


def equal(left: int, right: int) -> Truth:
    """Return whether two numbers are equal."""
    (low, high), (other_low, other_high) = bounds(left), bounds(right)
    if high < other_low or other_high < low:
        return NEVER
    width = common_width(left, right)
    condition = combined(terms.eq, width, *number_form(left), *number_form(right))
    return Truth(concrete_int(left) == concrete_int(right), condition)


def below(left: int, right: int) -> Truth:
    """Return whether one number that is not negative is less than another one."""
    width = common_width(left, right)
    condition = combined(terms.ult, width, *number_form(left), *number_form(right))
    return Truth(concrete_int(left) < concrete_int(right), condition)


def all_of(*truths: Truth) -> Truth:
    """Return whether all of them hold."""
    return Truth(all(each.value for each in truths), _all_terms(*(each.term for each in truths)))


def any_of(*truths: Truth) -> Truth:
    """Return whether one of them holds."""
    return Truth(any(each.value for each in truths), _any_term(*(each.term for each in truths)))


def negated(truth: Truth) -> Truth:
    """Return whether it does not hold."""
    return Truth(not truth.value, terms.not_(truth.term))


def select(truth: Truth, then: int, otherwise: int) -> int:
    """Return one of two numbers that are not negative: the first one if the truth holds."""
    high = max(bounds(then)[1], bounds(otherwise)[1])
    width = bits_needed(0, high)
    term = _ite(truth.term, fit(then, width), fit(otherwise, width))
    return make_int(concrete_int(then if truth.value else otherwise), term, 0, high)


def holds(truth: Truth) -> bool:
    """Decide: fork on the condition, unless it is constant, and return its value."""
    return decide(truth.term, truth.value)
