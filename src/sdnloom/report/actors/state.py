"""One state of a program of actors as text: fields and mailboxes."""

from collections.abc import Iterator, Mapping

from sdnloom.actors.actor import Actor
from sdnloom.actors.network.host import Host
from sdnloom.actors.program import PLAIN, Program, is_barrier
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.state import ActorState
from sdnloom.actors.state_view import StateView
from sdnloom.actors.step_words import last_position, line_text
from sdnloom.actors.task import CONDITION, Task
from sdnloom.actors.values import Done
from sdnloom.network.value import Show, ip4_text, mac_text
from sdnloom.report.actors.value_text import argument_words, entry_words, plain_words
from sdnloom.report.describe import Names, counted

_ADDRESSES = {"mac": Show(48, mac_text), "ip": Show(32, ip4_text)}  # fields of hosts that are numbers


def fields_text(program: Program, state: ActorState, names: Names, only: str | None = None) -> list[str]:
    """What the fields of the actors and monitors hold, an entry of a dict on a line of its own."""
    view = StateView(program, PLAIN, state)
    lines = []
    for actor in _actors(program, only):
        lines.append(actor.name)
        before = ""
        for field, text in field_lines(actor, view, names):
            if field in _entries(actor, view):
                lines += [] if field == before else [f"  {field}:"]
                lines.append(f"    {text}")
            else:
                lines.append(f"  {field} = {text}")
            before = field
    return lines


def _entries(actor: Actor, view: StateView) -> set[str]:
    """The fields that hold a dict with entries."""
    values = {field: view.field(actor.name, field) for field in actor.fields}
    return {field for field, value in values.items() if isinstance(value, Mapping) and value}


def field_lines(actor: Actor, view: StateView, names: Names) -> Iterator[tuple[str, str]]:
    """The fields of an actor with their values, a dict entry by entry."""
    for field in actor.fields:
        value = view.field(actor.name, field)
        if isinstance(value, Mapping) and value:
            yield from ((field, entry) for entry in entry_words(value, names))
        elif isinstance(actor, Host) and field in _ADDRESSES:
            yield field, _ADDRESSES[field](value)
        else:
            yield field, plain_words(value, names)


def mailboxes_text(program: Program, state: ActorState, names: Names, only: str | None = None) -> list[str]:
    """The tasks of the actors; an actor without any has no lines, unless it was asked for."""
    lines, semantics = [], ActorSemantics(program)
    for actor in _actors(program, only):
        found = sorted(task_texts(semantics, state, actor.name, names))
        if found or only is not None:
            lines += [actor.name, *(f"  {text}" for text in found or ["no task"])]
    return lines


def _actors(program: Program, only: str | None) -> list[Actor]:
    return [actor for actor in (*program.actors, *program.monitors) if only in (None, actor.name)]


def task_texts(semantics: ActorSemantics, state: ActorState, name: str, names: Names) -> Iterator[str]:
    """The tasks of an actor: their arguments, and what they wait for."""
    for task, count in state.tasks:
        if task.actor == name:
            times = f" ({count} times)" if count > 1 else ""
            yield f"{task.method}{argument_words(semantics.arguments(task), names)}{_status(task)}{times}"


def _status(task: Task) -> str:
    behind = f", behind {counted(task.segment, 'barrier')}" if task.segment else ""
    if task.suspension is None:
        return ", waits for the control messages before it" + behind if is_barrier(task) else behind
    where = last_position(task.suspension)
    place = line_text(where.file, where.line)
    if isinstance(task.suspension.awaits, Done):
        return f", can go on at {place}"
    what = "a condition" if task.suspension.awaits == CONDITION else "a future"
    return f", waits at {place} for {what}"
