"""Phase 2: what two agents do differently, from their partitions alone.

Laws: classes are compared by their conditions and outputs alone, so neither agent is needed. A comparison is complete
only if both partitions are and every question was answered: then no difference found means that there is none.
"""

import itertools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sdnloom.crosscheck.output import AgentOutput, seen_output
from sdnloom.crosscheck.overlap.class_index import ClassIndex
from sdnloom.crosscheck.overlap.intersection import CaseComparer, CaseIntersection, DifferentInput
from sdnloom.crosscheck.partition import INTERRUPTED, Partition
from sdnloom.crosscheck.root_causes.cause import RootCause as RootCause
from sdnloom.crosscheck.root_causes.cause import merged_causes, root_cause
from sdnloom.crosscheck.root_causes.cause_text import changed_text
from sdnloom.crosscheck.root_causes.coverage import cover_pairs
from sdnloom.crosscheck.root_causes.difference import differs_always, is_field_of_message
from sdnloom.crosscheck.root_causes.find import CauseFinder, FoundCause
from sdnloom.crosscheck.root_causes.set_check import partition_checks
from sdnloom.crosscheck.root_causes.trial import RunInput, Trial
from sdnloom.crosscheck.switch_test import Case, SwitchTest
from sdnloom.crosscheck.test_document import domain
from sdnloom.engine.stop_points import LimitReached
from sdnloom.errors import SdnloomError
from sdnloom.inputs.condition_text import condition_text
from sdnloom.symbolic.solver.interface import find_solver


class ComparisonError(SdnloomError):
    """Partitions that cannot be compared: of different tests."""


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How to compare. `outcomes` runs an agent on (case, values): for black boxes, whose partition knows few inputs."""

    per_path: bool = False  # pairs of classes instead of groups
    seconds: float | None = None
    query_seconds: float = 10.0
    solver: str = "auto"
    outcomes: tuple[RunInput | None, RunInput | None] = (None, None)
    root_causes: bool = True


@dataclass(frozen=True, slots=True)
class CompareProgress:
    """How far a comparison is."""

    test: str
    case: str
    queries: int
    inconsistencies: int


@dataclass(frozen=True, slots=True)
class CauseProgress:
    """How far the search for root causes is: inputs that were looked up or tried."""

    test: str
    case: str
    inputs: int


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Two groups with different outputs and an input that is in both. `confirmed` is None if it was not replayed."""

    test: str
    case: str
    condition: str
    witness: Mapping[str, int]
    outputs: tuple[AgentOutput, AgentOutput]
    confirmed: bool | None = None


@dataclass(frozen=True, slots=True)
class CompareStatistics:
    """How the comparison was made."""

    classes: tuple[int, int] = (0, 0)
    groups: tuple[int, int] = (0, 0)
    compared: int = 0  # inputs that were looked up in both partitions
    not_compared: int = 0  # witnesses that one of the partitions does not know
    queries: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two agents do differently in one or more tests. Law: complete exactly if `reasons` is empty."""

    agents: tuple[str, str]
    tests: tuple[SwitchTest, ...]
    complete: bool
    reasons: tuple[str, ...] = ()
    inconsistencies: tuple[Inconsistency, ...] = ()
    root_causes: tuple[RootCause, ...] = ()
    statistics: CompareStatistics = CompareStatistics()


_DEFAULTS: Final = CompareOptions()
_GRACE_SECONDS: Final = 1.0
_EVENT_PACE: Final = 50  # inputs between two events of the search for root causes


def compare_partitions(
    first: Partition,
    second: Partition,
    options: CompareOptions = _DEFAULTS,
    on_event: Callable[[CompareProgress | CauseProgress], Any] | None = None,
) -> Comparison:
    """Return the differences of two agents in one test; raise ComparisonError if the partitions are of two tests."""
    if first.test != second.test:
        raise ComparisonError(
            f"the partition of {first.agent} is of test {first.test.name}, that of {second.agent} of "
            f"{second.test.name}{' in another form' if first.test.name == second.test.name else ''};"
            " expected partitions of the same test"
        )
    if unseen := {*first.unseen, *second.unseen}:
        first, second = (_seen_partition(each, unseen) for each in (first, second))
        one, other = (_seen_outcome(each, unseen) for each in options.outcomes)
        options = replace(options, outcomes=(one, other))
    return _Comparing(first, second, options, on_event).run()


def _seen_partition(partition: Partition, unseen: Collection[str]) -> Partition:
    """Return the partition without what one of the agents cannot show."""
    classes = tuple(replace(each, output=seen_output(each.output, unseen)) for each in partition.classes)
    return replace(partition, classes=classes)


def _seen_outcome(run: RunInput | None, unseen: Collection[str]) -> RunInput | None:
    if run is None:
        return None

    def seen(case: str, values: Mapping[str, int]) -> AgentOutput | None:
        output = run(case, values)
        return None if output is None else seen_output(output, unseen)

    return seen


def _reasons(partition: Partition) -> tuple[str, ...]:
    """Return why a partition is not complete, whatever it says of itself."""
    if partition.kind == "inputs" and (partition.complete or not partition.reasons):
        return (*partition.reasons, "only some inputs were tried")
    return partition.reasons or (() if partition.complete else ("the partition is not complete",))


class _Comparing:
    def __init__(
        self,
        first: Partition,
        second: Partition,
        options: CompareOptions,
        on_event: Callable[[CompareProgress | CauseProgress], Any] | None,
    ) -> None:
        self._partitions = first, second
        self._indexes = ClassIndex(first), ClassIndex(second)
        self._options = options
        self._on_event = on_event
        self._started = time.monotonic()
        self._solver = find_solver(options.solver)
        self._inconsistencies: list[Inconsistency] = []
        self._causes: list[RootCause] = []
        self._queries = 0

    def run(self) -> Comparison:
        first, second = self._partitions
        reasons = {f"{each.agent}: {reason}": None for each in (first, second) for reason in _reasons(each)}
        statistics = CompareStatistics((len(first.classes), len(second.classes)))
        for number, case in enumerate(first.test.cases):
            found = self._case(case)
            reasons |= found.reasons
            sizes = tuple(map(len, found.groups))
            statistics = replace(
                statistics,
                groups=(statistics.groups[0] + sizes[0], statistics.groups[1] + sizes[1]),
                compared=statistics.compared + found.compared,
                not_compared=statistics.not_compared + found.not_compared,
                queries=statistics.queries + found.queries,
            )
            rest = [each.name for each in first.test.cases[number + 1 :]]
            if found.ended and rest:
                reasons[f"cases not compared: {', '.join(rest)}"] = None
            if found.ended:
                break
        statistics = replace(statistics, seconds=time.monotonic() - self._started)
        agents = first.agent, second.agent
        return Comparison(
            agents,
            (first.test,),
            not reasons,
            tuple(reasons),
            tuple(self._inconsistencies),
            merged_causes(self._causes),
            statistics,
        )

    def _overdue(self) -> bool:
        limit = self._options.seconds
        return limit is not None and time.monotonic() - self._started > limit

    def _case(self, case: Case) -> CaseIntersection:
        options, test = self._options, self._partitions[0].test
        solver = self._solver(domain(case), options.query_seconds) if self._solver and case.variables else None
        comparer = CaseComparer(
            self._indexes,
            case,
            per_path=options.per_path,
            solver=solver,
            overdue=self._overdue,
            on_query=self._tell(case),
        )
        found = comparer.run()
        numbers = {}
        for pair, different in found.pairs.items():
            numbers[pair] = len(self._inconsistencies)
            condition = self._condition(case, different)
            self._inconsistencies.append(
                Inconsistency(test.name, case.name, condition, different.values, different.outputs)
            )
        if options.root_causes and not found.ended:
            try:
                self._find_causes(comparer, numbers)
            except KeyboardInterrupt as interrupt:
                found.reasons.setdefault(f"{str(interrupt) or INTERRUPTED} while root causes were searched")
                found.ended = True
        return found

    def _tell(self, case: Case) -> Callable[[CaseIntersection], None]:
        def tell(found: CaseIntersection) -> None:
            self._queries += 1
            if self._on_event is not None:
                count = len(self._inconsistencies) + len(found.pairs)
                self._on_event(CompareProgress(self._partitions[0].test.name, case.name, self._queries, count))

        return tell

    def _condition(self, case: Case, different: DifferentInput) -> str:
        """Return the conditions of the two classes of an input as text; of inputs that were tried, the input itself."""
        if any(index.partition.kind == "inputs" for index in self._indexes):
            return changed_text(case, different.values, self._partitions[0].test.version)
        literals = dict.fromkeys(
            literal
            for index in self._indexes
            if (number := index.find(case.name, different.values)) is not None
            for literal in index.partition.classes[number].condition
        )
        return condition_text(tuple(literals)) or "every input"

    def _find_causes(self, comparer: CaseComparer, numbers: Mapping[tuple[int, int], int]) -> None:
        case, inputs = comparer.case, comparer.found.inputs
        if not inputs:
            return
        test, options = self._partitions[0].test, self._options
        first, second = (run or index.output for run, index in zip(options.outcomes, self._indexes, strict=True))
        tried = [
            each.witness
            for partition, run in zip(self._partitions, options.outcomes, strict=True)
            if partition.kind == "inputs" and run is None
            for each in partition.classes
            if each.case == case.name
        ]
        trial = Trial(case, test.version, (self._in_time(first), second), tried)
        checks = partition_checks(self._indexes, case, test.version, self._solver, options.query_seconds)
        finder = CauseFinder(trial, checks)
        agents = self._partitions[0].agent, self._partitions[1].agent
        try:
            finder.add((each.values, numbers[each.pair]) for each in inputs)
            if all(index.partition.kind == "paths" for index in self._indexes):
                cover_pairs(comparer, trial, finder, numbers)
        finally:  # also at Ctrl-C
            self._note_always(case, finder.found)
            self._causes += [root_cause(test, agents, each) for each in finder.found if not each.smaller]

    def _note_always(self, case: Case, found: Sequence[FoundCause]) -> None:
        """Note which fields of messages differ in all messages of their kind, by the witnesses of all classes."""
        open_fields = [each for each in found if is_field_of_message(each.difference)]
        if not open_fields:
            return
        outputs = []
        for index in self._indexes:
            for each in index.partition.classes:
                if each.case == case.name:
                    first, second = (other.output(case.name, each.witness) for other in self._indexes)
                    if first is not None and second is not None:
                        outputs.append((first, second))
        always = {name: differs_always(name, outputs) for name in {each.difference.field for each in open_fields}}
        for cause in open_fields:
            cause.always = always[cause.difference.field]

    def _in_time(self, outcome: RunInput) -> RunInput:
        """Return the outcome with a look at the time before each answer: thousands of inputs may be asked.

        What was found up to the limit gets its causes: one more second is left for them.
        """
        began, limit = time.monotonic(), self._options.seconds
        end = None if limit is None else max(began, self._started + limit) + _GRACE_SECONDS
        asked = itertools.count(1)

        def timely(case: str, values: Mapping[str, int]) -> AgentOutput | None:
            if end is not None and time.monotonic() > end:
                raise LimitReached("the time limit was reached")
            number = next(asked)
            if self._on_event is not None and number % _EVENT_PACE == 0:
                self._on_event(CauseProgress(self._partitions[0].test.name, case, number))
            return outcome(case, values)

        return timely


def merge_comparisons(comparisons: Sequence[Comparison]) -> Comparison:
    """Return one comparison of several tests of the same two agents, with one list of root causes."""
    if not comparisons:
        raise ComparisonError("no comparisons to merge; expected at least one")
    agents = comparisons[0].agents
    if any(each.agents != agents for each in comparisons):
        raise ComparisonError("comparisons of different agents cannot be merged")
    inconsistencies: list[Inconsistency] = []
    causes: list[RootCause] = []
    reasons: dict[str, None] = {}
    total = CompareStatistics()
    for each in comparisons:
        offset = len(inconsistencies)
        inconsistencies += each.inconsistencies
        causes += [
            replace(cause, inconsistencies=tuple(number + offset for number in cause.inconsistencies))
            for cause in each.root_causes
        ]
        names = ", ".join(test.name for test in each.tests)
        reasons |= {reason if len(comparisons) == 1 else f"{names}: {reason}": None for reason in each.reasons}
        one = each.statistics
        total = CompareStatistics(
            (total.classes[0] + one.classes[0], total.classes[1] + one.classes[1]),
            (total.groups[0] + one.groups[0], total.groups[1] + one.groups[1]),
            total.compared + one.compared,
            total.not_compared + one.not_compared,
            total.queries + one.queries,
            total.seconds + one.seconds,
        )
    tests = tuple(test for each in comparisons for test in each.tests)
    return Comparison(agents, tests, not reasons, tuple(reasons), tuple(inconsistencies), merged_causes(causes), total)
