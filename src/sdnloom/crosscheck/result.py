"""The result of a crosscheck: the comparison of each pair of agents, and how their partitions were found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from sdnloom.crosscheck.comparison import CompareOptions, Comparison
from sdnloom.crosscheck.exploration import ExploreOptions
from sdnloom.crosscheck.partition import Partition, PartitionKind, PartitionStatistics
from sdnloom.crosscheck.switch_test import SwitchTest

CrosscheckVerdict = Literal["agree", "differ", "incomplete"]


@dataclass(frozen=True, slots=True)
class CrosscheckOptions:
    """Limits of a run. Of a black box at most `inputs` inputs are tried for each test.

    `seconds` is for all of it, and `spent` of them have passed before.
    """

    explore: ExploreOptions = field(default_factory=ExploreOptions)
    compare: CompareOptions = field(default_factory=CompareOptions)
    seconds: float | None = None
    inputs: int = 2_000
    seed: int = 0
    spent: float = 0.0


@dataclass(frozen=True, slots=True)
class PartitionSummary:
    """A partition without its classes: what is left of it after its test."""

    agent: str
    test: str
    kind: PartitionKind
    classes: int
    complete: bool
    reasons: tuple[str, ...]
    statistics: PartitionStatistics

    @staticmethod
    def of(partition: Partition) -> "PartitionSummary":
        """Return the summary of a partition."""
        return PartitionSummary(
            partition.agent,
            partition.test.name,
            partition.kind,
            len(partition.classes),
            partition.complete,
            partition.reasons,
            partition.statistics,
        )


@dataclass(frozen=True, slots=True)
class CrosscheckResult:
    """The comparison of each pair of agents, and how their partitions were found."""

    agents: tuple[str, ...]
    tests: tuple[SwitchTest, ...]
    partitions: tuple[PartitionSummary, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def complete(self) -> bool:
        """Whether every input of every test was compared for every pair."""
        return all(comparison.complete for comparison in self.comparisons)

    @property
    def verdict(self) -> CrosscheckVerdict:
        """Differ if any pair does; agree only if everything was compared."""
        verdicts = {pair_verdict(comparison) for comparison in self.comparisons}
        return "differ" if "differ" in verdicts else "incomplete" if "incomplete" in verdicts else "agree"


def pair_verdict(comparison: Comparison) -> CrosscheckVerdict:
    """Return whether two agents differ; they agree only if everything was compared."""
    if comparison.inconsistencies:
        return "differ"
    return "agree" if comparison.complete else "incomplete"


# As everywhere: 0 holds, 1 violated, 2 bad input, 3 incomplete.
CROSSCHECK_EXIT_CODES: Final[Mapping[CrosscheckVerdict, int]] = {"agree": 0, "differ": 1, "incomplete": 3}
