"""A program of actors: the actors, the messages with which it starts, and what to check."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sdnloom.actors.actor import Actor, ActorError, Message
from sdnloom.actors.field_views import DictView, ListView, SetView
from sdnloom.actors.task import ABSENT, BARRIER, Location, Task
from sdnloom.actors.values import MutableValueError, Reference, Stored, Symbol, TaggedInt, TaggedStr, freeze, tag
from sdnloom.engine.trace import ReplayResult, Trace

if TYPE_CHECKING:
    from sdnloom.actors.report import ActorReport
    from sdnloom.actors.search.options import ActorOptions

_VIEWS: tuple[tuple[type, Any], ...] = ((dict, DictView), (set, SetView), (list, ListView))


@dataclass(frozen=True)
class Group:
    """Actors that may be renamed into each other: their names, and their facets, each with one value per actor."""

    members: tuple[str, ...]
    facets: Mapping[str, tuple[Any, ...]]


class Naming:
    """Which tagged values are symbols, and what each symbol stands for. Without groups none is: values stay plain."""

    def __init__(self, groups: Sequence[Group] = ()) -> None:
        self.groups = tuple(groups)
        self._place = {
            name: (number, index) for number, each in enumerate(groups) for index, name in enumerate(each.members)
        }

    def symbol(self, value: TaggedInt | TaggedStr) -> Stored:
        """The stored form of a tagged value. One that the groups do not know, made while the program runs, is plain."""
        place = self._place.get(value.owner)
        known = None if place is None else self.groups[place[0]].facets.get(value.facet)
        if place is None or known is None or known[place[1]] != value:
            return int(value) if isinstance(value, TaggedInt) else str(value)
        return Symbol(place[0], value.facet, place[1])

    def name(self, actor: str) -> Stored:
        """The stored name of an actor."""
        place = self._place.get(actor)
        return actor if place is None else Symbol(place[0], "name", place[1])

    def value(self, symbol: Symbol) -> Any:
        """What a program sees for a symbol: a tagged value."""
        assert symbol.index is not None
        group = self.groups[symbol.group]
        return tag(group.facets[symbol.facet][symbol.index], group.members[symbol.index], symbol.facet)

    def plain(self, stored: Any, indexes: Callable[[Symbol], int | None] = lambda symbol: symbol.index) -> Stored:
        """What a symbol stands for, if individuals have these indexes; other stored values stay."""
        if not isinstance(stored, Symbol):
            return stored
        index = indexes(stored)
        assert index is not None
        return self.groups[stored.group].facets[stored.facet][index]


NO_TASK_ERRORS = "NoTaskErrors"  # the two built-in properties
NO_DEADLOCK = "NoDeadlock"
PLAIN = Naming()  # no symbols: the meaning of a program


class Monitor(Actor):
    """An observer of events with fields of its own. `on_event(event)` is called in the step that emits the event.

    It is no part of the program: no actor can send it messages. It reports a violation with `report`. Without a name
    it is called as its class.
    """

    reports: dict[Any, Any] = {}  # noqa: RUF012 (the declaration of a field)

    def __init__(self, name: str = "", **values: Any) -> None:
        super().__init__(name or type(self).__name__, **values)

    def on_event(self, event: Any) -> None:
        """Look at an event; to be overridden."""
        raise ActorError(f"monitor {type(self).__qualname__} has no method on_event(self, event)")

    def report(self, text: str, *values: Any) -> None:
        """Report a violation. `{}` in the text stand for the values."""
        try:
            text.format(*values)
        except (LookupError, ValueError) as error:
            raise ActorError(
                f"report({text!r}, ...): the text does not fit the values {values}: {error}; expected one value for "
                "each {} of the text"
            ) from None
        self.reports[(text, *values)] = True


_SEVERAL = {  # what the parts of a program hold
    "actors": "actors, such as Counter('c')",
    "start": "calls of `async def` methods, such as host.send(packet)",
    "final": "functions of a view of the state",
    "always": "functions of a view of the state",
    "monitors": "monitors, such as NoForwardingLoop()",
}
FinalCheck = Callable[[Any], str | None]  # a function of a StateView: a message if the final state is wrong


class Origin(NamedTuple):
    """Where a program was loaded from: the file, and the name that it has there."""

    file: Path
    name: str


@dataclass(frozen=True)
class Program:
    """Actors and the messages that are in their mailboxes at the start.

    `final` are checks of final states, in which no task can go on; `always` of every state; `monitors` see events.
    Unless `deadlocks` is False, a task that waits for ever is a violation. Lists are kept as tuples.
    """

    actors: Sequence[Actor]
    start: Sequence[Any]  # Messages; to a type checker the call of a task is a coroutine
    final: Sequence[FinalCheck] = ()
    always: Sequence[FinalCheck] = ()
    monitors: Sequence[Monitor] = ()
    deadlocks: bool = True
    symmetric: bool = True  # whether to look for actors that can be renamed into each other
    name: str = ""
    origin: Origin | None = None  # of a program that was loaded from a file
    _by_name: dict[str, Actor] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for attribute, expected in _SEVERAL.items():
            given = getattr(self, attribute)
            if isinstance(given, str | Message | Mapping) or not isinstance(given, Iterable):
                raise ActorError(f"{attribute} is {_shown(given)}; expected a list of {expected}")
            object.__setattr__(self, attribute, tuple(given))
        for attribute, kind in (("actors", Actor), ("monitors", Monitor)):
            for each in getattr(self, attribute):
                if not isinstance(each, kind):
                    raise ActorError(f"{attribute} has {_shown(each)}; expected {_SEVERAL[attribute]}")
        for actor in (*self.actors, *self.monitors):
            if self._by_name.setdefault(actor.name, actor) is not actor:
                raise ActorError(f"two actors of the program have the name {actor.name!r}; expected different names")
            for each in actor.fields.values():
                if each.is_required and each.name not in actor._values:
                    raise ActorError(
                        f"{type(actor).__qualname__} {actor.name!r} has no value for the field {each.name!r}"
                    )
            _refuse_wrong_control(actor)
        for message in self.start:
            if not isinstance(message, Message):
                raise ActorError(f"start has {_shown(message)}; expected {_SEVERAL['start']}")
            if message.actor.name not in self._by_name:
                raise ActorError(f"start has a message for {message.actor.name!r}, which is no actor of the program")
        _refuse_wrong_checks((*self.final, *self.always), [monitor.name for monitor in self.monitors])

    def check(self, options: "ActorOptions | None" = None, counts: bool = False) -> "ActorReport":
        """Search all orders of the tasks for one that violates a property; with `counts`, count executions too."""
        from sdnloom.actors.run import check_program  # here, because a run needs programs

        return check_program(self, options, counts=counts)

    def replay(self, trace: Trace) -> ReplayResult:
        """Take the steps of a trace again. A trace of another program is refused; changed code is a warning."""
        from sdnloom.actors.run import replay_program  # here, because a run needs programs

        return replay_program(self, trace)

    def actor(self, name: str) -> Actor:
        """The actor, or the monitor, of that name, as it was declared."""
        if name not in self._by_name:
            raise ActorError(f"a message or field refers to the actor {name!r}, which is not in the program")
        return self._by_name[name]

    def _declared(self, naming: Naming, name: Stored) -> Actor:
        return self.actor(naming.plain(name))

    def kind(self, naming: Naming, name: Stored) -> type[Actor]:
        """The class of an actor, given its stored name."""
        return type(self._declared(naming, name))

    def method(self, naming: Naming, task: Task) -> Any:
        """The `async def` function that a task runs, as its class body has it."""
        return inspect.unwrap(getattr(self.kind(naming, task.actor), task.method))

    def view(self, naming: Naming, name: Stored, attribute: str) -> Any:
        """The class of the view of a dict, set or list field; None for another field."""
        declared = self._declared(naming, name)
        value = declared.fields[attribute].declared(declared)
        return next((view for kind, view in _VIEWS if isinstance(value, kind)), None)

    def display(self, naming: Naming, name: Stored) -> str:
        """An actor's name as people read it."""
        return str(naming.plain(name))

    def initial_cells(self, naming: Naming) -> dict[Location, Stored]:
        """What fields hold at the start; of dicts and sets, the entries that they have."""
        cells: dict[Location, Stored] = {}
        for actor in (*self.actors, *self.monitors):
            for name in actor.fields:
                cells.update(self._cells(naming, actor, name))
        return cells

    def _cells(self, naming: Naming, actor: Actor, name: str) -> dict[Location, Stored]:
        value, stored = actor.fields[name].declared(actor), naming.name(actor.name)

        def frozen(each: Any) -> Stored:
            try:
                return freeze(each, self._special(naming))
            except MutableValueError as error:
                raise ActorError(f"field {name!r} of {actor.name!r}: {error}") from None

        if isinstance(value, dict):
            return {Location(stored, name, (frozen(key),)): frozen(each) for key, each in value.items()}
        if isinstance(value, set):
            return {Location(stored, name, (frozen(key),)): None for key in value}
        return {Location(stored, name): frozen(tuple(value) if isinstance(value, list) else value)}

    def default(self, naming: Naming, location: Location) -> Stored:
        """What a location holds if nothing was written to it and the program starts without an entry there."""
        if location.key is not None:
            return ABSENT
        actor = self._declared(naming, location.actor)
        return self._cells(naming, actor, location.field)[Location(naming.name(actor.name), location.field)]

    def initial_tasks(self, naming: Naming) -> list[Task]:
        """The tasks with which the program starts."""
        return [
            Task(naming.name(actor.name), method, self._stored_arguments(naming, actor, method, args))
            for actor, method, args in self.start
        ]

    def _stored_arguments(self, naming: Naming, actor: Actor, method: str, args: tuple[Any, ...]) -> tuple[Stored, ...]:
        try:
            return tuple([freeze(each, self._special(naming)) for each in args])
        except MutableValueError as error:
            raise ActorError(f"message {actor.name}.{method} at the start: {error}") from None

    @staticmethod
    def _special(naming: Naming) -> Callable[[Any], Stored | None]:
        def special(value: Any) -> Stored | None:
            if isinstance(value, Actor):
                return Reference(naming.name(value.name))
            return naming.symbol(value) if isinstance(value, TaggedInt | TaggedStr) else None

        return special

    def is_control(self, naming: Naming, task: Task) -> bool:
        """Whether a task waits for barriers."""
        return task.method in self.kind(naming, task.actor).control

    @cached_property
    def has_barriers(self) -> bool:
        """Whether some actor has barriers."""
        return any(actor.control for actor in self.actors)


def _refuse_wrong_checks(checks: tuple[Any, ...], monitors: list[str]) -> None:
    """Properties are known by the names of checks and monitors, beside the built-in ones."""
    for taken in sorted({NO_TASK_ERRORS, NO_DEADLOCK} & set(monitors)):
        raise ActorError(f"a monitor has the name {taken!r}, which a built-in property has; expected another name")
    names = {NO_TASK_ERRORS, NO_DEADLOCK, *monitors}
    for check in checks:
        name = getattr(check, "__name__", None)
        if not callable(check) or name is None or isinstance(check, type):
            raise ActorError(f"a check is {_shown(check)}; expected a function of a view of the state")
        if name in names:
            raise ActorError(f"two properties of the program have the name {name!r}; expected different names")
        names.add(name)


def _shown(value: Any) -> str:
    """A value in an error."""
    return f"the class {value.__qualname__}" if isinstance(value, type) else repr(value)[:80]


def _refuse_wrong_control(actor: Actor) -> None:
    """Raise ActorError for control tasks that there are not, and for a barrier that has none to wait for."""
    kind = type(actor)
    for name in sorted(kind.control):
        if not getattr(getattr(kind, name, None), "is_task", False):
            raise ActorError(f"{kind.__qualname__}.control has {name!r}; expected names of its `async def` methods")
    if not kind.control and getattr(getattr(kind, BARRIER, None), "is_task", False):
        raise ActorError(
            f"{kind.__qualname__} has a task {BARRIER!r} and no control tasks; expected another name, or tasks "
            "that wait for barriers in `control`"
        )


def is_barrier(task: Task) -> bool:
    """Whether the task is a barrier."""
    return task.method == BARRIER
