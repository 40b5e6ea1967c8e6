"""A step that returns a Restart ends the search with it, in every engine and wherever the step is evaluated."""

import pytest

from sdnloom.engine.executions.search import executions
from sdnloom.engine.model import (
    Action,
    Component,
    Mode,
    Needs,
    Outcome,
    Property,
    Restart,
    RestartRequired,
    Step,
    System,
)
from sdnloom.engine.path import Path, replay
from sdnloom.engine.result import Finished, Result, SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.walk import Stepper, random_walk

REFUTED = Restart("s1 and s2 share a cell")


def counter(last: int, properties: tuple[Property, ...] = ()) -> System:
    """A counts up; its step from `last` is refuted. B takes one step at any time."""

    def count(core, _):
        return REFUTED if core == last else [Outcome(core + 1)]

    def once(core, _):
        return [Outcome(1)] if core == 0 else []

    actions = (Action("count", count),)
    return System((Component("A", 0, actions), Component("B", 0, (Action("once", once),))), (), properties)


@pytest.mark.parametrize("engine", ["loop", "kernel"])
@pytest.mark.parametrize("reduce", [False, True])
def test_a_search_ends_with_the_restart_and_the_statistics_so_far(engine, reduce):
    events: list[object] = []
    result = search(counter(4), SearchOptions(engine=engine, reduce=reduce), events.append)
    assert result.verdict == REFUTED
    assert (result.violations, result.witnesses, result.incomplete) == ((), (), None)
    assert result.statistics.engine == engine
    assert result.statistics.evaluations["A"] == 5
    assert not any(isinstance(event, Finished) for event in events)


def test_a_step_of_the_initial_state_may_be_refuted():
    for engine in ("loop", "kernel"):
        assert search(counter(0), SearchOptions(engine=engine)).verdict == REFUTED


def test_a_step_that_only_a_shorter_counterexample_takes_may_be_refuted():
    def add(letter):
        return lambda core, _: [Outcome(core + letter)] if core in ("", "a") and letter not in core else []

    def end(core, _):
        return REFUTED if core == "b" else [Outcome("end", events=("end",))] if core == "ab" else []

    ends = Property("ends", Needs.EVENT, lambda m, _: "ended" if m else None, fold=lambda m, e: True, initial=False)
    actions = tuple(
        Action(name, step, mode=Mode.MAY) for name, step in (("a", add("a")), ("b", add("b")), ("end", end))
    )
    system = System((Component("A", "", actions),), (), (ends,))
    assert search(system, SearchOptions(engine="loop", order="dfs")).verdict == REFUTED
    assert Semantics(system).transitions(Semantics(system).initial())  # the initial state alone is fine


def test_single_steps_raise_restart_required():
    system = counter(1)
    with pytest.raises(RestartRequired, match="s1 and s2 share a cell") as raised:
        replay(Semantics(system), Path((Step("A", "count"), Step("A", "count"))))
    assert raised.value.restart == REFUTED
    stepper = Stepper(system)
    stepper.take_first("A", "count")
    for evaluated in (stepper.enabled, stepper.rest, lambda: random_walk(system, 0), lambda: executions(system)):
        with pytest.raises(RestartRequired):
            evaluated()
    assert len(stepper.path) == 1


def test_a_checked_run_restarts_too():
    result: Result = search(counter(2), SearchOptions(engine="loop", checked=True))
    assert result.verdict == REFUTED
