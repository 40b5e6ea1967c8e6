"""The cells that a step of a task reads and writes, and which steps conflict: the independence of tasks.

Besides locations of fields there are three kinds of cells, so that one rule says it all. A task is a cell: whoever
sends it writes it, and each of its steps reads and writes it. Its result is a cell: the step in which the task ends
writes it, and who awaited it, or waited behind a barrier for it, reads it. The barriers of an actor are a cell: a
barrier writes it, and a control message reads it, because their order decides who waits for whom.
"""

import dis
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.actors.executions.named_state import (
    NamedDone,
    NamedMeaning,
    NamedSend,
    NamedTask,
    futures_named,
    only_names,
)
from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.search.options import ReductionLevel
from sdnloom.actors.task import Ending, Location, StepResult, Task
from sdnloom.actors.values import Stored, substitute
from sdnloom.engine.model import Action, Component
from sdnloom.engine.semantics import Transition


@dataclass(frozen=True, slots=True)
class TaskCell:
    """A task, by name."""

    name: int


@dataclass(frozen=True, slots=True)
class ResultCell:
    """The result of a task."""

    of: int


@dataclass(frozen=True, slots=True)
class BarrierCell:
    """The barriers in the mailbox of an actor."""

    of: Stored


@dataclass(frozen=True, slots=True)
class ActorCell:
    """All of an actor; None for all of the program."""

    actor: Stored


_BARRIER = "a barrier"  # every barrier writes this, so barriers do not conflict


class TaskFootprint:
    """The cells of one step, with the values that it writes. There is one object for each footprint."""

    def __init__(self, actor: Stored, reads: frozenset[Any], writes: frozenset[tuple[Any, Stored]]) -> None:
        self.actor = actor
        self.queries = [at for at in reads if isinstance(at, Location) and not is_exact(at)]
        self.reads = reads.difference(self.queries)
        self.writes: Mapping[Any, Stored] = dict(writes)
        self.ends = any(isinstance(at, ResultCell) for at in self.writes)
        self.sends = {(value.actor, value.method) for _, value in writes if isinstance(value, Task)}
        self.locations_read = [at for at in reads if isinstance(at, Location)]
        locations = [*self.locations_read, *(at for at in self.writes if isinstance(at, Location))]
        self.touches_others = any(at.actor != actor for at in locations)  # monitors
        self.touches_all = ActorCell(None) in reads
        self.changes = any(isinstance(at, Location) for at in self.writes)

    def conflicts(self, other: "TaskFootprint") -> bool:
        """Whether the order of two such steps may matter."""
        if not (self.writes.keys().isdisjoint(other.reads) and other.writes.keys().isdisjoint(self.reads)):
            return True
        if any(self.writes[at] != other.writes[at] for at in self.writes.keys() & other.writes.keys()):
            return True
        return self._asks_for(other) or other._asks_for(self)

    def _asks_for(self, other: "TaskFootprint") -> bool:
        return any(
            at[:2] == query[:2] and query.key.covers(at.key[0])  # type: ignore[union-attr]
            for query in self.queries
            for at in other.writes
            if isinstance(at, Location) and isinstance(at.key, tuple)
        )


class TaskKind(NamedTuple):
    """The tasks of one method of an actor, of which it is not known what they will do."""

    actor: str
    method: str
    waits: bool  # whether such a task can wait for another one to end
    whole: bool  # False: only what may make it impossible or change it counts


class _Rest(NamedTuple):
    """What a step leaves of its task."""

    steps: int
    ending: str
    identity: Stored = None


class ActorDependence:
    """The engine's view of the conflicts of tasks."""

    def __init__(self, meaning: NamedMeaning, level: ReductionLevel) -> None:
        self._meaning, self._level = meaning, level
        self._known: dict[tuple[frozenset[Any], frozenset[tuple[Any, Stored]]], TaskFootprint] = {}

    def footprint(self, one: NamedTask, result: StepResult, sent: tuple[NamedSend, ...]) -> TaskFootprint:
        """The footprint of a step."""
        reads, writes = step_cells(self._meaning, one, result, sent)
        if self._level in ("none", "actor"):
            touched = {one.task.actor} | {at.actor for at in (*reads, *dict(writes)) if isinstance(at, Location)}
            whole = {ActorCell(actor if self._level == "actor" else None) for actor in touched}
            reads |= whole
            writes |= {(cell, one.name) for cell in whole}
        key = frozenset(reads), frozenset(writes)
        if key not in self._known:
            self._known[key] = TaskFootprint(one.task.actor, *key)
        return self._known[key]

    def done(self, transition: Transition) -> TaskFootprint:
        """The footprint of a step that happened."""
        assert transition.outcome.writes is not None
        return next(iter(transition.outcome.writes))  # type: ignore[return-value]

    def possible(self, component: Component, action: Action) -> TaskKind:
        """What any task of a method may do."""
        return TaskKind(component.name, action.name, _can_wait(self._meaning.program, component, action), True)

    def awaited(self, component: Component, action: Action) -> TaskKind:
        """What may make a task of a method impossible, or change it."""
        return TaskKind(component.name, action.name, False, False)

    def conflict(self, one: Any, other: Any) -> bool:
        """Whether the order may matter."""
        if isinstance(one, TaskKind):
            one, other = other, one
        return _may_concern(one, other) if isinstance(other, TaskKind) else one.conflicts(other)


def step_cells(
    meaning: NamedMeaning, one: NamedTask, result: StepResult, sent: tuple[NamedSend, ...]
) -> tuple[set[Any], set[tuple[Any, Stored]]]:
    """What a step reads, and what it writes with the values."""
    names = futures_named(sent)

    def named(value: Stored) -> Stored:
        return substitute(substitute(value, names), only_names)

    reads: set[Any] = {at.substituted(only_names) for at, _ in result.reads}
    writes: set[tuple[Any, Stored]] = {(at.substituted(only_names), named(value)) for at, value in result.writes}
    own = TaskCell(one.name)
    reads |= {own, *map(ResultCell, _waited_for(meaning, one))}
    if result.ending is Ending.SUSPENDED:
        rest = result.result.substituted(names).substituted(only_names)
        writes.add((own, _Rest(one.steps, "suspended", rest)))
    else:
        returned = named(result.result) if result.ending is Ending.RETURNED else result.result
        writes |= {(own, _Rest(one.steps, result.ending.value)), (ResultCell(one.name), returned)}
    for each in sent:
        if each.barrier:
            writes.add((BarrierCell(each.task.actor), _BARRIER))
        else:
            writes.add((TaskCell(each.name), each.task.substituted(only_names)))
            if meaning.program.is_control(PLAIN, each.task):
                reads.add(BarrierCell(each.task.actor))
    return reads, writes


def _waited_for(meaning: NamedMeaning, one: NamedTask) -> frozenset[int]:
    """The tasks that had to end before this step."""
    suspension = one.task.suspension
    if suspension is None:
        return one.behind
    return meaning.waits_for(suspension.awaits.name) if isinstance(suspension.awaits, NamedDone) else frozenset()


def _may_concern(one: TaskFootprint, kind: TaskKind) -> bool:
    """Whether a step may conflict with a task of this kind."""
    if one.touches_all:
        return True
    if one.touches_others or one.actor == kind.actor:
        return kind.whole or one.changes
    return kind.whole and ((one.ends and kind.waits) or (kind.actor, kind.method) in one.sends)


def _can_wait(program: Program, component: Component, action: Action) -> bool:
    kind = type(program.actor(component.name))
    code = inspect.unwrap(getattr(kind, action.name)).__code__
    awaits = any(each.opname == "GET_AWAITABLE" for each in dis.get_instructions(code))
    return awaits or action.name in kind.control


def is_exact(at: Location) -> bool:
    """Whether a location is one cell, and no query."""
    return at.key is None or isinstance(at.key, tuple)
