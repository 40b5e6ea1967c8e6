"""Phase 1: explores an agent in Python with a test and returns the partition of the test's inputs.

Each case is explored on its own by concolic execution: the agent runs on concrete inputs whose bytes carry terms, and
every branch on them is tried both ways. Each run has an agent of its own. Then one input of each class is run again on
one agent whose code is not rewritten: it has to do the same.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sdnloom.crosscheck.agent import Agent, AgentError
from sdnloom.crosscheck.agents.load import AgentSource
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.output import AgentOutput, concrete_output
from sdnloom.crosscheck.partition import INTERRUPTED, BehaviourClass, Partition, PartitionStatistics
from sdnloom.crosscheck.switch_test import Case, SwitchTest
from sdnloom.crosscheck.test_document import domain
from sdnloom.engine.stop_points import LimitReached
from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import PathRun, explore
from sdnloom.symbolic.result import Exploration, PathClass
from sdnloom.symbolic.self_check import check_purity
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.terms.node import Model

_LONGEST_REASON: Final = 2_000  # characters
_MOST_SHOWN: Final = 6  # fields in a reason
_FEWEST_RUNS_AGAIN: Final = 8  # of a case: half of the agents that throw a coin do the same twice


@dataclass(frozen=True, slots=True)
class ExploreOptions:
    """Limits of phase 1, for a whole test. Times are in seconds.

    With `check_classes`, so many further inputs of each class are run on the agent, rewritten and as it is; each must
    have the output of its class.
    """

    seconds: float | None = None
    paths: int = 200_000
    query_seconds: float = 5.0
    depth: int = 2_000  # branches on one path
    solver: str = "auto"
    check_classes: int = 0


@dataclass(frozen=True, slots=True)
class ExploreProgress:
    """Progress of phase 1: runs and classes of the whole test so far, paths whose branches wait, inputs checked."""

    agent: str
    test: str
    case: str
    runs: int
    classes: int
    waiting: int
    checked: int = 0


def explore_agent(
    source: AgentSource,
    test: SwitchTest,
    options: ExploreOptions | None = None,
    on_event: Callable[[ExploreProgress], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Partition:
    """Return what the agent does with every input of the test. Ctrl-C and limits end it with the classes found so far.

    The partition is complete only if every input of every case is in a class and nothing was lost on the way; its
    reasons say what is missing.
    """
    if source.black_box:
        raise AgentError(f"agent {source.name} cannot be explored: it is a black box, which can only be tried")
    try:
        return _Phase(source, test, options or ExploreOptions(), on_event, clock).partition()
    except AgentError as error:
        if source.name in str(error):
            raise
        raise AgentError(f"agent {source.name}: {error}") from error


class _Phase:
    def __init__(
        self,
        source: AgentSource,
        test: SwitchTest,
        options: ExploreOptions,
        on_event: Callable[[ExploreProgress], None] | None,
        clock: Callable[[], float],
    ) -> None:
        self._source, self._test, self._options, self._on_event, self._clock = source, test, options, on_event, clock
        self._started = clock()
        self._make = source.symbolic(test.version)
        self._classes: list[BehaviourClass] = []
        self._outputs: dict[Any, AgentOutput] = {}  # equal outputs with equal notes are one object
        self._reasons: list[str] = []
        self._runs = self._checked = 0
        self._interrupted = False
        self._solver_seconds = 0.0

    def partition(self) -> Partition:
        for number, case in enumerate(self._test.cases):
            if not self._explore_case(case):
                rest = [each.name for each in self._test.cases[number + 1 :]]
                if rest:
                    self._reasons.append(f"cases not explored: {', '.join(rest)}")
                break
        statistics = PartitionStatistics(
            self._runs, round(self._clock() - self._started, 3), round(self._solver_seconds, 3), self._checked
        )
        return Partition(
            self._source.name,
            self._test,
            "paths",
            tuple(self._classes),
            not self._reasons,
            tuple(self._reasons),
            statistics,
        )

    def _explore_case(self, case: Case) -> bool:
        """Explore a case; return whether the limits leave room for another."""
        run = self._run(case)
        options = self._remaining()
        found = explore(
            run,
            [var(variable.name, variable.bits) for variable in case.variables],
            domain(case),
            initial=case.defaults(),
            options=options,
            clock=self._clock,
            on_event=self._progress(case),
        )
        self._runs += found.statistics.paths
        self._solver_seconds += found.statistics.solver_seconds
        left, whole = (f"the time limit of {each or 0:g} s" for each in (options.seconds, self._options.seconds))
        self._note(case, [reason.replace(left, whole) for reason in found.reasons])
        self._classes += [self._class(case, each) for each in found.classes]
        if not found.reasons and not self._run_again(case, found):
            return False
        if self._options.check_classes and not (self._overdue() or self._check(case, found, run)):
            return False
        interrupted = self._interrupted or INTERRUPTED in found.reasons
        return not (interrupted or self._overdue()) and self._runs < self._options.paths

    def _overdue(self) -> bool:
        return self._options.seconds is not None and self._clock() - self._started >= self._options.seconds

    def _run(self, case: Case) -> Callable[[Execution], AgentOutput]:
        make, version = self._make, self._test.version

        def run(execution: Execution) -> AgentOutput:
            try:
                return run_case(make(), case, version, execution.model, execution)
            except KeyboardInterrupt:  # also a limit that ends an agent which never ends
                self._interrupted = True
                raise

        return run

    def _remaining(self) -> ExplorationOptions:
        options = self._options
        seconds = None
        if options.seconds is not None:
            seconds = max(0.0, options.seconds - (self._clock() - self._started))
        return ExplorationOptions(
            paths=max(1, options.paths - self._runs),
            seconds=seconds,
            depth=options.depth,
            query_seconds=options.query_seconds,
            solver=options.solver,
        )

    def _class(self, case: Case, found: PathClass) -> BehaviourClass:
        if found.exception is not None:  # not the agent's: `run_case` turns those into crashes
            raise AgentError(f"agent {self._source.name}, case {case.name}: {found.exception.traceback}")
        notes = tuple(event.note for step in found.output for event in step)
        output = self._outputs.setdefault((found.output, notes), found.output)
        return BehaviourClass(case.name, found.witness, output, found.condition)

    def _note(self, case: Case, reasons: Sequence[str]) -> None:
        several = len(self._test.cases) > 1
        for reason in reasons:
            text = f"case {case.name}: {reason}" if several else reason
            self._reasons.append(text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]} ...")

    def _run_again(self, case: Case, found: Exploration) -> bool:
        """Run the witnesses a second time, on one agent as it is; return False if Ctrl-C or the time limit ended it.

        An agent that remembers earlier runs, or looks at a clock or at random numbers, has no partition.
        """
        version, classes = self._test.version, found.classes
        different = []
        try:
            with self._source.open(version) as plain:
                for number in range(max(len(classes), _FEWEST_RUNS_AGAIN)):
                    if self._overdue():
                        raise LimitReached(f"the time limit of {self._options.seconds:g} s is reached")
                    known = classes[number % len(classes)]
                    again = run_case(plain, case, version, known.witness, quiet=True)
                    if again != concrete_output(known.output, known.witness):
                        different.append(known.witness)
        except KeyboardInterrupt as interrupt:
            self._note(case, [f"{str(interrupt) or INTERRUPTED}: not all classes were run a second time"])
            return False
        if different:
            reason = (
                "the agent did something else when it ran again on the same input, first on"
                f" {_changed_values(case, different[0])}: what it does depends on more than its input, such as earlier"
                " runs, a clock or random numbers"
            )
            self._note(case, [reason])
        return True

    def _check(self, case: Case, found: Exploration, run: Callable[[Execution], AgentOutput]) -> bool:
        """Check further inputs of each class; return False if Ctrl-C ended it."""
        version, progress, before = self._test.version, self._progress(case), self._checked
        try:
            with self._source.open(version) as plain:

                def same(known: PathClass, model: Model, output: Any) -> bool:
                    self._checked += 1
                    proceed()
                    return _same(known, model, output, plain, case, version)

                def proceed() -> None:
                    if progress is not None:
                        progress(PathRun(0, 0, 0, None))
                    if self._overdue():
                        raise LimitReached(f"the time limit of {self._options.seconds:g} s is reached")

                count, options = self._options.check_classes, self._remaining()
                purity = check_purity(found, run, count, same=same, options=options, before_class=proceed)
        except KeyboardInterrupt as interrupt:
            self._note(case, [f"{str(interrupt) or INTERRUPTED}: not all classes were checked"])
            return False
        self._checked = before + purity.models  # also those whose path was another one
        if purity.impure:
            different = f"{len(purity.impure)} of {purity.models} further inputs behave differently"
            self._note(case, [f"{different}, first {purity.impure[0]}"])
        return True

    def _progress(self, case: Case) -> Callable[[PathRun], None] | None:
        report, runs, classes = self._on_event, self._runs, len(self._classes)
        if report is None:
            return None
        agent, test = self._source.name, self._test.name

        def forward(event: PathRun) -> None:
            counts = runs + event.paths, classes + event.classes, event.waiting
            report(ExploreProgress(agent, test, case.name, *counts, self._checked))

        return forward


def _changed_values(case: Case, values: Model) -> str:
    """Return how an input differs from the harmless one, in a few words."""
    defaults = case.defaults()
    changed = [f"{name}={value:#x}"[:80] for name, value in values.items() if value != defaults[name]]
    return ", ".join(changed[:_MOST_SHOWN] + ["..."] * (len(changed) > _MOST_SHOWN)) or "the harmless input"


def _same(found: PathClass, model: Model, output: Any, plain: Agent, case: Case, version: int) -> bool:
    expected = concrete_output(found.output, model)
    return concrete_output(output, model) == expected == run_case(plain, case, version, model, quiet=True)
