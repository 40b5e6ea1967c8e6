"""Values with a hole for each individual in them."""

from collections.abc import Callable
from typing import Any

from sdnloom.actors.state import FORGOTTEN
from sdnloom.actors.task import Suspension
from sdnloom.actors.values import Done, Frozen, Future, Reference, Stored, Symbol
from sdnloom.engine.stable_text import stable_text

ANY_FUTURE = Future(0)  # the hole of a future; that of a symbol is the symbol without an index


class Blank:
    """Makes blanks of values and collects their individuals, in the order of their occurrence.

    The individuals of a set are in the order of their numbers; `is_unordered` says that there was a set with several.
    """

    def __init__(self, individual: Callable[[Any], int]) -> None:
        self._individual = individual
        self.found: list[int] = []
        self.is_unordered = False

    def of(self, stored: Stored) -> Stored:
        """The value with holes. The log of a suspended task is left out."""
        kind = type(stored)
        if stored is None or kind is int or kind is str or kind is bytes:
            return stored
        if kind is tuple:
            return tuple([self.of(each) for each in stored])
        if kind is Symbol:
            self.found.append(self._individual(stored))
            return Symbol(stored.group, stored.facet, None)
        if kind is Future:
            return self._of_future(stored)
        if kind is Frozen:
            return Frozen(stored.kind, tuple([self.of(each) for each in stored.parts]))
        if kind is Reference:
            return Reference(self.of(stored.actor))
        if kind is Done:
            return self._of_known(stored)
        if kind is frozenset:
            return self._of_set(stored)
        if kind is Suspension:
            return "suspension", self.of(stored.identity), self.of(stored.awaits)
        return stored

    def _of_future(self, stored: Future) -> Stored:
        if stored.number >= FORGOTTEN:
            return stored
        self.found.append(self._individual(stored))
        return ANY_FUTURE

    def _of_known(self, stored: Done) -> Stored:
        return Done(self.of(stored.value))

    def _of_set(self, stored: frozenset[Stored]) -> Stored:
        parts = []
        for each in stored:
            inside = type(self)(self._individual)
            blank = inside.of(each)
            self.is_unordered |= inside.is_unordered
            parts.append((stable_text(blank), inside.found, blank))
        parts.sort(key=lambda part: part[:2])
        found = [individual for part in parts for individual in part[1]]
        self.is_unordered |= len(set(found)) > 1
        self.found += found
        return Frozen(frozenset, tuple(part[2] for part in parts))


class ClassBlank(Blank):
    """Blanks for classes of tasks: a future is like a known one, and the individuals of sets with several are none."""

    def _of_future(self, stored: Future) -> Stored:
        return ANY_FUTURE

    def _of_known(self, stored: Done) -> Stored:
        return ANY_FUTURE

    def _of_set(self, stored: frozenset[Stored]) -> Stored:
        before = list(self.found)
        blank = super()._of_set(stored)
        if len(set(self.found[len(before) :])) > 1:
            self.found = before
        return blank
