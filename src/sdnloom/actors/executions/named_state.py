"""States of a program in which every task has a name of its own, so that steps can be told apart along an execution.

A task's name is given by the task that sent it, the step that did, and the position of the message in that step. Names
do not depend on the order of steps that do not conflict. Futures have the name of their task and keep it when their
result is known.

Barriers are defined here without segments, as the specification puts it: a control task waits for the tasks that were
sent to the switch before the last barrier before it; a barrier is done when all control tasks before it are. Without
the names the states and steps are those of `Meaning`, which tests check.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from sdnloom.actors.program import PLAIN, Program, is_barrier
from sdnloom.actors.state import ActorState, FailedTask, Meaning, failed_task, futures_in
from sdnloom.actors.task import ABSENT, BARRIER, Ending, Location, StepResult, Task
from sdnloom.actors.values import Done, Future, Stored, substitute

_REMEMBERED = 1 << 14  # states whose cells are kept as dicts
_NOBODY: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class NamedDone(Done):
    """The known result of a task, with the name of the task."""

    name: int

    def substituted(self, replacement: Callable[[Any], Stored]) -> Stored:
        """The result with every future in it replaced; the replacement sees the result itself, too."""
        return replacement(NamedDone(substitute(self.value, replacement), self.name))


class NamedTask(NamedTuple):
    """A task with its name and the number of steps that it has taken; `behind` are the tasks that it must wait for."""

    name: int
    steps: int
    task: Task
    behind: frozenset[int] = _NOBODY


class Mailbox(NamedTuple):
    """The control tasks that were sent to an actor, and those of them that were before its last barrier."""

    sent: frozenset[int] = _NOBODY
    before_barrier: frozenset[int] = _NOBODY


class NamedState(NamedTuple):
    """The cells, without absent entries, the tasks, the barriers that are not done, mailboxes, and failed tasks."""

    cells: frozenset[tuple[Location, Stored]]
    tasks: frozenset[NamedTask]
    barriers: frozenset["NamedBarrier"] = frozenset()
    mailboxes: frozenset[tuple[Stored, Mailbox]] = frozenset()
    failures: frozenset[FailedTask] = frozenset()


class NamedBarrier(NamedTuple):
    """A barrier with its name, its actor, and the control tasks before it."""

    name: int
    actor: Stored
    waits_for: frozenset[int]


class NamedSend(NamedTuple):
    """A message of a step: its name, and the task; `barrier` if it is one."""

    name: int
    task: Task
    barrier: bool


class NamedMeaning:
    """What the tasks of a program do, in states with names.

    With `history`, states remember which tasks were sent before a barrier also when those have ended, so that
    `waits_for` knows what a step had to wait for, in whatever order it came. Without, they hold what decides the
    future.
    """

    def __init__(self, program: Program, history: bool = True) -> None:
        self.program, self._history = program, history
        self.plain = Meaning(program, PLAIN)
        self._numbers: dict[Any, int] = {}
        self._waits_for: dict[int, frozenset[int]] = {}  # of barriers
        self._known: dict[Task, list[tuple[tuple[tuple[Location, Stored], ...], list[StepResult]]]] = {}
        self._cells: Callable[[Any], dict[Location, Stored]] = lru_cache(_REMEMBERED)(dict)
        self._unnamed = lru_cache(_REMEMBERED)(self._without_names)

    def initial(self) -> NamedState:
        """The state before any step."""
        cells = frozenset(self.program.initial_cells(PLAIN).items())
        sends = self.program.initial_tasks(PLAIN)
        state, _ = self._posted(NamedState(cells, frozenset()), ("start",), sends)
        return self._past_barriers(state)

    def waits_for(self, future: int) -> frozenset[int]:
        """The names of the tasks that must be done before a future is known."""
        return self._waits_for.get(future) or frozenset({future})

    # Steps.

    def enabled(self, state: NamedState, actor: str, method: str) -> list[tuple[NamedTask, StepResult]]:
        """The steps that tasks of a method of an actor can take, in the order of names."""
        tasks = [each for each in state.tasks if each.task.method == method and each.task.actor == actor]
        return [
            (each, result)
            for each in sorted(tasks, key=lambda each: each.name)
            if self.plain.can_run(each.task)
            if not each.behind or each.behind.isdisjoint(other.name for other in state.tasks)
            for result in self.results(state, each.task)
            if result.ending is not Ending.BLOCKED
        ]

    def results(self, state: NamedState, task: Task) -> list[StepResult]:
        """The results of a task's next step; its code runs once for all states in which it reads the same values."""
        cells = self._cells(state.cells)
        known = self._known.setdefault(task, [])
        for reads, results in known:
            if all(self.plain.value(cells, at) == value for at, value in reads):
                return results
        results = self.plain.results(cells, task)
        known.append((tuple({at: value for result in results for at, value in result.reads}.items()), results))
        return results

    def after(self, state: NamedState, one: NamedTask, result: StepResult) -> tuple[NamedState, tuple[NamedSend, ...]]:
        """The state after a step, and the messages of the step with their names."""
        task = one.task
        state = state._replace(tasks=state.tasks - {one})
        if result.ending is Ending.FAILED:
            failed = failed_task(task, result.result)
            return self._past_barriers(state._replace(failures=state.failures | {failed})), ()
        state, sent = self._posted(state, (one.name, one.steps), result.sends)
        named = futures_named(sent)
        written = {at.substituted(named): substitute(value, named) for at, value in result.writes}
        cells = {at: value for at, value in (self._cells(state.cells) | written).items() if value is not ABSENT}
        state = state._replace(cells=frozenset(cells.items()))
        if result.ending is Ending.SUSPENDED:
            rest = task._replace(suspension=result.result.substituted(named))
            state = state._replace(tasks=state.tasks | {NamedTask(one.name, one.steps + 1, rest)})
        else:
            state = _completed(state, NamedDone(substitute(result.result, named), one.name))
        return self._past_barriers(state), sent

    def _posted(
        self, state: NamedState, step: tuple[Any, ...], sends: Iterable[Task]
    ) -> tuple[NamedState, tuple[NamedSend, ...]]:
        """The state with the messages of a step in the mailboxes."""
        mailboxes, barriers, sent = dict(state.mailboxes), set(state.barriers), []
        behind: dict[int, frozenset[int]] = {}
        for position, task in enumerate(sends):
            mailbox = mailboxes.get(task.actor, Mailbox())
            if is_barrier(task):
                name = self._name((*step, position, mailbox.sent if self._history else BARRIER))
                self._waits_for[name] = mailbox.sent
                barriers.add(NamedBarrier(name, task.actor, mailbox.sent))
                mailboxes[task.actor] = Mailbox(mailbox.sent, mailbox.sent)
            else:
                name = self._name((*step, position))
                if self.program.is_control(PLAIN, task):
                    behind[name] = mailbox.before_barrier
                    mailboxes[task.actor] = mailbox._replace(sent=mailbox.sent | {name})
            sent.append(NamedSend(name, task, is_barrier(task)))
        named = futures_named(sent)
        sent = [each._replace(task=each.task.substituted(named)._replace(future=Future(each.name))) for each in sent]
        new = [NamedTask(each.name, 0, each.task, behind.get(each.name, _NOBODY)) for each in sent if not each.barrier]
        state = state._replace(
            tasks=state.tasks.union(new), barriers=frozenset(barriers), mailboxes=frozenset(mailboxes.items())
        )
        return state, tuple(sent)

    def _name(self, key: tuple[Any, ...]) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _past_barriers(self, state: NamedState) -> NamedState:
        """The state after every barrier is done that has nothing left to wait for."""
        if not state.mailboxes:
            return state
        present = frozenset(each.name for each in state.tasks)
        done = [each for each in state.barriers if each.waits_for.isdisjoint(present)]
        for each in sorted(done):
            state = _completed(state, NamedDone(None, each.name))
        state = state._replace(barriers=state.barriers.difference(done))
        return state if self._history else _of_present(state, present)

    # Without names.

    def without_names(self, state: NamedState) -> ActorState:
        """The state as `Meaning` has it."""
        return self._unnamed(state)

    def _without_names(self, state: NamedState) -> ActorState:
        pending: dict[Stored, set[frozenset[int]]] = {}
        for barrier in state.barriers:
            pending.setdefault(barrier.actor, set()).add(barrier.waits_for)

        def segment(actor: Stored, behind: frozenset[int]) -> int:
            return sum(1 for each in pending.get(actor, ()) if each <= behind)

        tasks: Counter[Task] = Counter()
        for each in state.tasks:
            waits = segment(each.task.actor, each.behind) if self.program.is_control(PLAIN, each.task) else 0
            tasks[each.task.substituted(without_name)._replace(segment=waits)] += 1
        for name, actor, waits_for in state.barriers:
            tasks[Task(actor, BARRIER, future=Future(name), segment=segment(actor, waits_for) - 1)] += 1
        cells = {at.substituted(without_name): substitute(value, without_name) for at, value in state.cells}
        return self.plain.canonical(cells, tasks, state.failures)


def futures_named(sent: Iterable[NamedSend]) -> Callable[[Any], Stored]:
    """Replaces the futures of a step's messages by named ones."""
    names = {Future(-1 - position): Future(each.name) for position, each in enumerate(sent)}
    return lambda value: names.get(value, value) if isinstance(value, Future) else value


def _completed(state: NamedState, done: NamedDone) -> NamedState:
    """The state with the known result in the place of a future."""

    def known(value: Any) -> Stored:
        return done if isinstance(value, Future) and value.number == done.name else value

    future = Future(done.name)
    cells = {cell for cell in state.cells if future in _futures_of_cell(cell)}
    tasks = {each for each in state.tasks if future in _futures_of_task(each.task)}
    if cells:
        after = ((at.substituted(known), substitute(value, known)) for at, value in cells)
        state = state._replace(cells=(state.cells - cells).union(after))
    if tasks:
        resumed = (each._replace(task=each.task.substituted(known)) for each in tasks)
        state = state._replace(tasks=(state.tasks - tasks).union(resumed))
    return state


@lru_cache(_REMEMBERED)
def _futures_of_cell(cell: tuple[Location, Stored]) -> frozenset[Future]:
    return frozenset(futures_in(cell))


@lru_cache(_REMEMBERED)
def _futures_of_task(task: Task) -> frozenset[Future]:
    return frozenset(futures_in(task._replace(future=None)))


def _of_present(state: NamedState, present: frozenset[int]) -> NamedState:
    """The state without names of tasks that have ended: it goes on in the same way."""
    mailboxes = (
        (actor, Mailbox(mailbox.sent & present, mailbox.before_barrier & present)) for actor, mailbox in state.mailboxes
    )
    return state._replace(
        tasks=frozenset(each._replace(behind=each.behind & present) for each in state.tasks),
        barriers=frozenset(each._replace(waits_for=each.waits_for & present) for each in state.barriers),
        mailboxes=frozenset((actor, mailbox) for actor, mailbox in mailboxes if mailbox.sent),
    )


def without_name(value: Any) -> Stored:
    """Replaces known results with names by those without."""
    return Done(value.value) if isinstance(value, NamedDone) else value


def only_names(value: Any) -> Stored:
    """Replaces known results by their futures: what is known now is no part of what a step does."""
    return Future(value.name) if isinstance(value, NamedDone) else value


class Essence:
    """A state, equal to every other one that differs in names only. Most unequal ones are told apart by their hash."""

    def __init__(self, meaning: NamedMeaning, state: NamedState) -> None:
        self._meaning, self._state = meaning, state
        self._hash = hash(_rough_shape(state))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Essence) or self._hash != other._hash:
            return False
        return self._state is other._state or (
            self._meaning.without_names(self._state) == self._meaning.without_names(other._state)
        )


def _rough_shape(state: NamedState) -> Any:
    """A value that is equal for states that differ in names only, and rarely for others."""
    tasks = Counter(_shape_of_task(each.task) for each in state.tasks)
    return frozenset(map(_shape_of_cell, state.cells)), frozenset(tasks.items()), len(state.barriers)


@lru_cache(_REMEMBERED)
def _shape_of_task(task: Task) -> Any:
    return task._replace(future=None).substituted(_shape)


@lru_cache(_REMEMBERED)
def _shape_of_cell(cell: tuple[Location, Stored]) -> Any:
    at, value = cell
    return at.substituted(_shape), substitute(value, _shape)


def _shape(value: Any) -> Stored:
    return None if isinstance(value, Future) else without_name(value)
