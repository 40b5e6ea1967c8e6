"""What an exploration found, as plain values: classes of inputs, whether they are all, and if not, why not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sdnloom.symbolic.execution import Branch, Site
from sdnloom.symbolic.terms.constructors import all_, not_, term_text
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.simplify import essential


@dataclass(frozen=True, slots=True)
class RaisedException:
    """An exception that ended a run: its type, its message, the innermost place and the whole traceback as text."""

    type: str
    message: str
    site: Site | None
    traceback: str = field(repr=False, default="")

    def __str__(self) -> str:
        place = f" at {self.site}" if self.site else ""
        return f"{self.type}: {self.message}{place}" if self.message else f"{self.type}{place}"


@dataclass(frozen=True, slots=True)
class PathClass:
    """The inputs that take one path through the code: its branches, one of the inputs, and what that run gave.

    `output` is whatever the run returned, terms included; it is None if the run raised. `trail` has the statements that
    it ran through, by file and line, where code is watched (`rewrite`).
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
        """Return the path condition for people, without the parts that the others imply."""
        return term_text(all_(*essential(self.condition)))


@dataclass(frozen=True, slots=True)
class Divergence:
    """A run that did not do what its input predicts: a constraint was lost, or the code is not deterministic."""

    site: Site | None
    predicted: str
    actual: str
    witness: Mapping[str, int]

    def __str__(self) -> str:
        return f"{self.site or 'end of the run'}: predicted {self.predicted}, but met {self.actual}"


@dataclass(frozen=True, slots=True)
class ExplorationStatistics:
    """How the search went. Every flipped branch is refuted, guessed, remembered, solved, unsat or unknown."""

    paths: int = 0  # runs of the code under test
    branches: int = 0  # recorded in all runs
    unrecorded: int = 0  # met while recording was off
    refuted: int = 0  # flips that the facts of the prefix decide
    guessed: int = 0  # flips whose input was guessed and checked
    remembered: int = 0  # flips that an earlier query answers
    solved: int = 0  # flips whose input came from the solver
    unsat: int = 0
    unknown: int = 0
    solver_seconds: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Exploration:
    """All classes found, in the order they were found.

    `complete` says that every input of the domain is in one of the classes; `reasons` is empty exactly then. That holds
    for what the symbolic values see: branches met while recording was off, and state outside the run, are not covered.
    """

    classes: tuple[PathClass, ...]
    complete: bool
    reasons: tuple[str, ...] = ()
    divergences: tuple[Divergence, ...] = ()
    concretised: tuple[tuple[Site, int], ...] = ()  # where a constraint was lost, and how often
    statistics: ExplorationStatistics = ExplorationStatistics()
    variables: tuple[Term, ...] = ()  # what was explored: these variables,
    domain: tuple[Term, ...] = ()  # within these constraints
