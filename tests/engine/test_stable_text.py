"""Values as text that does not depend on the hash seed."""

import ast
import subprocess
import sys
from collections import OrderedDict
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.engine.stable_text import stable_text

_SCRIPT = """
from sdnloom.engine.disciplines import Lossy, Bag
from sdnloom.engine.model import DROP, Step, Mode, Fault
from sdnloom.engine.stable_text import stable_text
words = [f"word {n}" for n in range(20)]
print(stable_text((
    frozenset(words), {word: {word, word + "!"} for word in reversed(words)}, Mode.MAY,
    Step("A", "b", frozenset(frozenset({word, 1}) for word in words)), Fault("c", DROP, frozenset(words)),
    Lossy(1, 2, Bag(frozenset((word, 1) for word in words))), [set(words)], set(),
)))
"""


def test_the_text_is_the_same_under_any_hash_seed():
    texts = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "2", "12345")
    }
    assert len(texts) == 1


class Colour(Enum):
    RED = 1


class Pair(NamedTuple):
    left: object
    right: object


@dataclass(frozen=True)
class Point:
    x: object
    hidden: int = field(default=0, repr=False)


@dataclass(frozen=True)
class Spelled:
    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


def test_values_are_shown_as_python_shows_them_but_sorted():
    shown = {
        "frozenset({1, 2, 3})": frozenset({3, 1, 2}),
        "frozenset()": frozenset(),
        "{'a', 'b'}": {"b", "a"},
        "set()": set(),
        "{'a': 1, 'b': frozenset({1, 2})}": {"b": frozenset({2, 1}), "a": 1},
        "(1,)": (1,),
        "()": (),
        "[1, (2, 3)]": [1, (2, 3)],
        "Colour.RED": Colour.RED,
        "Pair(left=1, right=frozenset({1, 2}))": Pair(1, frozenset({2, 1})),
        "Point(x=frozenset({1, 2}))": Point(frozenset({2, 1})),
        "<it>": Spelled("it"),
        "(<it>,)": (Spelled("it"),),
        "None": None,
    }
    assert {stable_text(value): value for value in shown.values()} == shown
    assert stable_text(OrderedDict(b=1, a=2)) == repr(OrderedDict(b=1, a=2))  # its order means something


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@pytest.mark.slow
@given(values)
def test_values_without_sets_and_mappings_are_shown_by_their_repr(value):
    text = stable_text(value)
    assert ast.literal_eval(text) == value
    if not isinstance(value, dict) and "{" not in text:
        assert text == repr(value)


@given(st.lists(st.integers() | st.text(max_size=3), max_size=6))
def test_equal_sets_have_equal_texts(elements):
    assert stable_text(frozenset(elements)) == stable_text(frozenset(reversed(elements)))
