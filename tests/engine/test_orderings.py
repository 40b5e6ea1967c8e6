"""Orderings of a path: races are tried in the other order, and what removes the path is found by search."""

from collections import Counter

from sdnloom.engine.counterexample.explanation import explain_path
from sdnloom.engine.counterexample.follow import Follower, Goal, is_alike
from sdnloom.engine.counterexample.input_budget import with_inputs_of
from sdnloom.engine.counterexample.message_routes import senders
from sdnloom.engine.counterexample.minimise import minimise
from sdnloom.engine.counterexample.orderings import OrderRule, enforce, races
from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import Action, Channel, Component, Mode, Needs, Outcome, Property, System
from sdnloom.engine.path import Path, causes, replay
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Finding, Semantics
from sdnloom.engine.walk import random_walk
from tests.engine.systems import random_system

OPEN = "the gate is closed"


def gate(opened_first=False, needs=Needs.EVENT, direct=False):
    """H sends a request to K; K sends a rule and the request to the gate G, which is wrong if the request is first.

    With `opened_first` K sends the request only when G has answered that the rule is there. With `direct` H sends the
    request to the gate itself, beside K, in a second step.
    """

    def handle(core, message):
        if message == "done":
            return [Outcome(core, (("requests", "go"),))]
        return [Outcome(core, (("rules", "open"), *(() if opened_first or direct else (("requests", "go"),))))]

    def send(core, _):
        if not core:
            return []
        return [Outcome(core - 1, (("requests", "go") if direct and core == 1 else ("up", "ask"),))]

    def obey(core, message):
        return [Outcome("open", (("up", "done"),) if opened_first else ())]

    def pass_on(core, message):
        return [Outcome(core, (), (("passed", core),))]

    wrong = Property(
        "wrong",
        needs,
        lambda memory, _: OPEN if memory else None,
        fold=lambda memory, event: memory or event == ("passed", "closed"),
        initial=False,
    )
    ask = Action(
        "ask",
        send,
        None,
        frozenset({"up", "requests"}),
        mode=Mode.MAY,
    )
    return System(
        (
            Component("H", 2 if direct else 1, (ask,)),
            Component("K", 0, (Action("handle", handle, "up", frozenset({"rules", "requests"})),)),
            Component(
                "G", "closed", (Action("obey", obey, "rules", frozenset({"up"})), Action("pass", pass_on, "requests"))
            ),
        ),
        (Channel("up", "K", Fifo()), Channel("rules", "G", Fifo()), Channel("requests", "G", Fifo())),
        (wrong,),
    )


def shortest_path(system):
    """The transitions of a shortest counterexample, and its finding."""
    found = search(system).violations[0]
    return found.transitions, Finding(found.property, found.message)


def test_a_message_that_waits_is_in_a_race_with_the_step_that_came_before_it():
    system = gate()
    path, found = shortest_path(system)
    assert [t.step.action for t in path] == ["ask", "handle", "pass"]
    explained = explain_path(Semantics(system), path, found)
    (only,) = explained.orderings
    assert (only.first, only.second, only.other.step.action) == (2, None, "obey")
    assert (only.matters, only.sender, only.held, only.removes) == (True, 1, (2,), True)
    assert [(each.rule, each.removes) for each in only.enforced] == [(OrderRule.BARRIER, True)]
    assert only.enforced[0].states == 5
    assert not explained.stopped


def test_two_steps_of_a_path_are_in_a_race_where_the_later_one_could_come_first():
    system = gate(needs=Needs.QUIESCENT)
    path, found = shortest_path(system)
    assert [t.step.action for t in path] == ["ask", "handle", "pass", "obey"]
    (only,) = explain_path(Semantics(system), path, found).mattering
    assert (only.first, only.second, only.removes, only.enforced[0].states) == (2, 3, True, 5)


def test_a_component_that_did_not_send_the_first_message_cannot_wait():
    system = gate(direct=True, needs=Needs.QUIESCENT)
    path, found = shortest_path(system)
    assert [t.step.action for t in path] == ["ask", "ask", "handle", "pass", "obey"]
    (only,) = explain_path(Semantics(system), path, found).mattering
    assert (only.first, only.second, only.sender, only.held, only.removes) == (3, 4, 2, (), True)
    # The request may come before the rule is sent, so it has to wait for more than the rule that is under way.
    assert [(each.rule, each.removes) for each in only.enforced] == [
        (OrderRule.NOT_BEFORE, False),
        (OrderRule.LAST, True),
    ]


def test_an_enforced_order_leaves_nothing_to_find():
    assert not search(gate(opened_first=True)).violations


def test_where_every_order_violates_the_property_no_ordering_matters():
    system = gate()
    bad = Property("bad", Needs.EVENT, lambda memory, _: memory, fold=lambda memory, event: "passed", initial=None)
    system = System(system.components, system.channels, (bad,))
    path, found = shortest_path(system)
    explained = explain_path(Semantics(system), path, found)
    assert [(each.matters, each.removes) for each in explained.orderings] == [(False, None)]
    assert (explained.mattering, explained.avoidable) == ((), False)


def test_one_ordering_may_be_enough_for_several_requests():
    # A rule is about all steps of its kind, so it holds for the second request, too.
    system = gate()
    head = Component("H", 2, system.components[0].actions)
    count = Property(
        "count",
        Needs.QUIESCENT,
        lambda memory, _: "not both" if len(memory) > 0 and set(memory) != {"open"} else None,
        fold=lambda memory, event: (*memory, event[1]),
        initial=(),
    )
    system = System((head, *system.components[1:]), system.channels, (count,))
    path, found = shortest_path(system)
    explained = explain_path(Semantics(system), path, found)
    assert [(each.first, each.second, each.removes) for each in explained.mattering] == [(2, 3, True)]


def test_a_limit_leaves_the_question_open():
    system = gate()
    path, found = shortest_path(system)
    (only,) = explain_path(Semantics(system), path, found, most_states=3).orderings
    assert [(each.removes, each.stopped) for each in only.enforced] == [(None, "the limit of 3 states was reached")] * 3
    (unasked,) = explain_path(Semantics(system), path, found, most_states=0).orderings
    assert (unasked.matters, unasked.removes, unasked.enforced) == (True, None, ())
    assert explain_path(Semantics(system), path, found, out_of_time=lambda: True).stopped


def still_violates(system, path, waiting, second, rule, goal, limit):
    """Whether an order of the path's inputs violates the property under a rule; a visit of the budgeted system."""
    semantics = Semantics(with_inputs_of(system, path))
    exact = any(is_alike(each, second) for each in waiting)

    def like(step, other):
        only = exact if other is second else is_alike(other, second)
        return step == other if only else is_alike(step, other) and step.choice == other.choice

    seen = {semantics.initial()}
    work = list(seen)
    while work:
        state = work.pop()
        if goal.among(semantics.findings(state)):
            return True
        enabled = semantics.transitions(state)
        held = [t for t in enabled if not like(t.step, second) and any(like(t.step, each) for each in waiting)]
        if rule is not OrderRule.LAST:
            blocks = any(like(t.step, second) for t in enabled)
        else:
            blocks = any(t.action.mode is Mode.MUST and t not in held for t in enabled)
        for each in enabled:
            if not (blocks and each in held) and each.state not in seen:
                seen.add(each.state)
                work.append(each.state)
        if len(seen) > limit:
            raise OverflowError
    return False


def test_what_removes_a_path_of_a_random_system_leaves_no_violation_in_any_order():
    answers = Counter()
    for seed in range(500):
        system = random_system(seed)
        memo = MemoSemantics(Memo(system))
        walk = random_walk(memo, seed, 40)
        if not walk.findings:
            continue
        shorter = minimise(memo, walk.path, walk.findings[0], same_message=False)
        path, goal = replay(memo, shorter.path), Goal(shorter.found.property)
        follower = Follower(memo, goal)
        for each in races(follower, path, senders):
            assert each.other.component.name == path[each.first].component.name
            if each.second is not None:
                assert each.first < each.second
                assert each.first not in senders(path)[each.second]
            if not each.matters:
                continue
            enforced = enforce(follower, path, each, 300)
            for result in enforced.enforced:
                try:
                    waiting = each.held if result.rule is OrderRule.BARRIER else (each.first,)
                    steps = [path[step].step for step in waiting]
                    expected = still_violates(system, shorter.path, steps, each.other.step, result.rule, goal, 300)
                except OverflowError:
                    continue
                if result.removes is not None:
                    assert result.removes is not expected, seed
                    answers[result.removes] += 1
                if result.path is not None:
                    steps = Path(tuple(t.step for t in result.path))
                    assert goal.among(memo.findings(replay(Semantics(system), steps)[-1].state))
    assert min(answers[True], answers[False]) > 3, answers


def test_senders_are_the_causes_but_for_the_order_of_a_component():
    for seed in range(60):
        path = replay(Semantics(system := random_system(seed)), random_walk(system, seed, 20).path)
        for position, (direct, sent) in enumerate(zip(causes(path), senders(path), strict=True)):
            own = [n for n in range(position) if path[n].component == path[position].component]
            assert direct == sent | set(own[-1:])
