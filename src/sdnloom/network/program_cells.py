"""Parts of a controller program's state, the cells of the controller: an attribute, or one key of a table in one."""

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
    """What an attribute that is a table holds under one key."""

    attribute: str
    key: Hashable


@dataclass(frozen=True, slots=True)
class Order:
    """The order in which an attribute that is a table was filled; whoever looks at the whole table can see it."""

    attribute: str


@dataclass(frozen=True, slots=True)
class Connected:
    """What the program's platform keeps of its connection to a switch."""

    switch: str


_PLAIN = (int, str, bytes, type(None))
CONNECTIONS = "connections"  # the cell of what the controller itself knows: who is connected, what may still be called


def is_plain(key: Any) -> bool:
    """Whether a key of a table is known by its value alone: no other type's value equals it, if that is a plain one."""
    return type(key) in _PLAIN or (type(key) is tuple and all(map(is_plain, key)))


def conflict(one: Any, other: Any) -> bool:
    """Whether two cells have a part in common: an attribute shares one with each of its keys, and with their order."""
    if isinstance(one, Attribute) and isinstance(other, Key | Order):
        return one.name == other.attribute
    if isinstance(one, Key | Order) and isinstance(other, Attribute):
        return other.name == one.attribute
    return bool(one == other)


def text_of(cell: Cell) -> str:
    """A part as a user would write it."""
    if isinstance(cell, Key):
        return f"{cell.attribute}[{cell.key!r}]"
    if isinstance(cell, Order):
        return f"the order of {cell.attribute}"
    if isinstance(cell, Connected):
        return f"the connection of {cell.switch!r}"
    return cell.name if isinstance(cell, Attribute) else default_cell_text(cell)
