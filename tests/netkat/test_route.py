"""The hops between two packets, each checked with the reference evaluator."""

import pytest
from hypothesis import given

from sdnloom.netkat.decide import is_empty, space_for
from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.evaluate import evaluate_policy, packet
from sdnloom.netkat.image import Images
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.route import packet_route
from sdnloom.netkat.syntax import Star, Sum, subpolicies
from tests.netkat.generators import policies


@given(policy=policies)
def test_hops_are_parts_of_the_policy_that_lead_from_packet_to_packet(policy):
    images = Images(space_for(policy))
    witness = is_empty(policy, images).witness
    if witness is None:
        return
    hops = packet_route(policy, witness.before, witness.after, images)
    at = packet(witness.before)
    for hop in hops:
        assert packet(hop.before) == at
        assert packet(hop.after) in evaluate_policy(hop.rule, hop.before)
        assert hop.rule in set(subpolicies(policy))
        assert hop.rule.is_predicate or not isinstance(hop.rule, Star | Sum)
        at = packet(hop.after)
    assert at == packet(witness.after)


def test_a_star_takes_as_few_rounds_as_possible():
    body = " + ".join([*(f"pt = {n} . pt <- {n + 1}" for n in range(9)), "pt = 0 . pt <- 7"])
    policy = parse_policy(f"({body})*")
    images = Images()
    assert [hop.after["pt"] for hop in packet_route(policy, {"pt": 0}, {"pt": 9}, images)] == [7, 8, 9]
    assert packet_route(policy, {"pt": 3}, {"pt": 3}, images) == ()


def test_packets_that_are_not_connected_are_refused():
    with pytest.raises(PolicyError, match="does not turn"):
        packet_route(parse_policy("pt = 1 . pt <- 2"), {"pt": 1}, {"pt": 3}, Images())
