"""Options of a search in a cluster: what goes with it, and what is refused by name."""

from functools import partial
from pathlib import Path

import pytest

from benchmarks.pings import pings
from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.result import ClusterOptions, SearchOptions
from sdnloom.engine.search import search
from sdnloom.errors import SdnloomError


def program(count: int, late_explored: bool) -> ClusterProgram:
    return ClusterProgram(pings(count), late_explored=late_explored)


HERE = ClusterOptions("in process", 2, partial(program, 2))


def test_the_search_has_the_interface_of_the_others() -> None:
    result = search(pings(2), SearchOptions(cluster=HERE))
    assert (result.statistics.engine, result.statistics.states, result.statistics.transitions) == ("cluster", 296, 508)
    alone = search(pings(2), SearchOptions(engine="loop")).statistics
    assert result.statistics.evaluations == alone.evaluations
    assert result.statistics.routes == alone.routes


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": "dfs"}, "order 'dfs' is not possible in a cluster"),
        ({"engine": "loop"}, "the loop engine is not possible in a cluster"),
        ({"checked": True}, "a checked run is not possible in a cluster"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused(options, said) -> None:
    with pytest.raises(SdnloomError, match=said):
        search(pings(1), SearchOptions(cluster=HERE, **options))


def test_a_reduction_that_needs_the_cycle_proviso_is_refused() -> None:
    at_events = Property("p", Needs.EVENT, lambda memory, columns: None)
    with pytest.raises(SdnloomError, match="needs the cycle proviso"):
        search(pings(1, properties=(at_events,)), SearchOptions(cluster=HERE, reduce=True))


def test_a_worker_that_answers_otherwise_is_noticed() -> None:
    other = ClusterOptions("in process", 2, lambda late_explored: ClusterProgram(pings(2, canonical=False)))
    with pytest.raises(SdnloomError, match="gives other answers"):
        search(pings(2), SearchOptions(cluster=other))


@pytest.mark.parametrize(("address", "workers", "said"), [("", None, "option cluster is ''"), ("local", 0, "workers")])
def test_bad_values_are_refused_by_name(address, workers, said) -> None:
    with pytest.raises(SdnloomError, match=said):
        ClusterOptions(address, workers)


@pytest.mark.parametrize("file", ["mac_learning/bug2.toml", "load_balancer/bug7_fixed.toml"])
def test_workers_make_a_scenario_for_themselves(file: str) -> None:
    from dataclasses import replace

    from sdnloom import load_scenario

    make = partial(load_scenario, Path("examples") / file)
    own = make()
    alone = replace(own, options=replace(own.options, order="bfs")).check().result
    cluster = replace(own, options=replace(own.options, cluster=ClusterOptions("in process", 3, scenario=make)))
    found = cluster.check().result
    assert found.verdict == alone.verdict
    assert found.violations == alone.violations
    assert found.statistics.states == alone.statistics.states
