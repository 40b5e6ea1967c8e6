"""A partition: the inputs of a test, divided by what one agent does. It is the result of phase 1.

The partition of an agent in Python has one class for each path through the agent. Of a black box only the inputs that
were tried are known: each is a class of its own, and the partition is never complete.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.symbolic.terms.node import Term

INTERRUPTED: Final = "interrupted from the keyboard"  # words in the reasons of partitions and comparisons

PartitionKind = Literal["paths", "inputs"]


@dataclass(frozen=True, slots=True)
class BehaviourClass:
    """The inputs of a case with one condition, one of them (the witness), and what the agent does with each of them.

    The condition is a conjunction, in the order of the branches. Of a black box it is empty: only the witness counts.
    """

    case: str
    witness: Mapping[str, int]
    output: AgentOutput
    condition: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class PartitionStatistics:
    """How the partition was found: runs of the agent, times, and further inputs of classes that were checked."""

    runs: int = 0
    seconds: float = 0.0
    solver_seconds: float = 0.0
    checked: int = 0


@dataclass(frozen=True, slots=True)
class Partition:
    """What one agent does with a test. Law: `complete` exactly if `reasons` is empty; then every input has a class.

    `unseen` lists what this agent cannot show (`output.seen_output`): it is left out of both sides of a comparison.
    """

    agent: str
    test: SwitchTest
    kind: PartitionKind
    classes: tuple[BehaviourClass, ...]
    complete: bool
    reasons: tuple[str, ...] = ()
    statistics: PartitionStatistics = PartitionStatistics()
    unseen: tuple[str, ...] = ()
