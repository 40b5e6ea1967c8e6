"""Tasks of actors, where they are suspended, and what one step of a task does."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple, Protocol

from sdnloom.actors.values import Done, Future, Stored, substitute

BARRIER = "barrier"  # the method of a switch that is no task: it is done when all earlier control messages are


class Absence(Enum):
    """The value of a key that a dict or set field does not have."""

    ABSENT = "absent"

    def substituted(self, replacement: Callable[[Any], Stored]) -> "Absence":
        """Itself."""
        return self


ABSENT = Absence.ABSENT


class Query(Protocol):
    """A read of several entries of a dict or set field at once, as the key of a location. Stored and hashable."""

    def covers(self, key: Stored) -> bool:
        """Whether the read depends on the entry with this key. Both may hold symbols with index None: then maybe."""

    def substituted(self, replacement: Callable[[Any], Stored]) -> "Query":
        """The query with every symbol and future in it replaced."""


@dataclass(frozen=True, slots=True)
class EveryEntry:
    """The read of all entries: iteration, length."""

    def covers(self, key: Stored) -> bool:
        """Yes."""
        return True

    def substituted(self, replacement: Callable[[Any], Stored]) -> "EveryEntry":
        """Itself."""
        return self


class Location(NamedTuple):
    """A cell: a field of an actor, for a dict or set field one of its entries, or the entries of a query."""

    actor: Stored
    field: str
    key: Stored | Query | None = None  # None for a field that is no dict and no set; a key is wrapped in a tuple

    def substituted(self, replacement: Callable[[Any], Stored]) -> "Location":
        """The location with every symbol and future in it replaced."""
        return Location(substitute(self.actor, replacement), self.field, substitute(self.key, replacement))


@dataclass(frozen=True, slots=True)
class Condition:
    """What a task awaits that waits until a condition holds."""

    def substituted(self, replacement: Callable[[Any], Stored]) -> "Condition":
        """Itself."""
        return self


class CodePosition(NamedTuple):
    """A place in the code of a coroutine, and its line for people.

    `number` says which `await` of the function it is, so that a trace finds it again in a file with other lines.
    """

    function: str
    instruction: int
    number: int
    file: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Suspension:
    """A suspended coroutine: what it awaits, and its identity, which decides how it goes on.

    `log` holds what the coroutine has read and received so far; running it again with the log leads to the same
    identity. The log is one of several representatives and is not compared.
    """

    identity: Stored
    awaits: Future | Done | Condition
    log: tuple[Stored, ...]
    positions: tuple[CodePosition, ...]  # outermost first

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Suspension) and self.identity == other.identity and self.awaits == other.awaits

    def __hash__(self) -> int:
        return hash((self.identity, self.awaits))

    def rebuilds(self, other: "Suspension") -> bool:
        """Whether this suspension, rebuilt from the log of another one, is the same. Identities may be the logs."""
        by_log = isinstance(self.identity, tuple) and self.identity[0] == other.identity[0] == "log"
        return self.positions == other.positions and (by_log or self == other)

    def substituted(self, replacement: Callable[[Any], Stored]) -> "Suspension":
        """The suspension with every symbol and future in it replaced."""
        identity, awaits, log = (substitute(part, replacement) for part in (self.identity, self.awaits, self.log))
        return replace(self, identity=identity, awaits=awaits, log=log)


CONDITION = Condition()


class Task(NamedTuple):
    """A message in the mailbox of an actor, or a task that was suspended."""

    actor: Stored  # the name of the actor: a text or a symbol
    method: str
    args: tuple[Stored, ...] = ()
    suspension: Suspension | None = None
    future: Future | None = None  # of its result; None if nobody can await it
    segment: int = 0  # how many barriers are before it in the mailbox

    def substituted(self, replacement: Callable[[Any], Stored]) -> "Task":
        """The task with every symbol and future in it replaced."""
        actor, args, suspension, future = (
            substitute(part, replacement) for part in (self.actor, self.args, self.suspension, self.future)
        )
        return Task(actor, self.method, args, suspension, future, self.segment)


class Ending(Enum):
    """How a step of a task ends."""

    RETURNED = "returned"
    SUSPENDED = "suspended"
    BLOCKED = "blocked"  # the condition that it awaits does not hold: no step at all
    FAILED = "failed"  # an exception, a mutable message, a loop without end: a violation


class Choice(NamedTuple):
    """One of several alternatives that a step took by `choose`."""

    taken: int
    options: int  # how many there were
    label: str


class TaskFailure(NamedTuple):
    """Why a task failed: what happened, and where."""

    text: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step of a task reads and does. Equal tasks that read equal values have equal results.

    `reads` are in order, without repetitions, with the values before the step; the value of a query is a tuple of
    (key, value) pairs. `result` is the value returned, the Suspension or the TaskFailure.
    """

    ending: Ending
    reads: tuple[tuple[Location, Stored], ...]
    writes: tuple[tuple[Location, Stored], ...] = ()  # one per location, the last value
    sends: tuple[Task, ...] = ()  # their futures are Future(-1), Future(-2) ...
    events: tuple[Stored, ...] = ()
    choices: tuple[Choice, ...] = ()
    result: Any = None
    output: tuple[str, ...] = field(default=(), compare=False)  # the lines that it printed
