"""The result of a swarm: its members, what they cover by estimate, and the first violation by number of member."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sdnloom.engine.result import Counterexample
from sdnloom.engine.swarm.coverage import SwarmCoverage, coverage_of
from sdnloom.engine.swarm.member import MemberOutcome
from sdnloom.engine.swarm.options import SwarmOptions

OUTLIVED = (
    "a violation at rest ended when what was still waited for had happened; a swarm takes such steps in one order only"
)


@dataclass(frozen=True)
class SwarmResult:
    """What a swarm has found. It never says that a property holds.

    Without a time limit, and if no worker died, everything but `processes` and `seconds` depends on the system and the
    options alone.
    """

    options: SwarmOptions
    members: tuple[MemberOutcome, ...]  # by number; after a violation those up to the member that found it
    violation: Counterexample | None = None
    walked: int = 0  # steps of the violating path before it was shortened
    stopped: str | None = None  # why the swarm ended before its members
    processes: int = field(default=1, compare=False)
    seconds: float = field(default=0.0, compare=False)
    notes: tuple[str, ...] = ()  # what went otherwise than asked

    @property
    def verdict(self) -> Literal["violated", "incomplete"]:
        """Whether a violation was found."""
        return "incomplete" if self.violation is None else "violated"

    @property
    def states(self) -> int:
        """The states that the members counted; a state that two of them found counts twice."""
        return sum(each.states for each in self.members)

    @property
    def transitions(self) -> int:
        """The transitions that the members explored."""
        return sum(each.transitions for each in self.members)

    @cached_property
    def coverage(self) -> SwarmCoverage:
        """What all members together have found, and estimates of the space."""
        return coverage_of([each.sample for each in self.members], self.options.sample_size)
