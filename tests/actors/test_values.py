"""Stored values come back as they were, differ where programs see a difference, and cannot change."""

import datetime
import enum
import ipaddress
import math
import random
import uuid
from collections import namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import pytest

from sdnloom.actors.values import (
    Done,
    Frozen,
    Future,
    MutableValueError,
    Reference,
    Symbol,
    freeze,
    has_future,
    substitute,
    tag,
    thaw,
)


class Colour(enum.Enum):
    RED = 1
    CRIMSON = 1  # noqa: PIE796
    BLUE = "RED"


class Level(enum.IntEnum):
    LOW = 1


class Flags(enum.IntFlag):
    A = 1
    B = 2
    C = 4


class Pair(NamedTuple):
    one: Any
    other: Any = 0


class Named(namedtuple("Base", "x")):
    """A named tuple that can be given attributes."""


class Text(str):
    """A text that can be given attributes."""

    __slots__ = ()


@dataclass(frozen=True)
class Point:
    x: Any
    y: Any = 5
    hidden: Any = field(default=1, repr=False, compare=False)
    derived: Any = field(default=0, init=False)

    @cached_property
    def double(self) -> Any:
        return self.x * 2


@dataclass(frozen=True, slots=True)
class Slotted:
    x: Any


@dataclass(frozen=True)
class Child(Point):
    z: Any = 0


@dataclass
class Open:
    x: int


def nothing(value: Any) -> None:
    return None


def same(value: Any) -> Any:
    return value


def round_trip(value: Any) -> Any:
    return thaw(freeze(value, nothing), same)


VALUES = [
    *(None, 0, 1, -(2**70), True, False, 1.0, 0.0, -0.0, math.inf, 1e300, 2j, complex(-0.0, 1)),
    *("", "a", "'", b"", b"\x00", (), (1,), ((), ((),)), (1, (2, "x"), None)),
    *(frozenset(), frozenset({1, 2}), frozenset({(1, frozenset({"a"}))})),
    *(Colour.RED, Colour.BLUE, Level.LOW, Flags.A, Flags.A | Flags.C, Flags(0)),
    *(Pair(1), Pair((1, 2), Pair(3, 4)), Named(1), Point(1), Point((1, 2), Slotted(3)), Child(1, 2, 3), Slotted(None)),
    *(Decimal("1.0"), Decimal("1.00"), Fraction(1, 3), uuid.UUID(int=7), range(3), range(0, 9, 2)),
    *(ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address("::1"), ipaddress.ip_network("10.0.0.0/8")),
    ipaddress.ip_interface("10.0.0.1/8"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    again = round_trip(value)
    assert (type(again), repr(again)) == (type(value), repr(value))
    assert again == value
    assert freeze(again, nothing) == freeze(value, nothing)
    assert hash(freeze(again, nothing)) == hash(freeze(value, nothing))


def test_values_are_equal_when_stored_only_if_nothing_tells_them_apart() -> None:
    stored = [freeze(value, nothing) for value in VALUES]
    assert len(set(stored)) == len(VALUES)
    assert freeze(Colour.RED, nothing) == freeze(Colour.CRIMSON, nothing)


def test_not_a_number_is_stored_as_one_value() -> None:
    assert freeze((math.nan,), nothing) == freeze((float("nan"),), nothing)
    assert math.isnan(round_trip(math.nan))


def test_fields_of_dataclasses_that_do_not_compare_are_kept() -> None:
    made = Point(1, hidden=7)
    object.__setattr__(made, "derived", 9)
    again = round_trip(made)
    assert (again.hidden, again.derived) == (7, 9)
    assert freeze(Point(1, hidden=7), nothing) != freeze(Point(1, hidden=8), nothing)


def test_cached_properties_are_no_part_of_a_value() -> None:
    used = Point(4)
    assert used.double == 8
    assert freeze(used, nothing) == freeze(Point(4), nothing)
    assert round_trip(used).double == 8


def with_attribute(value: Any) -> Any:
    value.more = 1
    return value


def with_hidden_attribute(value: Any) -> Any:
    object.__setattr__(value, "more", 1)
    return value


@pytest.mark.parametrize(
    "value",
    [
        *([], {}, set(), bytearray(b""), [1], Open(1), object(), Text("a"), lambda: 1, int, iter(())),
        *(([],), frozenset({(1, Text("b"))}), Point([]), Slotted({}), Pair([]), Child(1, 2, hidden=[])),
        *(with_attribute(Named(1)), with_hidden_attribute(Point(1)), datetime.datetime(2026, 1, 1), Ellipsis),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_what_can_change_or_is_not_known_is_refused(value: Any) -> None:
    with pytest.raises(MutableValueError, match="expected"):
        freeze(value, nothing)


def random_value(rng: random.Random, depth: int = 0) -> Any:
    kinds = [lambda: rng.choice([*VALUES[:20], "x", 7]), lambda: rng.randint(-3, 3)]
    if depth < 3:
        several = [random_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
        kinds += [
            lambda: tuple(several),
            lambda: frozenset(several),
            lambda: Point(several[0] if several else 1),
            lambda: Pair(*several[:2]) if several else Pair(0),
        ]
    return rng.choice(kinds)()


def test_random_values_come_back() -> None:
    rng = random.Random(16)
    kinds = set()
    for _ in range(2000):
        value = random_value(rng)
        kinds.add(type(value))
        again = round_trip(value)
        assert again == value
        assert type(again) is type(value)
        assert freeze(again, nothing) == freeze(value, nothing)
    assert {tuple, frozenset, Point, Pair, int, bool, float} <= kinds


def test_a_set_iterates_the_same_however_it_was_filled() -> None:
    one, other = frozenset([0, 8, 16]), frozenset([16, 8, 0])
    assert list(one) != list(other)
    assert list(round_trip(one)) == list(round_trip(other))


def test_tagged_values_are_plain_without_symbols() -> None:
    port, name = tag(7, "h1", "port"), tag("h1", "h1", "name")
    assert (port, name, port.owner, name.facet) == (7, "h1", "h1", "name")
    assert [type(freeze(each, nothing)) for each in (port, name)] == [int, str]


def test_substitution_reaches_every_symbol_and_future() -> None:
    atoms = Symbol(0, "name", 1), Future(3)
    held = (atoms, frozenset(atoms), Frozen(Point, (*atoms, 0, 0)), Done(atoms), Reference(atoms[0]))
    found: list[Any] = []

    def note(atom: Any) -> Any:
        found.append(atom)
        return "here"

    assert substitute(held, note) == (
        ("here", "here"),
        frozenset({"here"}),
        Frozen(Point, ("here", "here", 0, 0)),
        Done(("here", "here")),
        Reference("here"),
    )
    assert len(found) == 9


@pytest.mark.parametrize(
    "value", [Future(1), Done(1), (1, (Future(1),)), frozenset({Done(2)}), Frozen(Point, (Done(0),))], ids=repr
)
def test_futures_are_seen_wherever_they_are(value: Any) -> None:
    assert has_future(value)
    assert not has_future((1, "a", Symbol(0, "name", 1), Reference("a")))
