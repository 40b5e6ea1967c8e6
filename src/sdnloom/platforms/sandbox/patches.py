"""Scoped monkeypatching: names are rebound while a program runs and restored afterwards."""

import contextlib
from collections.abc import Iterator, MutableMapping
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


class Patches:
    """A set of names in namespaces and classes, with the values that they have while a program runs.

    When the program stops, their present values are kept for the next time that it runs.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[int, str], tuple[MutableMapping[str, Any], str]] = {}
        self._here: dict[tuple[int, str], Any] = {}
        self._there: dict[tuple[int, str], Any] | None = None  # while installed

    def name(self, space: MutableMapping[str, Any], name: str, value: Any) -> None:
        """Bind a name of a namespace to this value while installed."""
        key = id(space), name
        self._names[key] = (space, name)
        if self._there is None:
            self._here[key] = value
        else:
            self._there.setdefault(key, space.get(name, _ABSENT))
            _put(space, name, value)

    def absent(self, space: MutableMapping[str, Any], name: str) -> None:
        """Unbind a name while installed, until the program itself binds it."""
        self.name(space, name, _ABSENT)

    def adopt(self, space: MutableMapping[str, Any], name: str) -> None:
        """Make a name that the program bound while installed its own: unbound when not installed."""
        assert self._there is not None
        self._names[id(space), name] = (space, name)
        self._there.setdefault((id(space), name), _ABSENT)

    def attribute(self, owner: type, name: str, value: Any) -> None:
        """Set an attribute of a class to this value while installed."""
        self.name(_Attributes(owner), name, value)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Context in which all names have the values of the program."""
        self._there = _exchange(self._names, self._here)
        try:
            yield
        finally:
            self._here = _exchange(self._names, self._there)
            self._there = None


def _exchange(
    names: dict[tuple[int, str], tuple[MutableMapping[str, Any], str]], values: dict[tuple[int, str], Any]
) -> dict[tuple[int, str], Any]:
    """Put values in place and return those that were there."""
    before = {}
    for key, (space, name) in names.items():
        before[key] = space.get(name, _ABSENT)
        _put(space, name, values[key])
    return before


def _put(space: MutableMapping[str, Any], name: str, value: Any) -> None:
    if value is not _ABSENT:
        space[name] = value
    elif name in space:
        del space[name]
