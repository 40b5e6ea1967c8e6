"""Steps and tasks of programs of actors in words, and the events that tell reports what a step did."""

from collections.abc import Iterable
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

from sdnloom.actors.program import Naming
from sdnloom.actors.state import FailedTask
from sdnloom.actors.task import CONDITION, CodePosition, Suspension, Task
from sdnloom.actors.values import Done, Future, Reference, Stored, Symbol, thaw
from sdnloom.engine.stable_text import stable_text


@dataclass(frozen=True, repr=False)
class ArgumentText:
    """The arguments of a task as people read them, and as plain values for those who show them in another way.

    The values leave out last arguments that are as they are by default.
    """

    text: str
    values: tuple[Any, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return self.text


class ResumedChoice(str):
    """The choice of a step of a task that was suspended. It does not depend on lines; `shown` has the line."""

    shown: str

    def __new__(cls, text: str, shown: str) -> "ResumedChoice":
        """The choice, as a trace has it and as people read it."""
        made = super().__new__(cls, text)
        made.shown = shown
        return made


@dataclass(frozen=True, repr=False)
class PrintedName:
    """Something that has no value of its own, such as an actor or a future; it prints as a text."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class TaskSent:
    """The event that a step sent a message to an actor, or requested a barrier."""

    actor: str
    method: str
    arguments: ArgumentText


@dataclass(frozen=True)
class TaskDone:
    """The event that a task returned a value other than None."""

    value: Any


@dataclass(frozen=True)
class TaskFailed:
    """The event that a task failed, in words."""

    text: str


def readable_value(naming: Naming, value: Stored) -> Any:
    """A stored value as a plain one; actors and futures in it print as people read them."""

    def special(each: Any) -> Any:
        match each:
            case Symbol():
                return naming.plain(each)
            case Future():
                return PrintedName("a future")
            case Done():
                return PrintedName(f"a known future ({stored_text(naming, each.value)})")
            case Reference():
                return PrintedName(str(naming.plain(each.actor)))
        return each

    return thaw(value, special)


def stored_text(naming: Naming, value: Stored) -> str:
    """A stored value as people read it."""
    return stable_text(readable_value(naming, value))


def arguments_text(naming: Naming, args: tuple[Stored, ...]) -> str:
    """The arguments of a task as people read them."""
    return f"({', '.join(stored_text(naming, each) for each in args)})"


def last_position(suspension: Suspension) -> CodePosition:
    """The line of the program at which a task waits."""
    return suspension.positions[-1]


def line_text(file: str, line: int) -> str:
    """A line of a program as people read it, wherever the program is."""
    return f"{Path(file).name}:{line}"


def task_text(naming: Naming, task: Task | FailedTask) -> str:
    """A task as people read it: `s1.install(...)`. Values that have a text of their own, as packets do, are brief."""
    shown = ", ".join(_brief_text(readable_value(naming, each)) for each in task.args)
    return f"{naming.plain(task.actor)}.{task.method}({shown})"


def _brief_text(value: Any) -> str:
    has_own = is_dataclass(value) and type(value).__str__ is not object.__str__
    return str(value) if has_own else stable_text(value)


def waiting_text(naming: Naming, task: Task, others: Iterable[Task]) -> str:
    """What a suspended task waits for, and where; `others` are the tasks of the state."""
    if task.suspension is None:
        return f"{task_text(naming, task)} waits behind a barrier"
    where, awaits = last_position(task.suspension), task.suspension.awaits
    if awaits == CONDITION:
        what = "a condition that does not hold"
    else:
        owner = next((task_text(naming, each) for each in others if each.future == awaits), None)
        what = "a result that nobody gives" if owner is None else f"the result of {owner}"
    return f"{task_text(naming, task)} waits at {line_text(where.file, where.line)} for {what}"


def numbered_choice(choice: str, number: int) -> str:
    """The choice of one of several steps that look the same."""
    text = f"{choice} #{number}".strip()
    return ResumedChoice(text, f"{choice.shown} #{number}") if isinstance(choice, ResumedChoice) else text


def without_defaults(values: tuple[Any, ...], defaults: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a task without the last ones that are as they are by default."""
    while values and defaults and values[-1] == defaults[-1]:
        values, defaults = values[:-1], defaults[:-1]
    return values
