"""The check that a program treats interchangeable actors alike: every evaluation of a step with symbols is repeated
with plain values, with the names that actors have and with other names, and must have the results that the symbols
stand for. Any difference raises Asymmetry.

A renaming is drawn at random, from a fixed seed, without fixed points where a group allows it.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.program import PLAIN, Naming, Program
from sdnloom.actors.state import ActorState
from sdnloom.actors.task import Ending, Location, StepResult, Suspension, Task
from sdnloom.actors.task_run import run_task
from sdnloom.actors.values import Future, Stored, substitute

Change = Callable[[Any], Stored]  # of symbols to plain values
_SEED = 16


class Asymmetry(Exception):  # noqa: N818 (a reason to search again)
    """Actors were taken to be interchangeable and are not. The text says where that was seen."""


class Renamings:
    """Draws renamings of the members of groups."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._random = random.Random(_SEED)

    def plain(self) -> Change:
        """What symbols stand for."""
        return self._with([range(len(group.members)) for group in self._naming.groups])

    def all_shifts(self) -> list[Change]:
        """Renamings among which, for each two members of a group, one gives the first the name of the second."""
        sizes = [len(group.members) for group in self._naming.groups]
        return [
            self._with([[(index + shift) % size for index in range(size)] for size in sizes])
            for shift in range(max(sizes, default=1))
        ]

    def drawn(self) -> Change:
        """What symbols stand for after a renaming in which each actor has the name of another one."""
        orders = []
        for group in self._naming.groups:
            cycle = list(range(len(group.members)))
            self._random.shuffle(cycle)
            order = list(cycle)
            for place, member in enumerate(cycle):
                order[member] = cycle[(place + 1) % len(cycle)]
            orders.append(order)
        return self._with(orders)

    def _with(self, orders: Any) -> Change:
        def change(atom: Any) -> Stored:
            return self._naming.plain(atom, lambda symbol: orders[symbol.group][symbol.index])

        return change


class Equivariance:
    """Checks evaluations of steps."""

    def __init__(self, program: Program, naming: Naming) -> None:
        self._program, self._naming = program, naming
        self._renamings = Renamings(naming)
        self.runs = 0

    def check(self, task: Task, results: list[StepResult], reads: dict[Location, Stored]) -> None:
        """Raise Asymmetry if a step with plain values has other results."""
        for change in (self._renamings.plain(), self._renamings.drawn()):
            self.runs += 1
            expected = [_renamed(result, change) for result in results]
            if not _same(expected, self._plainly(task, reads, change)):
                where = f"{self._naming.plain(task.actor)}.{task.method}"
                raise Asymmetry(f"{where} does not treat interchangeable actors alike")

    def _plainly(self, task: Task, reads: dict[Location, Stored], change: Change) -> list[StepResult] | None:
        known = {at.substituted(change): substitute(value, change) for at, value in reads.items()}
        if len(known) < len(reads):
            return None  # locations that symbols tell apart are one

        def read_state(location: Location) -> Stored:
            if location not in known:
                raise _OtherRead
            value = known[location]
            if location.key is None or isinstance(location.key, tuple):
                return value
            return tuple((key, each) for key, each in value if location.key.covers(key))

        try:
            return run_task(self._program, PLAIN, task.substituted(change), read_state)
        except (_OtherRead, ActorError):
            return None


class _OtherRead(BaseException):
    """A plain step reads a location that it did not read with symbols. No Exception, because programs catch those."""


def _renamed(result: StepResult, change: Change) -> StepResult:
    end = result.result
    if isinstance(end, Suspension):
        end = end.substituted(change)
    elif result.ending is not Ending.FAILED:
        end = substitute(end, change)
    return StepResult(
        result.ending,
        tuple((at.substituted(change), None) for at, _ in result.reads),
        tuple((at.substituted(change), substitute(value, change)) for at, value in result.writes),
        tuple(sent.substituted(change) for sent in result.sends),
        tuple(substitute(event, change) for event in result.events),
        result.choices,
        end,
    )


def _same(expected: list[StepResult], found: list[StepResult] | None) -> bool:
    """Whether results are the same. Of the reads only the locations count: a query may cover more with symbols."""
    if found is None or len(expected) != len(found):
        return False
    return Counter(map(_essence, expected)) == Counter(map(_essence, found))


def _essence(result: StepResult) -> tuple[Any, ...]:
    """What a result does, without the order of what has none: choices, reads, writes, events, sends nobody awaits."""
    held: set[Future] = set()

    def hold(atom: Any) -> Stored:
        if isinstance(atom, Future):
            held.add(atom)
        return atom

    end = result.result
    if isinstance(end, Suspension):
        end = end.positions, end.identity, end.awaits
        substitute(end[1:], hold)
    elif result.ending is Ending.FAILED:
        end = end.file, end.line
    else:
        substitute(end, hold)
    for _, value in result.writes:
        substitute(value, hold)
    for sent in result.sends:
        substitute(sent.args, hold)
    sends = Counter(sent if sent.future in held else sent._replace(future=None) for sent in result.sends)
    return (
        result.ending,
        frozenset(at for at, _ in result.reads),
        frozenset(result.writes),
        frozenset(sends.items()),
        frozenset(Counter(result.events).items()),
        end,
    )


def changed_state(state: ActorState, change: Change) -> ActorState:
    """The state with what its symbols stand for; futures keep their numbers."""
    failures = (
        failed._replace(actor=change(failed.actor), args=substitute(failed.args, change)) for failed in state.failures
    )
    return ActorState(
        frozenset((at.substituted(change), substitute(value, change)) for at, value in state.cells),
        frozenset((task.substituted(change), count) for task, count in state.tasks),
        frozenset(failures),
    )
