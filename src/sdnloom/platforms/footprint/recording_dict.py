"""Dicts that record which of their keys are read, to find the footprint of a handler.

A table is a dict or defaultdict in an attribute of the program. Reads of the table itself are recorded: a value inside
is read through the key that leads to it. Writes are not recorded: they are found by comparing states.

A recording dict wraps the table and itself holds only a decoy: code that reads a dict past its methods reads the decoy,
and its behaviour changes, which is noticed. Limit: `dict.get(table, key)` for a missing key goes unnoticed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sdnloom.engine.model import Cell
from sdnloom.network.program_cells import Attribute, Key, is_plain
from sdnloom.platforms.capture.freeze import thaw
from sdnloom.platforms.capture.save_restore import Aspect, Aspects
from sdnloom.platforms.capture.type_rules import aspects_of

RecordedReads = set[tuple[str, Any]]  # (attribute, key), or (attribute, EVERY) when the whole table was read
EVERY = object()
_BY_KEY = ("__getitem__", "__contains__", "get", "pop", "setdefault", "__delitem__", "__setitem__", "__missing__")
_AS_A_WHOLE = (
    "__iter__", "__len__", "__eq__", "__ne__", "__or__", "__ror__", "__ior__", "__reversed__", "__repr__", "__copy__",
    "__reduce__", "__reduce_ex__", "keys", "values", "items", "copy", "popitem", "clear", "update",
)  # fmt: skip


class RecordingDict:
    """Mixin for a dict type, its `recorded_kind`; `freeze` treats it as that type."""

    recorded_kind: type
    attribute: str
    notes: RecordedReads
    table: Any  # the wrapped dict

    def note(self, key: Any) -> None:
        """Record a read of a key."""
        self.notes.add((self.attribute, key))


def _by_key(original: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: RecordingDict, key: Any, *rest: Any) -> Any:
        self.note(key)
        return original(self.table, key, *rest)

    return method


def _as_a_whole(original: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: RecordingDict, *given: Any, **named: Any) -> Any:
        self.note(EVERY)
        result = original(self.table, *map(_uncovered, given), **named)
        return self if result is self.table else result

    return method


def _uncovered(value: Any) -> Any:
    """Return the table inside a recording dict, and record that all of it is read."""
    if not isinstance(value, RecordingDict):
        return value
    value.note(EVERY)
    return value.table


def _get_factory(self: RecordingDict) -> Any:
    return self.table.default_factory


def _set_factory(self: RecordingDict, factory: Any) -> None:
    self.table.default_factory = factory


def _recording_type(base: type) -> type:
    methods: dict[str, Any] = {name: _by_key(getattr(base, name)) for name in _BY_KEY if hasattr(base, name)}
    methods |= {name: _as_a_whole(getattr(base, name)) for name in _AS_A_WHOLE if hasattr(base, name)}
    if hasattr(base, "default_factory"):
        methods["default_factory"] = property(_get_factory, _set_factory)
    methods |= {"recorded_kind": base, "__hash__": None}
    return type(f"Recording{base.__name__}", (RecordingDict, base), methods)


_KINDS: Mapping[type, type] = {base: _recording_type(base) for base in (dict, defaultdict)}


def table_kind(value: Any) -> type | None:
    """The type of a table, also of a recording one; None if the value is no table."""
    kind: type = getattr(type(value), "recorded_kind", type(value))
    return kind if kind in _KINDS else None


def _behind(aspect: Aspect) -> Aspect:
    return aspect._replace(save=lambda target: aspect.save(target.table), load=None)


def _aspects(kind: type) -> Aspects:
    found = aspects_of(kind)
    assert not isinstance(found, str)
    return found


# Rules by which a digest treats a recording dict as the table inside.
RECORDING_RULES: Mapping[type, tuple[str, Aspects]] = {
    recording: (f"{base.__module__}.{base.__qualname__}", tuple(map(_behind, _aspects(base))))
    for base, recording in _KINDS.items()
}


def recording_tables(attributes: Mapping[str, Any], notes: RecordedReads) -> dict[str, Any]:
    """Recording dicts for the attributes that are tables."""
    found = {}
    for name, value in attributes.items():
        kind = _KINDS.get(vars(type(value)).get("watched_kind", type(value)))
        if kind is not None:
            table: Any = kind()
            table.attribute, table.notes, table.table = name, notes, value
            dict.__setitem__(table, EVERY, EVERY)
            found[name] = table
    return found


def read_cells(attributes: Iterable[str], tables: Iterable[str], notes: RecordedReads) -> frozenset[Cell]:
    """The cells that were read: of tables those recorded, and all other attributes, whose reads are not recorded."""
    known = set(tables)
    cells: set[Cell] = {Attribute(name) for name in attributes if name not in known}
    return frozenset(cells | recorded_cells(notes))


def recorded_cells(notes: RecordedReads) -> set[Cell]:
    """The cells that were recorded, without the keys of tables that were read as a whole."""
    cells = {cell_of(name, key) for name, key in notes}
    return {cell for cell in cells if not (isinstance(cell, Key) and Attribute(cell.attribute) in cells)}


def cell_of(table: str, key: Any) -> Cell:
    """The cell of a key: the whole table for a key that may equal a key of another type."""
    return Key(table, key) if key is not EVERY and is_plain(key) else Attribute(table)


def written_cells(
    before: Mapping[str, Any], after: Mapping[str, Any], tables: Iterable[str], ordered: bool = False
) -> frozenset[Cell]:
    """The cells that differ between two states, given as frozen attributes.

    If they are frozen `ordered`, a new key changes the whole table: each order of two new keys is a state of its own.
    """
    known = set(tables)
    cells: set[Cell] = set()
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        if name in known and _same_table(one, other):
            here, there = dict(one.items), dict(other.items)  # type: ignore[union-attr]
            changed = {key for key in here.keys() | there.keys() if here.get(key, EVERY) != there.get(key, EVERY)}
            cells |= {cell_of(name, thaw(key)) for key in changed}
            if ordered and list(there) != [key for key in here if key in there]:
                cells.add(Attribute(name))
        else:
            cells.add(Attribute(name))
    return frozenset(cells)


def _same_table(one: Any, other: Any) -> bool:
    """Whether two frozen values are tables that differ at most in their items."""
    return getattr(one, "kind", None) in _KINDS and (one.kind, one.extra) == (
        getattr(other, "kind", None),
        getattr(other, "extra", None),
    )
