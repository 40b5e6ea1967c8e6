"""What a program of actors can do, by visiting every state with the slow definition of `actors.state`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.state import ActorState, Meaning
from sdnloom.actors.task import Location, StepResult, Task
from sdnloom.actors.values import Done, Frozen, Future, Stored, substitute
from sdnloom.engine.stable_text import stable_text

DEFAULT = "the default"


class TooManyStatesError(Exception):
    """The program is too large for this search."""


@dataclass
class Facts:
    """What was found. Futures have no numbers in it, so that it does not depend on how states number them."""

    states: int = 0
    transitions: int = 0
    finals: set[Any] = field(default_factory=set)
    deadlocks: int = 0
    violations: set[tuple[str, str]] = field(default_factory=set)
    events: set[Any] = field(default_factory=set)
    has_cycle: bool = False


class CachedMeaning(Meaning):
    """The definition; the results of a task are kept for the fields that it can see, because running code is slow."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, PLAIN)
        self._watched = {monitor.name for monitor in program.monitors}
        self._results: dict[Any, list[StepResult]] = {}

    def results(self, cells: Any, task: Task) -> list[StepResult]:
        """Every result of a task's next step."""
        seen = frozenset(item for item in cells.items() if item[0].actor in (task.actor, *self._watched))
        if (task, seen) not in self._results:
            self._results[task, seen] = super().results(cells, task)
        return self._results[task, seen]


def explored(program: Program, limit: int) -> Facts:
    """Everything that the program can do."""
    meaning, facts = CachedMeaning(program), Facts()
    semantics = ActorSemantics(program)
    initial = meaning.initial()
    following: dict[ActorState, list[ActorState]] = {}
    pending = [initial]
    while pending:
        state = pending.pop()
        if state in following:
            continue
        steps = meaning.steps(state)
        following[state] = [after for _, _, after in steps]
        if len(following) > limit:
            raise TooManyStatesError
        pending += following[state]
        facts.transitions += len(steps)
        facts.events |= events_of(meaning, steps)
        facts.violations |= set(semantics.reports(state))
        facts.violations |= {("NoTaskErrors", semantics.failure_text(each)) for each in state.failures}
        if not steps:
            facts.finals.add(without_numbers(state))
            facts.deadlocks += bool(state.tasks)
            facts.violations |= set(semantics.final_findings(state))
    facts.states = len(following)
    facts.has_cycle = _has_cycle(initial, following)
    return facts


def events_of(meaning: Meaning, steps: list[tuple[Task, StepResult, ActorState]]) -> set[Any]:
    """Each task of the steps with the locations that it reads, and with what it writes for each of its choices."""
    by_task: dict[Task, list[StepResult]] = {}
    for task, result, _ in steps:
        by_task.setdefault(task, []).append(result)
    found = set()
    for task, results in by_task.items():
        reads = [at for result in results for at, _ in result.reads]
        writes = [[(at, _changed(meaning, at, value)) for at, value in result.writes] for result in results]
        found.add(event_of(task, reads, writes))
    return found


def _changed(meaning: Meaning, at: Location, value: Stored) -> Stored:
    return DEFAULT if value == meaning.program.default(meaning.naming, at) else value


def event_of(task: Task, reads: list[Location], writes: Any, names: Callable[[Any], Stored] = lambda each: each) -> Any:
    """The next step of a task with given reads, without numbers of futures."""
    positions = None if task.suspension is None else task.suspension.positions
    parts = _hidden(_blurred((task.actor, task.method, task.args), names))
    read = frozenset(_blurred((at.actor, at.field, at.key), names) for at in reads)
    written = frozenset(frozenset(_hidden(_blurred((*at, value), names)) for at, value in each) for each in writes)
    return parts, positions, read, written


def _hidden(value: Stored) -> Stored:
    """The value with known futures like unknown ones: no step depends on which they are."""
    match value:
        case Done():
            return "future"
        case tuple():
            return tuple(map(_hidden, value))
        case frozenset():
            return frozenset(map(_hidden, value))
        case Frozen():
            return Frozen(value.kind, tuple(map(_hidden, value.parts)))
    return value


def _blurred(value: Any, names: Callable[[Any], Stored] = lambda each: each) -> Any:
    return substitute(value, lambda each: "future" if isinstance(each, Future) else names(each))


def without_numbers(state: ActorState) -> Any:
    """A state up to the numbers of its futures: the least of all ways to number them."""
    plain = [("cell", at, value) for at, value in state.cells]
    plain += [("task", *task._replace(suspension=_shown(task)), count) for task, count in state.tasks]
    futures = sorted({each for item in plain for each in _futures(item)}, key=lambda each: each.number)
    blurred = sorted(stable_text(_blurred(tuple(item))) for item in plain)
    if not futures:
        return tuple(blurred), _failures(state)
    # Futures are told apart by the items that hold them, twice refined; what is then equal is one class.
    colours = dict.fromkeys(futures, "")
    for _ in range(3):
        found: dict[Future, list[str]] = {each: [] for each in futures}
        for item in plain:
            for each in set(_futures(item)):
                found[each].append(_coloured(item, colours, each))
        colours = {each: _digest(sorted(texts)) for each, texts in found.items()}
    return tuple(sorted(_coloured(item, colours, None) for item in plain)), _failures(state)


def _failures(state: ActorState) -> Any:
    return tuple(sorted(stable_text((_blurred(tuple(each)[:3]), each.failure)) for each in state.failures))


def _coloured(item: Any, colours: dict[Future, str], marked: Future | None) -> str:
    def colour(each: Any) -> Any:
        if not isinstance(each, Future):
            return each
        return ("this" if each == marked else "future", colours.get(each, ""))

    return stable_text(substitute(tuple(item), colour))


def _digest(texts: list[str]) -> str:
    return str(abs(hash(tuple(texts))))


def _shown(task: Task) -> Stored:
    if task.suspension is None:
        return None
    identity, awaits = task.suspension.identity, task.suspension.awaits
    return (identity, awaits if awaits is not None else None)


def _futures(value: Any) -> Iterator[Future]:
    found: list[Future] = []

    def note(each: Any) -> Any:
        if isinstance(each, Future):
            found.append(each)
        return each

    substitute(tuple(value), note)
    return iter(found)


def _has_cycle(initial: ActorState, following: dict[ActorState, list[ActorState]]) -> bool:
    left: dict[ActorState, Any] = {}
    done: set[ActorState] = set()
    stack = [initial]
    while stack:
        state = stack[-1]
        if state not in left:
            left[state] = iter(following[state])
        after = next(left[state], None)
        if after is None:
            done.add(stack.pop())
        elif after in left and after not in done:
            return True
        elif after not in done:
            stack.append(after)
    return False
