"""Each rule of the reduction, and the check of symmetry, is needed: without it a search of some program is wrong."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from sdnloom.actors.program import Program
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.equivariance import Equivariance
from sdnloom.actors.search.search import _Run
from sdnloom.actors.search.step_memo import CONTROL_CHANNEL, StepMemo
from sdnloom.actors.search.stubborn_sets import StubbornTasks
from sdnloom.actors.search.summaries import Summaries
from sdnloom.actors.task import Location
from tests.actors.comparison import LEVELS, differences, searched
from tests.actors.exhaustive import explored
from tests.actors.hand_programs import (
    PROGRAMS,
    barrier_needs_what_is_before_it,
    condition_needs_writers,
    condition_that_fails_reads,
    cycle_hides_a_task,
    future_needs_its_task,
    task_reaches_any_peer,
)
from tests.actors.random_programs import random_program

Patch = pytest.MonkeyPatch


def without_reads(patch: Patch) -> None:
    """A step does not conflict with tasks that write what it reads."""
    patch.setattr(StubbornTasks, "_reads_conflict", lambda *args: False)


def without_readers(patch: Patch) -> None:
    """A step does not conflict with tasks that read what it writes."""
    patch.setattr(StubbornTasks, "_is_read", lambda *args: False)


def without_writers(patch: Patch) -> None:
    """A step does not conflict with tasks that write something else to what it writes."""

    def conflict(self: Any, step: Any, unchanged: int, summary: Any) -> bool:
        changed = [at for place, (at, _) in enumerate(step.writes) if not unchanged >> place & 1]
        return any(self._is_read(at, summary) for at in changed)

    patch.setattr(StubbornTasks, "_writes_conflict", conflict)


def without_descendants(patch: Patch) -> None:
    """A summary has nothing of the tasks that follow."""
    patch.setattr(Summaries, "_link", lambda *args: None)


def without_rounds(patch: Patch) -> None:
    """The search does not begin again when summaries have grown."""
    patch.setattr(_Run, "_search", lambda self: self.loop.run())


def without_control_channel(patch: Patch) -> None:
    """Sending a barrier and sending a control message do not conflict."""
    count = itertools.count()

    def channel(self: Any, sent: Any) -> int:
        return self._items.locations.number(Location(f"nowhere {next(count)}", CONTROL_CHANNEL))  # type: ignore[no-any-return]

    patch.setattr(StepMemo, "_channel", channel)


def without_proviso(patch: Patch) -> None:
    """A cycle may leave out tasks for ever."""
    made = ActorGraph.__init__

    def init(self: Any, *args: Any, **named: Any) -> None:
        made(self, *args, **named)
        self.cycle_proviso = False

    patch.setattr(ActorGraph, "__init__", init)


def without_failed_conditions(patch: Patch) -> None:
    """What a condition reads that does not hold is not learned."""
    learn = Summaries.learn
    patch.setattr(Summaries, "learn", lambda self, task, step: learn(self, task, step) if step.effects else None)


def without_writers_of_conditions(patch: Patch) -> None:
    """A set with a task that awaits a condition is closed without those that may make it hold."""
    rivals = StubbornTasks._rivals
    patch.setattr(StubbornTasks, "_rivals", lambda self, step, *args: rivals(self, step, *args) if step.effects else 0)


def _without_enablers(patch: Patch, of_futures: bool) -> None:
    enablers = StubbornTasks._enablers

    def left(self: Any, tasks: list[int], place: int) -> int:
        awaits = self.items.template[tasks[place]].awaited >= 0
        return 0 if awaits == of_futures else enablers(self, tasks, place)

    patch.setattr(StubbornTasks, "_enablers", left)


def without_awaited_tasks(patch: Patch) -> None:
    """A set with a task that awaits a future is closed without the task whose result it is."""
    _without_enablers(patch, of_futures=True)


def without_tasks_before_barriers(patch: Patch) -> None:
    """A set with a task behind a barrier is closed without any task before it."""
    _without_enablers(patch, of_futures=False)


def without_unknown_peers(patch: Patch) -> None:
    """A write to any peer is no write to a certain one."""
    patch.setattr(StubbornTasks, "_overlap", lambda *args: False)


def without_check_of_symmetry(patch: Patch) -> None:
    """Whether a program treats its peers alike is not asked."""
    patch.setattr(Equivariance, "check", lambda *args: None)


def seeded(profile: str, seed: int) -> Callable[[], Program]:
    return lambda: random_program(seed, profile)


CAUGHT: dict[Callable[[Patch], None], tuple[Callable[[], Program], ...]] = {
    without_reads: (condition_needs_writers, seeded("barriers", 2)),
    without_readers: (condition_needs_writers, seeded("monitors", 2)),
    without_writers: (barrier_needs_what_is_before_it, seeded("conditions", 3)),
    without_descendants: (task_reaches_any_peer, seeded("queries", 1)),
    without_rounds: (condition_needs_writers, seeded("mixed", 3)),
    without_control_channel: (seeded("barriers", 2), seeded("failures", 17)),
    without_proviso: (cycle_hides_a_task, seeded("cycle", 17)),
    without_failed_conditions: (condition_that_fails_reads,),
    without_writers_of_conditions: (condition_needs_writers, condition_that_fails_reads),
    without_awaited_tasks: (future_needs_its_task, seeded("failures", 6)),
    without_tasks_before_barriers: (barrier_needs_what_is_before_it,),
    without_unknown_peers: (task_reaches_any_peer,),
    without_check_of_symmetry: (seeded("unfair", 23), seeded("unfair", 5)),
}


@pytest.mark.parametrize("rule", CAUGHT, ids=lambda rule: rule.__name__)
def test_without_a_rule_something_is_lost(rule: Callable[[Patch], None], monkeypatch: Patch) -> None:
    symmetry = rule in (without_unknown_peers, without_check_of_symmetry)
    for program in CAUGHT[rule]:
        facts = explored(program(), 500)
        assert not differences(facts, searched(program(), "context", symmetry))
        with monkeypatch.context() as patch:
            rule(patch)
            assert differences(facts, searched(program(), "context", symmetry))


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_with_all_rules_nothing_is_lost(program: Callable[[], Program], level: str, symmetry: bool) -> None:
    assert not differences(explored(program(), 500), searched(program(), level, symmetry))
