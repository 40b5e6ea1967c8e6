"""Snapshots of a live object graph, put back in place.

`take_snapshot` walks the objects that can be reached from the roots once and saves a shallow copy of each mutable part;
`restore_snapshot` writes the copies back. Objects keep their identity, so every holder of a reference (the framework, a
closure, a bound method) sees the old state again, and shared objects are still shared. The one exception: an iterator
such as `itertools.count` cannot be set back, so its holders get an equal new one.

Limits: a dict gets its order back, a set may iterate in another one. State that only C code of an extension knows is
refused, by path, and the caller has to rebuild such a state by running the program's inputs again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any

from sdnloom.platforms.capture.save_restore import ATOMS, DICT, Aspect, Aspects, CaptureError, Form, parts
from sdnloom.platforms.capture.type_rules import duplicate, is_replaceable, plain_aspects, ways


class Scope:
    """The modules of the program, and objects of others that are known by name only (pins)."""

    def __init__(self, modules: Iterable[str] = (), pins: Mapping[str, Any] | None = None) -> None:
        self.modules = frozenset(modules)
        self.names: dict[int, str] = {}
        self.plain_kinds: dict[type, tuple[str, Aspects] | None] = {}
        self._alive: list[Any] = []  # keeps the objects alive, so that their ids stay valid
        for name, each in (pins or {}).items():
            self.pin(name, each)

    def pin(self, name: str, target: Any) -> None:
        """Know an object by a name that is the same in every process; nothing inside it is captured."""
        self.names[id(target)] = name
        self.plain_kinds.clear()
        self._alive.append(target)

    def plain(self, kind: type) -> tuple[str, Aspects] | None:
        """Return the name and aspects of a type, if they and nothing else say how all its objects are captured."""
        if kind not in self.plain_kinds:
            aspects = None if kind.__module__ in self.modules and id(kind) not in self.names else plain_aspects(kind)
            self.plain_kinds[kind] = None if aspects is None else (f"{kind.__module__}.{kind.__qualname__}", aspects)
        return self.plain_kinds[kind]

    def is_own(self, kind: type) -> bool:
        """Whether a class is the program's and was made while it ran, so that no module leads to it."""
        return kind.__module__ in self.modules and id(kind) not in self.names

    def is_foreign(self, target: Any) -> bool:
        """Whether a module, class or function belongs to a library and is found by name: no state of the program."""
        if isinstance(target, ModuleType):
            return target.__name__ not in self.modules
        module = getattr(target, "__module__", None)
        if isinstance(target, type):
            return module not in self.modules
        if isinstance(target, BuiltinFunctionType):
            return isinstance(target.__self__, type | ModuleType)
        return (
            module not in self.modules
            and isinstance(target, FunctionType)
            and not target.__closure__
            and "<locals>" not in target.__qualname__
        )


@dataclass(frozen=True)
class CaptureRefused:
    """An object that a snapshot cannot hold: its path, and the reason."""

    path: str
    why: str

    def __str__(self) -> str:
        return f"{self.path} is {self.why}"


Kept = tuple[Aspect, Any, Any]  # aspect, object, copy


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """All reachable state at one moment. Objects in `refused` are missing: check it before relying on a snapshot."""

    kept: tuple[Kept, ...]
    iterators: tuple[tuple[Any, Any], ...]
    refused: tuple[CaptureRefused, ...]

    @property
    def size(self) -> int:
        """The number of copies."""
        return len(self.kept)


def take_snapshot(roots: Mapping[str, Any], scope: Scope, apart: Iterable[Any] = ()) -> Snapshot:
    """Return a snapshot of all objects that can be reached from the roots.

    Objects that are `apart` are only referred to: the caller captures what is in them.
    """
    kept: list[Kept] = []
    iterators: list[tuple[Any, Any]] = []
    refused: list[tuple[Any, str]] = []
    names, known, seen = scope.names, scope.plain_kinds, set(map(id, apart))
    todo: list[Any] = list(roots.values())
    while todo:
        target = todo.pop()
        kind = type(target)
        if kind in ATOMS:
            continue
        key = id(target)
        if key in seen or key in names:
            continue
        seen.add(key)
        plain = known[kind] if kind in known else scope.plain(kind)
        if plain is not None:
            how = plain[1]
        elif isinstance(target, _NAMED) and scope.is_foreign(target):
            continue
        else:
            if is_replaceable(target):
                iterators.append((target, duplicate(target)))
            found = ways(target)
            if isinstance(found, str):
                refused.append((target, found))
                continue
            if scope.is_own(kind):
                todo.append(kind)
            how = found
        for aspect in how:
            saved = aspect.save(target)
            form = aspect.form
            if form is Form.MAP:
                todo += saved
                todo += saved.values()
            elif form is not Form.TEXT:
                todo += saved
            if aspect.load is not None:
                kept.append((aspect, target, saved))
            elif form is not Form.TEXT:
                refused += [(target, "an immutable holder of an iterator") for each in saved if is_replaceable(each)]
    reasons = tuple(CaptureRefused(_path(roots, scope, target), why) for target, why in refused)
    return Snapshot(tuple(kept), tuple(iterators), reasons)


_NAMED = (type, ModuleType, FunctionType, BuiltinFunctionType)


def restore_snapshot(snapshot: Snapshot) -> None:
    """Restore every captured object in place."""
    stale = {id(live): duplicate(kept) for live, kept in snapshot.iterators if not _same_place(live, kept)}
    for aspect, target, saved in snapshot.kept:
        assert aspect.load is not None
        aspect.load(target, _renewed(aspect.form, saved, stale) if stale else saved)


def _same_place(live: Any, kept: Any) -> bool:
    how = ways(live)
    assert not isinstance(how, str)
    return [list(aspect.save(live)) for aspect in how] == [list(aspect.save(kept)) for aspect in how]


def _renewed(form: Form, saved: Any, stale: Mapping[int, Any]) -> Any:
    """Return the copy with iterators that advanced replaced by ones that did not."""
    if form is Form.TEXT or not any(id(each) in stale for each in parts(form, saved)):
        return saved
    if form is Form.MAP:
        return {stale.get(id(key), key): stale.get(id(each), each) for key, each in saved.items()}
    renewed = [stale.get(id(each), each) for each in saved]
    return set(renewed) if form is Form.SET else renewed


def require(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot if it is complete; CaptureError names the first object that is missing."""
    if snapshot.refused:
        raise CaptureError(f"{snapshot.refused[0]}; expected state that can be copied")
    return snapshot


def _path(roots: Mapping[str, Any], scope: Scope, wanted: Any) -> str:
    """Return the shortest path from a root to an object, as a Python expression."""
    seen, level = set[int](), list(roots.items())
    while level:
        following: list[tuple[str, Any]] = []
        for path, target in level:
            if target is wanted:
                return path
            if type(target) in ATOMS or id(target) in seen or id(target) in scope.names:
                continue
            seen.add(id(target))
            if not (isinstance(target, _NAMED) and scope.is_foreign(target)):
                following += _steps(path, target)
        level = following
    return "state"


def _steps(path: str, target: Any) -> list[tuple[str, Any]]:
    how = ways(target)
    if isinstance(how, str):
        return []
    found: list[tuple[str, Any]] = []
    for aspect in how:
        saved = aspect.save(target)
        if aspect.form is Form.MAP and aspect is DICT:
            found += [(f"a key of {path}", key) for key in saved]
            found += [(f"{path}[{_short(key)}]", each) for key, each in saved.items()]
        elif aspect.form is Form.MAP:
            found += [(f"{path}.{str(name).rpartition('.')[2]}", each) for name, each in saved.items()]
        elif isinstance(target, CellType):
            found += [(path, each) for each in saved]
        elif isinstance(target, FunctionType):
            labels = ["__defaults__", "__kwdefaults__", *target.__code__.co_freevars]
            found += [(f"{path}.{label}", each) for label, each in zip(labels, saved, strict=True)]
        elif aspect.form is Form.SEQUENCE:
            found += [(f"{path}[{place}]", each) for place, each in enumerate(saved)]
        elif aspect.form is Form.SET:
            found += [(f"an element of {path}", each) for each in saved]
    return found


def _short(key: Any) -> str:
    return repr(key) if type(key) in ATOMS else f"<{type(key).__qualname__}>"
