"""The paths of section 5.4: counts equal the oracle's, and have closed forms at every length."""

import networkx as nx
import pytest

from benchmarks.raceloom_zoo import SCENARIOS, Scenario, always_true, longest_path, path_model, plain_path, reaching
from sdnloom.races import RaceMode, RaceOptions, RaceResult, RaceType, find_races
from sdnloom.races.search.oracle import Oracle
from tests.races.explicit import explicit_races


def counts(result: RaceResult) -> tuple[int, ...]:
    return tuple(result.counts[kind] for kind in RaceType)


# The tree of traces grows 2.7-fold with each event; for short paths the depth covers all races there are.
@pytest.mark.slow
@pytest.mark.parametrize(("switches", "depth"), [(1, 6), (2, 7), (3, 7), (4, 7), (5, 7), (6, 8)])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_reaching_on_short_paths_equals_the_oracle(switches: int, depth: int, scenario: Scenario) -> None:
    path = plain_path(switches)
    model = path_model(path, scenario)
    for prop in reaching(path):
        result = find_races(model, [prop], RaceOptions(depth=depth))
        expected = Oracle(model, prop).complete(depth)[0]
        found = {(race.kind, race.first, race.second): len(race.trace.events) for race in result.races}
        assert found == expected
        if prop.name == "first_reaches_second":
            assert found, "a comparison of nothing"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_raceloom_mode_equals_the_oracle_on_a_path(scenario: Scenario) -> None:
    path = plain_path(3)
    model = path_model(path, scenario)
    for prop in reaching(path):
        result = find_races(model, [prop], RaceOptions(RaceMode.RACELOOM, 7))
        found = {(race.kind, race.first, race.second): len(race.trace.events) for race in result.races}
        assert found == Oracle(model, prop).raceloom(7)


@pytest.mark.slow
@pytest.mark.parametrize("switches", [2, 3, 4, 5])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_sets_of_tables_give_what_single_tables_give(switches: int, scenario: Scenario) -> None:
    path = plain_path(switches)
    model = path_model(path, scenario)
    for prop in reaching(path):
        for mode in RaceMode:
            result = find_races(model, [prop], RaceOptions(mode, harmless=True))
            expected, states = explicit_races(model, prop, None, mode is RaceMode.RACELOOM)
            found = {
                (race.kind, race.first, race.second): len(race.trace.events) for race in result.races if race.property
            }
            assert found == expected
            assert result.states == states


@pytest.mark.slow
@pytest.mark.parametrize("switches", [2, 3, 7, 12, 20])
def test_counts_at_every_depth_have_a_closed_form(switches: int) -> None:
    """n + n + 1 updates change each direction; each update of one controller may race with each of the other."""
    path = plain_path(switches)
    for scenario in SCENARIOS:
        result = find_races(path_model(path, scenario), reaching(path), RaceOptions(max_races=1))
        one_way = (1, 0, 0)
        both_ways = (4 * switches + 2, 2 * switches**2, 0)
        assert counts(result) == (one_way if scenario.controllers == 1 else both_ways)
        assert result.proved


def test_the_number_of_states_grows_exponentially_while_what_is_stored_does_not() -> None:
    path = plain_path(16)
    result = find_races(path_model(path, SCENARIOS[2]), reaching(path), RaceOptions(max_races=0))
    assert result.states == 3_341_997
    assert result.stored == 256


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_constant_property_is_proved_with_one_question(scenario: Scenario) -> None:
    result = find_races(path_model(plain_path(30), scenario), always_true())
    assert counts(result) == (0, 0, 0)
    assert result.proved
    assert result.evaluations == 1
    searched = find_races(path_model(plain_path(4), scenario), always_true(), RaceOptions(harmless=True))
    assert counts(searched) == (0, 0, 0)
    assert searched.proved
    assert searched.harmless is not None
    assert searched.harmless[RaceType.CT_SW] > 0


def test_the_longest_path_of_a_graph_has_ports_of_its_own() -> None:
    graph = nx.Graph([("a", "b"), ("b", "c"), ("c", "d"), ("b", "x"), ("x", "c")])
    path = longest_path(graph)
    assert path.switches == 4
    ports = [*path.left, *path.right, path.first_host, path.second_host]
    assert len(set(ports)) == len(ports)
    result = find_races(path_model(path, SCENARIOS[0]), reaching(path))
    assert counts(result) == (1, 0, 0)
