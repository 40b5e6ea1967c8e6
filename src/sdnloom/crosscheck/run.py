"""Both phases: explores agents with tests, compares each pair of them, and replays what was found on both.

Black boxes are tried on inputs that the partitions of the other agents suggest. Tests are taken one after the other,
and the partitions of a test are dropped after it, so that the largest test decides how much memory is needed.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, TypeVar

from sdnloom.crosscheck.agent import Agent, AgentError
from sdnloom.crosscheck.agents.load import AgentSource, load_agent
from sdnloom.crosscheck.black_box import TryProgress, chosen_inputs, strict_partition, try_inputs
from sdnloom.crosscheck.comparison import (
    CauseProgress,
    CompareProgress,
    Comparison,
    Inconsistency,
    RootCause,
    compare_partitions,
    merge_comparisons,
)
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.exploration import ExploreProgress, explore_agent
from sdnloom.crosscheck.output import AgentOutput, seen_output
from sdnloom.crosscheck.partition import INTERRUPTED, Partition
from sdnloom.crosscheck.result import CrosscheckOptions, CrosscheckResult, PartitionSummary
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.crosscheck.witness_file import SwitchWitness
from sdnloom.network.openflow.constants import version_name

_LARGEST_SHARE: Final = 1 / 4  # of the time that is left, for one exploration: few tests need most of the time
_OF_TIME: Final = "the time limit of"


@dataclass(frozen=True, slots=True)
class ConfirmProgress:
    """Progress of the replays of one comparison."""

    test: str
    done: int
    total: int


CrosscheckEvent = ExploreProgress | TryProgress | CompareProgress | CauseProgress | ConfirmProgress
OnCrosscheckEvent = Callable[[CrosscheckEvent], None]


def crosscheck_agents(
    agents: Sequence[str | AgentSource],
    tests: Sequence[SwitchTest],
    options: CrosscheckOptions | None = None,
    on_event: OnCrosscheckEvent | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> CrosscheckResult:
    """Return where two or more agents differ in the tests. Ctrl-C and limits end it with what was found so far."""
    sources = [load_agent(agent) if isinstance(agent, str) else agent for agent in agents]
    _check(sources, tests)
    with ExitStack() as stack:
        return _Run(sources, tests, options or CrosscheckOptions(), on_event, clock, stack).result()


def _check(sources: Sequence[AgentSource], tests: Sequence[SwitchTest]) -> None:
    if len(sources) < 2:
        raise AgentError(f"found {len(sources)} agent, expected two or more to compare")
    if not tests:
        raise AgentError("found no test, expected one or more")
    check_versions(sources, tests)


def check_versions(sources: Sequence[AgentSource], tests: Sequence[SwitchTest]) -> None:
    for source in sources:
        for test in tests:
            if test.version not in source.versions:
                speaks = ", ".join(map(version_name, sorted(source.versions)))
                raise AgentError(
                    f"test {test.name} is for OpenFlow {version_name(test.version)}, but agent {source.name} speaks "
                    f"{speaks or 'no version'}"
                )


def try_witness(witness: SwitchWitness, agent: str | AgentSource) -> AgentOutput:
    """Return what an agent does with the input of a witness file."""
    source = load_agent(agent) if isinstance(agent, str) else agent
    check_versions([source], [witness.test])
    with source.open(witness.test.version) as opened:
        return run_case(opened, witness.test.case(witness.case), witness.test.version, witness.values)


class _OpenSource:
    """A source that keeps its agents open for the whole run: starting a real switch takes longer than most tests."""

    def __init__(self, source: AgentSource, stack: ExitStack) -> None:
        self._source, self._stack = source, stack
        self._agents: dict[int, Agent] = {}
        self.name, self.versions, self.black_box = source.name, source.versions, source.black_box

    def open(self, version: int) -> AbstractContextManager[Agent]:
        if version not in self._agents:
            self._agents[version] = self._stack.enter_context(self._source.open(version))
        return nullcontext(self._agents[version])

    def symbolic(self, version: int) -> Callable[[], Agent]:
        return self._source.symbolic(version)


class _Run:
    """The state of a run: the sources, the time, and the comparisons of each pair so far."""

    def __init__(
        self,
        sources: Sequence[AgentSource],
        tests: Sequence[SwitchTest],
        options: CrosscheckOptions,
        on_event: OnCrosscheckEvent | None,
        clock: Callable[[], float],
        stack: ExitStack,
    ) -> None:
        self._tests, self._options, self._clock = tests, options, clock
        self._on_event = on_event or (lambda event: None)
        self._sources = [_OpenSource(source, stack) if source.black_box else source for source in sources]
        self._pairs = list(combinations(range(len(sources)), 2))
        self._started = clock() - options.spent
        self._work_left = len(tests) * (len(sources) + len(self._pairs))
        self._stopped: str | None = None
        self._failed: dict[str, str] = {}
        self._partitions: list[PartitionSummary] = []
        self._comparisons: dict[tuple[int, int], list[Comparison]] = {pair: [] for pair in self._pairs}
        self._missing: dict[tuple[int, int], list[str]] = {pair: [] for pair in self._pairs}

    def result(self) -> CrosscheckResult:
        for test in self._tests:
            partitions: dict[int, Partition] = {}  # dropped after their test
            try:
                self._take(test, partitions)
            except KeyboardInterrupt:
                self._stopped = INTERRUPTED
            except AgentError as error:  # a real switch may fail late: what was found before counts
                if not any(self._comparisons.values()):
                    raise
                self._failed[test.name] = str(error)
            self._note_missing(test, partitions)
        names = tuple(source.name for source in self._sources)
        comparisons = tuple(self._merged(pair) for pair in self._pairs)
        return CrosscheckResult(names, tuple(self._tests), tuple(self._partitions), comparisons)

    def _take(self, test: SwitchTest, partitions: dict[int, Partition]) -> None:
        """Explore all agents with a test and compare each pair."""
        for number, source in self._in_order():
            if self._reason_to_stop() is None:
                partitions[number] = self._told(self._partition(source, test, list(partitions.values())))
                self._partitions.append(PartitionSummary.of(partitions[number]))
                self._note_interrupt(partitions[number].reasons)
        for pair in self._pairs:
            if all(number in partitions for number in pair):
                self._comparisons[pair].append(self._compare(pair, partitions))

    def _in_order(self) -> Iterator[tuple[int, AgentSource]]:
        """Agents that can be explored come first: their partitions suggest inputs for black boxes."""
        return iter(sorted(enumerate(self._sources), key=lambda item: item[1].black_box))

    def _partition(self, source: AgentSource, test: SwitchTest, known: Sequence[Partition]) -> Partition:
        seconds = self._share(_LARGEST_SHARE)
        if source.black_box:
            guides = known or [strict_partition(test, seconds, self._on_event)]
            inputs = list(chosen_inputs(test, guides, self._options.inputs, self._options.seed))
            return try_inputs(source, test, inputs, seconds, self._on_event)
        options = self._options.explore
        limits = [each for each in (seconds, options.seconds) if each is not None]
        options = replace(options, seconds=min(limits) if limits else None)
        return explore_agent(source, test, options, self._on_event)

    def _told(self, partition: Partition) -> Partition:
        """Return the partition with reasons that say of a limit of time whose part it was."""
        seconds = self._options.seconds
        if seconds is None:
            return partition
        reasons = [f"{each} (a share of {seconds:g} s)" if _OF_TIME in each else each for each in partition.reasons]
        return replace(partition, reasons=tuple(reasons))

    def _compare(self, pair: tuple[int, int], partitions: Mapping[int, Partition]) -> Comparison:
        first, second = (partitions[number] for number in pair)
        with ExitStack() as stack:
            one, other = (self._outcome(self._sources[number], first.test, stack) for number in pair)
            options = replace(self._options.compare, seconds=self._share(), outcomes=(one, other))
            found = compare_partitions(first, second, options, self._on_event)
            self._note_interrupt(found.reasons)
            return self._confirmed(found, pair, first.test, {*first.unseen, *second.unseen})

    def _outcome(
        self, source: AgentSource, test: SwitchTest, stack: ExitStack
    ) -> Callable[[str, Mapping[str, int]], AgentOutput | None] | None:
        """Return what runs a black box, so that root causes of it can be searched."""
        if not source.black_box:
            return None
        agent = stack.enter_context(source.open(test.version))
        return lambda case, values: run_case(agent, test.case(case), test.version, values)

    def _confirmed(
        self, found: Comparison, pair: tuple[int, int], test: SwitchTest, unseen: Collection[str]
    ) -> Comparison:
        """Replay the witness of each root cause and of each inconsistency on both agents."""
        with ExitStack() as stack:
            replay = _Replay([self._sources[number] for number in pair], test, unseen, stack)
            total = len(found.root_causes) + len(found.inconsistencies)
            done = 0

            def checked(one: _Found) -> _Found:
                nonlocal done
                if self._reason_to_stop() is not None:
                    return one
                done += 1
                try:
                    self._on_event(ConfirmProgress(test.name, done, total))
                    return replay.checked(one)
                except KeyboardInterrupt:
                    self._stopped = INTERRUPTED
                    return one

            causes = tuple(map(checked, found.root_causes))
            return replace(found, root_causes=causes, inconsistencies=tuple(map(checked, found.inconsistencies)))

    def _merged(self, pair: tuple[int, int]) -> Comparison:
        """All tests of a pair as one comparison."""
        found, missing = self._comparisons[pair], tuple(self._missing[pair])
        first, second = (self._sources[number].name for number in pair)
        merged = merge_comparisons(found) if found else Comparison((first, second), (), False)
        return replace(merged, complete=False, reasons=(*merged.reasons, *missing)) if missing else merged

    def _note_missing(self, test: SwitchTest, partitions: Mapping[int, Partition]) -> None:
        for pair, comparisons in self._comparisons.items():
            if not any(test in comparison.tests for comparison in comparisons):
                reason = self._failed.get(test.name) or self._reason_to_stop()
                self._missing[pair].append(f"test {test.name} was not compared: {reason}")
                explored = [partitions[number] for number in pair if number in partitions]
                self._missing[pair] += [f"{each.agent}: {reason}" for each in explored for reason in each.reasons]

    def _note_interrupt(self, reasons: Sequence[str]) -> None:
        if any(INTERRUPTED in reason for reason in reasons):
            self._stopped = INTERRUPTED

    def _left(self) -> float | None:
        if self._options.seconds is None:
            return None
        return self._options.seconds - (self._clock() - self._started)

    def _share(self, least: float = 0.0) -> float | None:
        """The time that the next phase may take: what is left, divided by what is left to do, or a part of it."""
        left = self._left()
        share = None if left is None else max(left, 0.0) * max(1 / max(self._work_left, 1), least)
        self._work_left -= 1
        return share if share is None or share < 1 else round(share, 1)  # reasons tell it

    def _reason_to_stop(self) -> str | None:
        left = self._left()
        if self._stopped is None and left is not None and left <= 0:
            self._stopped = f"the time limit of {self._options.seconds:g} s was reached"
        return self._stopped


_Found = TypeVar("_Found", RootCause, Inconsistency)


class _Replay:
    """Runs witnesses on two agents; on a black box twice, because it may not do the same again."""

    def __init__(
        self, sources: Sequence[AgentSource], test: SwitchTest, unseen: Collection[str], stack: ExitStack
    ) -> None:
        self._test = test
        self._agents = [stack.enter_context(source.open(test.version)) for source in sources]
        self._times = [2 if source.black_box else 1 for source in sources]
        self._unseen = unseen

    def checked(self, one: _Found) -> _Found:
        """Return it with `confirmed`, and with the outputs of the replay if these are as predicted."""
        case, version = self._test.case(one.case), self._test.version
        outputs = []
        for agent, predicted, times in zip(self._agents, one.outputs, self._times, strict=True):
            for _ in range(times):
                output = seen_output(run_case(agent, case, version, one.witness), self._unseen)
                if output != seen_output(predicted, self._unseen):
                    return replace(one, confirmed=False)
            outputs.append(output)
        return replace(one, confirmed=True, outputs=(outputs[0], outputs[1]))
