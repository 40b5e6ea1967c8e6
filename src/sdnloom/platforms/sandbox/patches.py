"""Names that stand for something else while a program runs, and for what they stood before as soon as it does not."""

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
    """A set of names in namespaces and classes, with what they stand for on this side.

    Leaving keeps what the program made of them, so that it finds it again when it goes on.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[int, str], tuple[MutableMapping[str, Any], str]] = {}
        self._here: dict[tuple[int, str], Any] = {}
        self._there: dict[tuple[int, str], Any] | None = None  # while the swap lasts

    def name(self, space: MutableMapping[str, Any], name: str, value: Any) -> None:
        """Let a name of a namespace stand for this while the swap lasts."""
        key = id(space), name
        self._names[key] = (space, name)
        if self._there is None:
            self._here[key] = value
        else:
            self._there.setdefault(key, space.get(name, _ABSENT))
            _put(space, name, value)

    def absent(self, space: MutableMapping[str, Any], name: str) -> None:
        """Let a name be unknown while the swap lasts, until the program itself sets it."""
        self.name(space, name, _ABSENT)

    def adopt(self, space: MutableMapping[str, Any], name: str) -> None:
        """Take a name for the program's that it has made itself while the swap lasts: unknown on the other side."""
        assert self._there is not None
        self._names[id(space), name] = (space, name)
        self._there.setdefault((id(space), name), _ABSENT)

    def attribute(self, owner: type, name: str, value: Any) -> None:
        """Let an attribute of a class be this while the swap lasts."""
        self.name(_Attributes(owner), name, value)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """While this lasts, everything stands for what it does on this side."""
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
