"""The kernel gives the loop's answers: states, order, transitions, verdicts, counterexamples, limits."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.pings import pings
from sdnloom.engine.kernel import block, memo, visited_states
from sdnloom.engine.kernel.search import KernelSearch
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.reduction.stubborn_sets import StubbornRules, StubbornSets
from sdnloom.engine.result import Limits, Result, SearchOptions
from sdnloom.engine.search import SleepSetLoop, SystemLoop, search
from sdnloom.engine.semantics import State
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.system_graph import SystemGraph
from sdnloom.errors import SdnloomError
from tests.engine.systems import REDUCIBLE, random_system

LIMIT = 3000


@pytest.fixture(autouse=True)
def threads_for_small_blocks(monkeypatch) -> None:
    """Let threads share the small blocks of these tests, too."""
    monkeypatch.setattr(block, "PARALLEL_FROM", 2)


def summary(result: Result) -> tuple[object, ...]:
    own = {"engine": "", "bytes_per_state": None, "disk_bytes": 0}
    statistics = replace(result.statistics, seconds=0.0, evaluations={}, cores={}, **own)
    if result.incomplete is not None:  # the kernel looks at a whole level before it ends
        statistics = replace(statistics, active=frozenset(), routes=frozenset())
    return result.verdict, statistics, result.violations, result.witnesses, result.never


def both(system, threads: int = 3, **options) -> None:
    limits = options.pop("limits", Limits(states=LIMIT))
    loop = search(system, SearchOptions(engine="loop", limits=limits, **options))
    kernel = search(system, SearchOptions(engine="kernel", limits=limits, threads=threads, **options))
    assert summary(kernel) == summary(loop)


def states_in_order(system, reduce: bool) -> tuple[list[State], list[State]]:
    limits = Limits(states=LIMIT)
    reduction = StubbornSets(system, StubbornRules(cycle_proviso=True)) if reduce else None
    tables = Memo(system)
    kind = SleepSetLoop if reduce else SystemLoop
    loop = kind(SystemGraph(tables, reduction), limits=limits)
    loop.run()
    kernel = KernelSearch(
        Memo(system),
        reduction,
        limits=limits,
        watch=LimitWatch(limits),
        on_finding=lambda found, number: False,
        on_pause=lambda: None,
        threads=3,
    )
    kernel.run()
    return (
        [loop.graph.value(state) for state in loop.states],
        [kernel.values(number)[-1] for number in range(kernel.count())],
    )


@pytest.mark.slow
@pytest.mark.parametrize("share", range(4))
def test_kernel_equals_loop_on_random_systems(share) -> None:
    for seed in range(share, 800, 4):
        both(random_system(seed), 1 + share, find_all=seed % 8 < 4)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(4))
def test_kernel_equals_loop_under_reduction(share) -> None:
    for seed in range(10_000 + share, 10_800, 4):
        both(random_system(seed, needs=REDUCIBLE), 1 + share, reduce=True, find_all=seed % 8 < 4)


@pytest.mark.slow
@pytest.mark.parametrize("reduce", [False, True])
def test_kernel_numbers_states_as_the_loop_does(reduce) -> None:
    for seed in range(20_000, 20_060):
        loop, kernel = states_in_order(random_system(seed, needs=REDUCIBLE), reduce)
        assert kernel == loop, seed


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**9), st.integers(1, 40), st.integers(1, 8), st.booleans())
def test_limits_cut_both_engines_at_the_same_state(seed, states, depth, find_all) -> None:
    for reduce in (False, True):
        system = random_system(seed, needs=REDUCIBLE if reduce else frozenset(Needs))
        both(system, limits=Limits(states=states), find_all=find_all, reduce=reduce)
        both(system, limits=Limits(states=LIMIT, depth=depth), find_all=find_all, reduce=reduce)


@pytest.mark.parametrize(
    ("count", "states", "transitions"),
    [(1, 17, 16), (2, 296, 508), (3, 4649, 11_231), (4, 68_868, 207_817)],
)
@pytest.mark.parametrize("threads", [1, 4])
def test_pings_have_the_known_counts(count, states, transitions, threads) -> None:
    result = search(pings(count), SearchOptions(engine="kernel", threads=threads))
    assert (result.statistics.states, result.statistics.transitions) == (states, transitions)


@pytest.mark.slow
@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("reduce", [True, False])
def test_pings_with_a_violation_agree(canonical, reduce) -> None:
    def count_replies(memory, event):
        return min(memory + 1, 2) if event[:2] == ("got", "A") else memory

    replied = Property("replied", Needs.EVENT, lambda m, _: "two" if m == 2 else None, fold=count_replies, initial=0)
    both(pings(3, canonical=canonical, properties=(replied,)), reduce=reduce, limits=Limits())


def test_an_expansion_that_was_ended_early_leaves_nothing_for_the_next_one(monkeypatch) -> None:
    limits = Limits()
    search = KernelSearch(
        Memo(pings(3)),
        None,
        limits=limits,
        watch=LimitWatch(limits),
        on_finding=lambda found, number: False,
        on_pause=lambda: None,
    )
    expander, level, count = search._expander, search._initial, 1
    while level.count < 300:
        level = expander.expand(level, count).states
        count += level.count
    search.visited.clear(0)
    expected = expander.expand(level, 0)
    search.visited.clear(0)
    with monkeypatch.context() as patch:
        patch.setattr(expander, "_fill", end_at_a_limit)
        with pytest.raises(LimitReached):
            expander.expand(level, 0)
    # A thread that finds no room leaves out numbers.
    monkeypatch.setattr(block, "_GROWTH", 1)
    monkeypatch.setattr(block, "_SPARE", 0)
    monkeypatch.setattr(visited_states, "_SMALL", 16)
    search.visited.clear(0)
    again = expander.expand(level, 0)
    assert again.keys.tolist() == expected.keys.tolist()
    assert again.states.count == expected.states.count == 413


def test_more_places_than_a_number_can_count_are_refused_by_name(monkeypatch) -> None:
    monkeypatch.setattr(memo, "_MOST_ROWS", 100)
    with pytest.raises(SdnloomError, match="has no room for more places; use the loop engine"):
        search(pings(3), SearchOptions(engine="kernel"))


def end_at_a_limit(threads: object) -> None:
    raise LimitReached("a limit")


def test_kernel_refuses_depth_first_checked_runs_and_no_threads_by_name() -> None:
    with pytest.raises(SdnloomError, match="breadth first"):
        search(pings(1), SearchOptions(engine="kernel", order="dfs"))
    for threads in (0, 1025):
        with pytest.raises(SdnloomError, match=f"threads is {threads}; expected a whole number from 1 to 1,024"):
            search(pings(1), SearchOptions(threads=threads))
    with pytest.raises(SdnloomError, match="option disk is ''; expected a folder to write in"):
        search(pings(1), SearchOptions(disk=""))
    with pytest.raises(SdnloomError, match="checked"):
        search(pings(1), SearchOptions(engine="kernel", checked=True))


@pytest.mark.slow
def test_auto_stays_in_the_loop_for_small_runs_and_moves_to_the_kernel_for_long_ones() -> None:
    assert search(pings(2)).statistics.engine == "loop"
    assert search(pings(4)).statistics.engine == "kernel"
    little = SearchOptions(limits=Limits(seconds=20))
    assert search(pings(4), little).statistics.engine == "loop"
