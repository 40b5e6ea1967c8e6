"""A state as the checks of a program see it: `view["s1"].table` is a copy of the field of the actor s1."""

from collections.abc import Iterator, Mapping
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.field_views import DictView, ListView, SetView
from sdnloom.actors.program import Naming, Program
from sdnloom.actors.state import ActorState
from sdnloom.actors.task import Location, Task
from sdnloom.actors.values import Done, Future, Reference, Stored, Symbol, thaw


class _Pending:
    """A future whose task is not done."""

    def __repr__(self) -> str:
        return "pending"


_PENDING = _Pending()


class ActorView:
    """The name and the fields of one actor, as attributes."""

    def __init__(self, view: "StateView", name: str) -> None:
        self._view, self._name = view, name

    @property
    def name(self) -> str:
        """The name of the actor."""
        return self._name

    def __getattr__(self, field: str) -> Any:
        return self._view.field(self._name, field)

    def __repr__(self) -> str:
        return self._name


class StateView(Mapping[str, ActorView]):
    """The actors of a state by name. References are names, futures are their results or `pending`."""

    def __init__(self, program: Program, naming: Naming, state: ActorState) -> None:
        self._program, self._naming, self._state = program, naming, state
        self._cells = dict(state.cells)

    def __getitem__(self, name: str) -> ActorView:
        if name not in self:
            raise ActorError(f"the state has no actor {name!r}; expected one of: {', '.join(self) or 'none'}")
        return ActorView(self, name)

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __iter__(self) -> Iterator[str]:
        return iter(actor.name for actor in self._program.actors)

    def __len__(self) -> int:
        return len(self._program.actors)

    def of(self, kind: type) -> list[ActorView]:
        """The actors of a class, in the order of the program."""
        return [ActorView(self, actor.name) for actor in self._program.actors if isinstance(actor, kind)]

    @property
    def tasks(self) -> tuple[tuple[Task, int], ...]:
        """The tasks that are left, with how often each is there."""
        return tuple(self._state.tasks)

    def field(self, name: str, field: str) -> Any:
        """A copy of a field."""
        actor = self._program.actor(name)
        if field not in actor.fields:
            known = ", ".join(actor.fields) or "none"
            raise ActorError(f"{type(actor).__qualname__} {name!r} has no field {field!r}; expected one of: {known}")
        stored, view = self._naming.name(name), self._program.view(self._naming, self._naming.name(name), field)
        if view in (DictView, SetView):
            entries = {
                self._shown(at.key[0]): self._shown(value)
                for at, value in self._cells.items()
                if at[:2] == (stored, field) and isinstance(at.key, tuple)
            }
            return entries if view is DictView else set(entries)
        location = Location(stored, field)
        value = self._cells[location] if location in self._cells else self._program.default(self._naming, location)
        return list(self._shown(value)) if view is ListView else self._shown(value)

    def _shown(self, value: Stored) -> Any:
        return thaw(value, self._special)

    def _special(self, value: Any) -> Any:
        match value:
            case Symbol():
                return self._naming.value(value)
            case Future():
                return _PENDING
            case Done():
                return self._shown(value.value)
            case Reference():
                return self._shown(value.actor)
        return value
