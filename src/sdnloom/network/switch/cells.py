"""Which parts of a core a step touches, and when two such parts are not independent.

A cell is a tuple whose first element is its kind, or a plain word:

| cell | is |
|---|---|
| `("flow", table, priority, match)` | one flow entry, present or not |
| `("lookup", table, fields, priority)` | every entry of at least that priority that a packet with these fields meets |
| `("region", table or None, match)` | every entry that a non-strict command reaches; None is all tables |
| `("overlap", table, priority, match)` | every entry that the overlap check compares with |
| `("touch", table, fields)` | every entry that a packet with these fields may meet and so change |
| `("beneath", table, match)` | every entry that a command with this match may change |
| `("room", table)` | how full a bounded table is |
| `("later",)` | every entry of every table but the first, and how full these are |
| `("group", number)`, `"groups"` | one group, all groups |
| `("port", number)`, `"ports"` | one port, all ports |
| `"buffers"`, `"config"`, `"macs"`, `"counts"`, `"connection"` | the rest |
| `"time"` | how long timers have run; written by the passing of time, read by what starts or shows a timer |

Two steps are independent when no cell that one writes conflicts with a cell that the other reads or writes. For an
engine that compares cells for equality only, `coarse` gives cells that are safe to compare so.
"""

from collections.abc import Hashable, Iterable
from typing import Any

from sdnloom.network.switch.tables.lookup import covers, matches, overlap

Cell = Hashable
_TABLE_KINDS = frozenset({"flow", "lookup", "region", "overlap", "touch", "beneath", "room"})
_WHOLE = {"group": "groups", "port": "ports"}


def cells_conflict(one: Any, other: Any) -> bool:
    """Return whether two cells have a part in common. Symmetric."""
    if one == other:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return other in _wholes(one) or one in _wholes(other)
    for wide, rest in ((one, other), (other, one)):
        if wide[0] == "later":
            return rest[0] in _TABLE_KINDS and rest[1] != 0
        if wide[0] in ("touch", "beneath"):
            return _widely(wide, rest)
    if "flow" not in (one[0], other[0]):
        return False  # what is no single entry or part is only ever read
    flow, rest = (one, other) if one[0] == "flow" else (other, one)
    _, table, priority, match = flow
    if rest[0] == "lookup":
        return bool(rest[1] == table and priority >= rest[3] and matches(match, dict(rest[2])))
    if rest[0] == "region":
        return rest[1] in (None, table) and covers(rest[2], match)
    if rest[0] == "overlap":
        return bool(rest[1] == table and rest[2] == priority and overlap(rest[3], match))
    return False


def _widely(wide: Any, other: Any) -> bool:
    """Return whether some of the entries that a step may change can be among the others."""
    kind, table, what = wide
    if other[0] not in _TABLE_KINDS - {"room"} or other[1] not in (None, table):
        return False
    if kind == "touch":
        return matches(other[-1], dict(what)) if other[0] in ("flow", "region", "beneath") else True
    if other[0] == "flow":
        return covers(what, other[-1])
    return matches(what, dict(other[2])) if other[0] in ("lookup", "touch") else True


def _wholes(cell: Any) -> tuple[str, ...]:
    """Return the whole that a cell is a part of."""
    kind = _kind(cell)
    return (_WHOLE[kind],) if kind in _WHOLE else ()


def _kind(cell: Any) -> str:
    return cell if isinstance(cell, str) else str(cell[0])


def independent(
    reads: Iterable[Cell], writes: Iterable[Cell], other_reads: Iterable[Cell], other_writes: Iterable[Cell]
) -> bool:
    """Return whether two footprints leave each other alone; then the two steps commute."""
    reads, writes, other_reads, other_writes = map(tuple, (reads, writes, other_reads, other_writes))
    return not (
        any(cells_conflict(mine, theirs) for mine in writes for theirs in other_reads + other_writes)
        or any(cells_conflict(mine, theirs) for mine in reads for theirs in other_writes)
    )


def coarse(cells: Iterable[Cell]) -> frozenset[Cell]:
    """Return the few whole parts that contain these cells: conflicting cells always share one."""
    found = set()
    for cell in cells:
        kind = _kind(cell)
        found.add("table" if kind in _TABLE_KINDS or kind == "later" else _WHOLE.get(kind, kind))
    return frozenset(found)
