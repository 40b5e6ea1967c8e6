"""The axioms of NetKAT without dup, on the reference evaluator and on the decision procedure."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.netkat.decide import contains, equivalent
from sdnloom.netkat.evaluate import evaluate_policy, packet
from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, Not, Star, Test, product_of, sum_of
from tests.netkat.generators import PACKETS, fields, meaning, policies, predicates, values


def plus(*parts):
    return sum_of(parts)


def then(*parts):
    return product_of(parts)


KLEENE_ALGEBRA = {
    "sum_is_associative": lambda p, q, r: (plus(p, plus(q, r)), plus(plus(p, q), r)),
    "sum_is_commutative": lambda p, q, r: (plus(p, q), plus(q, p)),
    "drop_is_neutral_in_sums": lambda p, q, r: (plus(p, DROP_ALL), p),
    "sum_is_idempotent": lambda p, q, r: (plus(p, p), p),
    "product_is_associative": lambda p, q, r: (then(p, then(q, r)), then(then(p, q), r)),
    "skip_is_neutral_on_the_left": lambda p, q, r: (then(PASS_ALL, p), p),
    "skip_is_neutral_on_the_right": lambda p, q, r: (then(p, PASS_ALL), p),
    "product_distributes_on_the_left": lambda p, q, r: (then(p, plus(q, r)), plus(then(p, q), then(p, r))),
    "product_distributes_on_the_right": lambda p, q, r: (then(plus(p, q), r), plus(then(p, r), then(q, r))),
    "drop_annihilates_on_the_left": lambda p, q, r: (then(DROP_ALL, p), DROP_ALL),
    "drop_annihilates_on_the_right": lambda p, q, r: (then(p, DROP_ALL), DROP_ALL),
    "star_unrolls_on_the_left": lambda p, q, r: (plus(PASS_ALL, then(p, Star(p))), Star(p)),
    "star_unrolls_on_the_right": lambda p, q, r: (plus(PASS_ALL, then(Star(p), p)), Star(p)),
    "star_of_star_is_star": lambda p, q, r: (Star(Star(p)), Star(p)),
    "sliding": lambda p, q, r: (then(p, Star(then(q, p))), then(Star(then(p, q)), p)),
    "denesting": lambda p, q, r: (Star(plus(p, q)), then(Star(p), Star(then(q, Star(p))))),
}
BOOLEAN_ALGEBRA = {
    "sum_distributes_over_product": lambda a, b, c: (plus(a, then(b, c)), then(plus(a, b), plus(a, c))),
    "skip_absorbs_in_sums": lambda a, b, c: (plus(a, PASS_ALL), PASS_ALL),
    "excluded_middle": lambda a, b, c: (plus(a, Not(a)), PASS_ALL),
    "conjunction_is_commutative": lambda a, b, c: (then(a, b), then(b, a)),
    "contradiction": lambda a, b, c: (then(a, Not(a)), DROP_ALL),
    "conjunction_is_idempotent": lambda a, b, c: (then(a, a), a),
    "de_morgan": lambda a, b, c: (Not(plus(a, b)), then(Not(a), Not(b))),
    "double_negation": lambda a, b, c: (Not(Not(a)), a),
    "star_of_a_predicate_is_skip": lambda a, b, c: (Star(a), PASS_ALL),
}
# f and g are different fields, m and n different values; dup does not exist here and fields have infinitely many
# values, so the axioms PA-Obs-Filter-Comm on dup and PA-Match-All have no counterpart.
PACKET_AXIOMS = {
    "assignments_of_different_fields_commute": lambda f, g, m, n: (
        then(Assign(f, m), Assign(g, n)),
        then(Assign(g, n), Assign(f, m)),
    ),
    "assignment_commutes_with_a_test_of_another_field": lambda f, g, m, n: (
        then(Assign(f, m), Test(g, n)),
        then(Test(g, n), Assign(f, m)),
    ),
    "assignment_makes_its_test_true": lambda f, g, m, n: (then(Assign(f, m), Test(f, m)), Assign(f, m)),
    "assignment_after_its_test_is_idle": lambda f, g, m, n: (then(Test(f, m), Assign(f, m)), Test(f, m)),
    "the_last_assignment_wins": lambda f, g, m, n: (then(Assign(f, m), Assign(f, n)), Assign(f, n)),
    "a_field_has_one_value": lambda f, g, m, n: (then(Test(f, m), Test(f, n)), DROP_ALL),
    "assignment_makes_other_tests_false": lambda f, g, m, n: (then(Assign(f, m), Test(f, n)), DROP_ALL),
}


def assert_same(left, right):
    assert meaning(left) == meaning(right)
    assert equivalent(left, right)


@pytest.mark.slow
@pytest.mark.parametrize("law", KLEENE_ALGEBRA.values(), ids=KLEENE_ALGEBRA)
@given(p=policies, q=policies, r=policies)
@settings(max_examples=25)
def test_kleene_algebra(law, p, q, r):
    assert_same(*law(p, q, r))


@pytest.mark.slow
@pytest.mark.parametrize("law", BOOLEAN_ALGEBRA.values(), ids=BOOLEAN_ALGEBRA)
@given(a=predicates, b=predicates, c=predicates)
@settings(max_examples=25)
def test_boolean_algebra(law, a, b, c):
    assert_same(*law(a, b, c))


@pytest.mark.parametrize("law", PACKET_AXIOMS.values(), ids=PACKET_AXIOMS)
@given(
    fg=st.tuples(fields, fields).filter(lambda pair: pair[0] != pair[1]),
    mn=st.tuples(values, values).filter(lambda pair: pair[0] != pair[1]),
)
@settings(max_examples=25)
def test_packet_axiom(law, fg, mn):
    assert_same(*law(*fg, *mn))


@pytest.mark.slow
@given(p=policies, q=policies, r=policies)
@settings(max_examples=60)
def test_star_is_the_least_fixpoint_on_the_left(p, q, r):
    # r is made to satisfy the premise q + p.r <= r, which random ones seldom do.
    r = plus(r, then(Star(p), plus(q, r)))
    assert contains(plus(q, then(p, r)), r)
    assert contains(then(Star(p), q), r)


@pytest.mark.slow
@given(p=policies, q=policies, r=policies)
@settings(max_examples=60)
def test_star_is_the_least_fixpoint_on_the_right(p, q, r):
    r = plus(r, then(plus(q, r), Star(p)))
    assert contains(plus(q, then(r, p)), r)
    assert contains(then(q, Star(p)), r)


def test_a_field_has_more_values_than_any_policy_names():
    # Match-all fails: some packet has none of the values, so the sum of all tests is not skip.
    named = plus(*[Test("a", value) for value in range(5)])
    verdict = equivalent(named, PASS_ALL)
    assert verdict.witness is not None
    assert verdict.witness.before["a"] not in range(5)
    assert verdict.witness.side == "right"


@pytest.mark.slow
@given(p=policies)
@settings(max_examples=60)
def test_star_is_the_union_of_the_powers(p):
    for one in PACKETS[::7]:
        reached = {packet(one)}
        power = {packet(one)}
        for _ in range(len(PACKETS)):
            power = {out for inner in power for out in evaluate_policy(p, dict(inner))}
            reached |= power
        assert evaluate_policy(Star(p), one) == reached
