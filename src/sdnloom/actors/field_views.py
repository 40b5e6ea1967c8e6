"""Dict, set and list fields as a program sees them: each access is a read or a write of the running step.

A dict or set is tracked entry by entry, so that tasks that use different keys do not conflict. A list is one value.
Keys are one if their stored forms are: True and 1 are two keys. Views iterate over a copy.
"""

from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence, MutableSet
from typing import TYPE_CHECKING, Any

from sdnloom.actors.task import ABSENT, EveryEntry, Location, Query
from sdnloom.actors.values import MutableValueError, has_future

if TYPE_CHECKING:
    from sdnloom.actors.runtime.step_access import StepAccess

EVERY_ENTRY = EveryEntry()


class FieldView:
    """Base of the views: the run, the stored name of the actor and the name of the field."""

    def __init__(self, run: "StepAccess", actor: Any, field: str) -> None:
        self._run, self._actor, self._field = run, actor, field

    @property
    def location(self) -> Location:
        """The field itself."""
        return Location(self._actor, self._field)

    def _entry(self, key: Any) -> Location:
        stored = self._run.freeze(key)
        if type(stored) not in (int, str) and has_future(stored):
            raise MutableValueError(
                f"a key of the field {self._field!r} has a future in it, which changes; expected futures as values"
            )
        return Location(self._actor, self._field, (stored,))

    def _entries(self, query: Query) -> list[tuple[Any, Any]]:
        found = self._run.read(Location(self._actor, self._field, query))
        return [(self._run.thaw(key), self._run.thaw(value)) for key, value in found]


class DictView(FieldView, MutableMapping[Any, Any]):
    """A dict field. It iterates in the order of the stable text of its keys, not in that of insertion."""

    def __getitem__(self, key: Any) -> Any:
        found = self._run.read(self._entry(key))
        if found is ABSENT:
            raise KeyError(key)
        return self._run.thaw(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._run.write(self._entry(key), self._run.freeze(value))

    def __delitem__(self, key: Any) -> None:
        if key not in self:
            raise KeyError(key)
        self._run.write(self._entry(key), ABSENT)

    def __contains__(self, key: object) -> bool:
        return self._run.read(self._entry(key)) is not ABSENT

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._entries(EVERY_ENTRY)])

    def __len__(self) -> int:
        return len(self._entries(EVERY_ENTRY))

    def items(self) -> Any:
        """The entries, read at once."""
        return self._entries(EVERY_ENTRY)

    def values(self) -> Any:
        """The values, read at once."""
        return [value for _, value in self._entries(EVERY_ENTRY)]

    def select(self, query: Query) -> list[tuple[Any, Any]]:
        """The entries that a query covers; the step depends on no others."""
        return self._entries(query)

    def discard(self, key: Any) -> None:
        """Remove an entry if there is one, without reading it."""
        self._run.write(self._entry(key), ABSENT)

    def copy(self) -> dict[Any, Any]:
        """The entries, read at once, as a dict of its own."""
        return dict(self.items())

    def __or__(self, other: Any) -> dict[Any, Any]:
        return {**self.copy(), **other}

    def __ior__(self, other: Any) -> "DictView":
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(dict(self.items()))


class SetView(FieldView, MutableSet[Any]):
    """A set field. It iterates in the order of the stable text of its elements."""

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:
        return frozenset(it)

    def __contains__(self, value: object) -> bool:
        return self._run.read(self._entry(value)) is not ABSENT

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._entries(EVERY_ENTRY)])

    def __len__(self) -> int:
        return len(self._entries(EVERY_ENTRY))

    def add(self, value: Any) -> None:
        """Add an element."""
        self._run.write(self._entry(value), None)

    def discard(self, value: Any) -> None:
        """Remove an element if it is there, without reading it."""
        self._run.write(self._entry(value), ABSENT)

    def update(self, *others: Iterable[Any]) -> None:
        """Add elements, without reading any."""
        for value in (each for other in others for each in other):
            self.add(value)

    def copy(self) -> set[Any]:
        """The elements, read at once, as a set of its own."""
        return set(self)

    def union(self, *others: Iterable[Any]) -> set[Any]:
        """The elements and others."""
        return self.copy().union(*others)

    def intersection(self, *others: Iterable[Any]) -> set[Any]:
        """The elements that others have, too."""
        return self.copy().intersection(*others)

    def difference(self, *others: Iterable[Any]) -> set[Any]:
        """The elements that no other has."""
        return self.copy().difference(*others)

    def issubset(self, other: Iterable[Any]) -> bool:
        """Whether the other has every element."""
        return self.copy().issubset(other)

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Whether every element of the other is here; no others are read."""
        return all(each in self for each in other)

    def __repr__(self) -> str:
        return repr(set(self))


class ListView(FieldView, MutableSequence[Any]):
    """A list field: every access reads, and every change writes, the whole list."""

    def _items(self) -> list[Any]:
        return list(self._run.thaw(self._run.read(self.location)))

    def _store(self, items: list[Any]) -> None:
        self._run.write(self.location, self._run.freeze(tuple(items)))

    def __getitem__(self, index: Any) -> Any:
        return self._items()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        items = self._items()
        items[index] = value
        self._store(items)

    def __delitem__(self, index: Any) -> None:
        items = self._items()
        del items[index]
        self._store(items)

    def __len__(self) -> int:
        return len(self._items())

    def insert(self, index: int, value: Any) -> None:
        """Insert a value before the index."""
        items = self._items()
        items.insert(index, value)
        self._store(items)

    def sort(self, **named: Any) -> None:
        """Sort, as a list does."""
        self._store(sorted(self._items(), **named))

    def copy(self) -> list[Any]:
        """The values as a list of its own."""
        return self._items()

    def __add__(self, other: Any) -> list[Any]:
        return self._items() + list(other)

    def __radd__(self, other: Any) -> list[Any]:
        return list(other) + self._items()

    def __eq__(self, other: object) -> bool:
        return self._items() == (other._items() if isinstance(other, ListView) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._items())
