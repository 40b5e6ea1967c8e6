"""The check that a program treats interchangeable actors alike: every evaluation of a step with symbols is repeated
with plain values, with the names that actors have and with other names, and must have the results that the symbols
stand for. Any difference raises Asymmetry.

Law: if all renamings of the members that occur in a step were tried, a step of any state that differs by a renaming
does the same up to that renaming. If they are too many, a sample is tried (renamings.py).
"""

from collections import Counter
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.program import PLAIN, Naming, Program
from sdnloom.actors.runtime.task_run import run_task
from sdnloom.actors.search.renamings import Change, GroupMember, Renamings
from sdnloom.actors.state import ActorState
from sdnloom.actors.task import Ending, Location, StepResult, Suspension, Task
from sdnloom.actors.values import Future, Stored, Symbol, substitute

ResultEssence = tuple[Any, ...]  # of a result
PlainReads = dict[Location, Stored]


class Asymmetry(Exception):  # noqa: N818 (a reason to search again)
    """Actors were taken to be interchangeable and are not. The text says where that was seen."""


class Equivariance:
    """Checks evaluations of steps."""

    def __init__(self, program: Program, naming: Naming) -> None:
        self._program, self._naming = program, naming
        self.renamings = Renamings(naming)
        self._checked: set[Any] = set()  # evaluations, with members numbered by their first occurrence
        self._plain: dict[Any, Counter[ResultEssence] | None] = {}  # what plain steps do
        self.runs = 0

    def check(self, task: Task, results: list[StepResult], reads: dict[Location, Stored]) -> None:
        """Raise Asymmetry if a step with plain values has other results."""
        members: dict[GroupMember, int] = {}

        def numbered(atom: Any) -> Stored:
            if not isinstance(atom, Symbol) or atom.index is None:
                return atom
            return Symbol(atom.group, atom.facet, members.setdefault((atom.group, atom.index), len(members)))

        same = (
            task.substituted(numbered),
            tuple((at.substituted(numbered), substitute(value, numbered)) for at, value in reads.items()),
            tuple(_renamed(result, numbered) for result in results),
        )
        if same in self._checked:
            return
        self._checked.add(same)
        for change in self.renamings.of(members):
            expected = Counter(_essence(_renamed(result, change)) for result in results)
            if expected != self._plainly(task.substituted(change), _plain_reads(reads, change)):
                where = f"{self._naming.plain(task.actor)}.{task.method}"
                raise Asymmetry(f"{where} does not treat interchangeable actors alike")

    def _plainly(self, task: Task, reads: PlainReads | None) -> Counter[ResultEssence] | None:
        """What a step does that reads these values; None if it reads others."""
        if reads is None:
            return None
        key = task, tuple(reads.items())
        if key not in self._plain:
            self.runs += 1
            try:
                found = run_task(self._program, PLAIN, task, lambda location: _read(reads, location))
                self._plain[key] = Counter(map(_essence, found))
            except (_OtherRead, ActorError):
                self._plain[key] = None
        return self._plain[key]


def _plain_reads(reads: dict[Location, Stored], change: Change) -> PlainReads | None:
    """What a step has read, with plain values; None if locations that symbols tell apart are one."""
    known = {at.substituted(change): substitute(value, change) for at, value in reads.items()}
    return known if len(known) == len(reads) else None


def _read(reads: PlainReads, location: Location) -> Stored:
    if location not in reads:
        raise _OtherRead
    value = reads[location]
    if location.key is None or isinstance(location.key, tuple):
        return value
    return tuple((key, each) for key, each in value if location.key.covers(key))


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


def _essence(result: StepResult) -> ResultEssence:
    """What a result does, without the order of what has none: choices, reads, writes, events, sends nobody awaits.

    Of the reads only the locations count: a query may cover more with symbols.
    """
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
