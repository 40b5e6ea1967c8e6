"""Endless handlers are ended by the budget, whatever exceptions they catch."""

import sys

import pytest

from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.values.make import MAC, symbolic_int
from tests.symbolic.values.comparison import Address, compare_with_original, rewritten

ENDLESS = {
    "past every value it could have": "def f(x):\n while x != 3: x = x + 1",
    "an order that is known": "def f(x):\n while x + 300 > 20: x = x + 1",
    "swallowing the limit": "def f(x):\n while True:\n  try:\n   if x == 3: return 1\n   x = x + 1\n  except: pass",
    "swallowing it further out": """
        def g(x): return x == 3
        def f(x):
            while True:
                try:
                    if g(x): return 1
                    x = x + 1
                except BaseException:
                    continue
    """,
}  # fmt: skip


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_loop_on_an_input_is_cut_and_reported(name: str) -> None:
    x, function, tracing = var("x", 8), rewritten(ENDLESS[name]), sys.gettrace()
    found = explore(
        lambda execution: function(symbolic_int(execution.value("x"), x)),
        [x],
        options=ExplorationOptions(paths=6, steps=2000),
    )
    assert not found.complete
    assert any("did not end within the budget" in reason and "under_test.py" in reason for reason in found.reasons)
    assert sys.gettrace() is tracing


def test_a_hexadecimal_digit_does_not_fork_on_being_one() -> None:
    found = compare_with_original("def f(a): return int(a[-2:], 16) == 7", a=Address(MAC, 48, high=255))
    assert sorted(each.readable for each in found.classes) == ["a != 7", "a == 7"]
