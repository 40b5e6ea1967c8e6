"""Sets of table vectors behave as sets of tuples do."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.races.search.table_sets import EMPTY, FREE, NodeId, TableSets

# The last cell can be written with its first value again.
SIZES = (3, 2, 3, 2)
WRITABLE = ((1, 2), (1,), (2,), (0, 1))
VECTORS = sorted(product(*map(range, SIZES)))
vectors = st.sampled_from(VECTORS)
some = st.frozensets(vectors, max_size=12)
cells = st.integers(0, len(SIZES) - 1)


def build(sets: TableSets, wanted: frozenset[tuple[int, ...]]) -> NodeId:
    node = EMPTY
    for vector in sorted(wanted):
        node = sets.union(node, sets.single(vector))
    return node


def content(sets: TableSets, node: NodeId) -> set[tuple[int, ...]]:
    return set(sets.vectors(node))


@given(some, some)
def test_operations_are_those_of_sets(a: frozenset[tuple[int, ...]], b: frozenset[tuple[int, ...]]) -> None:
    sets = TableSets(SIZES, WRITABLE)
    x, y = build(sets, a), build(sets, b)
    assert content(sets, sets.union(x, y)) == a | b
    assert content(sets, sets.intersection(x, y)) == a & b
    assert content(sets, sets.difference(x, y)) == a - b
    assert sets.count(x) == len(a)


@given(some)
def test_equal_sets_are_the_same_node_in_whatever_order_they_are_built(a: frozenset[tuple[int, ...]]) -> None:
    sets = TableSets(SIZES, WRITABLE)
    other = EMPTY
    for vector in sorted(a, reverse=True):
        other = sets.union(sets.single(vector), other)
    assert build(sets, a) == other
    assert list(sets.vectors(other)) == sorted(a)


@given(some, cells, st.data())
def test_writing_overwrites_and_the_cofactor_undoes_it(
    a: frozenset[tuple[int, ...]], cell: int, data: st.DataObject
) -> None:
    sets = TableSets(SIZES, WRITABLE)
    value = data.draw(st.sampled_from(range(SIZES[cell])))
    node = build(sets, a)

    def put(vector: tuple[int, ...], new: int) -> tuple[int, ...]:
        return (*vector[:cell], new, *vector[cell + 1 :])

    assert content(sets, sets.write(node, cell, value)) == {put(vector, value) for vector in a}
    assert content(sets, sets.cofactor(node, cell, value)) == {one for one in VECTORS if put(one, value) in a}
    widened = {put(vector, new) for vector in a for new in range(SIZES[cell])}
    assert content(sets, sets.widen(node, cell)) == widened


@given(some, vectors, st.none() | cells)
def test_membership_and_sources(a: frozenset[tuple[int, ...]], vector: tuple[int, ...], cell: int | None) -> None:
    sets = TableSets(SIZES, WRITABLE)
    node = build(sets, a)
    assert sets.contains(node, vector) == (vector in a)
    near = [one for one in sorted(a) if all(one[k] == vector[k] for k in range(len(SIZES)) if k != cell)]
    assert sets.source_of(node, vector, cell) == (near[0] if near else None)


@given(some)
def test_few_lists_the_vectors_only_if_there_are_few(a: frozenset[tuple[int, ...]]) -> None:
    sets = TableSets(SIZES, WRITABLE)
    assert sets.few(build(sets, a), 5) == (tuple(sorted(a)) if len(a) <= 5 else None)


def test_everything_holds_every_vector() -> None:
    sets = TableSets(SIZES, WRITABLE)
    assert content(sets, sets.everything()) == set(VECTORS)
    assert sets.count(sets.everything()) == len(VECTORS)


def test_free_cells_cost_no_nodes() -> None:
    """What overwriting in any order ends in: every cell holds something written, and one node says so."""
    sets = TableSets((3,) * 1000, ((1, 2),) * 1000)
    assert sets.count(FREE) == 2**1000


def test_without_cells_there_is_one_vector() -> None:
    sets = TableSets((), ())
    assert sets.single(()) == FREE
    assert sets.count(FREE) == 1
    assert list(sets.vectors(FREE)) == [()]


def test_a_cell_that_is_never_written_is_refused() -> None:
    with pytest.raises(AssertionError, match="never written"):
        TableSets((2,), ((),))
