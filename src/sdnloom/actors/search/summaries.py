"""What tasks, and all that follows from them, may read and write: learned while a search evaluates steps.

A *class* of tasks is an actor, a method, arguments in which all futures are alike, and positions in the code; the
members of groups in it are numbered by their first occurrence. The summary of a class has every location that an
evaluation of one of its tasks read (a condition that did not hold is one), every location written with the values
written, and the summaries of the classes of the tasks that were sent and of the task after its next await. An index of
None in a symbol stands for any member.

Law: a summary grows only. A search that ends with the summaries with which it began has covered all that its tasks
can do (see stubborn_sets.py).
"""

from collections.abc import Iterable
from typing import Any

from sdnloom.actors.search.blank import ClassBlank
from sdnloom.actors.search.items import BY_DEFAULT, Items
from sdnloom.actors.search.step_memo import BARRIER_SENT, Evaluation
from sdnloom.actors.task import Location
from sdnloom.actors.values import Stored, Symbol, has_future, substitute

_MOST_VALUES = 2  # of one location in one class
Written = tuple[str, Stored]  # ("value", the value) or one of the next three
_ANY: Written = ("any", None)  # not known: too many values, or a value with futures or with other individuals
_DEFAULT: Written = ("default", None)
_BARRIER: Written = ("barrier", None)
Renumbering = tuple[int | None, ...]  # of each individual of a class: its number in another class


class TaskClass:
    """A class of tasks with its summary."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.version = 0  # of all summaries, when this one changed last
        self.reads: dict[Location, None] = {}  # in the order in which they were learned
        self.writes: dict[Location, dict[Written, None]] = {}
        self.children: set[tuple[int, Renumbering]] = set()
        self.parents: list[tuple[TaskClass, Renumbering]] = []


class Summary:
    """The summary of one task: that of its class, with the members of groups that the task has.

    `reads` and `writes` are locations that are known exactly, with the items written (None for any); the others are
    queries, and locations with an unknown member of a group.
    """

    __slots__ = ("number", "query_reads", "reads", "version", "wild_reads", "wild_writes", "writes")

    def __init__(self, number: int, version: int) -> None:
        self.number, self.version = number, version
        self.reads: set[int] = set()
        self.query_reads: list[int] = []
        self.writes: dict[int, frozenset[int] | None] = {}
        self.wild_reads: list[Location] = []
        self.wild_writes: list[Location] = []


class Summaries:
    """The summaries of all classes of tasks."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self.version = 0  # grows with every change
        self._classes: dict[Stored, TaskClass] = {}
        self._members: dict[int, tuple[TaskClass, tuple[int, ...]]] = {}  # task -> its class and individuals
        self._found: dict[tuple[int, tuple[int, ...]], Summary] = {}
        self._count = 0
        self._learned: set[int] = set()  # evaluations in normal frames: renamed ones show the same

    def member(self, task: int) -> tuple[TaskClass, tuple[int, ...]]:
        """The class of a task, and the task's members of groups."""
        found = self._members.get(task)
        if found is None:
            value = self._items.value(task)
            blank = ClassBlank(self._items.individual)
            positions = None if value.suspension is None else value.suspension.positions
            parts = blank.of(value.actor), value.method, blank.of(value.args), positions
            distinct = tuple(dict.fromkeys(blank.found))
            key = parts, tuple(distinct.index(each) for each in blank.found)
            kind = self._classes.get(key)
            if kind is None:
                kind = self._classes[key] = TaskClass(len(self._classes))
            found = self._members[task] = kind, distinct
        return found

    # Learning.

    def learn(self, task: int, evaluation: Evaluation) -> None:
        """Add what an evaluation of the task shows."""
        if evaluation.normal in self._learned:
            return
        self._learned.add(evaluation.normal)
        kind, individuals = self.member(task)
        place = {individual: number for number, individual in enumerate(individuals)}
        locations = self._items.locations.values
        reads = [self._within(locations[at], place) for at, _ in evaluation.reads]
        writes = [self._written(at, item, place) for at, item in evaluation.writes]
        self._add(kind, reads, writes)
        for effect in evaluation.effects:
            for child in (*effect.sends, effect.goes_on):
                if child >= 0:
                    self._link(kind, place, child)

    def _within(self, location: Location, place: dict[int, int]) -> Location:
        """The location with the individuals as a class numbers them."""

        def numbered(atom: Any) -> Stored:
            if isinstance(atom, Symbol):
                return Symbol(atom.group, atom.facet, place.get(self._items.individual(atom)))
            return atom

        return location.substituted(numbered)

    def _written(self, at: int, item: int, place: dict[int, int]) -> tuple[Location, Written]:
        location = self._within(self._items.locations.values[at], place)
        if item == BARRIER_SENT:
            return location, _BARRIER
        if item == BY_DEFAULT:
            return location, _DEFAULT
        value = self._items.value(item)[1]
        if has_future(value) or any(each not in place for each in self._items.individuals[item]):
            return location, _ANY

        def numbered(atom: Any) -> Stored:
            return Symbol(atom.group, atom.facet, place[self._items.individual(atom)])

        return location, ("value", substitute(value, numbered))

    def _link(self, parent: TaskClass, place: dict[int, int], child: int) -> None:
        kind, individuals = self.member(child)
        move = tuple([place.get(each) for each in individuals])
        if (kind.number, move) in parent.children:
            return
        parent.children.add((kind.number, move))
        kind.parents.append((parent, move))
        writes = [(at, value) for at, values in kind.writes.items() for value in values]
        self._add(parent, *_moved(move, kind.reads, writes))

    def _add(self, kind: TaskClass, reads: Iterable[Location], writes: Iterable[tuple[Location, Written]]) -> None:
        pending = [(kind, reads, writes)]
        while pending:
            kind, reads, writes = pending.pop()
            new_reads = [at for at in reads if at not in kind.reads]
            new_writes = []
            for at, value in writes:
                values = kind.writes.setdefault(at, {})
                if value in values or _ANY in values:
                    continue
                if value == _ANY or len(values) >= _MOST_VALUES:
                    values.clear()
                    value = _ANY
                values[value] = None
                new_writes.append((at, value))
            if new_reads or new_writes:
                self.version += 1
                kind.version = self.version
                kind.reads.update(dict.fromkeys(new_reads))
                pending += [(parent, *_moved(move, new_reads, new_writes)) for parent, move in kind.parents]

    # Summaries of tasks.

    def of(self, task: int) -> Summary:
        """What the task, and all that follows from it, may read and write, as far as is known."""
        kind, individuals = self.member(task)
        found = self._found.get((kind.number, individuals))
        if found is None or found.version != kind.version:
            found = self._found[kind.number, individuals] = self._made(kind, individuals)
        return found

    def _made(self, kind: TaskClass, individuals: tuple[int, ...]) -> Summary:
        self._count += 1
        summary, locations = Summary(self._count, kind.version), self._items.locations

        def named(atom: Any) -> Stored:
            if isinstance(atom, Symbol) and atom.index is not None:
                return Symbol(atom.group, atom.facet, individuals[atom.index] // self._items.kinds)
            return atom

        for each in kind.reads:
            at = each.substituted(named)
            if _is_wild(at):
                summary.wild_reads.append(at)
            elif locations.is_query[number := locations.number(at)]:
                summary.query_reads.append(number)
            else:
                summary.reads.add(number)
        for each, values in kind.writes.items():
            at = each.substituted(named)
            if _is_wild(at):
                summary.wild_writes.append(at)
                continue
            number = locations.number(at)
            if _ANY in values:
                summary.writes[number] = None
            else:
                items = [self._item(at, value, substitute(value[1], named)) for value in values]
                summary.writes[number] = frozenset(items)
        return summary

    def _item(self, at: Location, written: Written, value: Stored) -> int:
        if written[0] == "value":
            return self._items.cell(at, value)
        return BY_DEFAULT if written == _DEFAULT else BARRIER_SENT


def _moved(
    move: Renumbering, reads: Iterable[Location], writes: Iterable[tuple[Location, Written]]
) -> tuple[list[Location], list[tuple[Location, Written]]]:
    """Reads and writes of a class with the individuals as a class that leads to it numbers them."""
    unknown = False

    def moved(atom: Any) -> Stored:
        nonlocal unknown
        if not isinstance(atom, Symbol):
            return atom
        number = None if atom.index is None else move[atom.index]
        unknown |= number is None
        return Symbol(atom.group, atom.facet, number)

    found = []
    for at, written in writes:
        place = at.substituted(moved)
        unknown = False
        value = written[0], substitute(written[1], moved)
        found.append((place, _ANY if unknown else value))
    return [at.substituted(moved) for at in reads], found


def _is_wild(location: Location) -> bool:
    """Whether a location has an unknown member of a group."""
    found = False

    def look(atom: Any) -> Stored:
        nonlocal found
        found |= isinstance(atom, Symbol) and atom.index is None
        return atom

    location.substituted(look)
    return found
