"""Locations as numbers, and which of them may be one and the same cell."""

from typing import Any

from sdnloom.actors.program import Naming, Program
from sdnloom.actors.search.equivariance import Asymmetry
from sdnloom.actors.search.renamings import GroupMember, Renamings
from sdnloom.actors.search.unify import may_collide
from sdnloom.actors.task import Location
from sdnloom.actors.values import Stored, Symbol, substitute


class Locations:
    """The locations and queries that a search has met."""

    def __init__(self, program: Program, naming: Naming) -> None:
        self._program, self._naming = program, naming
        self._numbers: dict[Location, int] = {}
        self.values: list[Location] = []
        self.field: list[tuple[Stored, str]] = []  # of each location
        self.is_query: list[bool] = []
        self._defaults: dict[int, Stored] = {}
        self._covers: dict[tuple[int, int], bool] = {}
        self._renamings = Renamings(naming) if naming.groups else None
        self._blanks: dict[str, dict[Location, None]] = {}  # by field

    def number(self, location: Location) -> int:
        """The number of a location or query."""
        number = self._numbers.get(location)
        if number is None:
            number = self._numbers[location] = len(self.values)
            self.values.append(location)
            self.field.append((location.actor, location.field))
            self._check(location)
            self.is_query.append(location.key is not None and not isinstance(location.key, tuple))
        return number

    def default(self, number: int) -> Stored:
        """What a location holds if nothing was written to it."""
        if number not in self._defaults:
            self._defaults[number] = self._program.default(self._naming, self.values[number])
        return self._defaults[number]

    def is_in_field_of(self, query: int, location: int) -> bool:
        """Whether a location is in the field that a query asks."""
        return self.field[query] == self.field[location]

    def covers(self, query: int, location: int) -> bool:
        """Whether a query depends on a location."""
        found = self._covers.get((query, location))
        if found is None:
            key: Any = self.values[location].key
            at: Any = self.values[query].key
            found = self.is_in_field_of(query, location) and key is not None and at.covers(key[0])
            self._covers[query, location] = found
            if self._renamings is not None and not found and self.is_in_field_of(query, location):
                self._check_not_covered(at, key[0])
        return found

    def _check(self, location: Location) -> None:
        """Raise Asymmetry if a location may be the same cell as another one that symbols tell apart from it."""
        if self._renamings is None or not (location.key is None or isinstance(location.key, tuple)):
            return
        blank = location.substituted(_without_index)
        others = self._blanks.setdefault(location.field, {})
        if blank in others:
            return
        for other in others:
            if may_collide(self._naming, blank, other):
                raise Asymmetry(f"the field {location.field!r} has keys that are equal and belong to different actors")
        others[blank] = None

    def _check_not_covered(self, query: Any, key: Stored) -> None:
        assert self._renamings is not None
        members: dict[GroupMember, None] = {}

        def look(atom: Any) -> Stored:
            if isinstance(atom, Symbol) and atom.index is not None:
                members[atom.group, atom.index] = None
            return atom

        substitute(key, look)
        query.substituted(look)
        for change in self._renamings.of(members):
            if query.substituted(change).covers(substitute(key, change)):
                raise Asymmetry("a flow entry matches only with other names")


def _without_index(atom: Any) -> Stored:
    return Symbol(atom.group, atom.facet, None) if isinstance(atom, Symbol) else atom
