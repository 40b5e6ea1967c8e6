"""Truth values that are combined before they are decided."""

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.symbolic import Execution, explore, symbolic_int, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.values.sym_int import SymInt
from sdnloom.symbolic.values.truth import (
    ALWAYS,
    NEVER,
    Truth,
    all_of,
    any_of,
    below,
    equal,
    holds,
    negated,
    select,
)

byte = st.integers(0, 255)


@given(byte, byte, st.integers(-3, 300))
def test_each_truth_has_the_value_of_its_term(x: int, y: int, constant: int) -> None:
    a, b = symbolic_int(x, var("a", 8)), symbolic_int(y, var("b", 8))
    cases = {
        equal(a, b): x == y,
        equal(a, constant): x == constant,
        below(a, b): x < y,
        below(a, abs(constant)): x < abs(constant),
        all_of(equal(a, b), below(a, 9)): x == y and x < 9,
        any_of(negated(below(a, b)), equal(b, 7)): x >= y or y == 7,
        all_of(): True,
        any_of(): False,
    }
    for truth, expected in cases.items():
        assert truth.value is expected
        assert bool(evaluate_term(truth.term, {"a": x, "b": y})) is expected
    chosen = select(below(a, b), a, 1000)
    assert int.__int__(chosen) == (x if x < y else 1000)
    assert isinstance(chosen, SymInt)
    assert evaluate_term(chosen.term, {"a": x, "b": y}) == int.__int__(chosen)


def test_a_predicate_of_many_comparisons_is_one_branch() -> None:
    def run(execution: Execution) -> bool:
        numbers = [symbolic_int(execution.value(name), var(name, 8)) for name in "abcd"]
        return holds(all_of(*(equal(number, 7) for number in numbers)))

    found = explore(run, [var(name, 8) for name in "abcd"])
    assert found.complete
    assert sorted(each.output for each in found.classes) == [False, True]


def test_constant_truths_do_not_fork() -> None:
    assert (holds(ALWAYS), holds(NEVER)) == (True, False)
    assert equal(3, symbolic_int(1, var("a", 1))) == NEVER
    assert select(Truth(True, ALWAYS.term), 5, 6) == 5
