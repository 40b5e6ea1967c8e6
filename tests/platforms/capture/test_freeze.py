"""Freezing and thawing: laws on random states, and what is refused."""

import collections
import threading
from dataclasses import dataclass
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.network.openflow import Match
from sdnloom.platforms.capture.freeze import StateError, freeze, thaw

keys = st.one_of(
    st.integers(-3, 3), st.text(max_size=2), st.booleans(), st.tuples(st.integers(0, 2), st.text(max_size=1))
)
leaves = st.one_of(st.none(), keys, st.binary(max_size=2), st.floats(allow_nan=False), st.frozensets(keys, max_size=2))
states = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(keys, inner, max_size=3),
        st.sets(keys, max_size=3),
        st.builds(collections.deque, st.lists(inner, max_size=2)),
    ),
    max_leaves=12,
)


@given(states)
def test_thawing_gives_back_an_equal_value_of_the_same_types(state):
    back = thaw(freeze(state))
    assert back == state
    assert type(back) is type(state)
    assert freeze(back) == freeze(state)


@given(states)
def test_what_is_frozen_is_hashable_and_does_not_change_with_the_original(state):
    frozen = freeze(state)
    assert hash(frozen) == hash(freeze(thaw(frozen)))
    assert frozen == freeze(thaw(frozen))


@given(st.dictionaries(keys, leaves, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_dicts_and_sets_is_no_state(state, random):
    items = list(state.items())
    random.shuffle(items)
    assert freeze(dict(items)) == freeze(state)
    assert freeze(set(dict(items))) == freeze(set(state))


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), (1, 1.0), ([1], (1,)), ({1}, frozenset({1})), ({}, [])]
)
def test_values_of_different_types_stay_different(one, other):
    assert freeze(one) != freeze(other)
    assert freeze([one]) != freeze([other])
    assert freeze({"a": one}) != freeze({"a": other})


class Colour(Enum):
    RED = 1


class Record:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("a", "b")


@dataclass
class Loose:
    value: list


class Special(dict):
    """Has an attribute, and a constructor that must not run again."""

    def __init__(self, *pairs):
        super().__init__(pairs)
        self.hits = len(pairs)


def test_objects_and_special_containers_come_back_as_they_were():
    table = collections.defaultdict(list, {"a": [1]})
    ordered = collections.OrderedDict([("b", 1), ("a", 2)])
    state = {
        "record": Record(inner=Record(x=[1])),
        "table": table,
        "ordered": ordered,
        "counter": collections.Counter("aab"),
        "queue": collections.deque([1, 2], maxlen=2),
        "bytes": bytearray(b"ab"),
        "special": Special(("a", 1)),
        "loose": Loose([1]),
        "match": Match.of(in_port=1),
        "colour": Colour.RED,
        "function": len,
        "type": dict,
    }
    back = thaw(freeze(state))
    assert back["record"].inner.x == [1]
    assert back["table"]["new"] == []
    assert list(back["ordered"]) == ["b", "a"]
    assert back["queue"].maxlen == 2
    assert (type(back["special"]), back["special"].hits) == (Special, 1)
    for name in ("counter", "bytes", "loose", "match", "colour", "function", "type"):
        assert back[name] == state[name]
    assert freeze(ordered) != freeze(collections.OrderedDict([("a", 2), ("b", 1)]))


def test_slots_are_attributes():
    thing = Slotted()
    thing.a = [1]
    back = thaw(freeze(thing))
    assert back.a == [1]
    assert not hasattr(back, "b")


def cycle():
    loop = []
    loop.append(loop)
    return loop


def deep():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


SHARED = [1]


def counting(total):
    return lambda: total


Point, Size = (collections.namedtuple(name, "x y") for name in ("Point", "Size"))


def test_named_tuples_of_different_classes_or_with_fields_of_different_types_differ():
    values = [Point(1, 2), Size(1, 2), (1, 2), Point(True, 2)]
    assert len({freeze(each) for each in values}) == 4
    assert [type(thaw(freeze(each))) for each in values] == [Point, Size, tuple, Point]
    assert [repr(thaw(freeze(each))) for each in values] == list(map(repr, values))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (cycle(), "is the same mutable list as"),
        ({"a": SHARED, "b": SHARED}, r"state\['b'\] is the same mutable list as state\['a'\]"),
        (deep(), "nested deeper than 200 levels"),
        ({"x": (each for each in ())}, r"state\['x'\] is a builtins.generator"),
        ({"lock": threading.Lock()}, r"state\['lock'\] is a _thread.lock"),
        ({"f": counting([1])}, r"state\['f'\] is counting.<locals>.<lambda>, a function with variables"),
        ({"f": [].append}, r"state\['f'\] is the method append of an object"),
        ({"f": Match().get}, r"state\['f'\] is the method get of an object"),
        (collections.defaultdict(counting(1)), r"state.default_factory is counting.<locals>.<lambda>, a function with"),
    ],
    ids=["cycle", "shared", "deep", "generator", "lock", "closure", "builtin method", "method", "factory"],
)
def test_what_cannot_be_kept_is_refused_by_name(state, message):
    with pytest.raises(StateError, match=message):
        freeze(state)
