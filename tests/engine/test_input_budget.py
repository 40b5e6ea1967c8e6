"""Searching with the inputs of one path: against a definition on paths, on random systems."""

from collections import Counter
from dataclasses import replace

import pytest

from sdnloom.engine.counterexample.input_budget import BudgetedContent, BudgetedCore, with_inputs_of
from sdnloom.engine.disciplines import Fifo, Lossy
from sdnloom.engine.model import Action, Channel, Component, Mode, Needs, Outcome, Property, Step, System
from sdnloom.engine.path import Path, replay
from sdnloom.engine.result import SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, State, reachable
from sdnloom.engine.walk import random_walk
from tests.engine.systems import random_system

ALL_OF_THEM = SearchOptions(engine="loop", order="bfs", find_all=True)
MOST = 400  # states of a system that is compared


def inputs_of(transition):
    """What a transition spends."""
    step = transition.step
    spent = Counter()
    if transition.action.mode is Mode.MAY:
        spent["input", step.component, step.action, step.choice] += 1
    for text in step.faults:
        channel, _, kind = text.rpartition(":")
        for part in kind.split("+"):
            spent["fault", channel, part.split(" ")[0]] += 1
    return spent


def by_definition(system, path):
    """Every state that is reached by spending no more than the path does, without what is left."""
    semantics = Semantics(system)
    budget = sum((inputs_of(transition) for transition in replay(semantics, path)), Counter())
    start = (semantics.initial(), frozenset())
    found, waiting = {start}, [start]
    while waiting:
        state, spent = waiting.pop()
        for transition in semantics.transitions(state):
            now = Counter(dict(spent)) + inputs_of(transition)
            after = (transition.state, frozenset(now.items()))
            if not now - budget and after not in found:
                found.add(after)
                waiting.append(after)
                if len(found) > MOST:
                    return None
    return {state for state, _ in found}


def unwrapped(state):
    """The state without what is left."""
    return State(
        tuple(core.core if isinstance(core, BudgetedCore) else core for core in state.cores),
        tuple(content.content if isinstance(content, BudgetedContent) else content for content in state.contents),
        state.memories,
    )


def walked():
    """Random systems with the path of a random walk each."""
    for seed in range(120):
        system = random_system(seed)
        without = replace(system, properties=())
        path = random_walk(without, seed, max_steps=8).path
        yield seed, system, path


def test_the_states_are_those_of_the_definition():
    compared = fewer = 0
    for _, system, path in walked():
        expected = by_definition(system, path)
        if expected is None:
            continue
        found = {unwrapped(state) for state in reachable(Semantics(with_inputs_of(system, path)))}
        assert found == expected
        compared += 1
        try:
            fewer += len(expected) < len(reachable(Semantics(system), limit=MOST))
        except OverflowError:
            fewer += 1
    assert (compared, fewer) == (119, 25)


@pytest.mark.parametrize("reduce", [False, True])
def test_a_search_finds_what_the_definition_finds_and_its_paths_are_paths_of_the_system(reduce):
    violated = 0
    for _, system, path in walked():
        expected = by_definition(system, path)
        if expected is None or (reduce and any(prop.needs is Needs.STATE for prop in system.properties)):
            continue
        semantics = Semantics(system)
        wanted = {found for state in expected for found in semantics.findings(state)}
        sometimes = {prop.name for prop in system.properties if prop.sometimes}
        result = search(with_inputs_of(system, path), replace(ALL_OF_THEM, reduce=reduce))
        names = {found.property for found in wanted if found.property not in sometimes}
        assert {one.property for one in result.violations} == names
        assert {one.property for one in result.witnesses} == {each.property for each in wanted} & sometimes
        for one in result.violations:
            transitions = replay(semantics, one.path)
            end = transitions[-1].state if transitions else semantics.initial()
            assert (one.property, one.message) in semantics.findings(end)
            violated += 1
    assert violated == (30 if reduce else 57)


def client(name, sends):
    """A component that may send either of two messages, so many in all."""

    def send(core, _):
        return [Outcome(core - 1, (("wire", each),), choice=each) for each in ("left", "right") if core]

    return Component(name, sends, (Action("send", send, sends=frozenset({"wire"}), mode=Mode.MAY),))


def network(most, drop=0):
    """Clients A and B, and a component that receives; the property knows what was received."""

    def receive(core, message):
        return [Outcome((*core, message))]

    server = Component("S", (), (Action("receive", receive, "wire"),))
    prop = Property(
        "no two the same",
        Needs.QUIESCENT,
        lambda _, columns: None if len(set(columns["S"])) == len(columns["S"]) else str(columns["S"]),
        columns=("S", "A", "wire"),
    )
    wire = Channel("wire", "S", Lossy(drop) if drop else Fifo())
    return System((client("A", most), client("B", most), server), (wire,), (prop,))


def sent(component, choice, *faults):
    """A step that sends."""
    return Step(component, "send", None, choice, faults)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((sent("A", "left"), sent("B", "left")), True),
        ((sent("A", "left"), sent("B", "right")), False),
        ((sent("A", "left"), sent("A", "left")), True),
        ((sent("A", "left"),), False),
        ((), False),
        ((Step("A", "moved away"), Step("nobody", "send")), False),
    ],
)
def test_each_input_happens_at_most_as_often_as_on_the_path(path, expected):
    found = search(with_inputs_of(network(2), Path(path)), SearchOptions(engine="loop"))
    assert isinstance(found.verdict, Violated) == expected


def test_inputs_can_be_told_apart_in_another_way():
    path = Path((sent("A", "left"), sent("B", "right")))
    assert not search(with_inputs_of(network(2), path), ALL_OF_THEM).violations
    by_action = with_inputs_of(network(2), path, lambda step: (step.component, step.action))
    assert search(by_action, ALL_OF_THEM).violations


def test_a_fault_happens_only_if_it_is_on_the_path():
    path = (sent("A", "left"), sent("B", "left"))
    system = network(2, drop=1)
    kept = search(with_inputs_of(system, Path(path)), ALL_OF_THEM)
    assert kept.statistics.states == 8
    dropped = (path[0]._replace(faults=("wire:drop",)), path[1])
    assert search(with_inputs_of(system, Path(dropped)), ALL_OF_THEM).statistics.states == 12


def test_the_kernel_finds_the_same():
    pytest.importorskip("numba")
    path = Path((sent("A", "left"), sent("B", "left", "wire:drop")))
    results = [
        search(with_inputs_of(network(2, drop=1), path), SearchOptions(engine=engine, order="bfs", find_all=True))
        for engine in ("loop", "kernel")
    ]
    counts = [(each.statistics.states, each.statistics.transitions, each.violations) for each in results]
    assert counts[0] == counts[1]
