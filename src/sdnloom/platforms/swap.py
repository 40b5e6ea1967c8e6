"""Names that stand for something else while a program runs, and for what they stood before as soon as it does not."""

import contextlib
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

_ABSENT: Any = object()


class Swap:
    """A set of names in namespaces and attributes of classes, with what they stand for on this side.

    Leaving keeps what the program made of them, so that it finds it again when it goes on.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[int, str], tuple[MutableMapping[str, Any], str]] = {}
        self._attributes: dict[tuple[type, str], None] = {}
        self._kept: dict[tuple[Any, str], Any] = {}

    def name(self, space: MutableMapping[str, Any], name: str, value: Any) -> None:
        """Let a name of a namespace stand for this while the swap lasts."""
        self._names[id(space), name] = (space, name)
        self._kept[id(space), name] = value

    def absent(self, space: MutableMapping[str, Any], name: str) -> None:
        """Let a name be unknown while the swap lasts, until the program itself sets it."""
        self.name(space, name, _ABSENT)

    def attribute(self, owner: type, name: str, value: Any) -> None:
        """Let an attribute of a class be this while the swap lasts."""
        self._attributes[owner, name] = None
        self._kept[owner, name] = value

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """While this lasts, everything stands for what it does on this side."""
        kept = self._kept
        before = [(space, name, space.get(name, _ABSENT)) for space, name in self._names.values()]
        classes = [(owner, name, vars(owner).get(name, _ABSENT)) for owner, name in self._attributes]
        for key, (space, name) in self._names.items():
            _put(space, name, kept[key])
        for owner, name in self._attributes:
            _give(owner, name, kept[owner, name])
        try:
            yield
        finally:
            for space, name, value in before:
                kept[id(space), name] = space.get(name, _ABSENT)
                _put(space, name, value)
            for owner, name, value in classes:
                kept[owner, name] = vars(owner).get(name, _ABSENT)
                _give(owner, name, value)


def _put(space: MutableMapping[str, Any], name: str, value: Any) -> None:
    if value is _ABSENT:
        space.pop(name, None)
    else:
        space[name] = value


def _give(owner: type, name: str, value: Any) -> None:
    change: Callable[..., None] = type.__setattr__
    if value is not _ABSENT:
        change(owner, name, value)
    elif name in vars(owner):
        type.__delattr__(owner, name)
