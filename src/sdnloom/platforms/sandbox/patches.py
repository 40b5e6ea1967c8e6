"""Scoped monkeypatching: names are rebound while a program runs and restored afterwards."""

import contextlib
import operator
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

_ABSENT: Any = object()


class _Attributes(MutableMapping[str, Any]):
    """The attributes of a class as a namespace."""

    def __init__(self, owner: type) -> None:
        self._owner = owner

    def __getitem__(self, name: str) -> Any:
        return vars(self._owner)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        type.__setattr__(self._owner, name, value)

    def __delitem__(self, name: str) -> None:
        type.__delattr__(self._owner, name)

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self._owner))

    def __len__(self) -> int:
        return len(vars(self._owner))


class _Space:
    """The names of one namespace that are rebound, with the values that are not in place now.

    `steady` are names that are never absent: they are exchanged together, because this is done twice for every step.
    """

    def __init__(self, space: MutableMapping[str, Any]) -> None:
        self.space = space
        self.aside: dict[str, Any] = {}
        self.steady: dict[str, Any] = {}
        self._read: Callable[[Any], tuple[Any, ...]] = lambda space: ()
        self._looked_at = 0

    def exchange(self) -> None:
        """Put the values in place and set those that were there aside."""
        space, aside, steady = self.space, self.aside, self.steady
        if steady:
            try:
                self.steady = dict(zip(steady, self._read(space), strict=True))
                space.update(steady)
            except KeyError:  # somebody has deleted one
                aside |= steady
                self.steady = {}
        before = {}
        for name, value in aside.items():
            before[name] = space.get(name, _ABSENT)
            _put(space, name, value)
        self.aside = before
        if len(before) != self._looked_at:
            self._look(aside)

    def _look(self, placed: dict[str, Any]) -> None:
        """Find the names that are absent on neither side, after their values were placed."""
        kept = self.aside
        found = [name for name, value in placed.items() if value is not _ABSENT and kept[name] is not _ABSENT]
        if type(self.space) is dict and len(found) + len(self.steady) > 1:
            self.steady |= {name: kept.pop(name) for name in found}
            self._read = operator.itemgetter(*self.steady)
        self._looked_at = len(kept)

    def put_aside(self, name: str, value: Any) -> None:
        """Set the value that a name gets at the next exchange."""
        if name in self.steady and value is _ABSENT:
            self.aside |= self.steady
            self.steady = {}
        (self.steady if name in self.steady else self.aside)[name] = value
        self._looked_at = -1

    def has(self, name: str) -> bool:
        """Whether a name is rebound."""
        return name in self.aside or name in self.steady


class Patches:
    """A set of names in namespaces and classes, with the values that they have while a program runs.

    When the program stops, their present values are kept for the next time that it runs.
    """

    def __init__(self) -> None:
        self._spaces: dict[int, _Space] = {}
        self._owners: dict[type, _Attributes] = {}
        self._installed = False

    def __len__(self) -> int:
        return sum(len(each.aside) + len(each.steady) for each in self._spaces.values())

    def _of(self, space: MutableMapping[str, Any]) -> _Space:
        return self._spaces.setdefault(id(space), _Space(space))

    def name(self, space: MutableMapping[str, Any], name: str, value: Any) -> None:
        """Bind a name of a namespace to this value while installed."""
        found = self._of(space)
        if not self._installed:
            found.put_aside(name, value)
            return
        if not found.has(name):
            found.put_aside(name, space.get(name, _ABSENT))
        _put(space, name, value)

    def absent(self, space: MutableMapping[str, Any], name: str) -> None:
        """Unbind a name while installed, until the program itself binds it."""
        self.name(space, name, _ABSENT)

    def adopt(self, space: MutableMapping[str, Any], name: str) -> None:
        """Make a name that the program bound while installed its own: unbound when not installed."""
        assert self._installed
        found = self._of(space)
        if not found.has(name):
            found.put_aside(name, _ABSENT)

    def attribute(self, owner: type, name: str, value: Any) -> None:
        """Set an attribute of a class to this value while installed."""
        self.name(self._owners.setdefault(owner, _Attributes(owner)), name, value)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Context in which all names have the values of the program."""
        self._exchange(True)
        try:
            yield
        finally:
            self._exchange(False)

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Context, inside of `installed`, in which all names have their real values again."""
        if not self._installed:
            yield
            return
        self._exchange(False)
        try:
            yield
        finally:
            self._exchange(True)

    def _exchange(self, installed: bool) -> None:
        for each in self._spaces.values():
            each.exchange()
        self._installed = installed


def _put(space: MutableMapping[str, Any], name: str, value: Any) -> None:
    if value is not _ABSENT:
        space[name] = value
    elif name in space:
        del space[name]
