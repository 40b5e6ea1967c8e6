"""Comparison of a search of actors with the full search: the same final states, with and without renaming."""

import itertools
from collections.abc import Iterator
from typing import Any

from sdnloom.actors import Program
from sdnloom.actors.program import PLAIN, Naming
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.equivariance import changed_state
from sdnloom.actors.search.options import ActorOptions, ActorResult
from sdnloom.actors.search.search import search_program
from sdnloom.actors.state import ActorState
from sdnloom.actors.values import Symbol
from sdnloom.engine.result import Limits


def full_search(program: Program, states: int | None = None) -> ActorResult:
    """Every state, without reduction and symmetry; incomplete after so many states."""
    limits = Limits(states=states)
    return search_program(program, ActorOptions("none", symmetry=False, find_all=True, limits=limits))


def final_numbers(program: Program, *results: ActorResult) -> list[set[int]]:
    """The final states of each result as numbers; equal states, up to the names of futures, have equal ones.

    A state with symbols stands for all that a renaming of interchangeable actors makes of it.
    """
    graph = ActorGraph(program, PLAIN)
    return [
        {graph.encoded(plain) for state in result.finals for plain in _renamed(state, result.naming)}
        for result in results
    ]


def _renamed(state: ActorState, naming: Naming) -> Iterator[ActorState]:
    """The state with plain values, for every renaming."""
    for orders in itertools.product(*[itertools.permutations(range(len(each.members))) for each in naming.groups]):

        def index(symbol: Symbol, orders: tuple[tuple[int, ...], ...] = orders) -> int:
            assert symbol.index is not None
            return orders[symbol.group][symbol.index]

        def change(atom: Any) -> Any:
            return naming.plain(atom, index)

        yield changed_state(state, change)
