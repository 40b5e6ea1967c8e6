"""Objects of numpy are captured and put back."""

import numpy
import pytest

from sdnloom.platforms.capture.digest import digest
from sdnloom.platforms.capture.snapshot import Scope, require, restore_snapshot, take_snapshot

LISTS = numpy.empty(2, dtype=object)
LISTS[0], LISTS[1] = [1], [2]


def change_array(array):
    array += 1


@pytest.mark.parametrize(
    ("target", "change"),
    [
        (numpy.zeros((2, 3)), change_array),
        (numpy.arange(5, dtype="int16")[::2], change_array),
        (numpy.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), lambda array: array.__setitem__("a", 7)),
        (LISTS, lambda array: array[0].append(3)),
        (LISTS, lambda array: array.__setitem__(1, None)),
        (numpy.random.default_rng(1), lambda generator: generator.random()),
        (numpy.random.RandomState(1), lambda generator: generator.rand()),
        ({"x": numpy.float32(1.5)}, lambda found: found.update(x=numpy.float64(1.5))),
        ({"x": numpy.int64(1)}, lambda found: found.update(x=numpy.int64(2))),
    ],
)
def test_a_change_is_seen_and_undone(target, change):
    roots, scope = {"target": target}, Scope()
    before = digest(roots, scope)
    kept = require(take_snapshot(roots, scope))
    change(target)
    assert digest(roots, scope) != before
    restore_snapshot(kept)
    assert digest(roots, scope) == before


def test_a_view_and_its_array_are_put_back_together():
    whole = numpy.zeros(4)
    roots, scope = {"whole": whole, "half": whole[2:]}, Scope()
    kept = require(take_snapshot(roots, scope))
    whole += 1
    restore_snapshot(kept)
    assert whole.tolist() == [0, 0, 0, 0]
