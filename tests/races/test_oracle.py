"""The search gives what the definitions give on the tree of traces, on random models of every kind."""

import random

import pytest

from sdnloom.races import RaceMode, RaceOptions, find_races
from sdnloom.races.result import RaceResult
from sdnloom.races.search.oracle import Oracle, RaceKey
from tests.races.explicit import explicit_races
from tests.races.random_models import random_model, random_property

DEPTH = 4
MODELS = 1000
CHUNK = 50


def harmful(result: RaceResult) -> dict[RaceKey, int]:
    return {(race.kind, race.first, race.second): len(race.trace.events) for race in result.races if race.property}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, MODELS, CHUNK))
def test_both_modes_equal_the_oracle(start: int) -> None:
    for seed in range(start, start + CHUNK):
        rng = random.Random(seed)
        model = random_model(rng)
        prop = random_property(rng, model)
        oracle = Oracle(model, prop)
        expected, every = oracle.complete(DEPTH)
        result = find_races(model, [prop], RaceOptions(depth=DEPTH, harmless=True))
        assert harmful(result) == expected, seed
        assert {(race.kind, race.first, race.second) for race in result.races} == set(every), seed
        assert sum(result.counts.values()) == len(expected), seed
        assert result.harmless is not None
        assert sum(result.harmless.values()) == len(every) - len(expected), seed
        first_only = find_races(model, [prop], RaceOptions(RaceMode.RACELOOM, DEPTH))
        assert harmful(first_only) == oracle.raceloom(DEPTH), seed


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 200, 20))
def test_without_a_bound_sets_of_tables_give_what_single_tables_give(start: int) -> None:
    for seed in range(start, start + 20):
        rng = random.Random(seed)
        model = random_model(rng)
        prop = random_property(rng, model)
        for mode in RaceMode:
            result = find_races(model, [prop], RaceOptions(mode, harmless=True))
            expected, states = explicit_races(model, prop, None, mode is RaceMode.RACELOOM)
            assert harmful(result) == expected, (seed, mode)
            assert result.states == states, (seed, mode)
            assert result.proved


@pytest.mark.slow
def test_random_models_have_races_of_every_type_and_modes_that_differ() -> None:
    """The comparisons above would be worth little on models without races."""
    kinds: set[object] = set()
    differ = 0
    for seed in range(300):
        rng = random.Random(seed)
        model = random_model(rng)
        prop = random_property(rng, model)
        complete = harmful(find_races(model, [prop], RaceOptions(depth=DEPTH)))
        kinds |= {key[0] for key in complete}
        differ += complete.keys() != harmful(find_races(model, [prop], RaceOptions(RaceMode.RACELOOM, DEPTH))).keys()
    assert len(kinds) == 3
    assert differ > 5
