"""States of a program of actors, and what a step does to one: the slow, obvious definition.

A state is what the fields hold and which tasks there are. Nothing of the past is in it: futures have numbers that
depend on the state alone, and those that nobody holds have none.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sdnloom.actors.program import Naming, Program, is_barrier
from sdnloom.actors.runtime.task_run import run_task
from sdnloom.actors.task import (
    ABSENT,
    CONDITION,
    Ending,
    Location,
    StepResult,
    Suspension,
    Task,
    TaskFailure,
)
from sdnloom.actors.values import Done, Frozen, Future, Reference, Stored, substitute
from sdnloom.engine.stable_text import stable_text

FORGOTTEN = 1 << 30  # numbers from here are futures that only a log mentions


class FailedTask(NamedTuple):
    """A task that failed, and why."""

    actor: Stored
    method: str
    args: tuple[Stored, ...]
    failure: TaskFailure


def failed_task(task: Task, failure: TaskFailure) -> FailedTask:
    """The failure of a task. The futures among its arguments are forgotten."""
    return FailedTask(task.actor, task.method, substitute(task.args, _forgotten), failure)


class ActorState(NamedTuple):
    """The cells that do not hold their defaults, the tasks with how often each is there, and the tasks that failed."""

    cells: frozenset[tuple[Location, Stored]]
    tasks: frozenset[tuple[Task, int]]
    failures: frozenset[FailedTask] = frozenset()


class Meaning:
    """What the tasks of a program do, with the values that a naming gives."""

    def __init__(self, program: Program, naming: Naming) -> None:
        self.program, self.naming = program, naming
        self._defaults: dict[tuple[Stored, str], Stored] = {}

    def default(self, location: Location) -> Stored:
        """What a location holds if nothing was written to it."""
        if location.key is not None:
            return ABSENT
        key = location.actor, location.field
        if key not in self._defaults:
            self._defaults[key] = self.program.default(self.naming, location)
        return self._defaults[key]

    def initial(self) -> ActorState:
        """The state before any step."""
        cells = self.program.initial_cells(self.naming)
        tasks: Counter[Task] = Counter()
        for task in self.program.initial_tasks(self.naming):
            self.post(tasks, task)
        return self.canonical(cells, tasks, frozenset())

    def value(self, cells: Mapping[Location, Stored], location: Location) -> Stored:
        """What a location holds; for a query, the entries that it covers."""
        if location.key is None or isinstance(location.key, tuple):
            return cells[location] if location in cells else self.default(location)
        entries = {
            at.key[0]: value
            for at, value in cells.items()
            if at[:2] == location[:2] and isinstance(at.key, tuple) and location.key.covers(at.key[0])
        }
        return tuple(sorted(entries.items(), key=lambda entry: stable_text(entry[0])))

    def can_run(self, task: Task) -> bool:
        """Whether a task may take a step, unless it awaits a condition that does not hold."""
        waits = task.suspension is not None and isinstance(task.suspension.awaits, Future)
        return not waits and task.segment == 0 and not is_barrier(task)

    def results(self, cells: Mapping[Location, Stored], task: Task) -> list[StepResult]:
        """Every result of a task's next step; that it is blocked is one."""
        return run_task(self.program, self.naming, task, lambda location: self.value(cells, location))

    def is_final(self, state: ActorState) -> bool:
        """Whether no task can take a step."""
        cells = dict(state.cells)
        return not any(
            result.ending is not Ending.BLOCKED
            for task, _ in state.tasks
            if self.can_run(task)
            for result in self.results(cells, task)
        )

    def steps(self, state: ActorState) -> list[tuple[Task, StepResult, ActorState]]:
        """The enabled steps of a state with the states that they lead to."""
        cells = dict(state.cells)
        return [
            (task, result, self.after(state, task, result))
            for task, _ in state.tasks
            if self.can_run(task)
            for result in self.results(cells, task)
            if result.ending is not Ending.BLOCKED
        ]

    def after(self, state: ActorState, task: Task, result: StepResult) -> ActorState:
        """The state after a step."""
        cells, tasks = dict(state.cells), Counter(dict(state.tasks))
        tasks[task] -= 1
        tasks += Counter()  # drops what is not there any more
        if result.ending is Ending.FAILED:
            failed = failed_task(task, result.result)
            return self.canonical(cells, self._past_barriers(cells, tasks), state.failures | {failed})
        fresh = max([_highest(cells.items()), _highest(tasks)]) + 1
        new = {Future(-1 - number): Future(fresh + number) for number in range(len(result.sends))}

        def numbered(value: Any) -> Stored:
            return new.get(value, value)

        cells.update((at, substitute(value, numbered)) for at, value in result.writes)  # no key has a future
        for sent in result.sends:
            self.post(tasks, sent.substituted(numbered))
        if result.ending is Ending.SUSPENDED:
            tasks[task._replace(suspension=result.result.substituted(numbered))] += 1
        elif task.future is not None:
            cells, tasks = _completed(cells, tasks, task.future, substitute(result.result, numbered))
        return self.canonical(cells, self._past_barriers(cells, tasks), state.failures)

    # Barriers.

    def post(self, tasks: Counter[Task], task: Task) -> None:
        """Put a task into the mailbox: a control task or a barrier behind the barriers that are there."""
        waits = is_barrier(task) or self.program.is_control(self.naming, task)
        barriers = [each.segment for each in tasks if each.actor == task.actor and is_barrier(each)] if waits else []
        if is_barrier(task) and barriers:
            # A barrier behind another one with nothing in between is done together with it.
            segment = max(barriers) + 1
            task = task._replace(segment=segment if self._has_control(tasks, task.actor, segment) else segment - 1)
        elif barriers:
            task = task._replace(segment=max(barriers) + 1)
        tasks[task] += 1

    def _has_control(self, tasks: Iterable[Task], actor: Stored, segment: int) -> bool:
        of_segment = (each for each in tasks if each.actor == actor and each.segment == segment)
        return any(self.program.is_control(self.naming, each) for each in of_segment)

    def _past_barriers(self, cells: dict[Location, Stored], tasks: Counter[Task]) -> Counter[Task]:
        """The tasks after every barrier is done that has nothing left to wait for."""
        while True:
            first = [task for task in tasks if is_barrier(task) and task.segment == 0]
            passed = {task.actor for task in first if not self._has_control(tasks, task.actor, 0)}
            if not passed:
                return tasks
            done = [task for task in first if task.actor in passed]
            for task in done:
                del tasks[task]
            moved: Counter[Task] = Counter()
            for task, count in tasks.items():
                moves = task.actor in passed and task.segment > 0
                moved[task._replace(segment=task.segment - 1) if moves else task] += count
            tasks = moved
            for task in done:
                if task.future is not None:
                    after, tasks = _completed(cells, tasks, task.future, None)
                    cells.clear()
                    cells.update(after)

    # The canonical form.

    def canonical(
        self, cells: dict[Location, Stored], tasks: Counter[Task], failures: frozenset[FailedTask]
    ) -> ActorState:
        """The state, without what is as it is by default, and with its futures numbered in a fixed order."""
        kept = {at: value for at, value in cells.items() if value != self.default(at)}
        held = {future for item in kept.items() for future in futures_in(item)}
        held |= {future for task in tasks for future in futures_in(task._replace(future=None))}
        named: Counter[Task] = Counter()
        for task, count in tasks.items():
            named[task if task.future in held else task._replace(future=None)] += count
        numbers: dict[Future, Future] = {}
        holders = (item for item in [*kept.items(), *named] if futures_in(item))
        for item in sorted(holders, key=_blurred):
            for future in futures_in(item):
                numbers.setdefault(future, Future(len(numbers)))

        def renumbered(value: Any) -> Stored:
            if not isinstance(value, Future):
                return value
            return numbers.setdefault(value, Future(FORGOTTEN + len(numbers)))  # only a log has it

        final: Counter[Task] = Counter()
        for task, count in named.items():
            final[task.substituted(renumbered) if task.suspension or futures_in(task) else task] += count
        items = frozenset(
            (at, substitute(value, renumbered) if futures_in((at, value)) else value) for at, value in kept.items()
        )
        return ActorState(items, frozenset(final.items()), failures)


def _forgotten(value: Any) -> Stored:
    """A future that nobody can await any more, without its number."""
    return Future(FORGOTTEN) if isinstance(value, Future) else value


def _completed(
    cells: dict[Location, Stored], tasks: Counter[Task], future: Future, value: Stored
) -> tuple[dict[Location, Stored], Counter[Task]]:
    """The cells and tasks with the known result in the place of a future."""

    def known(each: Any) -> Stored:
        return Done(value) if each == future else each

    after: Counter[Task] = Counter()
    for task, count in tasks.items():
        after[task.substituted(known) if task.suspension or future in futures_in(task) else task] += count
    holders = {at: each for at, each in cells.items() if future in futures_in((at, each))}
    return {**cells, **{at: substitute(each, known) for at, each in holders.items()}}, after


@lru_cache(10_000)
def futures_in(item: Any) -> Sequence[Future]:
    """The futures in a stored value, a task or a cell, in a fixed order; those that only a log mentions are not."""
    found: list[Future] = []
    pending = [item]
    while pending:
        match pending.pop():
            case Future() as future:
                found.append(future)
            case Suspension(identity=identity, awaits=awaits):
                pending += [awaits, identity]
            case Done(value=value):
                pending.append(value)
            case Reference(actor=actor):
                pending.append(actor)
            case Frozen(parts=parts):
                pending += parts[::-1]
            case tuple() as several:
                pending += several[::-1]
            case frozenset() as several:
                pending += sorted(several, key=stable_text, reverse=True)
    return found


def _highest(items: Iterable[Any]) -> int:
    return max((future.number for item in items for future in futures_in(item)), default=0)


@lru_cache(10_000)
def _blurred(item: Any) -> tuple[str, str]:
    """A sort key that depends on the numbers of futures only among items that are equal without them."""
    compared = _without_log(item)
    nameless = substitute(compared, lambda value: "future" if isinstance(value, Future) else value)
    return stable_text(nameless), stable_text(compared)


def _without_log(item: Any) -> Any:
    if isinstance(item, Task):
        suspended = item.suspension
        state = None if suspended is None else (suspended.identity, _awaited(suspended))
        return ("task", item.actor, item.method, item.args, state, item.future, item.segment)
    return ("cell", *item)


def _awaited(suspension: Suspension) -> Stored:
    return "condition" if suspension.awaits == CONDITION else suspension.awaits
