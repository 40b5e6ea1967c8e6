"""Paths: replay, divergence, vector clocks and causal cones."""

from dataclasses import replace

import pytest

from sdnloom.engine.counterexample.confirmed_path import path_through
from sdnloom.engine.disciplines import Bag, Fifo, Lossy, Ports
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import Action, Channel, Component, Mode, Needs, Outcome, Property, Step, System
from sdnloom.engine.path import (
    Path,
    QuotedMessage,
    ReplayDivergence,
    causes,
    clocks,
    cone,
    describe,
    final_state,
    replay,
    same_step,
)
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Finding, Semantics, reachable
from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.walk import Stepper
from tests.engine.systems import random_system


def relay(discipline=None):
    """A sends two messages, B passes each on to C, C counts; D works on its own."""
    discipline = discipline or Fifo()

    def send(core, _):
        return [Outcome(core + 1, (("ab", f"m{core}"),))] if core < 2 else []

    def forward(core, message):
        return [Outcome(core, (("bc", message),))]

    def count(core, message):
        return [Outcome(core + 1, (), (("got", message),))]

    return System(
        (
            Component("A", 0, (Action("send", send, None, frozenset({"ab"}), mode=Mode.MAY),)),
            Component("B", 0, (Action("pass", forward, "ab", frozenset({"bc"})),)),
            Component("C", 0, (Action("count", count, "bc"),)),
            Component("D", 0, (Action("work", lambda core, _: [Outcome(core + 1)] if core < 3 else []),)),
        ),
        (Channel("ab", "B", discipline), Channel("bc", "C", Fifo())),
        (
            Property(
                "two",
                Needs.EVENT,
                lambda memory, _: "two arrived" if memory == 2 else None,
                fold=lambda memory, _: min(memory + 1, 2),
                initial=0,
            ),
        ),
    )


LONG = Path(
    (
        Step("D", "work"),
        Step("A", "send"),
        Step("B", "pass", "m0"),
        Step("A", "send"),
        Step("D", "work"),
        Step("C", "count", "m0"),
        Step("B", "pass", "m1"),
        Step("C", "count", "m1"),
    )
)


def test_replaying_a_path_gives_its_states_and_events():
    semantics = Semantics(relay())
    transitions = replay(semantics, LONG)
    assert [transition.step for transition in transitions] == list(LONG.steps)
    assert final_state(semantics, transitions).cores == (2, 0, 2, 2)
    assert [event for transition in transitions for event in transition.events] == [("got", "m0"), ("got", "m1")]
    assert final_state(semantics, replay(semantics, Path())) == semantics.initial()
    assert len(LONG) == 8


def test_a_step_that_is_not_enabled_is_named_with_what_is():
    path = Path((Step("A", "send"), Step("B", "pass", "m1")))
    with pytest.raises(ReplayDivergence) as caught:
        replay(Semantics(relay()), path)
    assert (caught.value.position, caught.value.step) == (1, Step("B", "pass", "m1"))
    assert caught.value.offered == (Step("A", "send"), Step("B", "pass", "m0"), Step("D", "work"))
    assert str(caught.value) == (
        "step 2, B: pass 'm1', is not enabled; enabled here:\n    A: send\n    B: pass 'm0'\n    D: work"
    )


def test_a_path_that_diverges_at_its_end_offers_nothing():
    with pytest.raises(ReplayDivergence, match="enabled here:\n    nothing"):
        replay(Semantics(System((Component("A", 0, ()),))), Path((Step("A", "go"),)))


def test_messages_read_from_a_file_are_compared_as_text():
    quoted = Path(
        tuple(
            step._replace(message=QuotedMessage(stable_text(step.message))) if step.message else step
            for step in LONG.steps
        )
    )
    semantics = Semantics(relay())
    assert replay(semantics, quoted) == replay(semantics, LONG)
    assert same_step(Step("A", "b", QuotedMessage("frozenset({1, 2})")), Step("A", "b", frozenset({2, 1})))
    assert not same_step(Step("A", "b", QuotedMessage("'1'")), Step("A", "b", 1))
    assert describe(Step("A", "b", QuotedMessage("(1, 2)"))) == "A: b (1, 2)"


def test_a_step_is_described_in_one_line():
    step = Step("A", "b", frozenset({"y", "x"}), "left", ("c:drop", "d:duplicate"))
    assert describe(step) == "A: b frozenset({'x', 'y'}) [left] !c:drop, d:duplicate"


def test_clocks_count_the_steps_that_a_step_knows_of():
    assert clocks(replay(Semantics(relay()), LONG)) == [
        {"D": 1},
        {"A": 1},
        {"A": 1, "B": 1},
        {"A": 2},
        {"D": 2},
        {"A": 1, "B": 1, "C": 1},
        {"A": 2, "B": 2},
        {"A": 2, "B": 2, "C": 2},
    ]


def test_the_cone_of_a_step_is_what_it_depends_on():
    transitions = replay(Semantics(relay()), LONG)
    assert causes(transitions) == [set(), set(), {1}, {1}, {0}, {2}, {2, 3}, {5, 6}]
    assert cone(transitions, 5) == [1, 2, 5]
    assert cone(transitions, 7) == [1, 2, 3, 5, 6, 7]


def test_a_duplicate_comes_from_its_sender_and_a_dropped_message_from_nobody():
    semantics = Semantics(relay(Lossy(drop=1, duplicate=1)))
    path = Path(
        (
            Step("A", "send", None, "", ("ab:duplicate",)),
            Step("A", "send", None, "", ("ab:drop",)),
            Step("B", "pass", "m0"),
            Step("B", "pass", "m0"),
        )
    )
    assert causes(replay(semantics, path)) == [set(), {0}, {0}, {0, 2}]


def test_equal_messages_of_one_step_are_told_apart_where_one_is_dropped():
    def burst(core, _):
        return [Outcome(1, (("c", "x"), ("c", "x")))] if core == 0 else []

    system = System(
        (
            Component("A", 0, (Action("burst", burst, None, frozenset({"c"})),)),
            Component("B", 0, (Action("take", lambda core, _: [Outcome(core)], "c"),)),
        ),
        (Channel("c", "B", Lossy(drop=1)),),
    )
    semantics = Semantics(system)
    steps = [t.step for t in semantics.transitions(semantics.initial())]
    assert len(set(steps)) == len(steps) == 3
    for step in steps:
        assert causes(replay(semantics, Path((step, Step("B", "take", "x"))))) == [set(), {0}]


def test_heads_received_at_once_come_from_all_their_senders():
    def send(port):
        return lambda core, _: [Outcome(1, (("in", (port, "x")),))] if core == 0 else []

    system = System(
        (
            Component("X", 0, (Action("send", send(0), None, frozenset({"in"})),)),
            Component("Y", 0, (Action("send", send(1), None, frozenset({"in"})),)),
            Component("S", 0, (Action("take", lambda core, _: [Outcome(core)], "in"),)),
        ),
        (Channel("in", "S", Ports()),),
    )
    path = Path((Step("Y", "send"), Step("X", "send"), Step("S", "take", ((0, "x"), (1, "x")))))
    assert causes(replay(Semantics(system), path)) == [set(), set(), {0, 1}]


@pytest.mark.slow
def test_counterexamples_of_random_systems_replay_and_are_minimal():
    checked = 0
    for seed in range(400):
        system = random_system(seed)
        semantics = Semantics(system)
        try:
            reachable(semantics, 80)
        except OverflowError:
            continue
        for one in search(system, SearchOptions(engine="loop", order="dfs", find_all=True)).violations:
            found = Finding(one.property, one.message)
            assert found in semantics.findings(final_state(semantics, replay(semantics, one.path)))
            assert (one.initial, one.transitions) == (semantics.initial(), tuple(replay(semantics, one.path)))
            for gone in range(len(one.path)):
                shorter = Path(one.path.steps[:gone] + one.path.steps[gone + 1 :])
                try:
                    ending = final_state(semantics, replay(semantics, shorter))
                except ReplayDivergence:
                    continue
                assert found not in semantics.findings(ending), (seed, one)
            checked += 1
    assert checked > 100


def test_no_two_steps_of_a_state_share_a_line():
    # Otherwise a replay could not know which of them to take.
    for seed in range(200):
        semantics = Semantics(random_system(seed, needs=()))
        try:
            found = reachable(semantics, 100)
        except OverflowError:
            continue
        for transitions in found.values():
            assert len({describe(t.step) for t in transitions}) == len(transitions), seed


def test_a_path_through_states_visits_them():
    semantics = Semantics(relay(Bag()))
    states = [semantics.initial(), *(t.state for t in replay(semantics, LONG))]
    assert path_through(semantics, states) == LONG


@pytest.mark.parametrize("seed", range(40))
def test_what_a_step_names_is_found_without_evaluating_the_rest(seed: int) -> None:
    system = random_system(seed)
    semantics = Semantics(system)
    for state in list(reachable(semantics))[:30]:
        offered = semantics.transitions(state)
        assert not list(semantics.named(state, Step("nobody", "nothing")))
        for component in system.components:
            for action in component.actions:
                named = list(semantics.named(state, Step(component.name, action.name)))
                assert named == [t for t in offered if t.step[:2] == (component.name, action.name)]


@pytest.mark.parametrize("seed", range(10))
def test_the_semantics_of_a_memo_gives_the_same_and_evaluates_a_step_once(seed) -> None:
    system, calls = with_counted_steps(random_system(seed))
    plain = reachable(Semantics(system), 3000)
    distinct = set(calls)
    calls.clear()
    assert reachable(MemoSemantics(Memo(system)), 3000) == plain
    assert len(calls) == len(distinct)
    assert set(calls) == distinct


def with_counted_steps(system):
    """The system, and the list to which each evaluation of a step is added."""
    calls = []

    def counted(component, action):
        def step(core, message):
            calls.append((component.name, action.name, core, message))
            return action.step(core, message)

        return replace(action, step=step)

    components = [
        replace(each, actions=tuple(counted(each, action) for action in each.actions)) for each in system.components
    ]
    return replace(system, components=tuple(components)), calls


@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_a_step_of_a_counterexample_is_evaluated_once_in_the_search_and_once_in_its_replay(order) -> None:
    calls = []

    def count(core, _):
        calls.append(core)
        return [Outcome(core + 1)] if core < 9 else []

    late = Property("late", Needs.STATE, lambda memory, columns: "five" if columns["A"] == 5 else None, columns=("A",))
    system = System((Component("A", 0, (Action("count", count),)),), (), (late,))
    found = search(system, SearchOptions(engine="loop", order=order)).violations[0]
    assert (len(found.path), found.initial.cores, found.final_state().cores) == (5, (0,), (5,))
    assert [t.state.cores for t in found.transitions] == [(1,), (2,), (3,), (4,), (5,)]
    # The flags of the states 0 to 5; then the five steps; then whether the last state is quiescent.
    assert calls == [*range(6), *range(5), 5]


@pytest.mark.parametrize("seed", range(20))
def test_rest_takes_steps_that_must_happen_until_none_is_left(seed: int) -> None:
    stepper = Stepper(random_system(seed, cyclic=False))
    rested = stepper.rest(50)
    assert all(t.action.mode is Mode.MUST for t in stepper.transitions)
    assert replay(stepper.semantics, stepper.path) == stepper.transitions
    assert rested == stepper.semantics.is_quiescent(stepper.state) or len(stepper.path) == 50
    assert not stepper.take_first("nobody", "nothing")
