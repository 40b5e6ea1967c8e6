"""The individuals that a step meets, numbered in the order in which it meets them.

Tasks and values that differ by a renaming look the same in such a frame, so a step runs once for all of them. A step
may also name individuals that it has not met, such as all hosts of a network: in the frame they are those with numbers
that are still free, in the same order.
"""

from typing import Any

from sdnloom.actors.search.items import NEW, Items
from sdnloom.actors.state import FORGOTTEN
from sdnloom.actors.values import Future, Stored, Symbol, substitute


class NormalFrame:
    """The frame of one step, and its individuals in the state in which the step runs."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self._inward: dict[int, int] = {}
        self._outward: dict[int, int] = {}

    @property
    def is_same(self) -> bool:
        """Whether each individual has the same number in the frame and in the state."""
        return all(inside == outside for inside, outside in self._outward.items())

    def _inside(self, individual: int) -> int:
        found = self._inward.get(individual)
        if found is None:
            found = individual % self._items.kinds
            while found in self._outward:
                found += self._items.kinds
            self._pair(found, individual)
        return found

    def _outside(self, individual: int) -> int:
        if individual // self._items.kinds >= NEW:  # the future of a message that the step sends
            return individual
        found = self._outward.get(individual)
        if found is None:
            found = individual % self._items.kinds
            while found in self._inward:
                found += self._items.kinds
            self._pair(individual, found)
        return found

    def _pair(self, inside: int, outside: int) -> None:
        self._inward[outside], self._outward[inside] = inside, outside

    # Into the frame.

    def item_inside(self, item: int) -> int:
        """An item of the state as the frame has it."""
        individuals = self._items.individuals[item] if item >= 0 else ()
        return self._items.renamed(item, tuple(map(self._inside, individuals))) if individuals else item

    def items_inside(self, items: tuple[int, ...]) -> tuple[int, ...]:
        """What a query read."""
        code = self._items.code
        return tuple(sorted([self.item_inside(item) for item in sorted(items, key=lambda each: (code[each], each))]))

    # Out of the frame.

    def item_outside(self, item: int) -> int:
        """An item of the frame as the state has it."""
        individuals = self._items.individuals[item] if item >= 0 else ()
        return self._items.renamed(item, tuple(map(self._outside, individuals))) if individuals else item

    def location_outside(self, location: int) -> int:
        """A location of the frame as the state has it."""
        locations = self._items.locations
        if not self._items.naming.groups:  # futures are no part of locations
            return location
        return locations.number(locations.values[location].substituted(self._changed))

    def value_outside(self, value: Stored) -> Stored:
        """A value of the frame as the state has it."""
        return substitute(value, self._changed)

    def _changed(self, atom: Any) -> Stored:
        if isinstance(atom, Symbol) or (isinstance(atom, Future) and atom.number < FORGOTTEN):
            return self._items.atom(self._outside(self._items.individual(atom)), atom)
        return atom
