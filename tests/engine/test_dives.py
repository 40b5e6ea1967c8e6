"""The order `auto`: the answers of a breadth-first search, and dives that find what is deep."""

from dataclasses import replace

import pytest

from sdnloom.engine.dives import schedule
from sdnloom.engine.dives.dive import DiveSearch
from sdnloom.engine.dives.schedule import DiveSchedule
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Action, Component, Needs, Outcome, Property, System
from sdnloom.engine.path import replay
from sdnloom.engine.result import Limits, Progress, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.system_graph import SystemGraph
from tests.engine.systems import REDUCIBLE, random_system
from tests.engine.test_graph import levels_of, some

AUTO = SearchOptions(engine="loop")
BREADTH = SearchOptions(engine="loop", order="bfs")


@pytest.fixture
def early_dives(monkeypatch):
    """Dives from the first level on."""
    monkeypatch.setattr(schedule, "FIRST", 8)


def counts(result):
    """What a whole search has counted."""
    found = result.statistics
    return found.states, found.transitions, found.depth


def test_the_order_is_auto_unless_another_one_is_chosen():
    assert SearchOptions().order == "auto"


def test_a_dive_with_enough_time_sees_every_state():
    for number, (system, expected) in enumerate(some(60)):
        graph = SystemGraph(Memo(system))
        dive = DiveSearch(number, graph)
        dive.run()
        assert {graph.value(state) for state in dive.states} == set(expected)
        assert dive.transitions == sum(map(len, expected.values()))
        for position, state in enumerate(dive.states[1:], 1):
            assert state in graph.successors(dive.states[dive.parents[position]])
            assert position > dive.parents[position]


def test_a_dive_is_the_same_each_time_and_another_one_with_another_seed():
    system, _ = next(found for found in some(60) if len(found[1]) > 100)
    orders = []
    for seed in (1, 1, 2):
        graph = SystemGraph(Memo(system))
        dive = DiveSearch(seed, graph)
        dive.run()
        orders.append([graph.value(state) for state in dive.states])
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.usefixtures("early_dives")
@pytest.mark.parametrize("reduce", [False, True])
def test_verdicts_are_those_of_a_breadth_first_search_and_counts_too_if_nothing_is_found(reduce):
    dived = shortest = held = 0
    for seed in range(150):
        system = random_system(seed, needs=REDUCIBLE) if reduce else random_system(seed)
        breadth = search(system, replace(BREADTH, reduce=reduce, limits=Limits(states=600)))
        if breadth.incomplete is not None and "limit" in breadth.incomplete:
            continue
        auto = search(system, replace(AUTO, reduce=reduce))
        assert type(auto.verdict) is type(breadth.verdict)
        if not isinstance(auto.verdict, Violated):
            assert counts(auto) == counts(breadth)
            assert (auto.witnesses, auto.never) == (breadth.witnesses, breadth.never)
            held += auto.statistics.dives > 0
            continue
        one = auto.verdict.counterexample
        semantics = Semantics(system)
        transitions = replay(semantics, one.path)
        end = transitions[-1].state if transitions else semantics.initial()
        assert (one.property, one.message) in semantics.findings(end)
        best = len(breadth.verdict.counterexample.path)
        if not reduce:
            assert len(one.path) >= best
            if one.shortest:
                assert len(one.path) == best
        dived += counts(auto) != counts(breadth)
        shortest += one.shortest
    assert (held, dived, shortest) == ((26, 12, 0) if reduce else (33, 11, 41))


@pytest.mark.usefixtures("early_dives")
def test_a_shortest_counterexample_of_a_dive_is_the_shortest():
    found = 0
    for system, expected in some(150):
        result = search(system, AUTO)
        if not isinstance(result.verdict, Violated):
            continue
        semantics, levels = Semantics(system), levels_of(expected)
        sometimes = {prop.name for prop in system.properties if prop.sometimes}
        least = min(
            levels[state]
            for state in expected
            if any(each.property not in sometimes for each in semantics.findings(state))
        )
        one = result.verdict.counterexample
        assert len(one.path) == least if one.shortest else len(one.path) >= least
        found += one.shortest and result.statistics.dives > 0
    assert found == 5


@pytest.mark.usefixtures("early_dives")
def test_the_kernel_dives_at_the_same_levels():
    pytest.importorskip("numba")
    dived = 0
    for seed in range(25):
        results = [
            search(random_system(seed), SearchOptions(engine=engine, limits=Limits(states=600)))
            for engine in ("loop", "kernel")
        ]
        assert results[0].violations == results[1].violations
        assert counts(results[0]) == counts(results[1])
        assert results[0].statistics.dives == results[1].statistics.dives
        assert results[0].statistics.dive_states == results[1].statistics.dive_states
        dived += results[0].statistics.dives > 0
    assert dived == 12


def counters(number, most, **knobs):
    """Counters that count up to `most` each, and a property that all of them together violate at their ends."""

    def go(core, _):
        return [Outcome(core + 1)] if core < most else []

    names = tuple(f"counter {each}" for each in range(number))
    ends = Property(
        "not all at the end",
        Needs.STATE,
        lambda _, columns: "all are at the end" if all(columns[name] == most for name in names) else None,
        columns=names,
        **knobs,
    )
    return System(tuple(Component(name, 0, (Action("go", go),)) for name in names), (), (ends,))


def test_what_is_deep_is_found_by_a_dive_with_a_short_path(monkeypatch):
    monkeypatch.setattr(schedule, "FIRST", 3_000)
    events = []
    result = search(counters(6, 9), replace(AUTO, limits=Limits(seconds=60)), events.append)
    one = result.verdict.counterexample
    assert (len(one.path), one.minimal, one.shortest) == (54, True, False)
    assert counts(result) == (210, 504, 4)
    assert (result.statistics.dives, result.statistics.dive_states) == (2, 548)
    assert result.incomplete == "the search ended at the first violation"


@pytest.mark.usefixtures("early_dives")
@pytest.mark.parametrize("options", [{"order": "bfs"}, {"order": "dfs"}, {"find_all": True}])
def test_there_are_no_dives_unless_they_can_help(options):
    assert search(counters(3, 4), replace(AUTO, **options)).statistics.dives == 0
    assert search(counters(3, 4, sometimes=True), AUTO).statistics.dives == 0


@pytest.mark.usefixtures("early_dives")
def test_a_dive_is_no_deeper_than_the_depth_limit():
    result = search(counters(3, 4), replace(AUTO, limits=Limits(depth=11)))
    assert result.incomplete == "the depth limit of 11 was reached"
    assert result.statistics.dives > 1
    found = search(counters(3, 4), replace(AUTO, limits=Limits(depth=12)))
    assert isinstance(found.verdict, Violated)


def test_dives_come_each_time_the_effort_is_four_times_as_much_and_grow_more_slowly():
    plan = DiveSchedule(components=10)
    first = schedule.FIRST // 10
    assert not plan.is_due(first - 1)
    assert plan.is_due(first)
    assert plan.next_dive() == (0, 7_501)
    assert not plan.is_due(4 * first - 1)
    assert plan.is_due(4 * first)
    assert [plan.next_dive() for _ in range(3)] == [(1, 10_607), (2, 15_001), (3, 21_214)]
    assert not plan.is_due(256 * first - 1)
    assert plan.is_due(256 * first)


def test_at_half_of_the_time_a_first_dive_is_due():
    plan = DiveSchedule(components=10)
    assert plan.is_due(0, half_time=True)
    plan.next_dive()
    assert not plan.is_due(0, half_time=True)


@pytest.mark.usefixtures("early_dives")
def test_progress_names_the_dive(monkeypatch):
    monkeypatch.setattr("sdnloom.engine.limits.LimitWatch.progress_due", lambda self: True)
    events = []
    search(counters(3, 4), AUTO, events.append)
    shown = [event.dive for event in events if isinstance(event, Progress)]
    assert None in shown
    assert (1, 1, 0) in shown
