"""Built-in functions and types called with symbolic arguments. `REPLACEMENTS` maps each to the function called instead.

Shims add theirs with `register_replacement`. A function that only passes its arguments on is in `PASS_THROUGH`; a sink,
such as print, gets concrete values, because nothing that the program does depends on its output.
"""

import builtins
import collections
import functools
import itertools
import math
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any, Final

from sdnloom.symbolic.operations.format import format_value, to_repr, to_str
from sdnloom.symbolic.operations.keys import make_dict, make_set, merge_into
from sdnloom.symbolic.values.fork import tick
from sdnloom.symbolic.values.hash_value import hashes_concretely
from sdnloom.symbolic.values.make import (
    SymByteArray,
    SymBytes,
    SymFloat,
    SymInt,
    SymSequence,
    SymStr,
    concrete,
    concretise_all,
    float_of_int,
    has_symbolic,
)
from sdnloom.symbolic.values.sym_bytes import bytes_of, bytes_of_hex, bytes_of_numbers, int_of_bytes
from sdnloom.symbolic.values.sym_int import fork_or_concretise
from sdnloom.symbolic.values.sym_str import chr_of, int_of_text, ord_of, text_of_int, units_of_text

Replacement = Callable[..., Any]

__all__ = ["PASS_THROUGH", "REPLACEMENTS", "SINKS", "SymRange", "register_replacement"]


class SymRange:
    """`range` with a symbolic bound: forks on whether there is a next number."""

    __class__ = property(lambda self: range)  # for the program; isinstance checks type() first

    def __init__(self, start: int, stop: int, step: int) -> None:
        self.start, self.stop, self.step = start, stop, step
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self._up = step > 0

    def __iter__(self) -> Iterator[int]:
        number = self.start
        while number < self.stop if self._up else number > self.stop:
            tick()
            yield number
            number = number + self.step

    def __len__(self) -> int:
        distance = self.stop - self.start if self._up else self.start - self.stop
        size = abs(self.step)
        return fork_or_concretise((distance + size - 1) // size, "length of a range", 0)

    def __bool__(self) -> bool:
        return bool(self.start < self.stop if self._up else self.start > self.stop)

    def __contains__(self, number: Any) -> bool:
        inside = self.start <= number < self.stop if self._up else self.stop < number <= self.start
        return bool(inside and (number - self.start) % self.step == 0)

    def __getitem__(self, index: Any) -> Any:
        return (
            range(self.start, self.start + len(self) * self.step, self.step)[index]
            if not has_symbolic(self.start)
            else [*self][index]
        )

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, range | SymRange) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def index(self, number: Any) -> int:
        """Return the index of a number; raises ValueError if it is not in the range."""
        return [*self].index(number)

    def count(self, number: Any) -> int:
        """Return 1 if a number is in the range, else 0."""
        return int(number in self)

    def __reversed__(self) -> Iterator[int]:
        return iter([*self][::-1])


def _range(*args: int) -> Any:
    start, stop = (0, args[0]) if len(args) == 1 else args[:2]
    return SymRange(start, stop, args[2] if len(args) > 2 else 1)


def _int(value: Any = 0, base: Any = None) -> int:
    if isinstance(value, SymInt):
        return value
    if isinstance(value, SymStr | SymBytes):
        return int_of_text(value, 10 if base is None else fork_or_concretise(base, "base of int"))
    if isinstance(value, SymByteArray):
        return _int(bytes_of(value), base)
    return int(value) if base is None else int(value, fork_or_concretise(base, "base of int"))


def _str(*args: Any, **kwargs: Any) -> str:
    if len(args) == 1 and not kwargs:
        return to_str(args[0])
    return bytes_of(args[0]).decode(*args[1:], **kwargs)


def _bytes(value: Any, *args: Any) -> bytes:
    if args:
        found: bytes = value.encode(*args)
        return found
    if isinstance(value, SymInt):
        return bytes(fork_or_concretise(value, "size of bytes"))
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes_of(value)
    if isinstance(value, str):
        raise TypeError("string argument without an encoding")
    if isinstance(value, int):
        return bytes(value)
    return bytes_of_numbers(value)


def _formatter(spec: str) -> Replacement:
    def replacement(number: Any) -> str:
        return text_of_int(number, spec)

    return replacement


def _type(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1:
        kind = type(args[0])
        return _KINDS.get(kind, kind)
    return type(*args, **kwargs)


_KINDS: Final[dict[type, type]] = {
    SymInt: int,
    SymFloat: float,
    SymStr: str,
    SymBytes: bytes,
    SymByteArray: bytearray,
    SymRange: range,
}


def _fromhex(text: Any) -> bytes:
    units = units_of_text(text)
    if ord(" ") in units or len(units) % 2:
        return bytes.fromhex(text.concretise("bytes.fromhex"))
    return bytes_of_hex(units, map(ord, concrete(text)))


def _dict(*args: Any, **kwargs: Any) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for other in args:
        merge_into(result, other)
    result.update(kwargs)
    return result


def _frozenset(elements: Any = ()) -> frozenset[Any]:
    return frozenset(make_set(elements))


def _with_concrete_name(function: Replacement) -> Replacement:
    """Return a function of attributes that concretises the name of the attribute."""

    def replacement(owner: Any, name: Any, *rest: Any) -> Any:
        concretise_all(name, f"{function.__name__} by a symbolic name")
        return function(owner, concrete(name), *rest)

    return replacement


def _float(value: Any = 0.0) -> float:
    if isinstance(value, SymInt):
        return float_of_int(value)
    if isinstance(value, SymFloat):
        return value
    return float(value.concretise("float()") if isinstance(value, SymSequence) else value)


def _fromkeys(keys: Any, value: Any = None) -> dict[Any, Any]:
    return make_dict((key, value) for key in keys)


def _hash(value: Any) -> int:
    return hash(concrete(value) if hashes_concretely() else value)


def _ascii(value: Any) -> str:
    concretise_all(value, "ascii()")
    return ascii(concrete(value))


def _enumerate(items: Any, start: Any = 0) -> Any:
    return (
        ((start + position, each) for position, each in enumerate(items))
        if isinstance(start, SymInt)
        else enumerate(items, start)
    )


def _bytearray(*args: Any, **kwargs: Any) -> bytearray:
    return SymByteArray(*args, **kwargs)


REPLACEMENTS: Final[dict[Any, Replacement]] = {
    int: _int,
    str: _str,
    bytes: _bytes,
    bytearray: _bytearray,
    float: _float,
    dict: _dict,
    set: make_set,
    frozenset: _frozenset,
    type: _type,
    range: _range,
    enumerate: _enumerate,
    ord: lambda text: ord_of(text) if isinstance(text, SymSequence) else ord(text),
    chr: lambda number: chr_of(number) if isinstance(number, SymInt) else chr(number),
    hex: _formatter("#x"),
    oct: _formatter("#o"),
    bin: _formatter("#b"),
    ascii: _ascii,
    hash: _hash,
    repr: to_repr,
    format: lambda value, spec="": format_value(value, None, concrete(spec)),
    getattr: _with_concrete_name(getattr),
    setattr: _with_concrete_name(setattr),
    hasattr: _with_concrete_name(hasattr),
    delattr: _with_concrete_name(delattr),
    int.from_bytes: lambda value, byteorder="big", *, signed=False: int_of_bytes(value, byteorder, signed=signed),
    bytes.fromhex: _fromhex,
    bytearray.fromhex: lambda text: SymByteArray(_fromhex(text)),
    dict.fromkeys: _fromkeys,
    operator.index: lambda value: value,
    memoryview: lambda value: (
        memoryview(value.concretise("memoryview")) if isinstance(value, SymSequence) else memoryview(value)
    ),
}
SINKS: Final[set[Any]] = {print}
PASS_THROUGH: Final[set[Any]] = {
    isinstance, issubclass, len, iter, next, id, callable, all, any, abs, round, bool, list, tuple, zip, map,
    filter, reversed, slice, super, object, property, staticmethod, classmethod, vars, dir,
    builtins.__build_class__, functools.reduce, functools.partial, collections.deque, itertools.chain,
    itertools.islice, itertools.zip_longest, itertools.product, itertools.repeat, itertools.cycle,
    itertools.takewhile, itertools.dropwhile, itertools.accumulate, itertools.groupby, itertools.starmap,
    itertools.combinations, itertools.permutations, itertools.compress, itertools.filterfalse, itertools.pairwise,
    itertools.tee, math.floor, math.ceil, math.trunc, operator.not_, operator.truth, operator.neg,
    operator.attrgetter, types.SimpleNamespace,
}  # fmt: skip

# Functions with counts as arguments -> the index of the first; functions that call a function -> its index.
COUNT_ARGUMENTS: Final[dict[Any, int]] = {
    itertools.islice: 1, itertools.repeat: 1, itertools.combinations: 1, itertools.permutations: 1,
    itertools.product: 9, itertools.tee: 1, collections.deque: 1,
}  # fmt: skip
FUNCTION_ARGUMENT: Final[dict[Any, int]] = {
    map: 0, filter: 0, functools.reduce: 0, itertools.takewhile: 0, itertools.dropwhile: 0, itertools.filterfalse: 0,
    itertools.starmap: 0, itertools.accumulate: 1, itertools.groupby: 1,
}  # fmt: skip
COMPARING: Final[set[Any]] = {sorted, min, max}  # they compare their arguments, or results of a `key` function


def register_replacement(function: Any, replacement: Replacement) -> None:
    """Call the replacement instead of a function if an argument is symbolic."""
    REPLACEMENTS[function] = replacement
