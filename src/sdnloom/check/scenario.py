"""A scenario: a description of what to check and how. Using it leaves it as it is; each use is a `Run`."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sdnloom.check.checkpoint.run_checkpoint import RunCheckpoint
from sdnloom.check.discovery import replayed_pools
from sdnloom.check.options.keywords import CheckCallError
from sdnloom.check.program_factory import ProgramSource
from sdnloom.check.report import Report, unsearched
from sdnloom.engine.limits import LOADING, LimitWatch
from sdnloom.engine.model import Property, Strategy, System
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.result import Limits, Result, SearchEvent, SearchOptions
from sdnloom.engine.semantics import Finding
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.strategy import StrategySequence
from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.inputs.clients import Pools, discovering_clients, with_packet_discovery, with_pools
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.statistics import AnswerPools, replayed_answers, with_answers, with_statistics_discovery
from sdnloom.network.build import Bindable
from sdnloom.network.network import Network
from sdnloom.scenario_file.toml_text import toml_text
from sdnloom.strategies import SameFlow, SearchStrategy

if TYPE_CHECKING:
    from sdnloom.check.run import Run

FIRST_LOOK = 2_000  # states that are searched for inputs before a scenario is stepped or walked through


@dataclass(frozen=True)
class Scenario:
    """A program, a network, properties and options. Law: equal scenarios give equal results, however often used.

    `program` is a program or a function that makes one; each run has a program of its own. `seed` permutes the order in
    which equal steps are tried: it can change which shortest counterexample is found and, in a search that a limit
    ends, which states are seen; it never changes the counts or the verdict of a whole search.
    """

    network: Network
    program: ProgramSource
    properties: tuple[Bindable | Property, ...]
    options: SearchOptions = field(default_factory=SearchOptions)
    seed: int = 0
    name: str = "scenario"
    file: Path | None = None  # the file that it was read from
    code: tuple[Path, ...] = ()  # the files of the program
    document: Mapping[str, Any] | None = field(default=None, compare=False)  # of options, alone or over the file
    strategies: tuple[SearchStrategy, ...] = ()  # applied in this order
    same_flow: SameFlow | None = None  # which packets belong together, for a strategy that is chosen later
    discovery: DiscoverOptions = field(default_factory=DiscoverOptions)  # which inputs are looked for
    discovers: bool | Literal["only"] = False  # all inputs are discovered; "only": clients send nothing else
    # Adds the scenario's file to errors that show only when the system is built.
    error_context: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, compare=False, repr=False)

    @property
    def text(self) -> str | None:
        """The document as TOML; None for a scenario that is as its file says, or that was made in Python."""
        return None if self.document is None else toml_text(self.document)

    def check(
        self,
        on_event: Callable[[SearchEvent], None] | None = None,
        coverage: bool = False,
        watch: LimitWatch | None = None,
        show_output: bool = False,
        checkpoint: RunCheckpoint | None = None,
    ) -> Report:
        """Search the scenario's system, or if inputs are discovered, one system after the other.

        The limits cover making the program, start-up and discovery too; `watch` has another start of the time. The
        report has the output of the program; with `show_output` it is shown, and the steps have it as events. With a
        checkpoint the search can be resumed after a kill.
        """
        if not isinstance(checkpoint, RunCheckpoint | None):
            raise CheckCallError(
                f'checkpoint is {checkpoint!r}; expected run_check(scenario, checkpoint="{checkpoint}")'
            )
        watch = watch or LimitWatch(self.options.limits)
        try:
            with watch.in_force(), watch.during(LOADING):
                run = self._run(coverage=coverage, show_output=show_output)
        except LimitReached as reached:
            report = unsearched(self, reached.reason, watch.seconds)
        else:
            report = run.check(on_event, watch, checkpoint)
        return report if checkpoint is None else replace(report, checkpoint=checkpoint.report())

    def replay(self, trace: Trace) -> ReplayResult:
        """Take the steps of a trace again. A trace of another scenario is refused; changed code is a warning."""
        return self.with_inputs_of(trace.path)._run(ordered=True).replay(trace)

    def search_inputs_of(self, trace: Trace, limits: Limits | None = None) -> Result:
        """Search all orders of the inputs of a trace for a violation of its property, with the program as it is now."""
        return self.with_inputs_of(trace.path)._run().search_inputs_of(trace, limits)

    def system(self) -> System:
        """The system of the scenario, its parts in the order of the scenario; strategies leave it as it is."""
        return self._run().system

    def trace(self, path: Steps, found: Finding | None, source: dict[str, str]) -> Trace:
        """The path as a trace that `replay` accepts for this scenario."""
        return Trace(path, found, *self._run().fingerprints, source)

    def fingerprint(self) -> str:
        """A hash of network and properties; code and discovered inputs are left out."""
        return self._run().fingerprints.scenario

    def code_fingerprint(self) -> str:
        """A hash of the program's code."""
        return self._run().fingerprints.code

    def narrowed(self) -> "Scenario":
        """The scenario within the bounds that its strategies set."""
        network = self.network
        for strategy in self.strategies:
            network = strategy.narrow(network)
        return replace(self, network=network)

    def strategy(self, system: System) -> Strategy | None:
        """The ranks of the system's steps: by the scenario's strategies, then by the one in its options."""
        ranks = [ranks for each in self.strategies if (ranks := each.ranking(self.network, system)) is not None]
        if self.options.strategy is not None:
            ranks.append(self.options.strategy)
        return None if not ranks else ranks[0] if len(ranks) == 1 else StrategySequence(ranks)

    @property
    def needs_discovery(self) -> bool:
        """Whether some host or switch sends inputs that are discovered."""
        return any(discovering_clients(self.network)) or self.network.answers is not None

    def ready(self, states: int = FIRST_LOOK) -> "Scenario":
        """The scenario to step or walk through: with the inputs that a search of so many states discovers."""
        if not self.needs_discovery:
            return self
        options = replace(self.options, find_all=True, limits=Limits(states=states))
        return replace(self, network=replace(self, options=options).check().scenario.network)

    def discovering(self, only: bool = False) -> "Scenario":
        """The scenario in which clients send discovered packets, too, and switches discovered statistics.

        With `only`, clients send nothing but discovered packets.
        """
        network = with_statistics_discovery(with_packet_discovery(self.network, only))
        return replace(self, network=network, discovers="only" if only else True)

    def with_inputs_of(self, path: Steps) -> "Scenario":
        """The scenario with the inputs that were discovered on that path."""
        return self.with_inputs(replayed_pools(self.network, path), replayed_answers(path))

    def with_inputs(self, pools: Pools, answers: AnswerPools) -> "Scenario":
        """The scenario with these discovered packets and answers instead of others."""
        return replace(self, network=with_answers(with_pools(self.network, pools), answers))

    def _run(self, ordered: bool = False, coverage: bool = False, show_output: bool = False) -> "Run":
        from sdnloom.check.run import Run  # here, because a run needs scenarios

        return Run(self, ordered, coverage, show_output)
