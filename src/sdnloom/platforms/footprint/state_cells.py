"""The cells of a state: the value under each key of each table, each connection, and the rest.

A table is a dict in an attribute of an app to which nothing else refers. A cell is compared by a hash of its text,
which describes all objects that can be reached from it (`digest`) up to where another cell begins.

Law: if a state changes, so does a cell. An object that two cells share is in both texts, and the sharing in the rest.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sdnloom.engine.model import Cell
from sdnloom.network.program_cells import Attribute, Connected, Key, Order, is_plain
from sdnloom.platforms.capture.digest import Writer
from sdnloom.platforms.capture.frames import frames_view
from sdnloom.platforms.capture.save_restore import CaptureError, Form
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.type_rules import ways
from sdnloom.platforms.footprint.recording_dict import RECORDING_RULES, table_kind

REST = "the rest of its state"


class DictAttribute(NamedTuple):
    """A dict in an attribute of an app."""

    name: str  # "App.attribute"
    holder: dict[str, Any]  # the attributes of the app
    attribute: str
    items: dict[Any, Any]


@dataclass(frozen=True)
class StateCells:
    """The cells of a state with their hashes, and the names of its tables."""

    hashes: Mapping[Cell, bytes]
    tables: frozenset[str]
    orders: Mapping[str, tuple[Any, ...]] = field(compare=False)  # the keys of each table, objects by their ids

    def changed(self, other: "StateCells") -> set[Cell]:
        """Return the cells in which another state differs, and the order of tables with keys that were inserted."""
        one, two = self.hashes, other.hashes
        cells: set[Cell] = {cell for cell in one.keys() | two.keys() if one.get(cell) != two.get(cell)}
        for name, keys in other.orders.items():
            left = frozenset(keys)
            if keys != tuple(key for key in self.orders.get(name, ()) if key in left):
                cells.add(Order(name))
        return cells


def dicts_of(apps: Mapping[str, Any]) -> list[DictAttribute]:
    """Return the dicts in attributes of apps, by their names."""
    found: list[DictAttribute] = []
    for name, app in apps.items():
        how = ways(app)
        for aspect in () if isinstance(how, str) else how:
            if aspect.form is Form.MAP:
                holder = object.__getattribute__(app, "__dict__")
                found += [
                    DictAttribute(f"{name}.{attribute}", holder, attribute, each)
                    for attribute, each in aspect.save(app).items()
                    if type(attribute) is str and table_kind(each) is not None and holder.get(attribute) is each
                ]
    return sorted(found, key=lambda table: table.name)


def partition(
    roots: Mapping[str, Any], scope: Scope, dicts: list[DictAttribute], connections: Mapping[str, Any]
) -> StateCells | None:
    """Return the cells of the present state; None if it holds an object that has no text."""
    while True:
        try:
            walk = _Walk(roots, scope, dicts, connections)
        except (CaptureError, RecursionError):
            return None
        alone = [each for each in dicts if walk.references[_pin(each)] == 1]
        if len(alone) == len(dicts):
            return walk.parts()
        dicts = alone


def _pin(table: DictAttribute) -> str:
    return f"\0table {table.name}\0"  # no text of a program's value looks like this


class _Walk:
    """One walk through every cell."""

    def __init__(
        self, roots: Mapping[str, Any], scope: Scope, tables: list[DictAttribute], connections: Mapping[str, Any]
    ) -> None:
        self._scope, self._tables = scope, tables
        self._writers: dict[Cell, list[Writer]] = defaultdict(list)
        self._texts: dict[Cell, str] = {}
        names = {id(each.items): _pin(each) for each in tables}
        names |= {id(each): f"\0connection {switch}\0" for switch, each in connections.items()}
        with _pinned(scope, names):
            for table in tables:
                self._add_table(table)
            for switch, connection in connections.items():
                with _unpinned(scope, connection):
                    self._add(Connected(switch), connection)
            # The default factory of a table belongs to the rest, for every reader sees it.
            factories = {each.name: getattr(each.items, "default_factory", None) for each in tables}
            self._add(REST, **{**roots, "(factories)": factories})
        # So do its type, and the objects that cells share.
        kinds = [f"{each.name}: {table_kind(each.items)}" for each in tables]
        self._texts[REST] += f" {kinds} {self._shared()}"
        pieces = "".join(self._texts.values()).split("\0")
        self.references = Counter(f"\0{piece}\0" for piece in pieces[1::2])

    def _add(self, cell: Cell, *targets: Any, **roots: Any) -> None:
        roots |= {str(place): each for place, each in enumerate(targets)}
        writer = Writer(roots, self._scope, frozenset(), frames_view)
        self._texts[cell] = self._texts.get(cell, "") + writer.text()
        self._writers[cell].append(writer)

    def _add_table(self, table: DictAttribute) -> None:
        whole = Attribute(table.name)
        self._texts[whole] = ""
        if all(map(is_plain, table.items)):
            for key, each in table.items.items():
                self._add(Key(table.name, key), each)
        else:
            with _unpinned(self._scope, table.items):
                self._add(whole, table.items)

    def _shared(self) -> list[list[tuple[str, int]]]:
        """Return the objects that several cells reach, each by its places in their walks."""
        places: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for cell, writers in self._writers.items():
            for writer in writers:
                for key, number in writer.numbers.items():
                    places[key].append((str(cell), number))
        return sorted(sorted(each) for each in places.values() if len(each) > 1)

    def parts(self) -> StateCells:
        hashes = {
            cell: hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            for cell, text in self._texts.items()
        }
        orders = {each.name: tuple(key if is_plain(key) else id(key) for key in each.items) for each in self._tables}
        return StateCells(hashes, frozenset(orders), orders)


@contextmanager
def _pinned(scope: Scope, names: Mapping[int, str]) -> Iterator[None]:
    """Within this block these objects are known by name, and recording dicts as the tables inside."""
    before = {key: scope.names[key] for key in names if key in scope.names}
    scope.names.update(names)
    scope.plain_kinds.update(RECORDING_RULES)
    try:
        yield
    finally:
        for kind in RECORDING_RULES:
            scope.plain_kinds.pop(kind, None)
        for key in names:
            del scope.names[key]
        scope.names.update(before)


@contextmanager
def _unpinned(scope: Scope, target: Any) -> Iterator[None]:
    """Within this block a pinned object is known by its contents."""
    name = scope.names.pop(id(target))
    try:
        yield
    finally:
        scope.names[id(target)] = name
