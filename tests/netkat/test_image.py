"""Images against the reference evaluator."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.netkat import image
from sdnloom.netkat.evaluate import packet
from sdnloom.netkat.image import Images
from sdnloom.netkat.packets import PacketSet, Space
from sdnloom.netkat.parser import parse_policy
from sdnloom.netkat.syntax import DROP_ALL, Assign, Policy, Product, Star, Sum, Test, product_of, sum_of
from tests.netkat.generators import FIELDS, PACKETS, meaning, policies, predicates, rules

orders = st.permutations(FIELDS)
# Long sums of short products, as tables and links are; a factor may also be a sum or a star.
factors = rules | st.lists(rules, min_size=2, max_size=2).map(sum_of) | rules.map(Star)
summands = st.lists(factors, min_size=1, max_size=3).map(product_of) | st.just(DROP_ALL)
tables = st.lists(summands, min_size=4, max_size=8).map(sum_of)
networks = st.builds(
    lambda table, links: Product((table, links, Star(Product((table, links))))), tables, tables | policies
)


def members(packets: PacketSet) -> set:
    return {packet(one) for one in PACKETS if one in packets}


@pytest.mark.slow
@given(policy=policies | tables | networks, start=predicates, order=orders)
def test_forward_is_the_union_of_the_outputs(policy, start, order):
    images = Images(Space(order))
    packets = images.space.predicate(start)
    expected = set().union(*(outs for one, outs in meaning(policy).items() if one in members(packets)))
    assert members(images.forward(policy, packets)) == expected


@pytest.mark.slow
@given(policy=policies | tables | networks, goal=predicates, order=orders)
def test_backward_is_every_packet_with_an_output_in_the_set(policy, goal, order):
    images = Images(Space(order))
    packets = images.space.predicate(goal)
    inside = members(packets)
    expected = {one for one, outs in meaning(policy).items() if not outs.isdisjoint(inside)}
    assert members(images.backward(policy, packets)) == expected


@pytest.mark.slow
@given(policy=policies | networks, start=predicates, goal=predicates)
def test_forward_and_backward_are_adjoint(policy, start, goal):
    images = Images()
    a, b = images.space.predicate(start), images.space.predicate(goal)
    assert bool(images.forward(policy, a) & b) == bool(a & images.backward(policy, b))


@pytest.mark.slow
@given(policy=policies | tables | networks, start=predicates)
def test_images_through_the_relation_are_the_same(policy, start):
    images = Images()
    packets = images.space.predicate(start)
    relation = images.relations.of(policy)
    assert images.relations.push(relation, packets) is images.forward(policy, packets)
    assert images.relations.pull(relation, packets) is images.backward(policy, packets)


@pytest.mark.slow
@given(parts=st.lists(summands, min_size=4, max_size=7), start=predicates, data=st.data())
def test_the_order_of_rules_does_not_matter(parts, start, data):
    images = Images()
    packets = images.space.predicate(start)
    shuffled = data.draw(st.permutations(parts))
    assert images.forward(sum_of(parts), packets) is images.forward(sum_of(shuffled), packets)
    assert images.backward(sum_of(parts), packets) is images.backward(sum_of(shuffled), packets)


@pytest.mark.slow
@given(policy=policies, start=predicates)
def test_deep_terms_give_the_same_images(policy, start):
    images = Images()
    packets = images.space.predicate(start)
    deep = policy
    for _ in range(image.MAX_TERM_DEPTH):
        deep = product_of([sum_of([deep, DROP_ALL]), parse_policy("one")])
    assert deep.depth > image.MAX_TERM_DEPTH
    assert images.forward(deep, packets) is images.forward(policy, packets)
    assert images.backward(deep, packets) is images.backward(policy, packets)


def test_terms_far_deeper_than_the_python_stack_have_images():
    policy: Policy = Assign("a", 1)
    for _ in range(5_000):
        policy = Star(Sum((policy, Product((Test("a", 1), Assign("a", 2))))))
    images = Images()
    start = images.space.test("a", 0)
    assert repr(images.forward(policy, start)) == "PacketSet<a=0 | a=1 | a=2>"
    assert images.backward(policy, images.space.test("a", 2)) is images.space.everything


def test_a_cleared_memo_changes_no_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(image, "MAX_MEMO", 3)
    policy = parse_policy("(" + " + ".join(f"a = {n} . a <- {n + 1}" for n in range(20)) + ")*")
    images = Images()
    reached = images.forward(policy, images.space.test("a", 15))
    assert reached is images.space.predicate(parse_policy(" + ".join(f"a = {n}" for n in range(15, 21))))


@pytest.mark.parametrize(
    ("policy", "start", "reached"),
    [
        # The packets that keep their value and those that are set to it meet.
        ("one + x <- 1 . y = 2", "one", "one"),
        ("one + x <- 1 . y = 2", "x != 1", "x != 1 + y = 2"),
        ("one + x <- 1 . y = 2", "x = 3", "x = 3 + x = 1 . y = 2"),
        ("x = 1 . x <- 2 + x != 1", "one", "x != 1"),
        ("x = 1 . x <- 2 + x != 1 . x <- 3 . y <- 4", "x = 1 + y = 5", "x = 2 + x = 3 . y = 4"),
        # Values required after an assignment, a sum or a star say nothing about the input.
        ("x <- 1 . x = 1 + x = 2 + x = 3 + x = 4", "x = 7", "x = 1"),
        ("(x <- 1 + x <- 2) . x = 1 + x = 2 + x = 3 + x = 4", "x = 7", "x = 1"),
        ("(x <- 1)* . x = 1 + x = 2 + x = 3 + x = 4", "x = 7", "x = 1"),
    ],
)
def test_known_images(policy, start, reached):
    images = Images()
    relation = images.relations.of(parse_policy(policy))
    before, after = (images.space.predicate(parse_policy(text)) for text in (start, reached))
    assert images.forward(parse_policy(policy), before) is after
    assert images.relations.push(relation, before) is after


def test_known_preimages():
    # The value that a rule leaves is known only up to the last sum or star.
    images = Images()
    policy = parse_policy("x <- 1 . (x <- 7 + one) + x = 2 + x = 3 + x = 4")
    goal = images.space.test("x", 7)
    assert images.backward(policy, goal) is images.space.everything


def independent_controllers() -> tuple[list[list[Policy]], Policy]:
    """The tables and links of RaceLoom's second example (section 5.2): each switch before and after its update."""
    tables = [
        ["port=2 . port<-4", "zero"],
        ["port=12 . port<-14", "zero"],
        ["zero", "port=1 . port<-3"],
        ["zero", "port=11 . port<-13"],
        ["port=6 . port<-7", "port=5 . port<-7"],
        ["port=8 . port<-10", "port=8 . port<-9"],
    ]
    links = [(3, 5), (4, 6), (7, 8), (9, 11), (10, 12), (13, 15), (14, 16)]
    link = sum_of(Product((Test("port", a), Assign("port", b))) for a, b in links)
    return [[parse_policy(text) for text in pair] for pair in tables], link


@pytest.mark.parametrize(("start", "goal", "count"), [(2, 15, 4), (1, 16, 4), (2, 16, 4), (1, 15, 4)])
def test_tables_of_independent_controllers_connect_hosts_in_exactly_these_cases(start, goal, count):
    tables, links = independent_controllers()
    images = Images()
    connected = 0
    for chosen in itertools.product(*tables):
        hop = product_of([sum_of(chosen), links])
        question = product_of([Test("port", start), hop, Star(hop), Test("port", goal)])
        connected += bool(images.forward(question, images.space.everything))
    assert connected == count
