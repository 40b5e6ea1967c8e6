"""The canonical form of states: equal for states that differ by a renaming, and for no others."""

import itertools
import random
from typing import Any

import pytest

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Group, Naming, Program
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.state import ActorState
from sdnloom.actors.task import Location, Task
from sdnloom.actors.values import Future, Stored, Symbol, substitute

MEMBERS = 6


class Node(Actor):
    """An actor with a dict."""

    edges: dict[Any, Any] = {}  # noqa: RUF012
    value: Any = None

    async def work(self, *values: Any) -> None:
        """Do nothing."""


def node_graph() -> ActorGraph:
    nodes = tuple(Node(f"n{number}") for number in range(MEMBERS))
    group = Group(tuple(node.name for node in nodes), {"name": tuple(node.name for node in nodes)})
    return ActorGraph(Program(nodes, ()), Naming([group]))


def member(number: int) -> Symbol:
    return Symbol(0, "name", number)


def with_edges(edges: list[tuple[int, int]], values: dict[int, Any] | None = None) -> ActorState:
    cells: list[tuple[Location, Stored]] = [
        (Location(member(one), "edges", (member(other),)), 1) for one, other in edges
    ]
    cells += [(Location(member(one), "value"), value) for one, value in (values or {}).items()]
    return ActorState(frozenset(cells), frozenset())


def cycle(*members: int) -> list[tuple[int, int]]:
    return list(zip(members, (*members[1:], members[0]), strict=True))


def renamed(state: ActorState, order: Any, futures: Any = None) -> ActorState:
    def change(atom: Any) -> Stored:
        if isinstance(atom, Symbol):
            return Symbol(atom.group, atom.facet, order[atom.index])
        return Future(futures[atom.number]) if futures is not None and isinstance(atom, Future) else atom

    return ActorState(
        frozenset((at.substituted(change), substitute(value, change)) for at, value in state.cells),
        frozenset((task.substituted(change), count) for task, count in state.tasks),
    )


STATES = {
    "nothing": with_edges([]),
    "a path": with_edges([(0, 1), (1, 2), (2, 3)]),
    "one cycle": with_edges(cycle(0, 1, 2, 3, 4, 5)),
    "two cycles": with_edges(cycle(0, 1, 2) + cycle(3, 4, 5)),
    "three cycles": with_edges(cycle(0, 1) + cycle(2, 3) + cycle(4, 5)),
    "a star": with_edges([(0, number) for number in range(1, 6)]),
    "two stars": with_edges([(0, 1), (0, 2), (3, 4), (3, 5)]),
    "a cycle with a value": with_edges(cycle(0, 1, 2, 3, 4, 5), {2: "x"}),
    "two cycles with values": with_edges(cycle(0, 1, 2) + cycle(3, 4, 5), {0: "x", 3: "x"}),
    "two cycles with a value": with_edges(cycle(0, 1, 2) + cycle(3, 4, 5), {0: "x"}),
    "a prism": with_edges(cycle(0, 1, 2) + cycle(3, 4, 5) + [(0, 3), (1, 4), (2, 5)]),
    "a twisted prism": with_edges(cycle(0, 1, 2) + cycle(3, 5, 4) + [(0, 3), (1, 4), (2, 5)]),
}


@pytest.mark.parametrize("name", STATES)
def test_renamed_states_have_one_canonical_form(name: str) -> None:
    graph = node_graph()
    orders = list(itertools.permutations(range(MEMBERS)))
    sample = random.Random(1).sample(orders, 120)
    assert {graph.encoded(renamed(STATES[name], order)) for order in sample} == {graph.encoded(STATES[name])}


def test_states_that_no_renaming_makes_equal_have_different_forms() -> None:
    graph = node_graph()
    assert len({graph.encoded(state) for state in STATES.values()}) == len(STATES)


def test_futures_are_renamed_with_the_tasks_that_hold_them() -> None:
    """Pairs of a member and a future can be exchanged only together, and pairs that are crossed are others."""
    graph = node_graph()
    state = ActorState(
        frozenset((Location(member(number), "value"), Future(number)) for number in range(4)),
        frozenset((Task(member(number), "work", (member(number),), None, Future(number)), 1) for number in range(4)),
    )
    crossed = ActorState(
        state.cells,
        frozenset(
            (Task(member(number), "work", (member(number),), None, Future(number ^ 1)), 1) for number in range(4)
        ),
    )
    forms = set()
    for order in itertools.permutations(range(4)):
        for futures in ((0, 1, 2, 3), (3, 1, 0, 2)):
            forms.add(graph.encoded(renamed(state, (*order, 4, 5), futures)))
    assert forms == {graph.encoded(state)}
    assert graph.encoded(crossed) not in forms
    assert graph.form.branches == 0


def test_equal_tasks_are_counted() -> None:
    graph = node_graph()
    once, twice = (ActorState(frozenset(), frozenset({(Task(member(0), "work", (1,)), count)})) for count in (1, 2))
    assert graph.encoded(once) != graph.encoded(twice)
    assert graph.state(graph.encoded(twice)) == twice


def test_the_value_of_a_state_is_a_renaming_of_it() -> None:
    graph = node_graph()
    for state in STATES.values():
        number = graph.encoded(state)
        assert graph.encoded(graph.state(number)) == number
        assert len(graph.state(number).cells) == len(state.cells)


def test_individuals_in_sets_are_renamed_too() -> None:
    graph = node_graph()
    first, second = (
        with_edges([], {0: frozenset({member(one), member(other), "x"})}) for one, other in ((1, 2), (4, 2))
    )
    other = with_edges([], {0: frozenset({member(0), member(2), "x"})})
    assert graph.encoded(first) == graph.encoded(second)
    assert graph.encoded(first) != graph.encoded(other)
