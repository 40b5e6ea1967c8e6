"""Variables with a short list of values: conditions on any part of them are decided without a solver."""

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.symbolic.execution import Execution, Site
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.terms.constructors import any_, bv_and, const, eq, extract, ult, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import Term

X, Y = var("x", 16), var("y", 16)
HERE = Site("here", 1)
NO_SOLVER = ExplorationOptions(solver="none")


def one_of(term: Term, values: list[int]) -> Term:
    return any_(*(eq(term, const(each, term.width)) for each in values))


SMALL, LARGE = st.integers(0, 15), st.integers(0, 65535)
CONDITIONS = st.one_of(
    st.builds(lambda low, value: eq(extract(X, low + 3, low), const(value, 4)), st.integers(0, 12), SMALL),
    st.builds(lambda mask, value: eq(bv_and(X, const(mask, 16)), const(value & mask, 16)), LARGE, LARGE),
    st.builds(lambda low, value: ult(extract(X, low + 7, low), const(value, 8)), st.integers(0, 8), SMALL),
    st.builds(lambda value: ult(X, const(value, 16)), LARGE),
).filter(lambda condition: condition.op != "const")
VALUES = st.lists(LARGE, min_size=2, max_size=6, unique=True)


@given(VALUES, st.lists(st.tuples(CONDITIONS, st.booleans())))
def test_facts_refute_exactly_the_literals_that_no_listed_value_satisfies(
    values: list[int], literals: list[tuple[Term, bool]]
) -> None:
    facts = Facts()
    facts.learn(one_of(X, values), True)
    left = set(values)
    for condition, holds in literals:
        meeting = {value for value in left if bool(evaluate_term(condition, {"x": value})) is holds}
        assert facts.refutes(condition, holds) is not bool(meeting)
        facts.learn(condition, holds)
        left = meeting
        assert set(facts.choices("x")) == left
        if not left:
            return


@given(VALUES, CONDITIONS, CONDITIONS)
def test_every_class_of_a_listed_variable_is_found_without_a_solver(values: list[int], one: Term, two: Term) -> None:
    def run(execution: Execution) -> tuple[bool, bool]:
        def meets(condition: Term) -> bool:
            return execution.branch(condition, bool(evaluate_term(condition, execution.model)), HERE)

        return meets(one), meets(two)

    found = explore(run, [X], [one_of(X, values)], options=NO_SOLVER)
    expected = {(bool(evaluate_term(one, {"x": each})), bool(evaluate_term(two, {"x": each}))) for each in values}
    assert found.complete, found.reasons
    assert {each.output for each in found.classes} == expected


def test_a_domain_that_no_listed_value_satisfies_is_reported_as_empty() -> None:
    domain = [one_of(X, [2, 4, 6]), eq(extract(X, 0, 0), const(1, 1))]
    found = explore(lambda execution: None, [X], domain, options=NO_SOLVER)
    assert found.reasons[0].startswith("the domain constraints are unsatisfiable, so there are no inputs: ")


def test_a_condition_on_two_variables_is_not_refuted_by_the_list_of_one() -> None:
    facts = Facts()
    facts.learn(one_of(X, [1, 2]), True)
    assert not facts.refutes(eq(X, Y), True)


def test_a_long_list_is_not_enumerated() -> None:
    facts = Facts()
    facts.learn(one_of(X, list(range(0, 200, 2))), True)
    assert facts.choices("x") == []
    facts.learn(ult(X, const(10, 16)), True)  # what is left is short
    assert facts.choices("x") == [0, 2, 4, 6, 8]
