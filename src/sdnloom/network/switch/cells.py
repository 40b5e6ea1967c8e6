"""The cells of a switch core, and which of them conflict.

A cell is a tuple whose first element is its kind, or a plain word:

| cell | is |
|---|---|
| `("flow", table, priority, match)` | one flow entry, present or not |
| `("lookup", table, fields, priority)` | every entry of at least that priority that matches a packet of these fields |
| `("region", table or None, match)` | every entry that a non-strict command selects; None is all tables |
| `("overlap", table, priority, match)` | every entry that the overlap check compares with |
| `("touch", table, fields)` | every entry that may match a packet of these fields and be changed by it |
| `("beneath", table, match)` | every entry that a command with this match may change |
| `("room", table)` | the number of entries of a bounded table |
| `("later",)` | every entry of every table but the first, and the number of entries there |
| `("group", number)`, `"groups"` | one group, all groups |
| `("meter", number)`, `"meters"` | one meter, all meters |
| `("port", number)`, `"ports"` | one port, all ports |
| `"buffers"`, `"config"`, `"macs"`, `"counts"`, `"connection"` | the rest |
| `"time"` | how long timers have run; written when time passes, read by steps that start or report a timer |

Two steps are independent if no cell that one writes conflicts with a cell that the other reads or writes. For an
engine that only compares cells for equality, `coarse` returns cells for which that is enough.
"""

from collections.abc import Iterable
from typing import Any

from sdnloom.engine.model import Cell as Cell
from sdnloom.network.switch.tables.lookup import covers, matches, overlap

_TABLE_KINDS = frozenset({"flow", "lookup", "region", "overlap", "touch", "beneath", "room"})
_WHOLE = {"group": "groups", "meter": "meters", "port": "ports"}


def cells_conflict(one: Any, other: Any) -> bool:
    """Return whether two cells have a part of the core in common. Symmetric."""
    if one == other:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return other in _wholes(one) or one in _wholes(other)
    for wide, rest in ((one, other), (other, one)):
        if wide[0] == "later":
            return rest[0] in _TABLE_KINDS and rest[1] != 0
        if wide[0] in ("touch", "beneath"):
            return _wide_conflict(wide, rest)
    if "flow" not in (one[0], other[0]):
        return False  # the other kinds of sets of entries are only read
    flow, rest = (one, other) if one[0] == "flow" else (other, one)
    _, table, priority, match = flow
    if rest[0] == "lookup":
        return bool(rest[1] == table and priority >= rest[3] and matches(match, dict(rest[2])))
    if rest[0] == "region":
        return rest[1] in (None, table) and covers(rest[2], match)
    if rest[0] == "overlap":
        return bool(rest[1] == table and rest[2] == priority and overlap(rest[3], match))
    return False


def _wide_conflict(wide: Any, other: Any) -> bool:
    """Return whether an entry that a step may change ("touch" or "beneath") can be one of the other cell."""
    kind, table, selector = wide
    if other[0] not in _TABLE_KINDS - {"room"} or other[1] not in (None, table):
        return False
    if kind == "touch":
        return matches(other[-1], dict(selector)) if other[0] in ("flow", "region", "beneath") else True
    if other[0] == "flow":
        return covers(selector, other[-1])
    return matches(selector, dict(other[2])) if other[0] in ("lookup", "touch") else True


def _wholes(cell: Any) -> tuple[str, ...]:
    """Return the cell of all groups, meters or ports that a cell belongs to, if any."""
    kind = _kind(cell)
    return (_WHOLE[kind],) if kind in _WHOLE else ()


def _kind(cell: Any) -> str:
    return cell if isinstance(cell, str) else str(cell[0])


def independent(
    reads: Iterable[Cell], writes: Iterable[Cell], other_reads: Iterable[Cell], other_writes: Iterable[Cell]
) -> bool:
    """Return whether two footprints do not conflict; then the two steps commute."""
    reads, writes, other_reads, other_writes = map(tuple, (reads, writes, other_reads, other_writes))
    return not (
        any(cells_conflict(one, other) for one in writes for other in other_reads + other_writes)
        or any(cells_conflict(one, other) for one in reads for other in other_writes)
    )


def coarse(cells: Iterable[Cell]) -> frozenset[Cell]:
    """Return coarse cells that contain these cells. Law: cells that conflict have a coarse cell in common."""
    found = set()
    for cell in cells:
        kind = _kind(cell)
        found.add("table" if kind in _TABLE_KINDS or kind == "later" else _WHOLE.get(kind, kind))
    return frozenset(found)
