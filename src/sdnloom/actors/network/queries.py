"""Reads of several flow entries at once: those that may match a packet, that a match covers, that overlap with one.

The keys are (..., priority, match). Numbers are compared by the switch model, field by field. A symbol stands for one
of several numbers: where it decides, the answer is yes if it may be, so that a step never depends on less than it does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sdnloom.actors.program import Naming
from sdnloom.actors.values import Frozen, Stored, Symbol, substitute
from sdnloom.network.openflow import Match
from sdnloom.network.switch.tables.lookup import covers, matches, overlap

MatchRow = tuple[str, Stored, int | None]  # a field of a match: its name, value and mask


def stored_rows(key: Stored) -> tuple[MatchRow, ...]:
    """The fields of the match at the end of a stored key."""
    match = key[-1]
    assert isinstance(match, Frozen)
    assert match.kind is Match
    return match.parts[0]  # type: ignore[no-any-return]


def may_be_equal(naming: Naming, one: Stored, other: Stored) -> bool:
    """Whether two stored numbers can be equal, whatever their symbols stand for."""
    if not isinstance(one, Symbol):
        one, other = other, one
    if not isinstance(one, Symbol):
        return bool(one == other)
    if isinstance(other, Symbol) and (one.group, one.facet) == (other.group, other.facet):
        return one.index is None or other.index is None or one.index == other.index
    return not _numbers(naming, one).isdisjoint(_numbers(naming, other))


def _numbers(naming: Naming, stored: Stored) -> frozenset[Any]:
    """What a stored number can stand for. Other hosts' numbers count: a renaming may put them in its place."""
    return frozenset(naming.groups[stored.group].facets[stored.facet] if isinstance(stored, Symbol) else (stored,))


def _related(naming: Naming, one: MatchRow, other: MatchRow, related: Callable[[Match, Match], bool]) -> bool:
    """Whether two fields of the same name can be in a relation of the switch model."""
    (_, value, mask), (_, theirs, their_mask) = one, other
    if isinstance(value, Symbol) or isinstance(theirs, Symbol):
        return mask is not None or their_mask is not None or may_be_equal(naming, value, theirs)
    return related(Match((one,)), Match((other,)))


@dataclass(frozen=True, slots=True)
class MatchingEntries:
    """The entries whose match may match a packet with these fields."""

    fields: tuple[tuple[str, Stored], ...]  # sorted by name
    naming: Naming = field(compare=False, repr=False)

    def covers(self, key: Stored) -> bool:
        """Whether an entry with this key may match the packet."""
        have = dict(self.fields)
        return all(row[0] in have and self._matches(row, have[row[0]]) for row in stored_rows(key))

    def _matches(self, row: MatchRow, have: Stored) -> bool:
        name, value, mask = row
        if isinstance(value, Symbol) or isinstance(have, Symbol):
            return mask is not None or may_be_equal(self.naming, value, have)
        return matches(Match((row,)), {name: have})

    def substituted(self, replacement: Callable[[Any], Stored]) -> "MatchingEntries":
        """The query with every symbol in it replaced."""
        return replace(self, fields=substitute(self.fields, replacement))


@dataclass(frozen=True, slots=True)
class CoveredEntries:
    """The entries that a match covers: equal to it or more special."""

    rows: tuple[MatchRow, ...]
    naming: Naming = field(compare=False, repr=False)

    def covers(self, key: Stored) -> bool:
        """Whether the match may cover an entry with this key."""
        inner = {row[0]: row for row in stored_rows(key)}
        return all(row[0] in inner and _related(self.naming, row, inner[row[0]], covers) for row in self.rows)

    def substituted(self, replacement: Callable[[Any], Stored]) -> "CoveredEntries":
        """The query with every symbol in it replaced."""
        return replace(self, rows=substitute(self.rows, replacement))


@dataclass(frozen=True, slots=True)
class OverlappingEntries:
    """The entries under the same start of a key (a switch, a priority) that may match packets that a match matches."""

    start: tuple[Stored, ...]
    rows: tuple[MatchRow, ...]
    naming: Naming = field(compare=False, repr=False)

    def covers(self, key: Stored) -> bool:
        """Whether an entry with this key may overlap with the match."""
        if not all(may_be_equal(self.naming, one, other) for one, other in zip(self.start, key, strict=False)):
            return False
        return all(_related(self.naming, one, other, overlap) for one, other in self._common(key))

    def _common(self, key: Stored) -> Iterator[tuple[MatchRow, MatchRow]]:
        theirs = {row[0]: row for row in stored_rows(key)}
        return ((row, theirs[row[0]]) for row in self.rows if row[0] in theirs)

    def substituted(self, replacement: Callable[[Any], Stored]) -> "OverlappingEntries":
        """The query with every symbol in it replaced."""
        return replace(self, start=substitute(self.start, replacement), rows=substitute(self.rows, replacement))
