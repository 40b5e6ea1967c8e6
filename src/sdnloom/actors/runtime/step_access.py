"""What the code of a program does in a step: reads, writes, messages, choices and events, all recorded.

A suspended task is run again from its beginning with its log: accesses are answered from the log until it is used up,
and have no effect; only then does the step begin.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sdnloom.actors.actor import Actor, ActorError, running_actor
from sdnloom.actors.field_views import DictView, FieldView, ListView, SetView
from sdnloom.actors.runtime import line_limit
from sdnloom.actors.runtime.awaitable import FutureHandle, Until
from sdnloom.actors.runtime.line_limit import EndlessStepError
from sdnloom.actors.task import ABSENT, Choice, Location, Task
from sdnloom.actors.values import (
    Done,
    Future,
    MutableValueError,
    Reference,
    Stored,
    Symbol,
    TaggedInt,
    TaggedStr,
    freeze,
    thaw,
)
from sdnloom.engine.stable_text import stable_text

if TYPE_CHECKING:
    from sdnloom.actors.program import Naming, Program

ReadState = Callable[[Location], Stored]


class StepAccess:
    """The step while it runs. Programs reach it through actors, field views and futures."""

    def __init__(
        self,
        program: "Program",
        naming: "Naming",
        task: Task,
        read_state: ReadState,
        choices: Sequence[int] = (),
        only_replays: bool = False,
    ) -> None:
        self.program, self._naming, self.task = program, naming, task
        self._only_replays = only_replays  # stop where the task was suspended
        self._read_state, self._given = read_state, choices
        suspension = task.suspension
        self._log: list[Stored] = list(suspension.log) if suspension is not None else []
        if only_replays:
            self._log.append(None)  # in the place of what comes next, which nothing may ask for
        elif suspension is not None and isinstance(suspension.awaits, Done):
            self._log.append(suspension.awaits.value)
        self._position = 0
        self._started = len(self._log)
        self._accesses = 0
        self._unlogged = 0  # depth of conditions and monitors: their reads are not in the log
        self._in_condition = False
        self._references: dict[Stored, Actor] = {}
        self._coroutines: list[Any] = []
        self._conditions: list[Until] = []
        self.reads: dict[Location, Stored] = {}
        self.writes: dict[Location, Stored] = {}
        self.sends: list[Task] = []
        self.events: list[Stored] = []
        self.choices: list[Choice] = []

    @property
    def naming(self) -> "Naming":
        """Which values are symbols."""
        return self._naming

    # The log.

    @property
    def replays(self) -> bool:
        """Whether the run is still in the part that happened before."""
        return self._position < len(self._log) and not self._unlogged

    @property
    def is_rebuilt(self) -> bool:
        """Whether the task is to be left where it was suspended, and has come there."""
        return self._only_replays and self._position == len(self._log) - 1

    def received(self) -> Any:
        """The next value of the log, as the program sees it."""
        self._position += 1
        return self.thaw(self._log[self._position - 1])

    def note(self, stored: Stored) -> None:
        """Add a value to the log."""
        self._count()
        if not self._unlogged:
            self._log.append(stored)
            self._position += 1

    def _count(self) -> None:
        """Raise EndlessStepError if the step reads, writes and sends too much: a line that does is slow."""
        self._accesses += 1
        if self._accesses > line_limit.MOST_ACCESSES:
            raise EndlessStepError(f"{line_limit.MOST_ACCESSES:,} reads, writes and messages")

    # Values.

    def freeze(self, value: Any) -> Stored:
        """The stored form of a value."""
        return freeze(value, self._special)

    def _special(self, value: Any) -> Stored | None:
        match value:
            case FutureHandle():
                return value.stored
            case Actor():
                return Reference(self._naming.name(value._stored) if value._run is None else value._stored)
            case TaggedInt() | TaggedStr():
                return self._naming.symbol(value)
            case ListView() | SetView() | DictView():
                raise MutableValueError(
                    f"the field {value.location.field!r} itself, which can change; expected a copy, such as "
                    f"{'frozenset' if isinstance(value, SetView) else 'tuple'}(...)"
                )
        return None

    def thaw(self, stored: Stored) -> Any:
        """The value as the program sees it."""
        return thaw(stored, self._thaw_special)

    def _thaw_special(self, stored: Any) -> Any:
        match stored:
            case Symbol():
                return self._naming.value(stored)
            case Future() | Done():
                return FutureHandle(self, stored)
            case Reference():
                return self._reference(stored.actor)
        return stored

    def _reference(self, name: Stored) -> Actor:
        if name not in self._references:
            kind = self.program.kind(self._naming, name)
            self._references[name] = running_actor(kind, name, self, is_reference=True)
        return self._references[name]

    def declared_reference(self, actor: Actor) -> Actor:
        """An actor that was declared outside, as this step refers to it."""
        return self._reference(self._naming.name(actor._stored))

    # What programs do.

    def read(self, location: Location) -> Stored:
        """The stored value of a location; of a query, the entries as pairs, in the order of their stable text."""
        if self.replays:
            self._position += 1
            return self._log[self._position - 1]
        is_query = location.key is not None and not isinstance(location.key, tuple)
        found = self._entries(location) if is_query else self._value(location)
        self.note(found)
        return found

    def _value(self, location: Location) -> Stored:
        return self.writes[location] if location in self.writes else self._before(location)

    def _before(self, location: Location) -> Stored:
        if location not in self.reads:
            self.reads[location] = self._read_state(location)
        return self.reads[location]

    def _entries(self, location: Location) -> Stored:
        entries = dict(self._before(location))
        for written, value in self.writes.items():
            if written[:2] == location[:2] and isinstance(written.key, tuple):
                key = written.key[0]
                if location.key.covers(key):  # type: ignore[union-attr]
                    entries.pop(key, None)
                    if value is not ABSENT:
                        entries[key] = value
        return tuple(sorted(entries.items(), key=lambda entry: stable_text(self.thaw(entry[0]))))

    def write(self, location: Location, value: Stored) -> None:
        """Set a location at the end of the step."""
        self._refuse_in_condition(f"writes the field {location.field!r}")
        if not self.replays:
            self._count()
            self.writes[location] = value

    def get_field(self, actor: Stored, field: str) -> Any:
        """A field as the program sees it."""
        view = self.program.view(self._naming, actor, field)
        return self.thaw(self.read(Location(actor, field))) if view is None else view(self, actor, field)

    def set_field(self, actor: Stored, field: str, value: Any) -> None:
        """Set a field; a dict or a set entry by entry."""
        view = self.program.view(self._naming, actor, field)
        if view is None:
            self.write(Location(actor, field), self.freeze(value))
        elif view is ListView:
            self.write(Location(actor, field), self.freeze(tuple(value)))
        else:
            shown: Any = view(self, actor, field)
            kept = dict(value) if view is DictView else dict.fromkeys(value)
            for key in list(shown):
                if key not in kept:
                    shown.discard(key)
            for key, each in kept.items():
                if view is DictView:
                    shown[key] = each
                else:
                    shown.add(key)

    def send(self, actor: Stored, method: str, args: tuple[Any, ...]) -> FutureHandle:
        """Put a task into the mailbox of an actor."""
        self._refuse_in_condition("sends a message")
        if self._unlogged:
            raise ActorError("a monitor sends a message; expected it to look at events and its own fields only")
        if self.replays:
            return self.received()  # type: ignore[no-any-return]
        stored = []
        for number, value in enumerate(args, 1):
            try:
                stored.append(self.freeze(value))
            except MutableValueError as error:
                to = f"{self.thaw(actor)}.{method}"
                raise MutableValueError(f"argument {number} of the message {to}: {error}") from None
        future = Future(-len(self.sends) - 1)
        self.sends.append(Task(actor, method, tuple(stored), future=future))
        self.note(future)
        return FutureHandle(self, future)

    def inline(self, coroutine: Any) -> Any:
        """A coroutine of the actor itself, which the task has to await."""
        if self._unlogged:
            coroutine.close()
            raise ActorError(f"{coroutine.__qualname__} is called in a condition or monitor, which cannot await")
        self._coroutines.append(coroutine)
        return coroutine

    def until(self, condition: Callable[[], bool]) -> Until:
        """The awaitable of a condition."""
        if not callable(condition):
            raise ActorError(f"until() was given {condition!r}; expected a function, such as lambda: self.ready")
        self._conditions.append(Until(self, condition))
        return self._conditions[-1]

    def holds(self, condition: Callable[[], bool]) -> bool:
        """Whether a condition holds now."""
        self._in_condition = True
        try:
            with self._without_log():
                return bool(condition())
        finally:
            self._in_condition = False

    def _refuse_in_condition(self, what: str) -> None:
        if self._in_condition:
            raise ActorError(f"a condition that a task awaits {what}; expected it to read fields only")

    def choose(self, options: tuple[Any, ...]) -> Any:
        """The option that this run is to take."""
        self._refuse_in_condition("makes a choice")
        if not options:
            raise ActorError("choose() was given no options; expected at least one")
        if len(options) == 1 and isinstance(options[0], list | set | dict | range | FieldView):
            kind = type(options[0]).__name__
            raise ActorError(
                f"choose() was given one option, a {kind}; expected each option as an argument: choose(*...)"
            )
        if self.replays:
            return options[self.received()]
        number = len(self.choices)
        taken = self._given[number] if number < len(self._given) else 0
        self.choices.append(Choice(taken, len(options), stable_text(options[taken])))
        self.note(taken)
        return options[taken]

    def emit(self, event: Any) -> None:
        """Record an event and show it to the monitors."""
        self._refuse_in_condition("emits an event")
        if self.replays:
            return
        self.events.append(self.freeze(event))
        with self._without_log():
            for monitor in self.program.monitors:
                running_actor(type(monitor), monitor._stored, self, is_reference=False).on_event(event)  # type: ignore[attr-defined]

    @contextmanager
    def _without_log(self) -> Iterator[None]:
        self._unlogged += 1
        try:
            yield
        finally:
            self._unlogged -= 1
