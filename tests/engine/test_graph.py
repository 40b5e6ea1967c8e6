"""The compiled graph and the loop engine against the slow, obvious semantics, state by state."""

import itertools
from collections.abc import Hashable, Iterator
from typing import Any

import pytest
from hypothesis import given

from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.graph import Graph
from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import (
    DROP,
    NO_FAULT,
    Action,
    Channel,
    Component,
    Mode,
    Needs,
    Outcome,
    Property,
    Step,
    System,
)
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding, Semantics, State, Transition, reachable
from sdnloom.engine.system_graph import SystemGraph
from tests.engine.systems import random_system, seeds, systems

SHARES = 4


def small(system: System, limit: int = 150) -> dict[State, list[Transition]] | None:
    """The reachable states with their transitions, breadth first; None if there are too many."""
    try:
        return reachable(Semantics(system), limit)
    except OverflowError:
        return None


def some(count: int, share: int = 0, shares: int = 1) -> Iterator[tuple[System, dict[State, list[Transition]]]]:
    """Random systems that are small enough, with their reachable states."""
    for seed in seeds(share, shares, count):
        system = random_system(seed)
        found = small(system)
        if found is not None:
            yield system, found


def loop_on(system: System, **options: Any) -> tuple[SystemGraph, LoopSearch[int]]:
    graph = SystemGraph(Memo(system))
    loop = LoopSearch(graph, **options)
    loop.run()
    return graph, loop


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_every_state_step_and_answer_is_that_of_the_semantics(share):
    for system, expected in some(800, share, SHARES):
        semantics = Semantics(system)
        graph, loop = loop_on(system)
        assert [graph.value(state) for state in loop.states] == list(expected)
        assert loop.transitions == sum(map(len, expected.values()))
        for state in loop.states:
            value = graph.value(state)
            assert [graph.value(after) for after in graph.successors(state)] == [t.state for t in expected[value]]
            assert [(step, graph.value(after)) for step, after in graph.labelled(state)] == [
                (t.step, t.state) for t in expected[value]
            ]
            assert tuple(graph.findings(state)) == semantics.findings(value)
            assert graph.is_quiescent(state) == semantics.is_quiescent(value)
            assert graph.is_settled(state) == semantics.is_settled(value)
            assert not graph.is_reduced(state)
            assert graph.remainder(state) == []


@given(systems())
def test_a_graph_filled_in_another_order_gives_the_same_answers(system):
    # Memos are filled on demand, so what was asked before must not show.
    found = small(system, 60)
    if found is None:
        return
    there, back = SystemGraph(Memo(system)), SystemGraph(Memo(system))
    for graph, states in ((there, list(found)), (back, list(found)[::-1])):
        known: dict[State, int] = {}
        work = graph.initial()
        while work:
            state = work.pop(0 if graph is there else -1)
            if graph.value(state) not in known:
                known[graph.value(state)] = state
                work += graph.successors(state)
        assert {value: [graph.value(s) for s in graph.successors(known[value])] for value in states} == {
            value: [t.state for t in found[value]] for value in states
        }


@pytest.mark.slow
def test_depth_first_sees_the_same_states_transitions_and_violations():
    for system, expected in some(300):
        spoken: set[Finding] = set()

        def note(found: Finding, number: int, spoken: set[Finding] = spoken) -> bool:
            spoken.add(found)
            return False

        graph, loop = loop_on(system, order="dfs", on_finding=note)
        assert {graph.value(state) for state in loop.states} == set(expected)
        assert len(loop.states) == len(expected)
        assert loop.transitions == sum(map(len, expected.values()))
        semantics = Semantics(system)
        assert spoken == {found for state in expected for found in semantics.findings(state)}


@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_a_route_is_a_path_of_the_semantics_from_the_initial_state(order):
    for system, expected in some(60):
        graph, loop = loop_on(system, order=order)
        for number in range(len(loop.states)):
            values = [graph.value(state) for state in loop.route(number)]
            assert values[0] == Semantics(system).initial()
            assert values[-1] == graph.value(loop.states[number])
            for before, after in itertools.pairwise(values):
                assert after in [t.state for t in expected[before]]


# Limits, exact to one state.


def levels_of(expected: dict[State, list[Transition]]) -> dict[State, int]:
    """The distance of each state from the initial one."""
    levels = {next(iter(expected)): 0}
    for state in expected:  # breadth first, so a state comes after the first one that leads to it
        for transition in expected[state]:
            levels.setdefault(transition.state, levels[state] + 1)
    return levels


@pytest.mark.slow
def test_a_limit_on_states_is_exact_to_one_state_and_one_transition():
    for system, expected in some(30):
        numbering = list(expected)
        for limit in range(1, len(expected) + 1):
            graph, loop = loop_on(system, limits=Limits(states=limit))
            assert [graph.value(state) for state in loop.states] == numbering[:limit]
            assert len(loop.parents) == limit
            assert loop.transitions == transitions_until(expected, numbering[limit - 1])
            assert loop.stopped == f"the limit of {limit:,} states was reached"
        _, loop = loop_on(system, limits=Limits(states=len(expected) + 1))
        assert loop.stopped is None


def transitions_until(expected: dict[State, list[Transition]], last: State) -> int:
    """How many transitions a breadth-first search takes until it has found the state."""
    if last == next(iter(expected)):
        return 0
    count = 0
    for transitions in expected.values():
        for transition in transitions:
            count += 1
            if transition.state == last:
                return count
    raise AssertionError("not reachable")


def test_a_limit_on_depth_sees_exactly_the_states_within_it():
    cut = 0
    for system, expected in some(100):
        levels = levels_of(expected)
        deepest = max(levels.values())
        for limit in range(1, deepest + 2):
            graph, loop = loop_on(system, limits=Limits(depth=limit))
            assert {graph.value(state) for state in loop.states} == {s for s in expected if levels[s] <= limit}
            assert (loop.stopped is None) == (limit >= deepest)
            assert loop.depth == min(limit, deepest)
            cut += limit < deepest
    assert cut > 100


def test_a_depth_first_search_within_a_depth_limit_is_never_called_complete_wrongly():
    for system, expected in some(100):
        for limit in (1, 2, 3):
            graph, loop = loop_on(system, order="dfs", limits=Limits(depth=limit))
            seen = {graph.value(state) for state in loop.states}
            assert seen <= set(expected)
            assert loop.stopped is not None or seen == set(expected)


def test_time_and_memory_limits_and_an_interrupt_end_a_search_with_their_reason():
    count = Component("A", 0, (Action("go", lambda core, _: [Outcome(core + 1)] if core < 10_000 else []),))
    for limits, reason in (
        (Limits(seconds=0.000001), "the time limit of 1e-06 s was reached"),
        (Limits(memory=1), "the memory limit of 0 MB was reached"),
    ):
        _, loop = loop_on(System((count,)), limits=limits)
        assert loop.stopped == reason
        assert len(loop.states) >= 1
    loop = LoopSearch(SystemGraph(Memo(System((count,)))))
    loop.watch.interrupted = True
    loop.run()
    assert (loop.stopped, len(loop.states), loop.transitions) == ("interrupted", 1, 0)


def test_a_search_that_another_engine_takes_over_stops_at_the_next_pause():
    count = Component("A", 0, (Action("go", lambda core, _: [Outcome(core + 1)] if core < 10_000 else []),))
    _, loop = loop_on(System((count,)), hand_over=lambda transitions: transitions >= 10)
    assert (loop.handed_over, loop.stopped, loop.transitions) == (True, "10 transitions were explored", 10)


# Any graph can be searched.


class Ring(Graph[int]):
    """The numbers below `size`, each leading to the next and back, from several initial states."""

    def __init__(self, size: int, starts: list[int]) -> None:
        self.size, self.starts = size, starts

    def initial(self) -> list[int]:
        return self.starts

    def successors(self, state: int) -> list[int]:
        return [(state + 1) % self.size, (state - 1) % self.size]

    def labelled(self, state: int) -> list[tuple[str, int]]:
        return list(zip(("up", "down"), self.successors(state), strict=True))

    def findings(self, state: int) -> list[Finding]:
        return [Finding("seven", "seven")] if state == 7 else []


@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_a_graph_that_is_no_system_is_searched(order):
    findings: list[int] = []
    loop = LoopSearch(Ring(10, [0, 3]), order=order, on_finding=lambda found, number: findings.append(number) or False)
    loop.run()
    assert sorted(loop.states) == list(range(10))
    assert loop.states[:2] == [0, 3]
    assert loop.transitions == 20
    assert [loop.states[number] for number in findings] == [7]


def test_breadth_first_finds_the_nearest_way_from_the_nearest_start():
    found: list[int] = []
    loop = LoopSearch(Ring(10, [0, 3]), on_finding=lambda _, number: found.append(number) or True)
    loop.run()
    assert loop.ended_by_finding
    assert loop.route(found[0]) == [0, 9, 8, 7]
    assert loop.depth == 3


# Strategies.


class Favour:
    """Steps of the favoured component first; remembers how many it chose, up to two."""

    name = "FAVOUR"
    skips = "the others"
    initial: Hashable = 0

    def __init__(self, component: str) -> None:
        self.component = component

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int:
        return (step.component != self.component) ^ (memory == 2)

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        return min(memory + (step.component == self.component), 2)


@pytest.mark.slow
def test_a_strategy_explores_exactly_the_steps_of_least_rank():
    narrowed = 0
    for system, expected in some(200):
        strategy = Favour("A")
        graph = SystemGraph(Memo(system), strategy=strategy)
        loop = LoopSearch(graph)
        loop.run()
        start = (Semantics(system).initial(), 0)
        known, work, transitions = {start}, [start], 0
        while work:
            state, memory = work.pop()
            offered = [(strategy.rank(memory, t.step, t.outcome), t) for t in expected[state]]
            least = min((rank for rank, _ in offered), default=0)
            for rank, t in offered:
                if rank == least:
                    transitions += 1
                    following = (t.state, strategy.after(memory, t.step, t.outcome))
                    if following not in known:
                        known.add(following)
                        work.append(following)
        assert {graph.value(state) for state in loop.states} == {state for state, _ in known}
        assert (len(loop.states), loop.transitions) == (len(known), transitions)
        narrowed += len({state for state, _ in known}) < len(expected)
    assert narrowed > 40


# Memo and evaluation counts.


def test_a_step_runs_once_per_distinct_core_and_message():
    calls: list[tuple[Any, Any]] = []

    def take(core: int, message: Any) -> list[Outcome]:
        calls.append((core, message))
        return [Outcome(core)]

    def send(core: int, _: Any) -> list[Outcome]:
        return [Outcome(core + 1, (("in", "x"),))] if core < 5 else []

    system = System(
        (
            Component("A", 0, (Action("send", send, None, frozenset({"in"})),)),
            Component("B", 0, (Action("take", take, "in"),)),
        ),
        (Channel("in", "B", Fifo()),),
    )
    graph, loop = loop_on(system)
    assert calls == [(0, "x")]
    assert (len(loop.states), loop.transitions) == (21, 30)
    assert graph.tables.evaluations == [6, 1]


class FaultFirst(Fifo):
    """A queue that names its fault before the ordinary alternative."""

    def push(self, content: Any, message: Any) -> tuple[tuple[str, Any], ...]:
        return ((DROP, content), (NO_FAULT, (*content, message)))


@pytest.mark.parametrize("receiver", ["A", "B"])
def test_a_fault_that_comes_first_is_remembered_only_where_it_happened(receiver):
    def send(core: int, _: Any) -> list[Outcome]:
        return [Outcome(core + 1, (("c", "x"), ("c", "y")), ("sent",))] if core < 2 else []

    events = Property("events", Needs.STATE, lambda memory, _: str(memory), fold=lambda m, e: (*m, e), initial=())
    system = System(
        (Component("A", 0, (Action("send", send, None, frozenset({"c"})),)), Component("B", 0, ())),
        (Channel("c", receiver, FaultFirst()),),
        (events,),
    )
    expected = reachable(Semantics(system))
    graph, loop = loop_on(system)
    assert [graph.value(state) for state in loop.states] == list(expected)
    assert loop.transitions == sum(map(len, expected.values())) == 4 + 16
    assert [found for state in loop.states for found in graph.findings(state)] == [
        found for state in expected for found in Semantics(system).findings(state)
    ]


def test_idle_actions_happen_only_in_quiescent_states():
    must = Component("A", 0, (Action("work", lambda core, _: [Outcome(core + 1)] if core < 2 else []),))
    idle = Component("B", 0, (Action("rest", lambda core, _: [Outcome(1)] if core == 0 else [], mode=Mode.IDLE),))
    may = Component("C", 0, (Action("fail", lambda core, _: [Outcome(1)] if core == 0 else [], mode=Mode.MAY),))
    graph, loop = loop_on(System((must, idle, may)))
    cores = {graph.value(state).cores for state in loop.states}
    assert cores == {(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 0, 1), (1, 0, 1), (2, 0, 1), (2, 1, 0), (2, 1, 1)}
    assert {graph.value(s).cores for s in loop.states if graph.is_quiescent(s)} == {c for c in cores if c[0] == 2}
    assert {graph.value(s).cores for s in loop.states if graph.is_settled(s)} == {(2, 1, 0), (2, 1, 1)}
