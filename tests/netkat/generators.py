"""Random predicates and policies over three small fields, and all packets that can tell them apart."""

import itertools

from hypothesis import strategies as st

from sdnloom.netkat.evaluate import ConcretePacket, ConcretePackets, evaluate_policy, packet
from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, FieldValue, Not, Policy, Star, Test, product_of, sum_of

FIELDS = ("a", "b", "c")
VALUES: tuple[FieldValue, ...] = (0, 1, "x")
# One value that no policy names stands for all the others.
PACKETS = [dict(zip(FIELDS, chosen, strict=True)) for chosen in itertools.product((*VALUES, 9), repeat=len(FIELDS))]

fields = st.sampled_from(FIELDS)
values = st.sampled_from(VALUES)
packets = st.sampled_from(PACKETS)
tests = st.builds(Test, fields, values)
assignments = st.builds(Assign, fields, values)


def _parts(inner: st.SearchStrategy[Policy], most: int) -> st.SearchStrategy[list[Policy]]:
    return st.lists(inner, min_size=2, max_size=most)


predicates: st.SearchStrategy[Policy] = st.recursive(
    tests | st.sampled_from([DROP_ALL, PASS_ALL]),
    lambda inner: st.builds(Not, inner) | st.builds(sum_of, _parts(inner, 3)) | st.builds(product_of, _parts(inner, 3)),
    max_leaves=5,
)
# Rules that keep some packets, change others and overlap: where symbolic representations go wrong first.
rules: st.SearchStrategy[Policy] = st.lists(tests | assignments | st.builds(Not, tests), max_size=4).map(product_of)
# Six parts and more, so that sums are looked up by index.
policies: st.SearchStrategy[Policy] = st.recursive(
    tests | assignments | predicates | rules,
    lambda inner: (
        st.builds(sum_of, _parts(inner, 7)) | st.builds(product_of, _parts(inner, 4)) | st.builds(Star, inner)
    ),
    max_leaves=9,
)


def meaning(policy: Policy) -> dict[ConcretePacket, ConcretePackets]:
    """Return the outputs of the reference evaluator for every packet."""
    return {packet(one): evaluate_policy(policy, one) for one in PACKETS}
