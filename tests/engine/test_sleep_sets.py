"""Sleep sets: fewer transitions, nothing else lost."""

import pytest

from benchmarks.pings import pings
from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Action, Component, Mode, Outcome, System
from sdnloom.engine.reduction.sleep_sets import SleepSetSearch, can_sleep
from sdnloom.engine.reduction.stubborn_sets import StubbornRules, StubbornSets
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.system_graph import SystemGraph
from tests.engine.random_strategies import Arbitrary
from tests.engine.systems import REDUCIBLE, random_system


def counting(number: int) -> System:
    """Components that each count to one, independent of each other."""
    return System(
        tuple(
            Component(f"C{place}", 0, (Action("go", lambda core, _: [Outcome(1)] if core == 0 else [], mode=Mode.MAY),))
            for place in range(number)
        )
    )


def test_of_steps_that_commute_only_one_order_is_taken():
    system = counting(6)  # the environment's steps: no stubborn set leaves one out
    graph = SystemGraph(Memo(system), StubbornSets(system))
    plain, sleeping = LoopSearch(graph), SleepSetSearch(graph)
    plain.run()
    sleeping.run()
    assert (len(plain.states), plain.transitions) == (64, 6 * 32)
    assert (len(sleeping.states), sleeping.transitions) == (64, 63)


@pytest.mark.parametrize(("cells", "states", "transitions"), [(True, 1470, 1868), (False, 2456, 3342)])
@pytest.mark.parametrize("engine", ["loop", "kernel"])
def test_three_pings_with_a_reduction_have_these_sizes(cells, states, transitions, engine):
    found = search(pings(3, cells=cells), SearchOptions(engine=engine, reduce=True)).statistics
    assert (found.states, found.transitions) == (states, transitions)


@pytest.mark.slow
def test_a_search_without_sleep_sees_no_fewer_quiescent_states():
    fewer = 0
    for seed in range(200):
        system = random_system(seed, needs=REDUCIBLE)
        graph = SystemGraph(Memo(system), StubbornSets(system))
        plain, sleeping = (kind(graph) for kind in (LoopSearch, SleepSetSearch))
        plain.run()
        sleeping.run()
        rest = [{graph.value(s) for s in loop.states if graph.is_quiescent(s)} for loop in (plain, sleeping)]
        assert rest[0] == rest[1]
        assert sleeping.transitions <= plain.transitions
        fewer += sleeping.transitions < plain.transitions
    assert fewer > 10


def test_sleep_sets_need_a_reduction_few_actions_and_no_strategy():
    system = counting(2)
    assert can_sleep(system, StubbornSets(system), None)
    assert not can_sleep(system, None, None)
    assert not can_sleep(system, StubbornSets(system, StubbornRules(sleep_sets=False)), None)
    assert not can_sleep(system, StubbornSets(system), Arbitrary("", 1, 1, 0))
    many = counting(65)
    assert not can_sleep(many, StubbornSets(many), None)
