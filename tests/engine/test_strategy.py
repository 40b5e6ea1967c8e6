"""Strategies: both engines agree with a slow definition, for one, for several and with a reduction."""

from collections.abc import Hashable
from functools import cache
from typing import Any

import pytest

from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import ModelError, Outcome, Step, Strategy, System
from sdnloom.engine.reduction.laws import place_classes_of
from sdnloom.engine.reduction.stubborn_sets import StubbornSets
from sdnloom.engine.result import Incomplete, Limits, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.engine.strategy import StrategySequence, least, strategy_parts
from sdnloom.engine.system_graph import SystemGraph
from tests.engine.random_strategies import Arbitrary, random_strategy
from tests.engine.systems import REDUCIBLE, random_system
from tests.engine.test_kernel import both

LIMIT = 400


def slowly(system: System, strategy: Strategy, reduction: StubbornSets | None) -> tuple[set[State], int, int] | None:
    """States, transitions and reduced states by the definition in strategy.py; None if there are too many."""
    semantics = Semantics(system)
    transitions_of, few_of = cache(semantics.transitions), cache(lambda state: _few(semantics, state, reduction))
    parts = strategy_parts(strategy)
    start = (semantics.initial(), tuple(part.initial for part in parts))
    known, work, transitions, reduced = {start}, [start], 0, 0
    while work:
        state, memory = work.pop()
        chosen = left_by(parts, memory, transitions_of(state))
        if reduction is not None:
            few = few_of(state)
            if all(t in chosen for t in few):
                reduced += len(few) < len(chosen)
                chosen = few
        transitions += len(chosen)
        for t in chosen:
            pairs = zip(parts, memory, strict=True)
            following = (t.state, tuple(part.after(one, bare(t.step), t.outcome) for part, one in pairs))
            if following not in known:
                known.add(following)
                work.append(following)
        if len(known) > LIMIT:
            return None
    return {state for state, _ in known}, transitions, reduced


def _few(semantics: Semantics, state: State, reduction: StubbornSets) -> list[Transition]:
    """The transitions of a state that the reduction keeps."""
    kept = reduction.subset(place_classes_of(semantics, state))
    numbers = {acting.name: acting.number for acting in reduction.actions}
    offered = semantics.transitions(state)
    return [t for t in offered if kept is None or kept >> numbers[t.component.name, t.action.name] & 1]


def left_by(parts: tuple[Strategy, ...], memory: tuple[Any, ...], offered: list[Transition]) -> list[Transition]:
    """One strategy after the other leaves the least ranked and the unranked."""
    for part, one in zip(parts, memory, strict=True):
        ranks = [part.rank(one, bare(t.step), t.outcome) for t in offered]
        some = [rank for rank in ranks if rank is not None]
        offered = [t for t, rank in zip(offered, ranks, strict=True) if rank is None or rank == min(some)]
    return offered


def bare(step: Step) -> Step:
    return step._replace(faults=())


@pytest.mark.slow
@pytest.mark.parametrize("reduce", [False, True])
def test_the_loop_explores_what_the_slow_definition_explores(reduce):
    compared = narrowed = thinned = 0
    for seed in range(170):
        system, strategy = random_system(seed, needs=()), random_strategy(seed)
        reduction = StubbornSets(system) if reduce else None
        slow = slowly(system, strategy, reduction)
        if slow is None:
            continue
        loop = LoopSearch(SystemGraph(Memo(system), reduction, strategy))
        loop.run()
        assert {loop.graph.value(state) for state in loop.states} == slow[0], seed
        assert loop.transitions == slow[1], seed
        full = LoopSearch(SystemGraph(Memo(system)), limits=Limits(states=4 * LIMIT))
        full.run()
        compared += 1
        narrowed += len(full.states) > len(slow[0])
        thinned += slow[2] > 0
    assert compared > 100
    assert narrowed > 44
    assert not reduce or thinned > 17


@pytest.mark.slow
@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("share", range(2))
def test_kernel_equals_loop_under_a_strategy(share, reduce):
    for seed in range(30_000 + share, 30_200, 2):
        system = random_system(seed, needs=REDUCIBLE) if reduce else random_system(seed)
        both(system, strategy=random_strategy(seed), reduce=reduce, find_all=seed % 4 < 2)


@pytest.mark.slow
def test_what_a_reduction_leaves_out_of_a_strategy_is_its_remainder():
    left = 0
    for seed in range(80):
        system, strategy = random_system(seed, needs=()), random_strategy(seed)
        reduced = SystemGraph(Memo(system), StubbornSets(system), strategy)
        loop = LoopSearch(reduced, limits=Limits(states=100))
        loop.run()
        plain = SystemGraph(reduced.tables, None, strategy)
        for state in loop.states:
            wide = plain.state([reduced.values[n][state & field] for n, field in enumerate(reduced._fields)])
            kept, rest = reduced.successors(state), reduced.remainder(state)
            assert reduced.is_reduced(state) == bool(rest)
            assert [after for _, after in plain.labelled(wide)] == plain.successors(wide)
            assert sorted(map(repr, map(plain.value, plain.successors(wide)))) == sorted(
                map(repr, map(reduced.value, kept + rest))
            )
            left += bool(rest)
    assert left > 33


@pytest.mark.parametrize(
    ("ranks", "left"),
    [
        ([], []),
        ([(1,), (0,), (None,), (0,)], [False, True, True, True]),
        ([(1, 0), (0, 2), (0, 1)], [False, False, True]),
        ([(None, 5), (3, 4), (2, 4), (2, 4)], [False, False, True, True]),
        ([(None, None), (None, 1)], [True, True]),
    ],
)
def test_ranks_compare_lexicographically_and_no_rank_has_no_effect(ranks, left):
    assert least(ranks) == left


def test_a_strategy_that_leaves_nothing_out_explores_everything_but_proves_nothing():
    for seed in range(40):
        system = random_system(seed)
        limits = Limits(states=LIMIT)
        full = search(system, SearchOptions(engine="loop", limits=limits, find_all=True))
        free = search(
            system, SearchOptions(engine="loop", limits=limits, find_all=True, strategy=Arbitrary("", 1, 1, unranked=0))
        )
        assert (free.statistics.states, free.statistics.transitions) == (
            full.statistics.states,
            full.statistics.transitions,
        )
        if not isinstance(full.verdict, Violated | Incomplete):
            assert free.verdict == Incomplete("the strategy ARBITRARY skips at random")


def test_composed_strategies_say_what_each_of_them_skips():
    one, other = Arbitrary("a", 2, 1, 0), Arbitrary("b", 2, 1, 0)
    both_of_them = StrategySequence((one, StrategySequence((other,))))
    assert both_of_them.parts == (one, other)
    assert both_of_them.name == "ARBITRARY + ARBITRARY"
    result = search(random_system(3, needs=()), SearchOptions(engine="loop", strategy=both_of_them))
    assert result.verdict == Incomplete(
        "the strategy ARBITRARY skips at random; the strategy ARBITRARY skips at random"
    )


class Wrong(Arbitrary):
    """Gives every step one rank."""

    def __init__(self, value: Any) -> None:
        super().__init__("", 1, 1, 0)
        self.value = value

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> Any:
        return self.value

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        return memory


@pytest.mark.parametrize("value", [-1, 1 << 31, "low", 0.5])
@pytest.mark.parametrize("engine", ["loop", "kernel"])
def test_what_is_no_rank_is_refused_by_name(value, engine):
    with pytest.raises(ModelError, match=r"strategy ARBITRARY, asked about .* gave .*; expected a whole number"):
        search(random_system(3, needs=()), SearchOptions(engine=engine, strategy=Wrong(value)))
