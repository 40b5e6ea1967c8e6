"""Actors: classes with fields and `async def` tasks.

A field is an attribute that the class body declares, with a default or an annotation. A call of an `async def` method
means one of three things. On another actor it sends a message: a task for that actor's mailbox; it returns a future.
On `self` it is a call as usual, to be awaited: it runs as a part of the present task. Outside of any task it makes a
Message with which a program starts.
"""

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sdnloom.actors.values import Reference, Stored
from sdnloom.errors import SdnloomError

if TYPE_CHECKING:
    from sdnloom.actors.runtime.awaitable import Until
    from sdnloom.actors.runtime.step_access import StepAccess

_REQUIRED = object()
ACTIVE: ContextVar["StepAccess | None"] = ContextVar("ACTIVE", default=None)  # the step that runs now, if one does


class ActorError(SdnloomError):
    """A program of actors that cannot be used. The message names the actor, the value and what was expected."""


class Message(NamedTuple):
    """A task for an actor, made before the program runs."""

    actor: "Actor"
    method: str
    args: tuple[Any, ...]


class Field:
    """Descriptor of a field; `default` is its value at the start if the actor is given no other."""

    def __init__(self, name: str, default: Any = _REQUIRED) -> None:
        self.name, self.default = name, default

    @property
    def is_required(self) -> bool:
        """Whether each actor has to be given a value."""
        return self.default is _REQUIRED

    def __get__(self, actor: "Actor | None", owner: type) -> Any:
        if actor is None:
            return self
        if actor._run is None and ACTIVE.get() is None:
            return self.declared(actor)
        if actor._run is None or actor._is_reference:
            raise ActorAccessError(f"reads the field {self.name!r} of the actor {actor.name}")
        return actor._run.get_field(actor._stored, self.name)

    def declared(self, actor: "Actor") -> Any:
        """Its value before the program runs."""
        value = actor._values.get(self.name, self.default)
        if value is _REQUIRED:
            raise AttributeError(f"{type(actor).__name__} {actor._stored!r} has no value for the field {self.name!r}")
        return value

    def __set__(self, actor: "Actor", value: Any) -> None:
        if actor._run is None and ACTIVE.get() is None:
            actor._values[self.name] = value
        elif actor._run is None or actor._is_reference:
            raise ActorAccessError(f"writes the field {self.name!r} of the actor {actor.name}")
        else:
            actor._run.set_field(actor._stored, self.name, value)


class ActorAccessError(ActorError):
    """A task touches the fields of another actor."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the task {what}; fields are private: send the actor a message and await the answer")


def _task(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method as an actor's users call it."""
    parameters = inspect.signature(method)

    @functools.wraps(method)
    def call(self: "Actor", *args: Any, **named: Any) -> Any:
        active = ACTIVE.get()
        if self._run is None and active is not None:  # an actor that the module declares, used in a task
            return getattr(active.declared_reference(self), method.__name__)(*args, **named)
        if self._run is not None and not self._is_reference:
            return self._run.inline(method(self, *args, **named))
        try:
            bound = parameters.bind(self, *args, **named)
        except TypeError as error:
            raise ActorError(f"{method.__qualname__} is called with wrong arguments: {error}") from None
        bound.apply_defaults()
        if bound.kwargs:
            raise ActorError(f"{method.__qualname__} has keyword-only parameters; a message has arguments by position")
        sent = self.prepared(method.__name__, bound.args[1:])
        if self._run is None:
            return Message(self, method.__name__, sent)
        return self._run.send(self._stored, method.__name__, sent)

    call.is_task = True  # type: ignore[attr-defined]
    return call


class Actor:
    """Base class of actors. `Actor("name", field=value)` makes one; names are unique in a program.

    `control` names the tasks that wait for barriers (see `Switch`); an actor that has some has the task `barrier` too.
    """

    control: ClassVar[frozenset[str]] = frozenset()
    fields: ClassVar[dict[str, Field]] = {}
    _stored: Stored  # the name: a text, in a search with symmetry a symbol
    _values: dict[str, Any]
    _run: "StepAccess | None"
    _is_reference: bool

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        declared = {}
        for name, hint in inspect.get_annotations(cls).items():
            if not name.startswith("_") and name not in cls.__dict__ and "ClassVar" not in str(hint):
                declared[name] = Field(name)
        constants = {"control", "fields"} | {
            n for n, hint in inspect.get_annotations(cls).items() if "ClassVar" in str(hint)
        }
        for name, value in list(cls.__dict__.items()):
            if inspect.iscoroutinefunction(value):
                setattr(cls, name, _task(value))
            elif getattr(getattr(super(cls, cls), name, None), "is_task", False):
                raise ActorError(f"{cls.__qualname__}.{name} is no task; expected `async def {name}`, as in its base")
            elif inspect.isasyncgenfunction(value):
                raise ActorError(f"{cls.__qualname__}.{name} has a `yield`; expected a task that returns one value")
            elif not name.startswith("_") and name not in constants and not _is_code(value):
                declared[name] = value if isinstance(value, Field) else Field(name, value)
        taken = sorted(declared.keys() & {"name", "later", "until", "choose", "emit", "prepared"})
        if taken:
            raise ActorError(
                f"class {cls.__qualname__} has a field {taken[0]!r}; expected another name: actors have it"
            )
        for name, field in declared.items():
            setattr(cls, name, field)
        cls.fields = {**cls.fields, **declared}

    def __init__(self, name: str, **values: Any) -> None:
        if not isinstance(name, str) or not name or not name.isprintable():
            raise ActorError(
                f"{type(self).__qualname__}: name {name!r}; expected a non-empty text of printable characters"
            )
        if ACTIVE.get() is not None:
            raise ActorError(f"a task makes the actor {name!r}; expected all actors to be made before the program runs")
        _bind(self, name, None, False)
        object.__setattr__(self, "_values", {})
        for field, value in values.items():
            if field not in self.fields:
                known = ", ".join(self.fields) or "none"
                raise ActorError(f"{type(self).__qualname__} {name!r} has no field {field!r}; expected one of: {known}")
            setattr(self, field, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.fields:
            known = ", ".join(self.fields) or "none"
            raise ActorError(
                f"{type(self).__qualname__} {self._stored!r} has no field {name!r} (it has: {known}); "
                "declare it in the body of the class"
            )
        object.__setattr__(self, name, value)

    if not TYPE_CHECKING:  # so that type checkers still find unknown attributes

        def __getattr__(self, name: str) -> Any:
            """Raise the error of an attribute that the actor does not have."""
            kind = type(self)
            if name in ("_stored", "_values", "_run", "_is_reference"):
                raise ActorError(f"{kind.__qualname__}.__init__ has to call super().__init__(name) before all else")
            tasks = [each for each in dir(kind) if getattr(inspect.getattr_static(kind, each), "is_task", False)]
            what, known = ("task", tasks) if self._is_reference else ("field or task", [*self.fields, *tasks])
            raise AttributeError(
                f"{kind.__qualname__} {str(self.name)!r} has no {what} {name!r}; expected one of: "
                f"{', '.join(known) or 'none'}"
            )

    @property
    def name(self) -> str:
        """Its name."""
        return self._stored if self._run is None else self._run.thaw(self._stored)  # type: ignore[no-any-return]

    @property
    def later(self) -> Any:
        """Itself as another actor sees it: `self.later.task()` sends a message to itself."""
        return self._running.thaw(Reference(self._stored))

    def until(self, condition: Callable[[], bool]) -> "Until":
        """`await self.until(lambda: ...)` suspends the task until the condition, on its own fields, holds."""
        return self._running.until(condition)

    def choose(self, *options: Any) -> Any:
        """One of the options; the search tries each of them."""
        return self._running.choose(options)

    def emit(self, event: Any) -> None:
        """Tell monitors and reports that something happened; no task sees it."""
        self._running.emit(event)

    def prepared(self, method: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What a message to this actor carries, given what its sender wrote; an error has the sender's line."""
        return args

    @property
    def _running(self) -> "StepAccess":
        if self._run is None:
            raise ActorError(f"actor {self._stored!r} is used outside of a task, where nothing runs")
        return self._run

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Actor) and self._stored == other._stored

    def __hash__(self) -> int:
        return hash(self._stored)

    def __repr__(self) -> str:
        return str(self.name)


def _bind(actor: Actor, stored: Stored, run: "StepAccess | None", is_reference: bool) -> None:
    for name, value in (("_stored", stored), ("_run", run), ("_is_reference", is_reference)):
        object.__setattr__(actor, name, value)


def running_actor(kind: type[Actor], stored: Stored, run: "StepAccess", is_reference: bool) -> Actor:
    """The actor as a task sees it: itself, or another one by reference."""
    actor = object.__new__(kind)
    _bind(actor, stored, run, is_reference)
    return actor


def _is_code(value: Any) -> bool:
    return isinstance(value, FunctionType | classmethod | staticmethod | property | type | functools.cached_property)
