"""A state in parts: what each table holds under each key, each connection, and the rest.

A table is a dict that an attribute of an app holds and nothing else refers to. A part is compared by a hash of its
text, which tells all that can be reached from it (`digest.py`) up to where another part begins.

Law: if a state changes, so does a part of it. What two parts share is told of both, and that they do, of the rest.
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
from sdnloom.platforms.footprint.recording_dict import DISGUISES, table_kind

REST = "the rest of its state"


class DictAttribute(NamedTuple):
    """A dict in an attribute of an app."""

    name: str  # "App.attribute"
    holder: dict[str, Any]  # the attributes of the app
    attribute: str
    items: dict[Any, Any]


@dataclass(frozen=True)
class StateCells:
    """The parts of a state with their hashes, and the names of its tables."""

    hashes: Mapping[Cell, bytes]
    tables: frozenset[str]
    orders: Mapping[str, tuple[Any, ...]] = field(compare=False)  # the keys of each table, objects by their ids

    def changed(self, other: "StateCells") -> set[Cell]:
        """Return the parts in which another state differs, and the tables with keys that were put after others."""
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
    """Return the present state in parts; None if it holds what no text can tell."""
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
    """One walk through every part."""

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
            # What a table does about keys that it does not have is seen by all.
            factories = {each.name: getattr(each.items, "default_factory", None) for each in tables}
            self._add(REST, **{**roots, "(factories)": factories})
        # So is of which type it is, and who shares something with whom.
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
        """Return the objects that several parts lead to, each by its places in their walks."""
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
    """Know objects by these names for a while, and tables that note for what they are without that."""
    before = {key: scope.names[key] for key in names if key in scope.names}
    scope.names.update(names)
    scope.plain_kinds.update(DISGUISES)
    try:
        yield
    finally:
        for kind in DISGUISES:
            scope.plain_kinds.pop(kind, None)
        for key in names:
            del scope.names[key]
        scope.names.update(before)


@contextmanager
def _unpinned(scope: Scope, target: Any) -> Iterator[None]:
    """Know a pinned object by what it holds for a while."""
    name = scope.names.pop(id(target))
    try:
        yield
    finally:
        scope.names[id(target)] = name
