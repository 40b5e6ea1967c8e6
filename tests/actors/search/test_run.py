"""A search as a run: limits, progress, the first violation or all, checks of every state."""

from typing import Any

import pytest

from examples.actors.load_balancer import program as balanced
from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Monitor, Program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import (
    CounterexampleFound,
    Finished,
    Holds,
    Incomplete,
    Limits,
    Progress,
    SearchEvent,
    Vacuous,
    Violated,
)
from sdnloom.errors import SdnloomError
from tests.actors.search.programs import BarrierBalancer, balancer


class Counter(Actor):
    """Counts up to a number, in either of two fields."""

    left: int = 0
    right: int = 0

    async def count(self, number: int) -> None:
        if self.choose("left", "right") == "left":
            self.left += 1
            self.emit(("left", self.left))
        else:
            self.right += 1
            self.emit(("right", self.right))
        if number > 1:
            self.later.count(number - 1)

    async def fails(self) -> None:
        raise ValueError("no")

    async def waits(self) -> None:
        await self.until(lambda: self.left > 9)


class Three(Monitor):
    """Reports a count of three."""

    def on_event(self, event: Any) -> None:
        if event[1] == 3:
            self.report("{} is three", event[0])


def counting(number: int = 4, **named: Any) -> Program:
    counter = Counter("c")
    return Program((counter,), (counter.count(number),), **named)


def below(view: Any) -> str | None:
    """Neither count is two while the other is one."""
    return "two and one" if (view["c"].left, view["c"].right) == (2, 1) else None


ALL = ActorOptions(find_all=True)


def test_each_choice_is_a_transition() -> None:
    found = search_program(counting(4), ALL)
    assert (found.result.statistics.states, found.result.statistics.transitions, found.final_states) == (15, 20, 5)
    assert found.result.verdict == Holds()


def test_the_first_violation_ends_the_search_and_all_are_found_on_request() -> None:
    program = counting(4, monitors=(Three("Three"),))
    first, every = search_program(program), search_program(program, ALL)
    assert isinstance(first.result.verdict, Violated)
    assert first.result.incomplete == "the search ended at the first violation"
    assert [each.message for each in first.result.violations] == ["left is three"]
    assert {each.message for each in every.result.violations} == {"left is three", "right is three"}
    assert every.result.incomplete is None
    assert [len(each.path) for each in every.result.violations] == [3, 3]


def test_checks_of_every_state_are_not_reduced() -> None:
    found = search_program(counting(4, always=(below,)))
    assert (found.reduction, found.result.reduction) == ("none", ())
    assert [(each.property, each.message) for each in found.result.violations] == [("below", "two and one")]


def test_a_task_that_fails_and_one_that_waits_for_ever_are_violations() -> None:
    counter = Counter("c")
    failed = search_program(Program((counter,), (counter.fails(), counter.count(1))), ALL)
    assert {each.property for each in failed.result.violations} == {"NoTaskErrors"}
    waiting = search_program(Program((counter,), (counter.waits(), counter.count(1))), ALL)
    assert {each.property for each in waiting.result.violations} == {"NoDeadlock"}
    allowed = search_program(Program((counter,), (counter.waits(),), deadlocks=False))
    assert allowed.result.verdict == Holds()


def test_a_program_without_tasks_is_vacuous() -> None:
    assert search_program(Program((Counter("c"),), ())).result.verdict == Vacuous(("nothing ever happens",))


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(states=10), "the limit of 10 states was reached"),
        (Limits(depth=3), "the depth limit of 3 was reached"),
        (Limits(seconds=1e-9), "the time limit of 1e-09 s was reached"),
    ],
)
def test_a_limit_ends_the_search_as_incomplete(limits: Limits, reason: str) -> None:
    found = search_program(balancer(2, BarrierBalancer), ActorOptions(limits=limits))
    assert found.result.verdict == Incomplete(reason)


def test_an_interrupt_ends_the_search() -> None:
    watch = LimitWatch(Limits())
    watch.interrupted = True
    assert search_program(counting(), ALL, watch=watch).result.verdict == Incomplete("interrupted")


def test_events_end_with_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitWatch, "progress_due", lambda self: True)
    events: list[SearchEvent] = []
    found = search_program(counting(4, monitors=(Three("Three"),)), ActorOptions(), events.append)
    kinds = [type(event) for event in events]
    assert kinds[-2:] == [CounterexampleFound, Finished]
    assert kinds.count(Progress) > 1
    assert events[-1] == Finished(found.result)


def test_depth_first_finds_the_same_final_states() -> None:
    program = balancer(1)
    breadth = search_program(program, ALL)
    depth = search_program(program, ActorOptions(find_all=True, order="dfs"))
    assert breadth.final_states == depth.final_states == 8


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(SdnloomError, match="option reduction is 'most'; expected one of none, actor, entry, context"):
        ActorOptions(reduction="most")  # type: ignore[arg-type]


def test_violations_that_say_the_same_after_a_renaming_are_reported_once() -> None:
    found = search_program(balanced(2), ActorOptions(find_all=True)).result.violations
    assert len(found) == len({(each.property, each.message) for each in found}) == 1
