"""Values that may be symbolic, as output values: terms where they depend on inputs, plain values elsewhere."""

import sys
from collections.abc import Iterable

from sdnloom.crosscheck.output import OutputValue
from sdnloom.symbolic.execution import Site, current
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.values.code_units import concat_units, is_concrete
from sdnloom.symbolic.values.sym_bytes import concrete_bytes, units_of_bytes
from sdnloom.symbolic.values.sym_int import SymInt, concrete_int, fit, make_int


def as_term(number: int, bits: int) -> Term:
    """Return a number of so many bits as a term."""
    return fit(number, bits)


def plain_or_term(term: Term) -> int | Term:
    """Return the value of a constant, and any other term as it is."""
    if term.op == "const":
        value: int = term.args[0]
        return value
    return term


def as_output(number: int, bits: int) -> int | Term:
    """Return a number, or the term of a symbolic one in so many bits."""
    return plain_or_term(fit(number, bits)) if type(number) is SymInt else int(number)


def as_octets(data: bytes) -> bytes | Term:
    """Return bytes, or their term if one of them is symbolic."""
    units = units_of_bytes(data)
    if is_concrete(units):
        return concrete_bytes(data)
    term = concat_units(units)
    return term if term.op != "const" else concrete_bytes(data)


def settled(number: int) -> int:
    """Return the plain value of a number in this run; its other values are other paths."""
    if type(number) is not SymInt:
        return number
    value, execution = concrete_int(number), current()
    if execution is not None and not execution.decided(number.term, evaluate_term(number.term, execution.model)):
        frame = sys._getframe(1)
        site = Site(frame.f_code.co_filename, frame.f_lineno, "structure of a message that the agent sent")
        execution.pin(number.term, evaluate_term(number.term, execution.model), site)
    return value


def known_number(number: int, known: Iterable[int]) -> int | None:
    """Return the number if it is one of these, else None; a symbolic one forks once for each."""
    if type(number) is not SymInt:
        return number if number in known else None
    return next((each for each in known if number == each), None)


def comparable(value: OutputValue) -> int:
    """Return a number for a value, by which it is compared: of a term a symbolic one, which forks."""
    if isinstance(value, Term):
        execution = current()
        assert execution is not None, "a term outside of an execution"
        return make_int(evaluate_term(value, execution.model), value)
    if isinstance(value, str):
        value = value.encode("utf-8", "backslashreplace")
    return int.from_bytes(value, "big") if isinstance(value, bytes) else value
