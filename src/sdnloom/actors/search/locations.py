"""Locations as numbers, and which of them may be one and the same cell."""

from typing import Any

from sdnloom.actors.program import Naming, Program
from sdnloom.actors.task import Location
from sdnloom.actors.values import Stored


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

    def number(self, location: Location) -> int:
        """The number of a location or query."""
        number = self._numbers.get(location)
        if number is None:
            number = self._numbers[location] = len(self.values)
            self.values.append(location)
            self.field.append((location.actor, location.field))
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
        return found
