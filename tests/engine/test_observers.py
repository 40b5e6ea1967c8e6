"""Observers see each distinct combination of their columns once, in the order of the search, in both engines."""

import sys
from collections.abc import Mapping
from typing import Any

import pytest

from sdnloom.engine.model import ModelError, Observer, System
from sdnloom.engine.result import Limits, Result, SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, State
from tests.engine.systems import REDUCIBLE, random_system
from tests.engine.test_graph import some

Calls = list[tuple[str, tuple[Any, ...]]]


def observers(system: System, calls: Calls) -> list[Observer]:
    """Observers of one component, of all components, of a channel and of nothing; of all and of quiescent states."""
    names = [component.name for component in system.components]
    wanted = [(names[0],), tuple(names), (), *((channel.name, names[-1]) for channel in system.channels[:1])]

    def noting(name: str, columns: tuple[str, ...]) -> Any:
        def note(values: Mapping[str, Any]) -> None:
            assert tuple(values) == columns
            calls.append((name, tuple(values.values())))

        return note

    return [
        Observer(name, columns, noting(name, columns), quiescent)
        for quiescent in (False, True)
        for columns in dict.fromkeys(wanted)
        for name in [f"{'quiescent' if quiescent else 'all'} {columns}"]
    ]


def calls_of(system: System, options: SearchOptions) -> tuple[Calls, Result]:
    calls: Calls = []
    result = search(system, options, observers=observers(system, calls))
    assert len(set(calls)) == len(calls)
    return calls, result


def expected_calls(system: System, states: list[State]) -> Calls:
    semantics = Semantics(system)
    calls: dict[tuple[str, tuple[Any, ...]], None] = {}
    for state in states:
        for observer in observers(system, []):
            if not observer.quiescent or semantics.is_quiescent(state):
                calls.setdefault((observer.name, tuple(semantics.column(name, state) for name in observer.columns)))
    return list(calls)


def test_the_loop_shows_the_states_of_the_semantics_in_breadth_first_order():
    for system, found in some(60):
        calls, _ = calls_of(system, SearchOptions(engine="loop", find_all=True))
        assert calls == expected_calls(system, list(found))


def test_a_search_that_ends_at_a_violation_shows_nothing_beyond_it():
    ended = 0
    for system, found in some(100):
        calls, result = calls_of(system, SearchOptions(engine="loop"))
        assert calls == expected_calls(system, list(found)[: result.statistics.states])
        ended += result.statistics.states < len(found)
    assert ended > 10


@pytest.mark.slow
@pytest.mark.parametrize("find_all", [False, True])
@pytest.mark.parametrize("reduce", [False, True])
def test_the_kernel_makes_the_calls_of_the_loop(find_all, reduce):
    limits = Limits(states=300)
    for seed in range(40):
        system = random_system(seed, needs=REDUCIBLE) if reduce else random_system(seed)
        options = {"find_all": find_all, "reduce": reduce, "limits": limits}
        loop, _ = calls_of(system, SearchOptions(engine="loop", **options))
        kernel, _ = calls_of(system, SearchOptions(engine="kernel", **options))
        assert kernel == loop, seed


def test_observers_change_nothing():
    for seed in range(20):
        system = random_system(seed, needs=REDUCIBLE)
        for reduce in (False, True):
            options = SearchOptions(engine="loop", reduce=reduce, limits=Limits(states=300))
            _, result = calls_of(system, options)
            plain = search(system, options)
            assert (result.verdict, result.statistics.states, result.statistics.transitions) == (
                plain.verdict,
                plain.statistics.states,
                plain.statistics.transitions,
            )


@pytest.mark.usefixtures("compiled_kernel")
def test_an_engine_that_begins_again_repeats_no_call(monkeypatch):
    monkeypatch.setattr(sys.modules["sdnloom.engine.search"], "SMALL_RUN", 50)
    moved = 0
    for seed in range(60):
        system = random_system(seed)
        options = {"find_all": True, "limits": Limits(states=2000)}
        calls, result = calls_of(system, SearchOptions(**options))
        assert calls == calls_of(system, SearchOptions(engine="loop", **options))[0]
        moved += result.statistics.engine == "kernel"
    assert moved > 5


def test_an_observer_of_an_unknown_column_and_one_that_raises_are_named():
    system = random_system(0)
    with pytest.raises(ModelError, match="observer 'mine' reads the column 'nowhere', no component or channel"):
        search(system, observers=[Observer("mine", ("nowhere",), print)])
    with pytest.raises(ModelError, match="observer 'mine' raised ZeroDivisionError: integer division"):
        search(system, observers=[Observer("mine", (), lambda values: 1 // 0)])
