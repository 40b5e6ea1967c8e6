"""Cells of a controller program's state: an attribute, or one key of a dict in an attribute."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Cell
from sdnloom.engine.reduction.explain import default_cell_text


@dataclass(frozen=True, slots=True)
class Attribute:
    """A whole attribute."""

    name: str


@dataclass(frozen=True, slots=True)
class Key:
    """The value under one key of a dict in an attribute."""

    attribute: str
    key: Hashable


@dataclass(frozen=True, slots=True)
class Order:
    """The insertion order of a dict in an attribute; a read of the whole dict includes it."""

    attribute: str


@dataclass(frozen=True, slots=True)
class Connected:
    """The state of the connection to a switch, as the program's platform keeps it."""

    switch: str


_PLAIN = (int, str, bytes, type(None))
CONNECTIONS = "connections"  # the cell of the controller's own state: connections and budgets


def is_plain(key: Any) -> bool:
    """Whether a key is of a type whose values equal no value of another such type."""
    return type(key) in _PLAIN or (type(key) is tuple and all(map(is_plain, key)))


def conflict(one: Any, other: Any) -> bool:
    """Whether two cells overlap: an attribute overlaps with each of its keys, and with their order."""
    if isinstance(one, Attribute) and isinstance(other, Key | Order):
        return one.name == other.attribute
    if isinstance(one, Key | Order) and isinstance(other, Attribute):
        return other.name == one.attribute
    return bool(one == other)


def text_of(cell: Cell) -> str:
    """A cell as a user would write it."""
    if isinstance(cell, Key):
        return f"{cell.attribute}[{cell.key!r}]"
    if isinstance(cell, Order):
        return f"the order of {cell.attribute}"
    if isinstance(cell, Connected):
        return f"the connection of {cell.switch!r}"
    return cell.name if isinstance(cell, Attribute) else default_cell_text(cell)
