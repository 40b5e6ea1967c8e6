"""Emptiness, containment and equivalence against brute force, and their witnesses against the evaluator."""

import pytest
from hypothesis import given, settings

from sdnloom.netkat.decide import contains, equivalent, images_for, is_empty, space_for
from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.evaluate import evaluate_policy, packet
from sdnloom.netkat.packets import Space
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.relation import Relations
from sdnloom.netkat.syntax import Product, fields_of, sum_of
from tests.netkat.generators import PACKETS, meaning, policies, predicates


@pytest.mark.slow
@given(p=policies, a=predicates, b=predicates)
def test_emptiness_is_exact_and_its_witness_passes(p, a, b):
    policy = Product((a, p, b))
    verdict = is_empty(policy)
    assert bool(verdict) == all(not outs for outs in meaning(policy).values())
    if verdict.witness is not None:
        assert packet(verdict.witness.after) in evaluate_policy(policy, verdict.witness.before)
        assert set(verdict.witness.before) == set(verdict.witness.after) == fields_of(policy)


@pytest.mark.slow
@given(p=policies, q=policies)
@settings(max_examples=80)
def test_equivalence_is_exact_and_its_witness_differs(p, q):
    verdict = equivalent(p, q)
    assert bool(verdict) == (meaning(p) == meaning(q))
    if verdict.witness is not None:
        makes, lacks = (p, q) if verdict.witness.side == "left" else (q, p)
        assert packet(verdict.witness.after) in evaluate_policy(makes, verdict.witness.before)
        assert packet(verdict.witness.after) not in evaluate_policy(lacks, verdict.witness.before)


@pytest.mark.slow
@given(p=policies, q=policies)
@settings(max_examples=80)
def test_containment_is_exact_and_its_witness_exceeds(p, q):
    verdict = contains(p, q)
    small, large = meaning(p), meaning(q)
    assert bool(verdict) == all(small[one] <= large[one] for one in small)
    if verdict.witness is not None:
        assert packet(verdict.witness.after) in evaluate_policy(p, verdict.witness.before)
        assert packet(verdict.witness.after) not in evaluate_policy(q, verdict.witness.before)


@pytest.mark.slow
@given(p=policies, q=policies)
def test_the_difference_of_relations_is_the_difference_of_pairs(p, q):
    relations = Relations(space_for(p, q))
    a, b = relations.of(p), relations.of(q)
    rest = relations.difference(a, b)
    # a - b is the only relation disjoint from b that makes up a together with what a and b share.
    assert relations.difference(rest, b) is rest
    assert relations.union(rest, b) is relations.union(a, b)
    assert relations.difference(rest, a) is relations.empty
    left, right = meaning(p), meaning(q)
    for one in PACKETS:
        outputs = relations.push(rest, relations.space.packet(one))
        assert {packet(other) for other in PACKETS if other in outputs} == left[packet(one)] - right[packet(one)]


@pytest.mark.slow
@given(p=policies, q=policies)
def test_shared_images_give_the_same_verdict(p, q):
    images = images_for([p, q])
    assert images is not None
    assert bool(equivalent(p, q, images)) == bool(equivalent(p, q))
    assert bool(contains(p, q, images)) == bool(contains(p, q))
    assert bool(is_empty(p, images)) == bool(is_empty(p))


def test_a_difference_has_no_pair_that_is_kept_on_one_side_and_set_on_the_other():
    relations = Relations(Space())
    rest = relations.difference(relations.of(parse_policy("one + x <- 1")), relations.of(parse_policy("x <- 1")))
    assert rest is relations.of(parse_policy("x != 1"))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # Setting a field to the value it has is keeping it: rows, changes and kept values overlap here.
        ("x <- 1 + one", "x <- 1 + x != 1 + x = 1"),
        ("x = 1 . x <- 1 + x != 1", "one"),
        ("x <- 1 . x <- 2", "x <- 2"),
        ("(x <- 1)*", "x <- 1 + one"),
        ("(x = 1 . x <- 2 + x = 2 . x <- 1)* . x = 3", "x = 3"),
        ("(x <- 1 + y <- 2)*", "one + x <- 1 + y <- 2 + x <- 1 . y <- 2"),
        ("x != 1 . x != 2", "~(x = 1 + x = 2)"),
        ("one", "one . one"),
    ],
)
def test_known_equivalences(left, right):
    assert equivalent(parse_policy(left), parse_policy(right))


@pytest.mark.parametrize(
    ("left", "right", "before", "after", "side"),
    [
        ("x = 1", "x = 2", {"x": 1}, {"x": 1}, "left"),
        ("zero", "one", {}, {}, "right"),
        ("x <- 1 + one", "x <- 1", {"x": 2}, {"x": 2}, "left"),
        ("x <- 1", "x <- 1 + x != 1 . y <- 2", {"x": 2, "y": 3}, {"x": 2, "y": 2}, "right"),
        ('x != "1"', "x != 1", {"x": 1}, {"x": 1}, "left"),
        ("x = 1 . y <- 2", "x = 1 . y <- 3", {"x": 1, "y": 4}, {"x": 1, "y": 2}, "left"),
    ],
)
def test_witnesses_are_the_least_packets(left, right, before, after, side):
    witness = equivalent(parse_policy(left), parse_policy(right)).witness
    assert witness is not None
    assert (dict(witness.before), dict(witness.after), witness.side) == (before, after, side)


@pytest.mark.slow
def test_a_thousand_rules_in_any_order_are_equivalent():
    rules = [parse_policy(f"port = {n} . vlan != {n % 7} . port <- {n + 1}") for n in range(1_000)]
    assert equivalent(sum_of(rules), sum_of(reversed(rules)))
    verdict = equivalent(sum_of(rules), sum_of(rules[:-1]))
    assert verdict.witness is not None
    assert verdict.witness.before["port"] == 999


def test_two_hundred_fields_are_decided_and_more_are_refused():
    def product(count: int):
        return parse_policy(" . ".join(f"f{n} != 1 . f{n} <- 2" for n in range(count)))

    assert equivalent(product(200), product(200))
    assert not equivalent(product(200), product(199))
    with pytest.raises(PolicyError, match="more than 200 fields are not supported"):
        is_empty(product(201))
    assert images_for([product(201)]) is None
