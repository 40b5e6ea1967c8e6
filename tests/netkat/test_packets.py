"""Packet sets against sets of enumerated packets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.evaluate import evaluate_policy, packet
from sdnloom.netkat.packets import MAX_FIELDS, PacketSet, Space
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.syntax import Assign
from tests.netkat.generators import FIELDS, PACKETS, fields, predicates, values

orders = st.permutations(FIELDS)


def members(packets: PacketSet) -> set:
    return {packet(one) for one in PACKETS if one in packets}


def passing(predicate) -> set:
    return {packet(one) for one in PACKETS if evaluate_policy(predicate, one)}


@given(p=predicates, order=orders)
def test_a_predicate_is_the_set_of_packets_that_pass(p, order):
    assert members(Space(order).predicate(p)) == passing(p)


@pytest.mark.slow
@given(p=predicates, q=predicates, order=orders)
def test_operations_are_those_of_sets(p, q, order):
    space = Space(order)
    a, b = space.predicate(p), space.predicate(q)
    assert members(a | b) == passing(p) | passing(q)
    assert members(a & b) == passing(p) & passing(q)
    assert members(a - b) == passing(p) - passing(q)
    assert members(~a) == {packet(one) for one in PACKETS} - passing(p)
    assert (a <= b) == (passing(p) <= passing(q))


@given(p=predicates, q=predicates, order=orders)
def test_equal_sets_are_one_object(p, q, order):
    space = Space(order)
    assert (space.predicate(p) is space.predicate(q)) == (passing(p) == passing(q))


@pytest.mark.slow
@given(p=predicates, field=fields, value=values, order=orders)
def test_assign_and_cofactor_are_image_and_preimage(p, field, value, order):
    space = Space(order)
    packets = space.predicate(p)
    after = set().union(*(evaluate_policy(Assign(field, value), dict(one)) for one in passing(p)))
    assert members(space.assign(packets, field, value)) == after
    before = {packet(one) for one in PACKETS if packet({**one, field: value}) in passing(p)}
    assert members(space.cofactor(packets, field, value)) == before


@given(p=predicates, field=fields, order=orders)
def test_support_is_the_set_of_values_that_occur(p, field, order):
    space = Space(order)
    named, others = space.support(space.predicate(p), field)
    occurring = {dict(one)[field] for one in passing(p)}
    for value in (0, 1, "x", 9):
        assert ((value in named) != others) == (value in occurring)


def test_a_value_excluded_on_one_branch_and_taken_on_another_occurs():
    space = Space(["b", "a"])
    packets = space.predicate(parse_policy("b = 0 . a = 1 + b != 0 . a != 1"))
    assert space.support(packets, "a") == (frozenset(), True)
    assert space.support(packets & space.test("b", 2), "a") == ({1}, True)


@given(p=predicates, order=orders, like=st.sampled_from(PACKETS))
def test_a_witness_lies_in_its_set(p, order, like):
    space = Space(order)
    packets = space.predicate(p)
    witness = space.witness(packets, FIELDS)
    assert (witness is None) == (packets is space.nothing) == (not packets)
    if witness is not None:
        assert witness in packets
        assert sorted(witness) == list(FIELDS)
        assert evaluate_policy(p, witness) == {packet(witness)}
    if like in packets:
        assert space.witness(packets, FIELDS, like=like) == like


def test_a_fresh_value_is_one_that_nothing_mentions():
    space = Space()
    assert space.witness(space.predicate(parse_policy("a != 1 . a != 7"))) == {"a": 8}
    assert space.witness(space.predicate(parse_policy("b != ssh . b != other"))) == {"b": "other2"}
    assert space.witness(space.everything, ["c"]) == {"c": 1}
    assert space.witness(space.nothing) is None


def test_one_packet_is_the_set_of_those_that_agree_with_it():
    space = Space(["b", "a"])
    assert space.packet({"a": 1, "b": 2}) is space.predicate(parse_policy("a = 1 . b = 2"))
    assert space.packet({}) is space.everything


def test_sets_print_as_disjoint_cases():
    space = Space(["a", "b"])
    shown = repr(space.predicate(parse_policy("a = 1 + a != 2 . b = x")))
    assert shown == "PacketSet<a=1 | a not in (1, 2), b=x>"
    assert repr(space.everything) == "PacketSet<any packet>"
    assert repr(space.nothing) == "PacketSet<empty>"


def test_sets_of_different_spaces_do_not_mix():
    a, b = (Space().predicate(parse_policy("a = 1 + b = 2")) for _ in range(2))
    for combine in (PacketSet.__or__, PacketSet.__and__, PacketSet.__sub__):
        with pytest.raises(ValueError, match="different spaces"):
            combine(a, b)


def test_a_missing_field_is_an_error():
    with pytest.raises(PolicyError, match="has no field 'a'"):
        assert {"b": 1} in Space().predicate(parse_policy("a = 1"))


@pytest.mark.slow
def test_the_number_of_fields_is_limited_with_a_clear_message():
    space = Space([f"f{n}" for n in range(MAX_FIELDS)])
    every = parse_policy(" . ".join(f"f{n} != {n}" for n in range(MAX_FIELDS)))
    witness = space.witness(~~space.predicate(every))
    assert witness is not None
    assert len(witness) == MAX_FIELDS
    with pytest.raises(PolicyError, match="field 'one_more': packets with more than 200 fields are not supported"):
        space.level("one_more")
