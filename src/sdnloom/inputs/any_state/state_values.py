"""States of a shape: their variables and constraints, and their values, symbolic or plain.

Every part of a shape has variables named after its place. Which option of a choice a state has, and how many entries a
table, is a number of its own: a run forks on it when the attribute is first used. So attributes that a handler does not
use cost no path. Law: every model of the constraints stands for one state of the shape, and every state of the shape
for a model.
"""

import collections
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol

from sdnloom.inputs.any_state.state_shapes import (
    ADDRESS_STYLES,
    AddressText,
    AnyKind,
    ByteString,
    FixedValue,
    OneOf,
    Parts,
    Sketch,
    TableShape,
    ValueShape,
    WholeNumber,
)
from sdnloom.symbolic.execution import Execution, Site
from sdnloom.symbolic.operations.keys import note_symbolic_key, store_value
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.values.hash_value import concrete_hashing
from sdnloom.symbolic.values.make import symbolic_bytes, symbolic_int, symbolic_text

_KINDS = {"MAC": "mac", "IPv4": "ipv4", "IPv6": "ipv6"}


@dataclass
class StateVariables:
    """The variables of a state, the constraints on them, and the values with which a search begins."""

    variables: dict[str, Term] = field(default_factory=dict)
    constraints: list[Term] = field(default_factory=list)
    initial: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, bits: int, kind: str = "dec", first: int = 0) -> Term:
        """Add a variable."""
        self.initial[name] = first
        return self.variables.setdefault(name, terms.var(name, bits, kind))

    def add_choice(self, name: str, count: int, first: int = 0) -> None:
        """Add a variable with values from 0, so many."""
        if count > 1:
            bits = (count - 1).bit_length()
            term = self.add(name, bits, "dec", first)
            if count < 1 << bits:
                self.constraints.append(terms.ule(term, const(count - 1, bits)))

    def is_choice(self, name: str, count: int, value: int) -> Term:
        """The condition that a choice has this value."""
        if count <= 1:
            return terms.TRUE
        term = self.variables[name]
        return terms.eq(term, const(value, term.width))

    def add_shape(self, shape: ValueShape, name: str, number: int = 0) -> None:
        """Add the variables of a value; `number` makes the first values of alike places different."""
        match shape:
            case OneOf():
                self.add_choice(name, len(shape.values), number % len(shape.values))
            case WholeNumber():
                self._add_ranges(shape.ranges, name, shape.bits, "dec", shape.base, _pick(shape.met, number))
            case AddressText():
                bits, kind = ADDRESS_STYLES[shape.style][1], _KINDS[shape.style]
                self._add_ranges(shape.ranges, name, bits, kind, 0, _pick(shape.met, number))
            case ByteString():
                first = int.from_bytes(_pick(shape.met, number), "big")
                self.add(name, 8 * shape.size, "hex", first)
            case Parts():
                for part, inner in shape.parts:
                    self.add_shape(inner, f"{name}.{part}", number)
            case AnyKind():
                self.add_choice(f"{name} kind", len(shape.options))
                for place, option in enumerate(shape.options):
                    self.add_shape(option, f"{name} as {place}", number)
            case TableShape():
                self._add_table(shape, name)
            case FixedValue():
                raise AssertionError("a fixed value has no variables")

    def _add_ranges(
        self, ranges: tuple[tuple[int, int], ...], name: str, bits: int, kind: str, base: int, first: int
    ) -> None:
        term = self.add(name, bits, kind, min(max(first - base, 0), (1 << bits) - 1))
        if ranges and ranges != ((base, base + (1 << bits) - 1),):
            limits = [terms.between(term, low - base, high - base) for low, high in ranges]
            self.constraints.append(terms.any_(*limits))

    def _add_table(self, shape: TableShape, name: str) -> None:
        self.add_choice(f"{name} size", shape.most + 1, min(1, shape.most))
        for place in range(shape.most):
            if shape.keys is not None:
                self.add_shape(shape.keys, f"{name} key {place}", place)
            if shape.values is not None:
                self.add_shape(shape.values, f"{name} value {place}", place)
        if shape.keys is not None:
            for one, other in combinations(range(shape.most), 2):
                small = [self.is_choice(f"{name} size", shape.most + 1, size) for size in range(other + 1)]
                self.constraints.append(
                    terms.any_(*small, self._differ(shape.keys, f"{name} key {one}", f"{name} key {other}"))
                )

    def _differ(self, shape: ValueShape, one: str, other: str) -> Term:
        """The condition that two values of a shape differ."""
        match shape:
            case OneOf(values) if len(values) == 1:
                return terms.FALSE
            case Parts():
                return terms.any_(*(self._differ(part, f"{one}.{at}", f"{other}.{at}") for at, part in shape.parts))
            case AnyKind():
                count = len(shape.options)
                alike = [
                    terms.all_(
                        self.is_choice(f"{one} kind", count, place),
                        self._differ(option, f"{one} as {place}", f"{other} as {place}"),
                    )
                    for place, option in enumerate(shape.options)
                ]
                kinds = terms.ne(self.variables[f"{one} kind"], self.variables[f"{other} kind"])
                return terms.any_(kinds, *alike)
            case TableShape() | FixedValue():  # no key of a table
                return terms.FALSE
        return terms.ne(self.variables[one], self.variables[other])


def _pick(met: tuple[Any, ...], number: int) -> Any:
    """The value of that number among those met; further numbers after the last one are new."""
    last = met[-1]
    return met[number] if number < len(met) else last + number if isinstance(last, int) else last


class ValueSource(Protocol):
    """Gives the values of variables in one state."""

    def choice(self, name: str, count: int) -> int:
        """The option that a choice has."""

    def number(self, name: str) -> int:
        """The value of a variable."""

    def text(self, name: str, style: str) -> str:
        """An address as text."""

    def octets(self, name: str, size: int) -> bytes:
        """Bytes of this length."""


class PlainValues:
    """Values without terms."""

    def __init__(self, model: Mapping[str, int]) -> None:
        self._model = model

    def choice(self, name: str, count: int) -> int:
        """The option that a choice has."""
        return self._model[name] if count > 1 else 0

    def number(self, name: str) -> int:
        """The value of a variable."""
        return self._model[name]

    def text(self, name: str, style: str) -> str:
        """An address as text."""
        return ADDRESS_STYLES[style][0].render(self._model[name])

    def octets(self, name: str, size: int) -> bytes:
        """Bytes of this length."""
        return self._model[name].to_bytes(size, "big")


class SymbolicValues(PlainValues):
    """Values with the terms of their variables, for one run; a choice is a fork."""

    def __init__(self, execution: Execution, variables: Mapping[str, Term]) -> None:
        super().__init__(execution.model)
        self._execution, self._variables = execution, variables

    def choice(self, name: str, count: int) -> int:
        """The option that a choice has; the others are other paths."""
        chosen = super().choice(name, count)
        if count > 1:
            execution = self._execution
            before, execution.ignores = execution.ignores, None  # the state is no part of a library
            try:
                execution.pin(self._variables[name], chosen, Site("the state", 0, name))
            finally:
                execution.ignores = before
        return chosen

    def number(self, name: str) -> int:
        """The value of a variable, with its term."""
        return symbolic_int(super().number(name), self._variables[name])

    def text(self, name: str, style: str) -> str:
        """An address as text, with its term."""
        return symbolic_text(super().text(name, style), self._variables[name], ADDRESS_STYLES[style][0])

    def octets(self, name: str, size: int) -> bytes:
        """Bytes of this length, with their term."""
        return symbolic_bytes(super().octets(name, size), self._variables[name])


def make_value(shape: ValueShape, name: str, values: ValueSource, names: Mapping[str, Any], live: Any = None) -> Any:
    """A value of a shape. `names` are the global names that classes are found under.

    A container `live` of the right kind is filled instead of a new one, because others may refer to it.
    """
    match shape:
        case OneOf():
            return _constant(shape.values[values.choice(name, len(shape.values))], names)
        case WholeNumber():
            number = values.number(name)
            return number + shape.base if shape.base else number
        case AddressText():
            return values.text(name, shape.style)
        case ByteString():
            return values.octets(name, shape.size)
        case Parts():
            return _record(
                shape, {part: make_value(each, f"{name}.{part}", values, names) for part, each in shape.parts}, names
            )
        case AnyKind():
            chosen = values.choice(f"{name} kind", len(shape.options))
            return make_value(shape.options[chosen], f"{name} as {chosen}", values, names, live)
        case TableShape():
            return _filled(shape, name, values, names, live)
        case FixedValue():
            raise AssertionError("a fixed value stays as it is")


def _constant(chosen: Sketch, names: Mapping[str, Any]) -> Any:
    if chosen.kind == "enum":
        kind, member = chosen.of
        return names[kind][member]
    return chosen.of


def _record(shape: Parts, parts: Mapping[str, Any], names: Mapping[str, Any]) -> Any:
    if shape.kind == "tuple":
        return tuple.__new__(names[shape.of] if shape.of else tuple, parts.values())
    made = object.__new__(names[shape.of])
    vars(made).update(parts)
    return made


def _filled(shape: TableShape, name: str, values: ValueSource, names: Mapping[str, Any], live: Any) -> Any:
    """A container of the shape with as many entries as the state has."""
    size = values.choice(f"{name} size", shape.most + 1)
    keys = [make_value(shape.keys, f"{name} key {place}", values, names) for place in range(size) if shape.keys]
    rows = [make_value(shape.values, f"{name} value {place}", values, names) for place in range(size) if shape.values]
    kind = shape.of if shape.kind == "set" else shape.of[0]
    if kind is frozenset:
        with concrete_hashing():
            found = frozenset(keys)
        for key in keys:
            note_symbolic_key(key)
        return found
    target = live if type(live) is kind else _empty(shape, kind)
    kind.clear(target)
    if shape.kind == "sequence":
        target.extend(rows)
    elif shape.kind == "set":
        for key in keys:
            with concrete_hashing():
                target.add(key)
            note_symbolic_key(key)
    else:
        for key, each in zip(keys, rows, strict=True):
            store_value(target, key, each)
    return target


def _empty(shape: TableShape, kind: Any) -> Any:
    if kind is collections.defaultdict:
        return collections.defaultdict(shape.of[1])
    return collections.deque(maxlen=shape.of[1]) if kind is collections.deque else kind()


@contextmanager
def lazy_attributes(holder: Any, pending: dict[str, Callable[[], None]]) -> Iterator[None]:
    """Context in which each of these functions is called before the attribute of that name is first read.

    An attribute that is written first is not made. While it lasts, the object has a subclass of its class; where no
    subclass can be made, all functions are called at once.
    """
    kind: Any = type(holder)

    def made(self: Any, name: str) -> Any:
        if self is holder and pending:
            if name == "__dict__":
                for each in list(pending):
                    pending.pop(each)()
            elif name in pending:
                pending.pop(name)()
        if name == "__class__":
            return kind
        return kind.__getattribute__(self, name)

    def written(self: Any, name: str, value: Any) -> None:
        if self is holder:
            pending.pop(name, None)
        kind.__setattr__(self, name, value)

    def deleted(self: Any, name: str) -> None:
        if self is holder and name in pending:
            pending.pop(name)()
        kind.__delattr__(self, name)

    body = {
        "__slots__": (),
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__getattribute__": made,
        "__setattr__": written,
        "__delattr__": deleted,
    }
    try:
        object.__setattr__(holder, "__class__", type(kind)(kind.__name__, (kind,), body))
    except Exception:  # code of the program decides about its subclasses
        for each in list(pending):
            pending.pop(each)()
        yield
        return
    try:
        yield
    finally:
        object.__setattr__(holder, "__class__", kind)
