"""Results of an exploration: the classes of inputs, whether they are complete, and the reasons if not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sdnloom.symbolic.execution import Branch, Site
from sdnloom.symbolic.terms.constructors import all_, not_, term_text
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.simplify import essential


@dataclass(frozen=True, slots=True)
class RaisedException:
    """An exception that ended a run: its type, message, innermost site, and whole traceback as text."""

    type: str
    message: str
    site: Site | None
    traceback: str = field(repr=False, default="")

    def __str__(self) -> str:
        site = f" at {self.site}" if self.site else ""
        return f"{self.type}: {self.message}{site}" if self.message else f"{self.type}{site}"


class BranchSide(NamedTuple):
    """One side of a branch: its site, the variables that decide its condition, and the value of the condition."""

    site: Site
    variables: frozenset[str]
    taken: bool


@dataclass(frozen=True, slots=True)
class SidesMet:
    """The sides that paths took, and those at the end of some path that no input of the domain takes.

    Each of these has the ways to it: literals that lead to the branch and on to that side. Only branches count whose
    variables have constraints, and only literals are listed that share variables with the side, directly or not.
    """

    taken: frozenset[BranchSide] = frozenset()
    refused: Mapping[BranchSide, tuple[tuple[Term, ...], ...]] = field(default_factory=dict)


NO_SIDES: Final = SidesMet()


@dataclass(frozen=True, slots=True)
class PathClass:
    """The inputs that take one path through the code: its branches, one of the inputs, and the result of that run.

    `output` is the value that the run returned, with its terms; None if the run raised. `trail` has the executed
    statements, by file and line, of code that leaves a trail (`rewrite`).
    """

    branches: tuple[Branch, ...]
    witness: Mapping[str, int]
    output: Any = None
    exception: RaisedException | None = None
    trail: tuple[tuple[str, int], ...] = field(repr=False, default=())

    @property
    def condition(self) -> tuple[Term, ...]:
        """Return the path condition: an input is in the class exactly if all of these hold."""
        return tuple(branch.condition if branch.taken else not_(branch.condition) for branch in self.branches)

    @property
    def readable(self) -> str:
        """Return the path condition as text, without the literals that the others imply."""
        return term_text(all_(*essential(self.condition)))


@dataclass(frozen=True, slots=True)
class Divergence:
    """A run that did not take the predicted path: a constraint was lost, or the code is not deterministic."""

    site: Site | None
    predicted: str
    actual: str
    witness: Mapping[str, int]

    def __str__(self) -> str:
        return f"{self.site or 'end of the run'}: predicted {self.predicted}, got {self.actual}"


@dataclass(frozen=True, slots=True)
class ExplorationStatistics:
    """Counters of the search. Every flipped branch is refuted, guessed, remembered, solved, unsat or unknown."""

    paths: int = 0  # runs of the code under test
    branches: int = 0  # recorded in all runs
    unrecorded: int = 0  # met while recording was off
    refuted: int = 0  # flips that the facts of the prefix contradict
    guessed: int = 0  # flips whose input was guessed and checked
    remembered: int = 0  # flips that an earlier query answered
    solved: int = 0  # flips whose input came from the solver
    unsat: int = 0
    unknown: int = 0
    solver_seconds: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Exploration:
    """All classes found, in the order in which they were found.

    `complete` means that every input of the domain is in one of the classes; `reasons` is empty exactly then. That
    holds only for the branches that symbolic values see: branches taken while recording was off, and state outside of
    the run, are not covered.
    """

    classes: tuple[PathClass, ...]
    complete: bool
    reasons: tuple[str, ...] = ()
    divergences: tuple[Divergence, ...] = ()
    concretised: tuple[tuple[Site, int], ...] = ()  # where a constraint was lost, and how often
    statistics: ExplorationStatistics = ExplorationStatistics()
    variables: tuple[Term, ...] = ()  # the variables that were explored
    domain: tuple[Term, ...] = ()  # the constraints on them
    sides: SidesMet = NO_SIDES
