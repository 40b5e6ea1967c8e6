"""Tables that note which of their keys are looked at, so that two handlers can be seen to leave each other alone.

A table is a dict or defaultdict that an attribute of the program holds. What is noted are looks at the table itself:
what lies deeper is read through the key that leads to it. Writes need no notes: they show when states are compared.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sdnloom.engine.model import Cell
from sdnloom.network.parts import Attribute, Key
from sdnloom.platforms.freeze import freeze

Notes = set[tuple[str, Any]]  # (attribute, key), or (attribute, EVERY) when the whole table was looked at
EVERY = object()
_EQUAL_TO_OTHERS = (bool, float, complex)  # keys that another type's value can stand for
_BY_KEY = ("__getitem__", "__contains__", "get", "pop", "setdefault", "__delitem__", "__setitem__")
_AS_A_WHOLE = (
    "__iter__", "__len__", "__eq__", "__ne__", "__or__", "__ror__", "__ior__", "__reversed__", "__repr__",
    "keys", "values", "items", "copy", "popitem", "clear", "update",
)  # fmt: skip


class Noting:
    """Mixed into a dict type, which is its `noted_kind`; `freeze` takes it for one of that type."""

    noted_kind: type
    attribute: str
    notes: Notes


def _by_key(name: str, base: type) -> Callable[..., Any]:
    original = getattr(base, name)

    def method(self: Any, key: Any, *rest: Any) -> Any:
        self.notes.add((self.attribute, key))
        return original(self, key, *rest)

    return method


def _as_a_whole(name: str, base: type) -> Callable[..., Any]:
    original = getattr(base, name)

    def method(self: Any, *given: Any, **named: Any) -> Any:
        self.notes.add((self.attribute, EVERY))
        return original(self, *given, **named)

    return method


def _noting(base: type) -> type:
    methods: dict[str, Any] = {name: _by_key(name, base) for name in _BY_KEY}
    methods |= {name: _as_a_whole(name, base) for name in _AS_A_WHOLE}
    return type(f"Noting{base.__name__}", (Noting, base), {**methods, "noted_kind": base, "__hash__": None})


_KINDS: Mapping[type, type] = {base: _noting(base) for base in (dict, defaultdict)}


def note_tables(attributes: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """The attributes that are tables, each as one that notes; all others are left out."""
    found = {}
    for name, value in attributes.items():
        kind = _KINDS.get(type(value))
        if kind is not None:
            table: Any = kind(value.default_factory) if isinstance(value, defaultdict) else kind()
            table.attribute, table.notes = name, notes
            for key, each in value.items():
                dict.__setitem__(table, key, each)
            found[name] = table
    return found


def read_cells(attributes: Iterable[str], tables: Iterable[str], notes: Notes) -> frozenset[Cell]:
    """The cells that were read: of tables what was noted, of the other attributes all, for reads of these are free."""
    known = set(tables)
    cells: set[Cell] = {Attribute(name) for name in attributes if name not in known}
    whole = {name for name, key in notes if key is EVERY or isinstance(key, _EQUAL_TO_OTHERS)}
    cells |= {Attribute(name) for name in whole}
    cells |= {Key(name, freeze(key, f"a key of {name}")) for name, key in notes if name not in whole}
    return frozenset(cells)


def written_cells(before: Mapping[str, Any], after: Mapping[str, Any], tables: Iterable[str]) -> frozenset[Cell]:
    """The cells that differ between two states, given as frozen attributes."""
    known = set(tables)
    cells: set[Cell] = set()
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        if name in known and _same_table(one, other):
            here, there = dict(one.items), dict(other.items)  # type: ignore[union-attr]
            changed = {key for key in here.keys() | there.keys() if here.get(key, EVERY) != there.get(key, EVERY)}
            cells |= {Key(name, key) for key in changed}
        else:
            cells.add(Attribute(name))
    return frozenset(cells)


def _same_table(one: Any, other: Any) -> bool:
    """Whether two frozen values are tables that differ at most in what they hold."""
    return getattr(one, "kind", None) in _KINDS and (one.kind, one.extra) == (
        getattr(other, "kind", None),
        getattr(other, "extra", None),
    )
