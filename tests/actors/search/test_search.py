"""The search of programs of actors against their plain semantics."""

import functools
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sdnloom.actors.program import PLAIN, Naming, Program
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.equivariance import changed_state
from sdnloom.actors.search.options import ActorOptions, ActorResult, ReductionLevel
from sdnloom.actors.search.search import search_program
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.state import ActorState
from sdnloom.engine.path import replay
from sdnloom.engine.result import Holds, Violated
from sdnloom.engine.semantics import reachable
from tests.actors.search.programs import Balancer, BarrierBalancer, balancer


@functools.cache
def full_search(packets: int, kind: type[Balancer]) -> ActorResult:
    """The full search of the load balancer, once for all tests."""
    return search_program(balancer(packets, kind), FULL)


FULL = ActorOptions(reduction="none", symmetry=False, find_all=True)


def states_and_finals(program: Program) -> tuple[set[int], set[int], int]:
    """The reachable and the final states of the plain semantics, as numbers of a graph, and the transitions."""
    graph = ActorGraph(program, PLAIN)
    found = reachable(ActorSemantics(program))
    states = {graph.encoded(state_of(state)) for state in found}
    finals = {graph.encoded(state_of(state)) for state, transitions in found.items() if not transitions}
    return states, finals, sum(map(len, found.values()))


def all_renamings(state: ActorState, naming: Naming) -> Iterator[ActorState]:
    """The state with plain values, for every renaming of the members of the only group."""
    (group,) = naming.groups
    for order in itertools.permutations(range(len(group.members))):

        def change(atom: Any, order: tuple[int, ...] = order) -> Any:
            return naming.plain(atom, lambda symbol: order[symbol.index or 0])

        yield changed_state(state, change)


@pytest.mark.parametrize(
    ("packets", "kind", "states", "finals", "transitions"),
    [(1, Balancer, 117, 8, 230), (1, BarrierBalancer, 13, 1, 14), (2, BarrierBalancer, 245, 2, 508)],
)
def test_a_full_search_finds_the_states_of_the_semantics(
    packets: int, kind: type[Balancer], states: int, finals: int, transitions: int
) -> None:
    program = balancer(packets, kind)
    found = full_search(packets, kind)
    assert (found.result.statistics.states, found.final_states) == (states, finals)
    assert found.result.statistics.transitions == transitions
    expected = states_and_finals(program)
    assert (len(expected[0]), len(expected[1]), expected[2]) == (states, finals, transitions)


@pytest.mark.parametrize(
    ("packets", "kind", "level", "states"),
    [
        (1, Balancer, "actor", 43),
        (1, Balancer, "entry", 37),
        (1, Balancer, "context", 37),
        (2, Balancer, "entry", 1429),
        (2, Balancer, "context", 1363),
        (2, BarrierBalancer, "actor", 90),
        (2, BarrierBalancer, "entry", 76),
        (2, BarrierBalancer, "context", 76),
    ],
)
def test_a_reduced_search_finds_all_final_states(
    packets: int, kind: type[Balancer], level: ReductionLevel, states: int
) -> None:
    program = balancer(packets, kind)
    full = full_search(packets, kind)
    reduced = search_program(program, replace(FULL, reduction=level))
    graph = ActorGraph(program, PLAIN)
    assert set(map(graph.encoded, reduced.finals)) == set(map(graph.encoded, full.finals))
    assert (reduced.final_states, reduced.result.statistics.states) == (full.final_states, states)


@pytest.mark.parametrize("level", ["none", "context"])
@pytest.mark.parametrize(
    ("packets", "kind", "states", "finals"),
    [(2, Balancer, {"none": 13_489, "context": 708}, 90), (3, BarrierBalancer, {"none": 852, "context": 126}, 1)],
)
def test_a_search_with_symmetry_finds_all_final_states_up_to_renaming(
    packets: int, kind: type[Balancer], states: dict[ReductionLevel, int], finals: int, level: ReductionLevel
) -> None:
    program = balancer(packets, kind)
    plain = search_program(program, replace(FULL, reduction="context"))
    found = search_program(program, replace(FULL, reduction=level, symmetry=True))
    assert (found.result.statistics.states, found.final_states) == (states[level], finals)
    graph = ActorGraph(program, PLAIN)
    renamed = {graph.encoded(each) for state in found.finals for each in all_renamings(state, found.naming)}
    assert renamed == set(map(graph.encoded, plain.finals))


def test_the_loop_of_the_load_balancer_is_found_and_replays() -> None:
    program = balancer(1)
    found = search_program(program, FULL)
    assert isinstance(found.result.verdict, Violated)
    counterexample = found.result.verdict.counterexample
    semantics = ActorSemantics(program)
    end = replay(semantics, counterexample.path)[-1].state
    assert (counterexample.property, len(counterexample.path)) == ("no_loop", 14)
    assert "no_loop" in {finding.property for finding in semantics.findings(end)}


def test_the_load_balancer_with_barriers_holds() -> None:
    assert search_program(balancer(2, BarrierBalancer), FULL).result.verdict == Holds()
