"""What the benchmarks of SOFT's tables share: its tests and agents, and phase 1 with processor time and coverage."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sdnloom
from sdnloom.check.coverage import Coverage, FileCoverage
from sdnloom.crosscheck.agents.load import AgentSource, load_agent
from sdnloom.crosscheck.black_box.input_choice import chosen_inputs
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.exploration import ExploreOptions, explore_agent
from sdnloom.crosscheck.overlap.class_index import ClassIndex
from sdnloom.crosscheck.partition import Partition
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.crosscheck.test_document import load_test
from sdnloom.network.openflow.constants import V10
from sdnloom.symbolic.terms.node import Term, postorder

# SOFT's tests, by our names, in the order of its table 2.
TESTS = {
    "packet-out": "Packet Out",
    "stats-request": "Stats Request",
    "set-config": "Set Config",
    "eth-flow-mod": "Eth FlowMod",
    "flow-mod": "FlowMod",
    "cs-flow-mods": "CS FlowMods",
    "concrete": "Concrete",
    "short-symb": "Short Symb",
}
# Tests that SOFT does not have.
MORE_TESTS = ("hello", "timeouts", "port-mod", "queue-config", "self-description")
V13_TESTS = ("packet-out-13", "flow-mod-13")
LIMIT = 600.0  # seconds of processor time for a test on one core

SOURCE = Path(sdnloom.__file__).parent
# Agent -> the folder of its code, and what in it is data, names or for OpenFlow 1.3 only.
COMPACT = ("crosscheck/agents/compact", ("openflow13", "differences", "modifications", "behaviours", "source"))
CODE: dict[str, tuple[str, tuple[str, ...]]] = {
    "reference-like": COMPACT,
    "ovs-like": COMPACT,
    "modified": COMPACT,
    "strict": ("network/switch", ()),
}


@cache
def source_of(agent: str) -> AgentSource:
    """The source of an agent, loaded and rewritten once."""
    source = load_agent(agent)
    explore_agent(source, load_test("concrete"))
    return source


@dataclass(frozen=True)
class Explored:
    """A partition and the processor time that phase 1 took."""

    partition: Partition
    seconds: float


def explored(agent: str, test: SwitchTest, seconds: float | None = None) -> Explored:
    """Phase 1 of an agent, with processor time as the clock of its limit."""
    source = source_of(agent)
    before = time.process_time()
    partition = explore_agent(source, test, ExploreOptions(seconds=seconds), clock=time.process_time)
    return Explored(partition, time.process_time() - before)


def wrong_inputs(agent: str, partition: Partition, limit: int) -> tuple[int, int]:
    """How many inputs were run on the agent as it is, and how many did something else than their class says.

    They are every witness, boundary values of each field, further inputs of each class, and chance.
    """
    index, test = ClassIndex(partition), partition.test
    tried = wrong = 0
    with source_of(agent).open(test.version) as opened:
        for case, values in chosen_inputs(test, [partition], limit, seed=15):
            tried += 1
            wrong += run_case(opened, test.case(case), test.version, values) != index.output(case, values)
    return tried, wrong


def condition_sizes(partition: Partition) -> tuple[float, int]:
    """The mean and the largest number of operations in the condition of a class."""
    sizes = [operations(each.condition) for each in partition.classes]
    return sum(sizes) / len(sizes), max(sizes)


def operations(condition: Iterable[Term]) -> int:
    """The number of distinct operations in a conjunction."""
    return sum(bool(term.depth) for term in postorder(*condition))


def outputs(partition: Partition) -> int:
    """The number of different outputs, as they are before any group is made."""
    return len({(each.case, each.output) for each in partition.classes})


@dataclass(frozen=True)
class AgentCoverage:
    """How much of an agent's code was reached."""

    lines: int
    reached_lines: int
    branches: int
    reached_branches: int

    @property
    def line_share(self) -> float:
        """Reached lines, in percent."""
        return 100 * self.reached_lines / self.lines

    @property
    def branch_share(self) -> float:
        """Reached branches, in percent."""
        return 100 * self.reached_branches / self.branches


def coverage_of(agent: str, partitions: Sequence[Partition]) -> AgentCoverage:
    """The coverage of one input of each class, run on the agent as it is; without partitions, of the start alone."""
    folder, left_out = CODE[agent]
    files = [
        file for file in sorted((SOURCE / folder).rglob("*.py")) if not {file.stem, file.parent.name} & {*left_out}
    ]
    measured, version = Coverage(tuple(files)), V10
    with source_of(agent).open(version) as opened:
        measured.watching(lambda: [*opened.reset()])
        for partition in partitions:
            cases = {case.name: case for case in partition.test.cases}
            for each in partition.classes:
                case, witness = cases[each.case], each.witness
                measured.watching(lambda case=case, witness=witness: run_case(opened, case, version, witness))  # type: ignore[misc]
    return _summed(measured.report())


def _summed(files: Iterable[FileCoverage]) -> AgentCoverage:
    totals: list[Any] = [(len(file.lines), file.reached_lines, file.branches, file.reached_branches) for file in files]
    return AgentCoverage(*map(sum, zip(*totals, strict=True)))
