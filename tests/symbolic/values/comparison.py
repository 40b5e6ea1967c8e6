"""Comparison of a rewritten program with its original, on every input of a small domain."""

import struct
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.result import Exploration
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.self_check import check_partition, enumerate_inputs
from sdnloom.symbolic.terms.constructors import const, ule, var
from sdnloom.symbolic.terms.evaluate import evaluate_term, signed
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.values.code_units import CodeUnit, Digit
from sdnloom.symbolic.values.make import (
    SymByteArray,
    SymBytes,
    SymInt,
    SymStr,
    concrete,
    symbolic_bytes,
    symbolic_int,
    symbolic_text,
)
from sdnloom.symbolic.values.number_styles import NumberStyle
from sdnloom.symbolic.values.sym_str import Chars, WrittenNumber


@dataclass(frozen=True)
class Number:
    """An argument between 0 and `high`."""

    high: int = 15
    add: int = 0

    def variable(self, name: str) -> Term:
        return var(name, max(1, self.high.bit_length()))

    def symbolic(self, term: Term, value: int) -> Any:
        return symbolic_int(value, term) + self.add

    def plain(self, value: int) -> Any:
        return value + self.add


@dataclass(frozen=True)
class Octets:
    """An argument of bytes, the last of which is between 0 and `high`; the others are as given."""

    before: bytes = b""
    after: bytes = b""
    high: int = 255

    def variable(self, name: str) -> Term:
        return var(name, 8)

    def symbolic(self, term: Term, value: int) -> Any:
        return self.before + symbolic_bytes(bytes([value]), term) + self.after

    def plain(self, value: int) -> Any:
        return self.before + bytes([value]) + self.after


@dataclass(frozen=True)
class Letter:
    """A text with one character between 0 and `high`."""

    before: str = ""
    after: str = ""
    high: int = 127

    def variable(self, name: str) -> Term:
        return var(name, 8)

    def symbolic(self, term: Term, value: int) -> Any:
        return self.before + symbolic_text(chr(value), term) + self.after

    def plain(self, value: int) -> Any:
        return self.before + chr(value) + self.after


@dataclass(frozen=True)
class Address:
    """A text that writes a number between 0 and `high`, with the given bits above it."""

    style: NumberStyle
    width: int
    base: int = 0
    high: int = 15

    def variable(self, name: str) -> Term:
        return var(name, max(1, self.high.bit_length()))

    def symbolic(self, term: Term, value: int) -> Any:
        from sdnloom.symbolic.terms.constructors import concat

        whole = concat(const(self.base >> term.width, self.width - term.width), term)
        return symbolic_text(self.plain(value), whole, self.style)

    def plain(self, value: int) -> Any:
        return self.style.render(self.base | value)


Argument = Number | Octets | Letter | Address


def original(source: str) -> Callable[..., Any]:
    """Return the function `f` of a source as it is."""
    space: dict[str, Any] = {"__name__": "under_test"}
    exec(compile(textwrap.dedent(source), "under_test.py", "exec"), space)
    return space["f"]


def rewritten(source: str) -> Callable[..., Any]:
    """Return the function `f` of a source, rewritten."""
    return RewrittenModules(lambda name: False).run(textwrap.dedent(source), "under_test.py").f


def outcome(function: Callable[..., Any], args: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the result of a call, or the type of its exception."""
    try:
        return "gives", concrete(function(**args))
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, AssertionError, struct.error) as error:
        return "raises", type(error).__name__


def unit_at(unit: CodeUnit, model: Mapping[str, int]) -> int:
    if isinstance(unit, int):
        return unit
    return evaluate_term(unit.term if isinstance(unit, Digit) else unit, model)


def number_at(value: int, model: Mapping[str, int]) -> int:
    if not isinstance(value, SymInt):
        return value
    found = evaluate_term(value.term, model)
    return signed(found, value.term.width) if value.low < 0 else found


def value_at(value: Any, model: Mapping[str, int]) -> Any:
    """Return the value for another input of its class, computed from its terms."""
    if isinstance(value, SymInt):
        return number_at(value, model)
    if isinstance(value, SymBytes):
        return bytes(unit_at(unit, model) for unit in value.units())
    if isinstance(value, SymByteArray):
        return bytearray(unit_at(unit, model) for unit in value.symbolic_units())
    if isinstance(value, SymStr):
        return "".join(
            piece.style.render(number_at(piece.number, model)) if isinstance(piece, WrittenNumber)
            else "".join(chr(unit_at(unit, model)) for unit in piece.units) if isinstance(piece, Chars)
            else piece
            for piece in value.pieces
        )  # fmt: skip
    if type(value) in (list, tuple):
        return type(value)(value_at(each, model) for each in value)
    if type(value) in (set, frozenset):
        return type(value)(value_at(each, model) for each in list(value))
    if isinstance(value, dict):
        return {value_at(key, model): value_at(each, model) for key, each in value.items()}
    return value


def compare_with_original(source: str, **arguments: Argument) -> Exploration:
    """Explore the rewritten program and compare it with the original on every input, value by value.

    Fails unless no run diverges, the classes divide the inputs, and the terms of every output give the original's
    output on every input of the class.
    """
    plain, followed = original(source), rewritten(source)
    variables = [argument.variable(name) for name, argument in arguments.items()]
    domain = [ule(term, const(each.high, term.width)) for term, each in zip(variables, arguments.values(), strict=True)]

    def run(execution: Execution) -> Any:
        return followed(
            **{
                name: argument.symbolic(term, execution.value(name))
                for (name, argument), term in zip(arguments.items(), variables, strict=True)
            }
        )

    found = explore(run, variables, domain, options=ExplorationOptions(paths=5000, depth=2000))
    assert [str(each) for each in found.divergences] == []
    if not found.concretised:
        divided = check_partition(found, run)
        assert (divided.missed, divided.shared, divided.impure, divided.empty_classes) == ((), (), (), 0)
    for model in enumerate_inputs(variables, domain):
        args = {name: argument.plain(model[name]) for name, argument in arguments.items()}
        expected = outcome(plain, args)
        for each in found.classes:
            if all(evaluate_term(condition, model) for condition in each.condition):
                met = ("raises", each.exception.type) if each.exception else ("gives", value_at(each.output, model))
                assert met == expected, (model, met, expected)
    return found
