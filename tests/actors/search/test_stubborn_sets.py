"""Programs for which each rule of the stubborn sets is needed: without the rule final states or steps are lost."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from sdnloom.actors.actor import Actor, Message
from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.options import ActorOptions, ActorResult
from sdnloom.actors.search.search import search_program
from sdnloom.actors.search.step_memo import StepMemo
from sdnloom.actors.search.stubborn_sets import StubbornTasks
from sdnloom.actors.search.summaries import Summaries
from sdnloom.actors.task import Location
from sdnloom.engine.reduction.cycle_proviso import CycleProviso


class Cell(Actor):
    """Tasks that meet in a few fields."""

    key: int = 0
    flag: int = 0
    stop: int = 0
    out: int = 0
    other: Any = None

    async def set_key(self) -> None:
        self.key = 1

    async def set_flag(self) -> None:
        self.flag = 1

    async def set_stop(self) -> None:
        self.stop = 1

    async def awaits_a_condition(self) -> None:
        self.later.set_key()
        self.later.set_flag()
        await self.until(lambda: self.flag == 1)
        self.out = self.key + 1

    async def may_be_stopped(self) -> None:
        self.later.set_stop()
        self.later.set_flag()
        await self.until(lambda: self.flag == 1 and self.stop == 0)
        self.out = 5

    async def awaits_a_future(self) -> None:
        await self.other.set_flag()
        self.out = self.key + 1

    async def spins(self) -> None:
        while True:
            await self.until(lambda: self.flag == 0)
            self.flag = 1
            await self.other.set_key()
            self.flag = 0

    async def copies(self) -> None:
        self.out = self.key + 1

    async def tells_it_to(self, task: str) -> None:
        getattr(self.later, task)()


class Door(Actor):
    """Control tasks with barriers."""

    control = frozenset({"open"})
    ways: set[Any] = set()  # noqa: RUF012
    seen: tuple[Any, ...] = ()

    async def open(self, way: str) -> None:
        self.ways.add(way)
        self.seen = (*self.seen, way)

    async def barrier(self) -> None:
        """Done by the semantics."""


class Opener(Actor):
    """Sends control tasks and barriers to a door."""

    door: Any = None
    done: set[Any] = set()  # noqa: RUF012

    async def first(self) -> None:
        self.door.open("a")
        await self.door.barrier()
        self.done.add("first")

    async def second(self) -> None:
        self.door.open("b")

    async def third(self) -> None:
        self.door.open("c")
        await self.door.barrier()
        self.door.open("d")


def cells(*tasks: str) -> Program:
    other = Cell("b")
    one = Cell("a", other=other)
    starts: list[Message] = []
    for task in tasks:
        method, _, argument = task.partition(":")
        starts.append(getattr(one, method)(*([argument] if argument else [])))
    return Program((one, other), tuple(starts), deadlocks=False)


def doors(*tasks: str) -> Program:
    door = Door("door")
    starts = []
    openers = [Opener(f"o{number}", door=door) for number, _ in enumerate(tasks)]
    for opener, task in zip(openers, tasks, strict=True):
        starts.append(getattr(opener, task)())
    return Program((door, *openers), tuple(starts))


PROGRAMS: dict[str, Callable[[], Program]] = {
    "a condition": lambda: cells("awaits_a_condition"),
    "a condition that is disabled": lambda: cells("may_be_stopped"),
    "a future": lambda: cells("set_key", "awaits_a_future"),
    "a cycle": lambda: cells("spins", "copies", "tells_it_to:set_key"),
    "children": lambda: cells("copies", "tells_it_to:set_key"),
    "barriers": lambda: doors("first", "second"),
    "more barriers": lambda: doors("first", "second", "third"),
}


def found(program: Program, level: str) -> tuple[set[int], set[tuple[Any, ...]]]:
    """The final states, and the steps: task, locations read, what is written."""
    graph = ActorGraph(program, PLAIN)
    steps: set[tuple[Any, ...]] = set()

    def note(task: Any, results: Any, reads: Any) -> None:
        steps.update((task.method, result.reads, result.writes, result.ending) for result in results)

    result = search(program, level, note)
    return {graph.encoded(state) for state in result.finals}, steps


def search(program: Program, level: Any, note: Any = None) -> ActorResult:
    with pytest.MonkeyPatch.context() as patch:
        if note is not None:
            original = StepMemo.__init__
            patch.setattr(StepMemo, "__init__", lambda self, items, check: original(self, items, note))
        return search_program(program, ActorOptions(reduction=level, symmetry=False, find_all=True))


@pytest.mark.parametrize("level", ["actor", "entry", "context"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_final_states_and_steps_are_those_of_the_full_search(name: str, level: str) -> None:
    program = PROGRAMS[name]()
    assert found(program, level) == found(program, "none")


def no_conditions(patch: pytest.MonkeyPatch) -> None:
    """Tasks that a condition waits for are left out."""
    rivals = StubbornTasks._rivals
    patch.setattr(
        StubbornTasks,
        "_rivals",
        lambda self, step, cells, summaries: rivals(self, step, cells, summaries) if step.effects else 0,
    )


def no_failed_conditions(patch: pytest.MonkeyPatch) -> None:
    """What a condition reads that does not hold is not learned."""
    learn = Summaries.learn
    patch.setattr(Summaries, "learn", lambda self, task, step: learn(self, task, step) if step.effects else None)


def no_waiting(patch: pytest.MonkeyPatch) -> None:
    """The task whose result is awaited is left out."""
    patch.setattr(StubbornTasks, "_enablers", lambda self, tasks, place: 0)


def no_proviso(patch: pytest.MonkeyPatch) -> None:
    """Tasks may be put off for ever."""
    patch.setattr(CycleProviso, "ignored", lambda self, ends: [])


def no_children(patch: pytest.MonkeyPatch) -> None:
    """What the tasks do that a task sends is no part of its summary."""
    patch.setattr(Summaries, "_link", lambda self, parent, place, child: None)


def no_channel(patch: pytest.MonkeyPatch) -> None:
    """The order of control messages and barriers is taken to be none."""
    numbers = itertools.count()
    patch.setattr(
        StepMemo,
        "_channel",
        lambda self, sent: self._items.locations.number(Location(sent.actor, f"@channel {next(numbers)}")),
    )


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("a condition", no_conditions),
        ("a condition that is disabled", no_failed_conditions),
        ("a future", no_waiting),
        ("a cycle", no_proviso),
        ("children", no_children),
        ("more barriers", no_channel),
    ],
)
def test_each_rule_is_needed(
    name: str, without: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = PROGRAMS[name]()
    expected = found(program, "none")
    without(monkeypatch)
    assert found(program, "context") != expected


def test_a_search_ends_with_the_summaries_with_which_its_last_round_began() -> None:
    assert search(cells("awaits_a_condition"), "context").rounds > 1
