"""Values of actor programs as they are stored: immutable, hashable, with symbols for what may be renamed.

`freeze` turns what a program handles into what is stored, `thaw` turns it back. Stored values are equal exactly if a
program cannot tell them apart: `True` and `1` are different stored values.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property
from inspect import getattr_static
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Any, TypeAlias
from uuid import UUID

from sdnloom.engine.stable_text import stable_text
from sdnloom.errors import SdnloomError

Stored: TypeAlias = Any  # None, int, str, bytes, tuple, frozenset, and the classes below

_BY_TEXT = {  # classes whose values are made from their texts
    *(float, complex, Decimal, Fraction, UUID),
    *(IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network),
}


class MutableValueError(SdnloomError):
    """A message, or the value of a field, that can change after it was sent or stored."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One facet (name, port, address, packet) of one of several individuals that may be renamed into each other.

    An index of None stands for any individual of the group; only task summaries have it.
    """

    group: int
    facet: str
    index: int | None


@dataclass(frozen=True, slots=True)
class Future:
    """The result, not known yet, of a task. States number their futures; -n is the one of the n-th send of a step."""

    number: int


@dataclass(frozen=True, slots=True)
class Done:
    """The known result of a task, in the place of its future."""

    value: Stored


@dataclass(frozen=True, slots=True)
class Reference:
    """An actor, by name."""

    actor: Stored


@dataclass(frozen=True, slots=True)
class Frozen:
    """A value of some class: a bool, a float, an enum member, a frozen dataclass or a named tuple."""

    kind: type
    parts: tuple[Stored, ...]


class TaggedInt(int):
    """A number that belongs to an actor: its port, an address. `facet` says which of its numbers it is."""

    owner: str
    facet: str


class TaggedStr(str):
    """A text that belongs to an actor: its name, the name of its packet."""

    owner: str
    facet: str


def tag(value: Any, owner: str, facet: str) -> Any:
    """The number or text, marked as a facet of an actor, so that actors that differ in it alone can be renamed."""
    tagged = TaggedInt(value) if isinstance(value, int) else TaggedStr(value)
    tagged.owner, tagged.facet = owner, facet
    return tagged


def freeze(value: Any, special: Callable[[Any], Stored | None]) -> Stored:
    """The stored form of a value. `special` is asked first about values that are not plain data; None is no answer.

    Raises MutableValueError for a list, a dict, a set or any other object that can change.
    """
    kind = type(value)
    if value is None or kind in (int, str, bytes):
        return value
    if kind is tuple:
        return tuple([freeze(each, special) for each in value])
    found = special(value)
    if found is not None:
        return found
    if kind is frozenset:
        return frozenset([freeze(each, special) for each in value])
    if kind is bool or kind in _BY_TEXT:
        return Frozen(kind, (str(value),))
    if kind is range:
        return Frozen(kind, (value.start, value.stop, value.step))
    if isinstance(value, Enum):
        return Frozen(kind, (value.name,)) if value.name in kind.__members__ else Frozen(kind, (value.value,))
    if isinstance(value, TaggedInt):
        return int(value)
    if isinstance(value, TaggedStr):
        return str(value)
    if isinstance(value, tuple) and hasattr(kind, "_fields") and not getattr(value, "__dict__", None):
        return Frozen(kind, tuple([freeze(each, special) for each in value]))
    if is_dataclass(value) and not isinstance(value, type) and kind.__dataclass_params__.frozen:
        _refuse_more_attributes(value)
        return Frozen(kind, tuple([freeze(getattr(value, each.name), special) for each in fields(value)]))
    shown = repr(value)
    raise MutableValueError(
        f"{shown[:80]} is a {kind.__qualname__}; expected a value that cannot change: a number, a text, a tuple, a "
        "frozenset, an enum member, a frozen dataclass, an actor or a future"
    )


def _refuse_more_attributes(value: Any) -> None:
    """Raise MutableValueError for a dataclass with attributes that are no fields; those of cached properties may be."""
    known = {each.name for each in fields(value)}
    for name in getattr(value, "__dict__", {}):
        if name not in known and not isinstance(getattr_static(type(value), name, None), cached_property):
            raise MutableValueError(
                f"{repr(value)[:80]} has the attribute {name!r}, which is no field; expected fields only"
            )


def has_future(stored: Stored) -> bool:
    """Whether a future, known or not, is in a stored value."""
    match stored:
        case Future() | Done():
            return True
        case tuple() | frozenset():
            return any(map(has_future, stored))
        case Frozen():
            return any(map(has_future, stored.parts))
    return False


def thaw(stored: Stored, special: Callable[[Any], Any]) -> Any:
    """The value that a program sees. `special` turns symbols, futures and references into what programs handle."""
    kind = type(stored)
    if stored is None or kind in (int, str, bytes):
        return stored
    if kind is tuple:
        return tuple([thaw(each, special) for each in stored])
    if kind is frozenset:
        # The order in which a set iterates depends on that in which it was filled, so that has to be a fixed one.
        return frozenset(sorted([thaw(each, special) for each in stored], key=stable_text))
    if kind is not Frozen:
        return special(stored)
    made, parts = stored.kind, [thaw(each, special) for each in stored.parts]
    if made is bool:
        return parts[0] == "True"
    if made in _BY_TEXT:
        return made(parts[0])
    if made is range:
        return range(*parts)
    if issubclass(made, Enum):
        return made[parts[0]] if parts[0] in made.__members__ else made(parts[0])
    if issubclass(made, tuple):
        return tuple.__new__(made, parts)
    new = object.__new__(made)
    for each, part in zip(fields(made), parts, strict=True):
        object.__setattr__(new, each.name, part)
    return new


def substitute(stored: Stored, replacement: Callable[[Any], Stored]) -> Stored:
    """The stored value with every symbol and future replaced."""
    kind = type(stored)
    if stored is None or kind in (int, str, bytes):
        return stored
    if kind is tuple:
        return tuple([substitute(each, replacement) for each in stored])
    if kind is Symbol or kind is Future:
        return replacement(stored)
    if kind is Frozen:
        return Frozen(stored.kind, tuple([substitute(each, replacement) for each in stored.parts]))
    if kind is Reference:
        return Reference(substitute(stored.actor, replacement))
    if kind is Done:
        return Done(substitute(stored.value, replacement))
    if kind is frozenset:
        return frozenset([substitute(each, replacement) for each in stored])
    return stored.substituted(replacement)
