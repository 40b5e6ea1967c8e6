"""NICE's figure 1 with N pings: the exact size of its space, full and reduced, and how rarely its code runs."""

import pytest

from benchmarks.pings import pings
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.result import Holds, SearchOptions, Violated
from sdnloom.engine.search import search

LOOP = SearchOptions(engine="loop")


@pytest.mark.parametrize(
    ("count", "states", "transitions"), [(1, 17, 16), (2, 296, 508), (3, 4649, 11231), (4, 68868, 207817)]
)
def test_the_full_search_has_these_sizes(count, states, transitions):
    result = search(pings(count), LOOP)
    assert isinstance(result.verdict, Holds)
    assert (result.statistics.states, result.statistics.transitions) == (states, transitions)


@pytest.mark.parametrize(("cells", "states"), [(True, 1470), (False, 2456)])
def test_the_reduced_search_has_these_sizes_at_three_pings(cells, states):
    assert search(pings(3, cells=cells), SearchOptions(engine="loop", reduce=True)).statistics.states == states


@pytest.mark.parametrize("cells", [True, False])
def test_what_is_declared_does_not_change_the_system(cells):
    statistics = search(pings(2, cells=cells), LOOP).statistics
    assert (statistics.states, statistics.transitions) == (296, 508)


def test_tables_that_keep_the_order_of_installs_have_more_states():
    assert search(pings(2, canonical=False), LOOP).statistics.states == 296
    assert search(pings(3, canonical=False), LOOP).statistics.states == 4763


def test_the_controller_runs_once_per_situation():
    evaluations = search(pings(4), LOOP).statistics.evaluations
    assert evaluations == {"controller": 85, "s1": 598, "s2": 606, "A": 25, "B": 16}


def test_the_declarations_are_true():
    assert isinstance(search(pings(2), SearchOptions(engine="loop", checked=True)).verdict, Holds)
    assert isinstance(search(pings(2), SearchOptions(engine="loop", checked=True, reduce=True)).verdict, Holds)


def got(needs, count, **knobs):
    """Host B got that many pings."""
    return Property(
        "B gets pings",
        needs,
        lambda memory, _: f"{memory} pings" if memory >= count else None,
        fold=lambda memory, event: memory + (event[:2] == ("got", "B")),
        initial=0,
        **knobs,
    )


@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("order", ["bfs", "dfs"])
@pytest.mark.parametrize("needs", [Needs.EVENT, Needs.QUIESCENT])
def test_every_ping_arrives_and_none_twice(needs, order, reduce):
    options = SearchOptions(engine="loop", reduce=reduce, order=order)
    assert isinstance(search(pings(2, properties=(got(needs, 2),)), options).verdict, Violated)
    assert isinstance(search(pings(2, properties=(got(needs, 3),)), options).verdict, Holds)


def test_the_shortest_way_to_a_reply_has_this_length():
    replied = Property(
        "A gets a reply",
        Needs.EVENT,
        lambda memory, _: "reply" if memory else None,
        fold=lambda memory, event: memory or event[:2] == ("got", "A"),
        initial=False,
    )
    verdict = search(pings(2, properties=(replied,)), LOOP).verdict
    assert isinstance(verdict, Violated)
    assert verdict.counterexample.shortest
    assert len(verdict.counterexample.path) == 16
