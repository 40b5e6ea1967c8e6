"""The syntax tree: interning, canonical shape, no recursion."""

import copy
import pickle

import pytest
from hypothesis import given

from sdnloom.netkat import syntax
from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.syntax import (
    DROP_ALL,
    PASS_ALL,
    Assign,
    Drop,
    Not,
    Product,
    Skip,
    Star,
    Sum,
    Test,
    assigned_fields,
    fields_of,
    product_of,
    subpolicies,
    sum_of,
    values_of,
)
from tests.netkat.generators import policies

A, B, C = Test("a", 1), Assign("b", 2), Test("c", "x")


def test_equal_policies_are_one_object():
    assert Test("a", 1) is A
    assert Sum((A, B)) is Sum([A, B])
    assert Sum((A, B)) is not Sum((B, A))
    assert Drop() is DROP_ALL
    assert Skip() is PASS_ALL


def test_number_and_word_are_different_values():
    assert Test("a", 1) is not Test("a", "1")


def test_sums_and_products_are_never_nested_in_their_kind():
    assert Sum((Sum((A, B)), C)).parts == (A, B, C)
    assert Product((A, Product((B, C)))).parts == (A, B, C)
    assert Sum((Product((A, B)), C)).parts == (Product((A, B)), C)


def test_sum_of_and_product_of_take_any_number():
    assert sum_of([]) is DROP_ALL
    assert product_of([]) is PASS_ALL
    assert sum_of([A]) is product_of([A]) is A
    assert sum_of(iter([A, B])) is Sum((A, B))


def test_sum_of_one_part_is_refused():
    with pytest.raises(ValueError, match="two parts or more"):
        Sum((A,))


@given(policy=policies)
def test_copies_are_the_same_object(policy):
    assert pickle.loads(pickle.dumps(policy)) is policy
    assert copy.deepcopy(policy) is copy.copy(policy) is policy


@given(policy=policies)
def test_repr_is_python(policy):
    assert eval(repr(policy), vars(syntax)) is policy


def test_policies_do_not_change():
    with pytest.raises(AttributeError, match="immutable"):
        A.depth = 3  # type: ignore[misc]


@pytest.mark.parametrize("bad", [B, Star(A), Sum((A, B)), Product((A, Star(A)))], ids=repr)
def test_only_predicates_are_negated(bad):
    with pytest.raises(PolicyError, match="only a predicate can be negated"):
        Not(bad)


@pytest.mark.parametrize("value", [True, None, 1.5, (1,)], ids=repr)
def test_values_are_integers_or_strings(value):
    with pytest.raises(PolicyError, match="a value is an integer or a string"):
        Test("a", value)


@pytest.mark.parametrize("name", ["", "1a", "a b", "a.b", "@a", "a-"], ids=repr)
def test_field_names_are_words(name):
    with pytest.raises(PolicyError, match="a field name is a word"):
        Assign(name, 1)


def test_fields_assigned_and_values_are_collected():
    policy = Star(Sum((Product((A, B)), Not(C), Test("a", "y"))))
    assert fields_of(policy) == {"a", "b", "c"}
    assert assigned_fields(policy) == {"b"}
    assert values_of(policy) == {"a": {1, "y"}, "b": {2}, "c": {"x"}}


def test_subpolicies_yields_each_shared_part_once():
    policy = A
    for _ in range(50):
        policy = Sum((Star(policy), Product((policy, B))))
    assert len(list(subpolicies(policy))) == 2 + 50 * 3


def test_depth_is_no_limit():
    policy = A
    for _ in range(10_000):  # ten times what recursion could do
        policy = Star(policy)
    assert policy.depth == 10_001
    assert fields_of(policy) == {"a"}
    assert repr(policy).startswith("Star(Star(")


def test_doubling_names_end_in_an_error():
    policy = Product((A, B))
    for _ in range(18):
        policy = Product((policy, policy))
    assert len(policy.parts) == 2**19
    with pytest.raises(PolicyError, match="a product of 1048576 parts; at most 1000000 fit"):
        Product((policy, policy))
