"""All that search, limits, progress, paths and reports need to know of a state space."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from sdnloom.engine.semantics import Finding

S = TypeVar("S", bound=Hashable)


class Graph(ABC, Generic[S]):
    """States and their successors, in a canonical order. A System compiles to one; others implement it directly."""

    asks = True  # whether `speaking` can ever say anything
    cycle_proviso = False  # whether a reduction could postpone an action for ever, so that a search has to prevent it

    @abstractmethod
    def initial(self) -> Iterable[S]:
        """The states at the start."""

    @abstractmethod
    def successors(self, state: S) -> Sequence[S]:
        """The states one transition away; one entry per transition, so duplicates count."""

    @abstractmethod
    def labelled(self, state: S) -> Sequence[tuple[Any, S]]:
        """Every (label, successor), whether or not a reduction keeps it."""

    def is_reduced(self, state: S) -> bool:
        """Whether a reduction left something out of `successors`."""
        return False

    def remainder(self, state: S) -> Sequence[S]:
        """The successors that a reduction left out of `successors`."""
        return ()

    def speaking(self, state: S) -> Sequence[Finding]:
        """The properties that speak in the state."""
        return ()
