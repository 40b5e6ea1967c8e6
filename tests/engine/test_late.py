"""LATE actions: which violations at rest count, on every engine, and what step, walk and replay see of them."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.executions.search import executions
from sdnloom.engine.late import explored_part
from sdnloom.engine.model import Action, Channel, Component, Mode, ModelError, Needs, Outcome, Property, System
from sdnloom.engine.path import replay
from sdnloom.engine.reduction.stubborn_sets import ReductionRefused
from sdnloom.engine.result import Holds, Incomplete, SearchOptions, Vacuous, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import AT_REST, Finding, Semantics, State, reachable
from sdnloom.engine.walk import Stepper, random_walk
from tests.engine.systems import random_system

LOOP = SearchOptions(engine="loop")
REDUCIBLE = frozenset(Needs) - {Needs.STATE}


# -- A server that answers late ----------------------------------------------------------------------------------------


def server(
    ticks: int = 3, after: int = 1, needs: Needs = Needs.QUIESCENT, requests: int = 2, raises: int = 0
) -> System:
    """A client sends requests; the server answers them at its `after`-th tick, and fails at the tick `raises`."""

    def send(left: int, _: None) -> list[Outcome]:
        return [Outcome(left - 1, (("to server", "ask"),), ("asked",))] if left else []

    def take(core: tuple[int, int], _: str) -> list[Outcome]:
        return [Outcome((core[0] + 1, core[1]))]

    def tick(core: tuple[int, int], _: None) -> list[Outcome]:
        waiting, taken = core
        if taken == ticks or not waiting:
            return []
        answers = waiting if taken + 1 == after else 0
        failed = ("failed",) if taken + 1 == raises else ()
        return [Outcome((waiting - answers, taken + 1), (("to client", "answer"),) * answers, failed)]

    def receive(left: int, _: str) -> list[Outcome]:
        return [Outcome(left, (), ("answered",))]

    def count(memory: tuple[int, int], event: Any) -> tuple[int, int]:
        return (memory[0] + (event == "asked"), memory[1] + (event == "answered"))

    lost = Property(
        "answered", needs, lambda m, _: f"{m[0] - m[1]} open" if m[0] > m[1] else None, fold=count, initial=(0, 0)
    )
    failed = Property(
        "safe", Needs.EVENT, lambda m, _: "failed" if m else None, fold=lambda m, e: m or e == "failed", initial=False
    )
    seen = replace(lost, name="seen", needs=Needs.EVENT, violated=lambda m, _: "yes" if m[1] else None, sometimes=True)
    actions = (
        Action("take", take, "to server"),
        Action("late tick", tick, sends=frozenset({"to client"}), mode=Mode.LATE),
    )
    return System(
        (
            Component(
                "client",
                requests,
                (
                    Action("send", send, sends=frozenset({"to server"}), mode=Mode.MAY),
                    Action("receive", receive, "to client"),
                ),
            ),
            Component(
                "server",
                (0, 0),
                actions,
                late_began=lambda core: core[1] > 0,
                waits=lambda core: f"{core[0]} wait" if core[0] else None,
            ),
        ),
        (Channel("to server", "server", Fifo()), Channel("to client", "client", Fifo())),
        (lost, failed, seen),
    )


@pytest.mark.parametrize("engine", ["loop", "kernel"])
@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("needs", AT_REST)
def test_a_violation_that_late_actions_end_is_none(engine: str, reduce: bool, needs: Needs) -> None:
    result = search(server(needs=needs), SearchOptions(engine=engine, reduce=reduce))  # type: ignore[arg-type]
    assert result.verdict == Holds()
    # Only the course after a suspicious state answers a request.
    assert [(one.property, len(one.path)) for one in result.witnesses] == [("seen", 4)]
    assert (result.statistics.states, result.statistics.transitions) == ((5, 4) if reduce else (6, 6))


@pytest.mark.parametrize("engine", ["loop", "kernel"])
@pytest.mark.parametrize("reduce", [False, True])
def test_one_that_lasts_is_reported_with_the_late_steps_and_what_still_waits(engine: str, reduce: bool) -> None:
    system = server(after=4)
    options = SearchOptions(engine=engine, reduce=reduce)  # type: ignore[arg-type]
    found = search(system, options).violations[0]
    assert (found.property, found.message, found.shortest) == ("answered", "1 open (1 wait)", False)
    assert [step.action for step in found.path.steps] == ["send", "take", *["late tick"] * 3]
    assert replay(Semantics(system), found.path) == list(found.transitions)
    every = search(system, replace(options, find_all=True))
    assert {one.message for one in every.violations} == {"1 open (1 wait)", "2 open (2 wait)"}


def test_without_ticks_nothing_changes_but_the_message() -> None:
    found = search(server(ticks=0), LOOP).violations[0]
    assert (found.message, found.shortest, len(found.path)) == ("1 open (1 wait)", True, 2)


def test_a_violation_at_an_event_on_the_way_comes_first() -> None:
    found = search(server(after=2, raises=1), LOOP)
    assert [(one.property, one.message, len(one.path)) for one in found.violations] == [("safe", "failed", 3)]


def test_a_course_that_does_not_come_to_rest_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.engine.late.MOST_STEPS", 1)
    reason = "1 steps after answered was violated at rest did not come to rest"
    assert search(server(after=4), LOOP).verdict == Incomplete(reason)


def test_without_a_suspicious_state_late_actions_are_not_taken() -> None:
    system = server()
    quiet = replace(system, properties=system.properties[1:])
    assert search(quiet, LOOP).verdict == Vacuous(("seen was never seen",))


# -- Step, walk, replay ------------------------------------------------------------------------------------------------


def test_after_a_late_step_the_environment_does_nothing_more() -> None:
    stepper = Stepper(server(after=2))
    assert stepper.take_first("client", "send")
    assert [t.step.action for t in stepper.enabled()] == ["send", "take"]
    assert not stepper.take_first("server", "late tick")  # not at rest
    assert stepper.rest()
    assert [t.step.action for t in stepper.enabled()] == ["send", "late tick"]
    assert stepper.findings() == ()  # the server may still answer
    assert stepper.take_first("server", "late tick")
    assert [t.step.action for t in stepper.enabled()] == ["late tick"]
    assert not stepper.take_first("client", "send")
    assert stepper.take_first("server", "late tick")
    assert stepper.rest()
    assert (stepper.findings(), stepper.enabled()) == ((Finding("seen", "yes"),), [])


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_takes_late_steps_when_nothing_else_is_left(seed: int) -> None:
    walk = random_walk(server(after=4), seed)
    actions = [step.action for step in walk.path.steps]
    assert sorted(actions) == ["late tick"] * 3 + ["send"] * 2 + ["take"] * 2
    assert actions[-3:] == ["late tick"] * 3
    assert walk.findings == (Finding("answered", "2 open (2 wait)"),)


def test_a_system_with_late_actions_has_no_executions() -> None:
    with pytest.raises(ReductionRefused, match="the system has LATE actions"):
        executions(server())


def test_a_component_with_a_late_action_says_whether_it_began() -> None:
    with pytest.raises(ModelError, match="component 'A' has a LATE action; expected `late_began` as well"):
        System((Component("A", 0, (Action("a", lambda core, _: [], mode=Mode.LATE),)),))


# -- Random systems ----------------------------------------------------------------------------------------------------


def with_late(system: System) -> System | None:
    """The system with one of its MAY actions made LATE, at most twice; None if it has none.

    A property watches another action as well: the order of LATE actions alone is nothing that a reduction keeps.
    """
    for component in system.components:
        chosen = next((a for a in component.actions if a.mode is Mode.MAY and a.take is None), None)
        if chosen is not None and all(prop.watches != {(component.name, chosen.name)} for prop in system.properties):
            actions = tuple(_counted(action, action is chosen) for action in component.actions)
            late = replace(
                component, initial=(component.initial, 0), actions=actions, late_began=lambda core: core[1] > 0
            )
            others = tuple(late if each is component else each for each in system.components)
            return replace(system, components=others)
    return None


def _counted(action: Action, late: bool) -> Action:
    def step(core: Any, message: Any) -> Any:
        inner, count = core
        if late and count == 2:
            return []
        return [replace(one, core=(one.core, count + late)) for one in action.step(inner, message)]

    def footprint(core: Any, before: Any, message: Any) -> Any:
        assert action.footprint is not None
        return action.footprint(core[0], before, message)

    return replace(
        action,
        step=step,
        mode=Mode.LATE if late else action.mode,
        footprint=None if action.footprint is None else footprint,
    )


def lasting(semantics: Semantics, state: State, prop: Property) -> bool | None:
    """Whether a violation in a state at rest leads to one after LATE actions, by the definition; None: no rest."""
    for _ in range(300):
        following = ordered(semantics, state, Mode.MUST)
        if not following and prop.needs is Needs.SETTLED:
            following = ordered(semantics, state, Mode.IDLE)
        if not following:
            if semantics.message(prop, state) is None:
                return False
            following = ordered(semantics, state, Mode.LATE)
        if not following:
            return True
        state = following[0].state
        if any(
            semantics.message(each, state) is not None
            for each in semantics.system.properties
            if each.needs not in AT_REST and not each.sometimes
        ):
            return True
    return None


def ordered(semantics: Semantics, state: State, mode: Mode) -> list[Any]:
    found = [each for each in semantics.enabled(state, mode) if not each.step.faults]
    return sorted(found, key=lambda each: (each.component.name, each.action.name))


def expected(system: System) -> bool | None:
    """Whether some property is violated; None where that is not known."""
    plain, whole = Semantics(explored_part(system)), Semantics(system)
    try:
        states = reachable(plain, 150)
    except OverflowError:
        return None
    by_name = {prop.name: prop for prop in system.properties}
    answers: set[bool | None] = {False}
    for state in states:
        for found in plain.findings(state):
            prop = by_name[found.property]
            if not prop.sometimes:
                answers.add(lasting(whole, state, prop) if prop.needs in AT_REST else True)
    return True if True in answers else None if None in answers else False


def test_engines_and_reduction_agree_with_the_definition() -> None:
    seen: Counter[tuple[bool, int]] = Counter()
    for seed in range(600):
        system = with_late(random_system(seed, cyclic=False, needs=REDUCIBLE))
        answer = None if system is None or not system.properties else expected(system)
        if answer is None:
            continue
        for reduce in (False, True):
            result = search(system, SearchOptions(engine="loop", reduce=reduce))
            assert isinstance(result.verdict, Violated) == answer, seed
            if result.violations:
                modes = {t.action.mode for t in result.violations[0].transitions}
                seen[answer, Mode.LATE in modes] += 1
            else:
                seen[answer, 0] += 1
    assert min(seen[True, False], seen[True, True], seen[False, 0]) > 15, seen


@pytest.mark.slow
def test_both_engines_give_the_same_results_with_late_actions() -> None:
    late = 0
    for seed in range(1000):
        system = with_late(random_system(seed, cyclic=False, needs=REDUCIBLE))
        if system is None or expected(system) is None:
            continue
        for reduce in (False, True):
            one, other = (
                search(system, SearchOptions(engine=engine, reduce=reduce, find_all=True))  # type: ignore[arg-type]
                for engine in ("loop", "kernel")
            )
            assert (one.verdict, one.violations, one.witnesses) == (other.verdict, other.violations, other.witnesses), (
                seed
            )
            late += any(t.action.mode is Mode.LATE for found in one.violations for t in found.transitions)
    assert late > 20
