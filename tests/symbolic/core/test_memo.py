"""Remembered terms: made once during an exploration, and forgotten at its end."""

import gc

from sdnloom.symbolic.terms.constructors import add, const, var
from sdnloom.symbolic.terms.memo import remembered, term_memory
from sdnloom.symbolic.terms.node import interned


def test_a_term_is_made_once_while_a_memory_is_open() -> None:
    made = []

    def plus(number: int) -> object:
        made.append(number)
        return add(var("memo", 8), const(number, 8))

    remembering = remembered(plus)
    with term_memory():
        with term_memory():
            assert remembering(5) is remembering(5)
        assert remembering(5) is remembering(5)
        assert made == [5]
    gc.collect()
    before = interned()
    with term_memory():
        remembering(5)
        gc.collect()
        assert interned() > before
    gc.collect()
    assert (made, interned()) == ([5, 5], before)
