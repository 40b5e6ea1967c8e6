"""The program that a worker searches, as its process makes it for itself."""

from dataclasses import dataclass

from sdnloom.engine.late import explored_part, judges_rest, with_late_explored
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Strategy, System
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.reduction.stubborn_sets import StubbornSets


@dataclass(frozen=True)
class ClusterProgram:
    """A system with its LATE actions, and how it is searched. Law: each process makes the same one."""

    system: System
    strategy: Strategy | None = None
    reduce: bool = False
    late_explored: bool = False  # LATE actions are explored

    @property
    def whole(self) -> System:
        """The system in which violations at rest are judged."""
        return with_late_explored(self.system) if self.late_explored else self.system

    @property
    def each_at_rest(self) -> bool:
        """Whether each state at rest is judged."""
        return judges_rest(self.whole)

    def memo(self) -> Memo:
        """New tables of what is searched."""
        return Memo(explored_part(self.whole), strategy=self.strategy)

    def reduction(self, searched: System) -> Reduction | None:
        """The reduction, if there is one."""
        return StubbornSets(searched) if self.reduce else None
