"""The state of a program's objects as text."""

import collections
import enum
import ipaddress
import logging
from typing import Any, NamedTuple

import pytest

from sdnloom.platforms.state_entries import MOST_ITEMS, MOST_VALUE_TEXT, StateReader, waiting_entries


class Colour(enum.Enum):
    RED = 1


class Record(NamedTuple):
    port: int
    host: str


class Own:
    def __init__(self, **attributes: Any) -> None:
        object.__setattr__(self, "__dict__", attributes)

    def __repr__(self) -> str:
        raise AssertionError("code of the program runs")

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError("code of the program runs")


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self) -> None:
        self.left = 1


class Table(dict[Any, Any]):
    def items(self) -> Any:
        raise AssertionError("code of the program runs")


def _lines(**attributes: Any) -> list[str]:
    return [f"{each.place} = {each.value}" for each in StateReader({__name__}).entries({"App": Own(**attributes)})]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (None, ["x = None"]),
        (True, ["x = True"]),
        ("text", ["x = 'text'"]),
        ("a\nb", [r"x = 'a\nb'"]),
        (b"\x00\x00\x00\x00\x00\x0a", ["x = 00:00:00:00:00:0a"]),
        (b"plain", ["x = b'plain'"]),
        (b"\xff\x00", ["x = 0xff00"]),
        (Colour.RED, ["x = Colour.RED"]),
        (ipaddress.ip_address("10.0.0.1"), ["x = 10.0.0.1"]),
        ({}, ["x = {}"]),
        ({2: {"00:00:00:00:00:0a": 1}, 10: {}}, ["x[2][00:00:00:00:00:0a] = 1", "x[10] = {}"]),
        ({"1": 0, 1: 0}, ["x['1'] = 0", "x[1] = 0"]),
        ({("a", 1): "b"}, ["x[(a, 1)] = 'b'"]),
        ([1, 2], ["x = [1, 2]"]),
        ((1,), ["x = (1)"]),
        ([{}], ["x[0] = {}"]),
        ({3, 1, 20}, ["x = {1, 3, 20}"]),
        (set(), ["x = an empty set"]),
        ({"a" * 40, "b" * 40}, [f"{'a' * 40} in x = True", f"{'b' * 40} in x = True"]),
        (collections.deque([1]), ["x = [1]"]),
        (collections.defaultdict(list, a=[1]), ["x[a] = [1]"]),
        (Table(a=1), ["x[a] = 1"]),
        (Record(1, "h1"), ["x = Record(port=1, host='h1')"]),
        (Slotted(), ["x.left = 1"]),
        (_lines, ["x = _lines"]),
        (object(), ["x = <object>"]),
        (logging.getLogger("x"), []),
        (logging, []),
    ],
)
def test_values_are_written_for_people(value: Any, lines: list[str]) -> None:
    assert sorted(_lines(x=value)) == sorted(lines)


def test_objects_of_the_program_are_shown_by_their_attributes_without_running_its_code() -> None:
    assert _lines(x=Own(y=1, z={})) == ["x.y = 1", "x.z = {}"]


def test_shared_and_cyclic_values_are_written_once() -> None:
    shared: dict[str, Any] = {}
    shared["me"] = shared
    assert _lines(a=shared, b=shared) == ["a[me] = same as a", "b = same as a"]


def test_long_values_and_tables_are_cut_and_say_so() -> None:
    (line,) = _lines(x="y" * 1000)
    assert len(line) == len("x = ") + MOST_VALUE_TEXT
    lines = _lines(x={number: number for number in range(1_000)})
    assert len(lines) == MOST_ITEMS + 1
    assert lines[-1] == "x... = and 800 more entries"
    assert _lines(x=set(range(10_001))) == ["x = <set of 10,001 elements>"]
    deep: Any = 1
    for _ in range(50):
        deep = {0: deep}
    assert _lines(x=deep) == ["x" + "[0]" * 8 + " = ..."]


def test_several_apps_have_their_names_before_their_attributes() -> None:
    reader = StateReader({__name__}, hidden=["events"])
    one, two = Own(ports=1, events=2), Own(ports=3)
    entries = reader.entries({"One": one, "Two": two})
    assert [(each.attribute, each.place, each.value) for each in entries] == [
        ("One.ports", "One.ports", "1"),
        ("Two.ports", "Two.ports", "3"),
    ]


def test_waiting_lines_are_entries() -> None:
    assert [tuple(each) for each in waiting_entries(["a.py:1: sleep"])] == [("waits", "waits[1]", "a.py:1: sleep")]
