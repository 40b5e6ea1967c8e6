"""Parts of states as numbers. An item is a cell with its value, a task, or a task that failed.

An *individual* is what can be renamed: a future, or a member of a group of interchangeable actors. An item is stored
as a code and its distinct individuals in the order of their first occurrence: items with one code differ in their
individuals alone, so to rename an item is to look up a tuple of numbers. Values are made again only when they are
needed.

Law: equal values have one number. Values with sets in which several individuals occur are interned anew when they are
renamed, because the order of their individuals is none of the value. Such states may have several canonical forms.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sdnloom.actors.program import Naming, Program, is_barrier
from sdnloom.actors.search.blank import ANY_FUTURE, Blank
from sdnloom.actors.search.locations import Locations
from sdnloom.actors.state import FORGOTTEN, FailedTask
from sdnloom.actors.task import ABSENT, Location, Suspension, Task
from sdnloom.actors.values import Done, Future, Stored, Symbol, substitute

NEW = 1 << 20  # futures from this index on are those of the sends of one step
BY_DEFAULT = -1  # stands for the item of a location that holds its default
_MOST = 1 << 20  # more individuals than an item has; a sign is a code and a place in the item


@dataclass(slots=True)
class Template:
    """What the items of one code share; positions count their distinct individuals."""

    value: Any  # of the first item that had the code
    individuals: tuple[int, ...]
    is_unordered: bool = False
    own: int = -1  # the position of the task's own future
    held: tuple[int, ...] = ()  # the positions of futures that are held: all but the own one
    can_run: bool = False  # whether it may take a step, unless it awaits a condition that does not hold
    awaited: int = -1  # the position of the future that it awaits
    is_control: bool = False
    is_barrier: bool = False
    segment: int = 0


class Items:
    """The items that a search has met. Lists have one entry for each item."""

    def __init__(self, program: Program, naming: Naming, locations: Locations) -> None:
        self.program, self.naming, self.locations = program, naming, locations
        self.kinds = 1 + len(naming.groups)  # individuals are numbers: kind + kinds * index; kind 0 are futures
        self._codes: dict[tuple[Stored, tuple[int, ...]], int] = {}
        self._templates: list[Template] = []
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._values: list[Any] = []
        self.code: list[int] = []
        self.template: list[Template] = []
        self.individuals: list[tuple[int, ...]] = []
        self.contributions: list[tuple[tuple[int, int], ...]] = []  # (individual, code and place in the item)
        self.location: list[int] = []  # of a cell; -1 for other items
        self.own: list[int] = []  # the future of a task; -1 if it has none
        self.held: list[tuple[int, ...]] = []  # the futures that it holds, apart from its own
        self.actor: list[Any] = []  # of a task: a name or an individual; None for other items
        self.findings: set[int] = set()  # tasks that failed, and reports of monitors
        self._monitors = {naming.name(monitor.name) for monitor in program.monitors}
        self._derived: dict[tuple[Any, ...], int] = {}

    # From values to items.

    def cell(self, location: Location, value: Stored) -> int:
        """The item of a cell; BY_DEFAULT if it holds its default."""
        if value is ABSENT or value == self.locations.default(self.locations.number(location)):
            return BY_DEFAULT
        blank = Blank(self.individual)
        parts = ("cell", blank.of(location.actor), location.field, blank.of(location.key), blank.of(value))
        return self._item(blank, parts, (location, value), lambda template: None)

    def task(self, task: Task) -> int:
        """The item of a task."""
        blank = Blank(self.individual)
        parts: tuple[Any, ...] = ("task", blank.of(task.actor), task.method, blank.of(task.args))
        parts += (blank.of(task.suspension), task.segment)
        held = set(blank.found)
        if task.future is not None:
            blank.found.append(self.individual(task.future))
            parts += ("future",)
        if task.suspension is not None:
            task = task._replace(suspension=self._with_own_log(task.suspension, set(blank.found)))

        def describe(template: Template) -> None:
            places = {individual: place for place, individual in enumerate(template.individuals)}
            template.held = tuple(places[each] for each in places if each in held and each % self.kinds == 0)
            awaits = None if task.suspension is None else task.suspension.awaits
            if isinstance(awaits, Future):
                template.awaited = places[self.individual(awaits)]
            if task.future is not None:
                template.own = places[self.individual(task.future)]
            template.is_barrier = is_barrier(task)
            template.is_control = self.program.is_control(self.naming, task)
            template.segment = task.segment
            template.can_run = template.awaited < 0 and not task.segment and not template.is_barrier

        return self._item(blank, parts, task, describe)

    def failure(self, failed: FailedTask) -> int:
        """The item of a task that failed."""
        blank = Blank(self.individual)
        parts = ("failure", blank.of(failed.actor), failed.method, blank.of(failed.args), tuple(failed.failure))
        return self._item(blank, parts, failed, lambda template: None)

    def _item(self, blank: Blank, parts: tuple[Any, ...], value: Any, describe: Callable[[Template], None]) -> int:
        distinct = tuple(dict.fromkeys(blank.found))
        places = {individual: place for place, individual in enumerate(distinct)}
        key = parts, tuple([places[each] for each in blank.found])
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = len(self._templates)
            template = Template(value, distinct, blank.is_unordered)
            describe(template)
            self._templates.append(template)
        number = self._numbers.get((code, distinct))
        return self._add(code, distinct, value) if number is None else number

    def _add(self, code: int, individuals: tuple[int, ...], value: Any) -> int:
        number = self._numbers[code, individuals] = len(self.code)
        template = self._templates[code]
        self.code.append(code)
        self.template.append(template)
        self.individuals.append(individuals)
        self.contributions.append(tuple([(each, code * _MOST + place) for place, each in enumerate(individuals)]))
        self._values.append(value)
        self.own.append(individuals[template.own] if template.own >= 0 else -1)
        self.held.append(tuple([individuals[place] for place in template.held]))
        actor, location = None, -1
        if isinstance(template.value, Task):
            name = template.value.actor
            if isinstance(name, Symbol):
                actor = individuals[template.individuals.index(self.individual(name))]
            else:
                actor = name
        elif isinstance(template.value, FailedTask):
            self.findings.add(number)
        else:
            at = template.value[0] if value is None else value[0]
            location = self.locations.number(
                at.substituted(self._change(template, individuals)) if value is None else at
            )
            futures = [each for each in individuals if each % self.kinds == 0]
            self.held[number] = tuple(futures)
            if at.field == "reports" and at.actor in self._monitors:
                self.findings.add(number)
        self.actor.append(actor)
        self.location.append(location)
        return number

    def _with_own_log(self, suspension: Suspension, live: set[int]) -> Suspension:
        """The suspension; futures that only its log mentions get names that no other future has."""
        futures: dict[Future, None] = {}

        def collect(each: Any) -> Stored:
            if isinstance(each, Future):
                futures.setdefault(each)
            return each

        substitute(suspension.log, collect)
        dead = [each for each in futures if each.number < FORGOTTEN and self.individual(each) not in live]
        if not dead:
            return suspension
        first = max([FORGOTTEN, *(each.number + 1 for each in futures)])
        renamed = {each: Future(first + number) for number, each in enumerate(dead)}
        return replace(suspension, log=substitute(suspension.log, lambda each: renamed.get(each, each)))

    # Individuals.

    def individual(self, atom: Symbol | Future) -> int:
        """The number of an individual."""
        if isinstance(atom, Symbol):
            assert atom.index is not None
            return self.of_member(atom.group, atom.index)
        return self.kinds * (atom.number if atom.number >= 0 else NEW - atom.number)

    def of_member(self, group: int, index: int) -> int:
        """The number of a member of a group."""
        return 1 + group + self.kinds * index

    def atom(self, individual: int, like: Symbol | Future) -> Symbol | Future:
        """The facet of an individual that `like` is of another."""
        index = individual // self.kinds
        if isinstance(like, Symbol):
            return Symbol(like.group, like.facet, index)
        return Future(index if index < NEW else NEW - index)

    def _change(self, template: Template, individuals: tuple[int, ...]) -> Callable[[Any], Stored]:
        """The replacement that turns the template's value into that of the item with these individuals.

        Members of a group that only a log mentions become others than those that the item has.
        """
        change = dict(zip(template.individuals, individuals, strict=True))
        taken = set(individuals)

        def changed(atom: Any) -> Stored:
            if isinstance(atom, Future) and atom.number >= FORGOTTEN:
                return atom
            old = self.individual(atom)
            if old not in change:
                if isinstance(atom, Future):
                    return atom
                new = 1 + atom.group
                while new in taken:
                    new += self.kinds
                change[old] = new
                taken.add(new)
            return self.atom(change[old], atom)

        return changed

    def value(self, item: int) -> Any:
        """The cell (Location, value), the Task or the FailedTask."""
        value = self._values[item]
        if value is None:
            template = self.template[item]
            change = self._change(template, self.individuals[item])
            match template.value:
                case Task() as task:
                    value = task.substituted(change)
                case FailedTask() as failed:
                    args = substitute(failed.args, change)
                    value = failed._replace(actor=substitute(failed.actor, change), args=args)
                case at, stored:
                    value = at.substituted(change), substitute(stored, change)
            self._values[item] = value
        return value

    def renamed(self, item: int, individuals: tuple[int, ...]) -> int:
        """The item with other individuals in the place of its own."""
        code = self.code[item]
        number = self._numbers.get((code, individuals))
        if number is None:
            number = self._add(code, individuals, None)
            if self.template[item].is_unordered:
                number = self._numbers[code, individuals] = self.of_value(self.value(number))
        return number

    def of_value(self, value: Any) -> int:
        """The item of a cell, a task or a task that failed."""
        match value:
            case Task():
                return self.task(value)
            case FailedTask():
                return self.failure(value)
        return self.cell(*value)

    # Items that a step makes of others.

    def known(self, item: int, future: int, result: Stored) -> int:
        """The item with the known result in the place of a future."""
        key = item, future, result
        number = self._derived.get(key)
        if number is None:
            at = self.atom(future, ANY_FUTURE)

            def changed(each: Any) -> Stored:
                return Done(result) if each == at else each

            value = self.value(item)
            if isinstance(value, Task):
                number = self.task(value.substituted(changed))
            else:
                number = self.cell(value[0].substituted(changed), substitute(value[1], changed))
            self._derived[key] = number
        return number

    def without_future(self, task: int) -> int:
        """The task if nobody holds its future."""
        number = self._derived.get((task,))
        if number is None:
            number = self._derived[task,] = self.task(self.value(task)._replace(future=None))
        return number

    def in_segment(self, task: int, segment: int) -> int:
        """The task behind so many barriers."""
        number = self._derived.get((task, segment))
        if number is None:
            number = self._derived[task, segment] = self.task(self.value(task)._replace(segment=segment))
        return number
