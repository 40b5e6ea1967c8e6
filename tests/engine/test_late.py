"""LATE actions: which violations at rest count, on every engine, and what step, walk and replay see of them."""

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.executions.search import executions
from sdnloom.engine.late import explored_part, with_late_explored
from sdnloom.engine.model import Action, Channel, Component, Mode, Needs, Outcome, Property, System
from sdnloom.engine.path import replay
from sdnloom.engine.reduction.stubborn_sets import ReductionRefused
from sdnloom.engine.result import Holds, Incomplete, Limits, SearchOptions, Vacuous, Violated
from sdnloom.engine.search import LATE_MATTERS, search
from sdnloom.engine.semantics import AT_REST, Finding, Semantics, State, reachable
from sdnloom.engine.walk import Stepper, random_walk
from tests.engine.systems import random_system

LOOP = SearchOptions(engine="loop")
REDUCIBLE = frozenset(Needs) - {Needs.STATE}


# -- A server that answers late ----------------------------------------------------------------------------------------


def server(
    ticks: int = 3, after: int = 1, needs: Needs = Needs.QUIESCENT, requests: int = 2, raises: int = 0
) -> System:
    """A client sends requests; the server answers them at its `after`-th tick, and fails at the tick `raises`.

    The ticks are counted again from each answer on.
    """

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
        return [Outcome((waiting - answers, 0 if answers else taken + 1), (("to client", "answer"),) * answers, failed)]

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
    assert (result.verdict, result.late_explored) == (Holds(), True)
    # LATE steps are explored, in this second search only.
    assert [(one.property, len(one.path)) for one in result.witnesses] == [("seen", 4)]
    assert (result.statistics.states, result.statistics.transitions) == ((13, 14) if reduce else (15, 18))
    every = reachable(Semantics(server(needs=needs)))
    assert (len(every), sum(map(len, every.values()))) == (15, 18)
    assert result.restarts == (LATE_MATTERS,)


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


@pytest.mark.parametrize("engine", ["loop", "kernel"])
def test_a_limit_of_the_second_search_does_not_hide_what_the_first_has_found(engine: str) -> None:
    system = server(requests=6)
    full = Property(
        "small", Needs.STATE, lambda _, cores: "six" if cores["server"][0] > 5 else None, columns=("server",)
    )
    idle = replace(full, name="idle", needs=Needs.SETTLED, sometimes=True)
    system = replace(system, properties=(*system.properties, full, idle))
    for limit in (None, 40):
        options = SearchOptions(engine=engine, find_all=True, limits=Limits(states=limit))  # type: ignore[arg-type]
        result = search(system, options)
        assert [(one.property, one.message) for one in result.violations] == [("small", "six")]
        assert isinstance(result.verdict, Violated)
        assert (result.incomplete is None) == (limit is None)
        # The second search takes states in which a LATE action is enabled for not settled.
        assert (result.late_explored, result.never) == (True, ())


def test_without_a_suspicious_state_late_actions_are_not_taken() -> None:
    system = server()
    quiet = replace(system, properties=system.properties[1:])
    assert search(quiet, LOOP).verdict == Vacuous(("seen was never seen",))


# -- Step, walk, replay ------------------------------------------------------------------------------------------------


def test_a_late_step_is_offered_at_rest_and_a_violation_is_one_only_without() -> None:
    stepper = Stepper(server(after=2))
    assert stepper.take_first("client", "send")
    assert [t.step.action for t in stepper.enabled()] == ["send", "take"]
    assert not stepper.take_first("server", "late tick")  # not at rest
    assert stepper.rest()
    assert [t.step.action for t in stepper.enabled()] == ["send", "late tick"]
    assert stepper.findings() == ()  # the server may still answer
    assert stepper.take_first("server", "late tick")
    assert [t.step.action for t in stepper.enabled()] == ["send", "late tick"]
    assert stepper.take_first("server", "late tick")
    assert stepper.rest()
    assert stepper.findings() == (Finding("seen", "yes"),)
    assert [t.step.action for t in stepper.enabled()] == ["send"]


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


# -- Random systems ----------------------------------------------------------------------------------------------------


def with_late(system: System) -> System | None:
    """The system with one of its MAY actions made LATE, at most twice; None if it has none.

    A property watches another action as well: the order of LATE actions alone is nothing that a reduction keeps.
    """
    for component in system.components:
        chosen = next((a for a in component.actions if a.mode is Mode.MAY and a.take is None), None)
        if chosen is not None and all(prop.watches != {(component.name, chosen.name)} for prop in system.properties):
            actions = tuple(_counted(action, action is chosen) for action in component.actions)
            late = replace(component, initial=(component.initial, 0), actions=actions)
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


class Expected(NamedTuple):
    """Whether a property is violated, and whether LATE actions had to be explored for that."""

    violated: bool
    explored: bool


def expected(system: System) -> Expected | None:
    """The answer by the definitions, in every order; None where there are too many states."""
    plain, whole = Semantics(explored_part(system)), Semantics(system)
    by_name = {prop.name: prop for prop in system.properties}
    try:
        found = [(state, by_name[each.property]) for state in reachable(plain, 150) for each in plain.findings(state)]
        suspects = [(state, prop) for state, prop in found if not prop.sometimes]
        answers = {lasting(whole, state, prop) if prop.needs in AT_REST else True for state, prop in suspects}
        if True in answers or None in answers or not answers:
            return None if None in answers else Expected(bool(answers), False)
    except OverflowError:
        return None
    found_late = violations(system)
    return None if found_late is None else Expected(bool(found_late), True)


def violations(system: System) -> set[Finding] | None:
    """The violations in every order of all actions; None if there are too many states."""
    semantics = Semantics(system)
    sometimes = {prop.name for prop in system.properties if prop.sometimes}
    try:
        states = reachable(semantics, 150)
    except OverflowError:
        return None
    return {found for state in states for found in semantics.findings(state) if found.property not in sometimes}


def test_engines_and_reduction_agree_with_the_definition() -> None:
    seen: Counter[Expected] = Counter()
    for seed in range(600):
        system = with_late(random_system(seed, cyclic=False, needs=REDUCIBLE))
        answer = None if system is None or not system.properties else expected(system)
        if system is not None and answer is not None:
            seen[answer] += 1
            for reduce in (False, True):
                result = search(system, SearchOptions(engine="loop", reduce=reduce))
                assert (isinstance(result.verdict, Violated), result.late_explored) == answer, seed
    assert len(seen) == 4


def test_late_actions_that_are_explored_give_the_violations_of_the_definition() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(300):
        system = with_late(random_system(seed, cyclic=False, needs=REDUCIBLE))
        violated = None if system is None else violations(system)
        if system is not None and violated is not None:
            seen[bool(violated)] += 1
            every, reduced = (
                search(with_late_explored(system), SearchOptions(engine="loop", find_all=True, reduce=reduce))
                for reduce in (False, True)
            )
            assert {Finding(each.property, each.message) for each in every.violations} == violated, seed
            assert {each.property for each in reduced.violations} == {each.property for each in violated}, seed
    assert min(seen.values()) > 10


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
            assert replace(one, statistics=other.statistics) == other, seed
            late += (
                any(t.action.name == "a" for found in one.violations for t in found.transitions) or one.late_explored
            )
    assert late > 10
