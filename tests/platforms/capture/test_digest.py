"""A digest is equal for states that are the same but for identity and order, and only for those."""

import collections
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.platforms.capture.digest import canonical_text, digest
from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.snapshot import Scope, require, restore_snapshot, take_snapshot
from tests.platforms.capture import graphs

SCOPE = Scope()
SEEDS = st.integers(0, 10**6)


def of(state, **options):
    return digest({"state": state}, SCOPE, **options)


class Thing:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Datapath(Thing):
    pass


def generate():
    yield 1


@given(SEEDS, SEEDS)
def test_restoring_brings_back_digest_structure_and_identity(seed, harm):
    root = graphs.build(seed)
    roots = {"state": root}
    before, structure = digest(roots, SCOPE), graphs.structure(root)
    snapshot = require(take_snapshot(roots, SCOPE))
    graphs.change(root, harm)
    restore_snapshot(snapshot)
    assert graphs.structure(root) == structure
    assert digest(roots, SCOPE) == before


@given(SEEDS, st.integers(1, 10**6))
def test_order_of_insertion_and_addresses_do_not_count(seed, shuffle):
    assert of(graphs.build(seed)) == of(graphs.build(seed, shuffle=shuffle))


@settings(max_examples=300)
@given(st.integers(0, 40), st.integers(0, 40), SEEDS)
def test_digests_are_equal_exactly_for_graphs_that_match(seed, other, harm):
    one, two = graphs.build(seed, size=3), graphs.build(other % 3 and seed, size=3)
    graphs.change(two, harm, times=other % 2)
    assert (of(one) == of(two)) is graphs.same(one, two)


def rings(*sizes):
    """Objects that all look alike and are told apart only by the length of the ring they are in."""
    found = set()
    for size in sizes:
        ring = [Thing() for _ in range(size)]
        for place, each in enumerate(ring):
            each.next = ring[(place + 1) % size]
        found |= set(ring)
    return found


def test_alike_elements_of_a_set_are_told_apart_by_who_else_refers_to_them():
    def make(first):
        pair = [Thing(v=1), Thing(v=1)]
        return {"set": set(pair), "one": pair[first], "both": {pair[0]: "x", pair[1]: "x"}}

    assert len({of(make(place % 2)) for place in range(40)}) == 1


def test_wiring_of_alike_elements_counts():
    assert of(rings(2, 4)) == of(rings(4, 2))
    assert of(rings(2, 4)) != of(rings(3, 3))
    assert of(rings(2, 4)) != of(rings(6))


@pytest.mark.parametrize(
    "values",
    [
        (1, 1.0, True, "1", b"1", bytearray(b"1"), 1j),
        ([1], (1,), {1}, frozenset({1}), collections.deque([1]), {1: None}),
        ({}, collections.OrderedDict(), collections.defaultdict(list), collections.Counter()),
        (collections.deque([1]), collections.deque([1], maxlen=2), collections.deque([1], maxlen=3)),
        (0.0, -0.0, None, "", (), ...),
        (["a,b"], ["a", "b"], ["a',b"], [["a"], "b"], [["a", "b"]]),
        (Thing(a=1), Datapath(a=1), Thing(b=1), {"a": 1}),
        (10**5000, 10**5000 + 1, "\ud800", "\ud801", "\0"),
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_types_and_values_are_told_apart(values):
    assert len({of(each) for each in values}) == len(values)


def test_order_counts_in_an_ordered_dict_only():
    assert of({1: 2, "a": 3}) == of({"a": 3, 1: 2})
    ordered = collections.OrderedDict
    assert of(ordered({1: 2, 3: 4})) != of(ordered({3: 4, 1: 2}))


def test_sharing_counts_for_mutable_values_only():
    inner, value = [1], (1, 2)
    assert of([inner, inner]) != of([[1], [1]])
    assert of([value, value]) == of([(1, 2), tuple(range(1, 3))])


def test_masked_names_do_not_count():
    def state(xid):
        return [Datapath(xid=xid, id=1), Thing(xid=1)]

    assert of(state(1)) != of(state(2))
    assert of(state(1), masked={"xid"}) == of(state(2), masked={"xid"})
    assert of(state(1), masked={"Datapath.xid"}) == of(state(2), masked={"Datapath.xid"})
    assert of(state(1), masked={"Thing.xid"}) != of(state(2), masked={"Thing.xid"})


def test_keys_that_changed_since_they_were_put_in_are_read_all_the_same():
    class Key:
        def __init__(self, value):
            self.value = value

        def __hash__(self):
            return hash(self.value)

        def __eq__(self, other):
            return self.value == other.value

    key = Key(1)
    state = {key: "x", Key(5): "y"}
    snapshot = take_snapshot({"state": state}, SCOPE)
    before = of(state)
    key.value = 2
    assert of(state) != before
    restore_snapshot(snapshot)
    assert of(state) == before
    assert state[Key(1)] == "x"


def test_what_cannot_be_captured_needs_a_text_from_the_caller():
    with pytest.raises(CaptureError, match="the state holds a generator"):
        of([generate()])
    assert of([generate()], opaque=lambda each: "log 1") != of([generate()], opaque=lambda each: "log 2")
    assert of([generate()], opaque=lambda each: "log 1") == of([generate()], opaque=lambda each: "log 1")


@pytest.mark.slow
def test_nested_tuples_that_would_overflow_the_stack_are_an_error_of_one_line():
    deep = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(CaptureError, match="nested too deep"):
        of({deep_key(deep): 1, 2: 3})
    assert of(deep) != of((deep,))


def deep_key(deep):
    return Thing, deep


def test_text_says_what_the_state_is():
    shared = [1]
    text = canonical_text({"app": Thing(a=shared, b=shared, c={2: "x", 1: {"y"}})}, SCOPE)
    name = f"{Thing.__module__}.Thing"
    assert text == (f"app={name}{{'a':builtins.list[1,],'b':#1,'c':builtins.dict{{1:builtins.set<'y',>,2:'x',}},}};")


PROGRAM = """
from sdnloom.platforms.capture.digest import digest
from sdnloom.platforms.capture.snapshot import Scope
from tests.platforms.capture import graphs
for seed in range(60):
    print(digest({"state": graphs.build(seed, shuffle=hash("s") % 1000 or 1)}, Scope()).hex())
"""


def test_digests_are_equal_in_every_process_and_under_every_hash_seed():
    root = Path(__file__).parents[3]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    lines = outputs.pop().split()
    assert len(lines) == 60
    assert len(set(lines)) > 50
