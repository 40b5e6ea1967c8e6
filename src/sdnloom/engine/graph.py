"""Interface of a state space."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from sdnloom.engine.semantics import Finding

S = TypeVar("S", bound=Hashable)


class Graph(ABC, Generic[S]):
    """States and their successors, in a canonical order. A System compiles to one; others implement it directly."""

    checks_states = True  # whether `findings` may return any
    cycle_proviso = False  # whether a search has to check the cycle proviso

    @abstractmethod
    def initial(self) -> Iterable[S]:
        """The initial states."""

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

    def findings(self, state: S) -> Sequence[Finding]:
        """The properties that report something in the state."""
        return ()
