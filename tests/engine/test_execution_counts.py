"""Executions counted with stored states, against the stateless search and against all runs."""

import random
from collections.abc import Hashable

import pytest

from sdnloom.engine.executions.contexts import ContextCounter, PathClasses
from sdnloom.engine.executions.count import ExecutionCounter
from sdnloom.engine.executions.dependence import DeclaredDependence
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Component, System
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Semantics
from tests.engine.test_executions import explored, lastzero, random_system, threads, write

WATCH = LimitWatch(Limits())


def counter_of(system: System, watch: LimitWatch = WATCH) -> ExecutionCounter:
    counter = ExecutionCounter(Semantics(system), DeclaredDependence(system), watch)
    counter.run()
    return counter


def contexts_of(system: System) -> ContextCounter:
    counter = ContextCounter(Semantics(system), lambda transition: transition.step, WATCH)
    counter.run()
    return counter


def test_random_systems_have_as_many_executions_as_the_stateless_search_finds():
    checked = 0
    for seed in range(120):
        system = random_system(random.Random(seed))
        found, _ = explored(system, limits=Limits(states=1_000))
        if found.complete:
            counter = counter_of(system)
            assert (counter.tally().total(), counter.incomplete) == (found.count, None)
            assert counter.final_states == found.final_states
            checked += 1
    assert checked >= 100


def test_systems_with_known_numbers_of_executions():
    writers = threads({"x": 0}, **{f"w{k}": [write("x", k)] for k in range(7)})
    assert counter_of(writers).tally().total() == 5_040
    assert counter_of(lastzero(4)).tally().total() == 28  # (4 + 3) * 2**4 / 4


def test_what_was_counted_before_a_limit_is_kept():
    writers = threads({"x": 0}, **{f"w{k}": [write("x", k)] for k in range(5)})
    counter = counter_of(writers, LimitWatch(Limits(states=30)))
    assert counter.incomplete == "the limit of 30 states was reached"
    assert 0 < counter.tally().total() < 120


def paths(edges: list[dict[Hashable, int]]) -> dict[tuple[Hashable, ...], tuple[int, ...]]:
    """Every path from vertex 0: the names of its edges, and its vertices."""
    found: dict[tuple[Hashable, ...], tuple[int, ...]] = {(): (0,)}
    pending: list[tuple[Hashable, ...]] = [()]
    while pending:
        names = pending.pop()
        for name, end in edges[found[names][-1]].items():
            found[*names, name] = (*found[names], end)
            pending.append((*names, name))
    return found


def classes(edges: list[dict[Hashable, int]], end: int) -> int:
    """The classes of paths to a vertex, by definition."""
    ways = {names: vertices for names, vertices in paths(edges).items() if vertices[-1] == end}
    leader = {names: names for names in ways}

    def leader_of(names: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        while leader[names] != names:
            names = leader[names]
        return names

    for names, vertices in ways.items():
        for place in range(len(names) - 1):
            other = (*names[:place], names[place + 1], names[place], *names[place + 2 :])
            if other in ways and ways[other][place + 2] == vertices[place + 2]:
                leader[leader_of(other)] = leader_of(names)
    return sum(leader[names] == names for names in ways)


@pytest.mark.parametrize("seed", range(20))
def test_classes_of_paths_are_those_of_the_definition(seed):
    rng = random.Random(seed)
    size = 9
    edges: list[dict[Hashable, int]] = [
        {name: rng.randint(vertex + 1, min(vertex + 3, size - 1)) for name in "abc" if rng.random() < 0.8}
        for vertex in range(size - 1)
    ] + [{}]
    found = PathClasses(edges)
    for vertex in range(size):
        found.add(vertex)
    assert found.counts == [classes(edges, vertex) for vertex in range(size)]
    assert any(count > 1 for count in found.counts)


def test_writers_of_one_value_are_one_class_and_of_different_values_each_order_is_one():
    same = threads({"x": 0}, **{f"w{k}": [write("x", 1)] for k in range(4)})
    assert (counter_of(same).tally().total(), contexts_of(same).tally().total()) == (24, 1)
    different = threads({"x": 0}, **{f"w{k}": [write("x", k)] for k in range(4)})
    assert (counter_of(different).tally().total(), contexts_of(different).tally().total()) == (24, 24)


def test_a_system_that_does_nothing_has_one_execution():
    system = System((Component("A", 0, ()),))
    assert (counter_of(system).tally().total(), contexts_of(system).tally().total()) == (1, 1)
