"""Minimised paths: no event can be left out, the goal is kept, and the length is compared with the shortest one."""

from collections import Counter

import pytest

from sdnloom.engine.counterexample.follow import Follower, Goal, is_alike, message_kind
from sdnloom.engine.counterexample.input_budget import with_inputs_of
from sdnloom.engine.counterexample.minimise import minimise
from sdnloom.engine.counterexample.own_inputs import own_inputs, search_orders
from sdnloom.engine.disciplines import Bag, Fifo, Lossy, Reorder
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import Action, Channel, Component, Mode, Needs, Outcome, Property, Step, System
from sdnloom.engine.path import Path, ReplayDivergence, final_state, replay
from sdnloom.engine.semantics import Finding, Semantics, reachable
from sdnloom.engine.walk import random_walk
from tests.engine.systems import random_system
from tests.engine.test_path import LONG, relay

TWO = Finding("two", "two arrived")


def numbered(discipline=None, most=8):
    """A sends numbered packets, B passes each on with a number of its own, C is wrong when it has got a second one."""

    def send(core, _):
        return [Outcome(core + 1, (("ab", ("packet", core)),))] if core < most else []

    def forward(core, message):
        return [Outcome(core + 1, (("bc", (*message, core)),))]

    def count(core, message):
        return [Outcome(message, (), (("got", message),))]

    second = Property(
        "second",
        Needs.EVENT,
        lambda memory, _: None if len(memory) < 2 else f"second is {memory[1]}",
        fold=lambda memory, event: (*memory, event[1])[:2] if event[0] == "got" else memory,
        initial=(),
    )
    return System(
        (
            Component("A", 0, (Action("send", send, None, frozenset({"ab"}), mode=Mode.MAY),)),
            Component("B", 0, (Action("pass", forward, "ab", frozenset({"bc"})),)),
            Component("C", None, (Action("count", count, "bc"),)),
        ),
        (Channel("ab", "B", discipline or Fifo()), Channel("bc", "C", Fifo())),
        (second,),
    )


def walked(system, seed, most=400):
    """A random walk with the first violation at its end, or None."""
    walk = random_walk(MemoSemantics(Memo(system)), seed, most)
    return (walk.path, walk.findings[0]) if walk.findings else None


def shortest(semantics, goal, limit):
    """The length of a shortest path to the goal, by a visit of every state."""
    graph = reachable(semantics, limit)
    level, depth, seen = [semantics.initial()], 0, {semantics.initial()}
    while level:
        if any(goal.among(semantics.findings(state)) for state in level):
            return depth
        level = list(dict.fromkeys(t.state for state in level for t in graph[state] if t.state not in seen))
        seen.update(level)
        depth += 1
    raise AssertionError("no state has the finding")


def can_be_left_out(semantics, path, goal):
    """The positions of single steps without which the rest is a path to the goal."""
    found = []
    for gone in range(len(path)):
        try:
            taken = replay(semantics, Path(path.steps[:gone] + path.steps[gone + 1 :]))
        except ReplayDivergence:
            continue
        if goal.among(semantics.findings(final_state(semantics, taken))):
            found.append(gone)
    return found


def test_minimising_leaves_only_what_the_violation_needs():
    shorter = minimise(Semantics(relay()), LONG, TWO)
    assert (shorter.minimal, shorter.shortest, shorter.found) == (True, True, TWO)
    assert shorter.path.steps == tuple(step for step in LONG.steps if step.component != "D")


def test_a_path_without_the_violation_is_left_as_it_is():
    path = Path(LONG.steps[:3])
    assert minimise(Semantics(relay()), path, TWO)[:3] == (path, TWO, False)


def test_a_path_that_does_not_replay_is_left_as_it_is():
    path = Path((Step("A", "send"), Step("B", "pass", "other")))
    assert minimise(Semantics(relay()), path, TWO)[:3] == (path, TWO, False)


def test_what_follows_the_first_violation_is_cut_off():
    path = Path((*LONG.steps, Step("D", "work")))
    assert len(minimise(Semantics(relay()), path, TWO).path) == 6


def test_no_step_of_a_minimised_path_can_be_left_out():
    # z needs 0; x leads to 1 and y back to 0 from anywhere: y can only go after x has.
    steps = {"x": (0, 1), "y": (None, 0), "z": (0, 2)}
    actions = tuple(
        Action(
            name,
            lambda core, _, needed=needed, after=after: [Outcome(after)] if needed in (None, core) else [],
        )
        for name, (needed, after) in steps.items()
    )
    ends = Property("ends", Needs.STATE, lambda _, columns: "two" if columns["A"] == 2 else None, columns=("A",))
    semantics = Semantics(System((Component("A", 0, actions),), (), (ends,)))
    path = Path(tuple(Step("A", name) for name in "xyyxyz"))
    assert minimise(semantics, path, Finding("ends", "two")).path.steps == (Step("A", "z"),)


def test_packets_that_carry_other_numbers_are_matched_again():
    # Packets 4 and 5 arrive as the third and second ones; without the others they are packets 0 and 1.
    walk = walked(numbered(Bag()), 7)
    assert walk is not None
    path, found = walk
    assert found.message != "second is ('packet', 1, 1)"
    shorter = minimise(Semantics(numbered(Bag())), path, found, same_message=False)
    assert len(shorter.path) == 6
    assert own_inputs(replay(Semantics(numbered(Bag())), shorter.path)) == {("A", "send", ""): 2}


def test_the_message_is_kept_where_that_is_asked_for():
    system = numbered(Bag())
    walk = walked(system, 7)
    assert walk is not None
    path, found = walk
    exact = minimise(Semantics(system), path, found, same_message=True)
    assert exact.found == found
    assert exact.minimal
    assert 6 < len(exact.path) <= len(path)


def last_choices(semantics, components):
    """A path of steps of these components: of each the last one that is enabled, which is the one with a fault."""
    taken = []
    for wanted in components:
        state = taken[-1].state if taken else semantics.initial()
        taken.append([t for t in semantics.transitions(state) if t.component.name == wanted][-1])
    return Path(tuple(t.step for t in taken)), semantics.findings(taken[-1].state)[0]


def test_faults_that_are_not_needed_are_left_out():
    semantics = Semantics(numbered(Reorder(1)))
    path, found = last_choices(semantics, "AABBCC")
    assert path.steps[2].faults == ("ab:overtake 1",)
    loose = minimise(semantics, path, found, same_message=False, most_states=0)
    assert (len(loose.path), [step.faults for step in loose.path.steps if step.faults]) == (6, [])
    exact = minimise(semantics, path, found)
    assert [step.faults for step in exact.path.steps if step.faults] == [("ab:overtake 1",)]


def test_a_fault_is_kept_where_the_path_would_be_longer_without_it():
    semantics = Semantics(numbered(Lossy(duplicate=1)))
    path, found = last_choices(semantics, "ABCABC")
    assert path.steps[0].faults == ("ab:duplicate",)
    shorter = minimise(semantics, path, found, same_message=False)
    assert [(step.component, step.faults) for step in shorter.path.steps] == [
        ("A", ("ab:duplicate",)),
        *((name, ()) for name in "BCBC"),
    ]


def test_without_time_the_best_so_far_is_returned():
    shorter = minimise(Semantics(relay()), LONG, TWO, lambda: True)
    assert (shorter.minimal, shorter.shortest) == (False, False)
    assert TWO in Semantics(relay()).findings(replay(Semantics(relay()), shorter.path)[-1].state)


def test_an_empty_path_to_a_violation_is_minimal():
    bad = Property("bad", Needs.STATE, lambda _, columns: "at once", columns=("A",))
    step = Action("go", lambda core, _: [Outcome(core + 1)] if core < 3 else [])
    semantics = Semantics(System((Component("A", 0, (step,)),), (), (bad,)))
    path = Path((Step("A", "go"), Step("A", "go")))
    assert minimise(semantics, path, Finding("bad", "at once"))[:3] == (Path(), Finding("bad", "at once"), True)


def test_kinds_of_messages_leave_values_out():
    assert message_kind(((1, "a"), (2, "b"))) == message_kind(((3, "c"),)) == {"int", "str"}
    assert message_kind(None) == {"NoneType"}
    assert is_alike(Step("A", "go", ("x", 1)), Step("A", "go", ("y", 2)))
    assert not is_alike(Step("A", "go", "x"), Step("A", "go", 1))
    assert not is_alike(Step("A", "go", "x"), Step("A", "go", "x", "", ("c:drop",)))


@pytest.mark.parametrize("share", range(4))
def test_walks_of_random_systems_become_minimal(share):
    lengths = Counter()
    for seed in range(share, 700, 4):
        system = random_system(seed)
        semantics = Semantics(system)
        walk = walked(system, seed, 60)
        if walk is None:
            continue
        path, found = walk
        shorter = minimise(MemoSemantics(Memo(system)), path, found, same_message=False)
        goal = Goal(found.property)
        assert shorter.minimal
        assert len(shorter.path) <= len(path)
        assert shorter.found in semantics.findings(final_state(semantics, replay(semantics, shorter.path)))
        assert not can_be_left_out(semantics, shorter.path, goal), seed
        try:
            least = shortest(semantics, goal, 150)
        except OverflowError:
            continue
        assert len(shorter.path) >= least
        lengths[len(shorter.path) - least] += 1
    assert lengths.total() > 30
    assert lengths[0] > 0.9 * lengths.total(), lengths


@pytest.mark.parametrize("share", range(2))
def test_the_orders_of_the_inputs_of_a_path_are_those_of_the_system_with_these_inputs(share):
    compared = 0
    for seed in range(share, 120, 2):
        system = random_system(seed)
        walk = walked(system, seed, 12)
        if walk is None:
            continue
        path, found = walk
        semantics, goal = Semantics(system), Goal(found.property)
        inputs = own_inputs(replay(semantics, path))
        searched = search_orders(Follower(semantics, goal), inputs, 400)
        if searched.stopped is not None:
            continue
        assert searched.path is not None
        assert {kind: count for kind, count in own_inputs(searched.path).items() if count > inputs[kind]} == {}
        budgeted = Semantics(with_inputs_of(system, path))
        try:
            assert len(searched.path) == shortest(budgeted, goal, 400), seed
        except OverflowError:
            continue
        compared += 1
    assert compared > 10
