"""A scenario: what to check, how to search it, and the report of doing so."""

import hashlib
import inspect
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from sdnloom.check.bounds import stated_bounds
from sdnloom.check.coverage import Coverage, FileCoverage
from sdnloom.check.discovery import Discovery, discover, replayed_pools
from sdnloom.engine.model import Property, Restart, Strategy, System
from sdnloom.engine.path import Diverged, final_state, replay
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.result import (
    Counterexample,
    Holds,
    Incomplete,
    Limits,
    Result,
    SearchEvent,
    SearchOptions,
    Violated,
)
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Finding, Semantics
from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.strategy import Composed
from sdnloom.engine.trace import Replayed, Trace, code_fingerprint, replay_trace
from sdnloom.inputs.clients import DiscoveryError, Pools, discovering_clients, with_packet_discovery, with_pools
from sdnloom.inputs.concolic import ConcolicExplorer, ConcolicOptions
from sdnloom.inputs.explorable import explorable
from sdnloom.inputs.options import DiscoverOptions
from sdnloom.inputs.statistics import (
    AnswerPools,
    answer_pools,
    replayed_answers,
    with_answers,
    with_statistics_discovery,
)
from sdnloom.network.assumed_independence import AssumeIndependent, AssumptionRefuted
from sdnloom.network.build import Bindable, build
from sdnloom.network.network import Network
from sdnloom.network.program import DefinedByClass, Program, Reloadable, RestartNeeded, capability, keep_order
from sdnloom.strategies import SameFlow, SearchStrategy
from sdnloom.symbolic.options import ExplorationOptions as PathOptions

T = TypeVar("T")
CONTROLLER = "controller"  # the component whose steps run the program
FIRST_LOOK = 2_000  # states that are searched for inputs before one steps or walks


@dataclass(frozen=True)
class Report:
    """What a check found. `bounds` says what the verdict is relative to, one bound per line.

    If packets were discovered, the hosts of `scenario` have them.
    """

    scenario: "Scenario"
    result: Result
    bounds: tuple[str, ...]
    coverage: tuple[FileCoverage, ...] | None = None
    discovery: Discovery | None = None

    @property
    def verdict(self) -> str:
        """`violated`, `holds` or `incomplete`."""
        match self.result.verdict:
            case Violated():
                return "violated"
            case Holds():
                return "holds"
            case Incomplete():
                return "incomplete"
            case Restart():
                raise AssertionError("a search that has to start again gives no report")

    @property
    def violations(self) -> tuple[Counterexample, ...]:
        """The distinct violations, shortest counterexample first."""
        return tuple(sorted(self.result.violations, key=lambda one: (len(one.path), one.property, one.message)))

    @property
    def handler_runs(self) -> int:
        """How often code of the program ran."""
        return self.result.statistics.evaluations.get(CONTROLLER, 0)


@dataclass(frozen=True)
class Scenario:
    """A program in a network, and what must hold.

    `seed` permutes the order in which equal steps are tried: it can change which shortest counterexample is found and,
    in a search that a limit ends, what is seen; it never changes the counts or the verdict of a whole search.
    """

    network: Network
    program: Program
    properties: tuple[Bindable | Property, ...]
    options: SearchOptions = field(default_factory=SearchOptions)
    seed: int = 0
    name: str = "scenario"
    file: Path | None = None  # where it was read from
    code: tuple[Path, ...] = ()  # the files of the program
    text: str | None = None  # what it was read from if that was no file
    strategies: tuple[SearchStrategy, ...] = ()  # applied in this order
    same_flow: SameFlow | None = None  # which packets belong together, for a strategy that is chosen later
    discovery: DiscoverOptions = field(default_factory=DiscoverOptions)  # what discovering clients look for
    discovers: bool = False  # all is discovered, whatever clients and switches were told

    def system(self) -> System:
        """The system of the scenario, its parts in the order of the scenario; strategies leave it as it is."""
        return self._starting_again(lambda: build(self.network, self.program, self.properties))

    def _starting_again(self, run: Callable[[], T]) -> T:
        """Return what a run gives; of a second one if the program told too few states apart in the first."""
        try:
            return run()
        except RestartNeeded:
            keep_order(self.program)  # the program that found it may be a copy that was rewritten
            return run()

    def narrowed(self) -> "Scenario":
        """The scenario within the bounds that its strategies set."""
        network = self.network
        for strategy in self.strategies:
            network = strategy.narrow(network)
        return replace(self, network=network)

    def strategy(self, system: System) -> Strategy | None:
        """What ranks the steps of the system: the scenario's strategies, then the one in its options."""
        ranks = [ranks for one in self.strategies if (ranks := one.ranking(self.network, system)) is not None]
        if self.options.strategy is not None:
            ranks.append(self.options.strategy)
        return None if not ranks else ranks[0] if len(ranks) == 1 else Composed(ranks)

    def check(self, on_event: Callable[[SearchEvent], None] | None = None, coverage: bool = False) -> Report:
        """Search the scenario's system, or if inputs are discovered, one system after the other."""
        began = time.perf_counter()
        return self._starting_again(lambda: self._check(on_event, coverage, began))

    def _check(self, on_event: Callable[[SearchEvent], None] | None, coverage: bool, began: float) -> Report:
        narrow = self.narrowed()
        discovers = any(discovering_clients(narrow.network)) or narrow.network.answers is not None
        defined, reloadable = capability(self.program, DefinedByClass), capability(self.program, Reloadable)
        watched = Coverage(self.code, defined.kind if defined else None, not discovers) if coverage else None
        if watched is not None and reloadable is not None:
            watched.watching(reloadable.reloaded)  # the program itself was loaded before the coverage began
        if discovers:
            return self._discover(narrow, on_event or (lambda event: None), watched, began)
        result, options = narrow._search(self.program, lambda system: system, began, on_event, watched)
        bounds = stated_bounds(narrow.network, options, self.program)
        return Report(self, result, bounds, watched.report() if watched else None)

    def _search(
        self,
        program: Program,
        prepared: Callable[[System], System],
        began: float,
        on_event: Callable[[SearchEvent], None] | None,
        watched: Coverage | None,
    ) -> tuple[Result, SearchOptions]:
        """The result of a search of the network with a program, and the options it had in the end.

        The time limit counts from `began`. What a reduction supposes of the program may have to be learned first.
        """
        supposed = self._supposed(program)
        while True:
            try:
                return self._search_once(supposed, prepared, began, on_event, watched)
            except AssumptionRefuted:
                continue  # it is supposed no longer; there are two things to suppose

    def _supposed(self, program: Program) -> Program:
        wanted = self.options.reduce or self.options.checked
        return AssumeIndependent(program) if wanted and not isinstance(program, AssumeIndependent) else program

    def _search_once(
        self,
        program: Program,
        prepared: Callable[[System], System],
        began: float,
        on_event: Callable[[SearchEvent], None] | None,
        watched: Coverage | None,
    ) -> tuple[Result, SearchOptions]:
        ready = replace(self, program=program)
        system = watched.watch(watched.watching(ready.system), CONTROLLER) if watched else ready.system()
        options = replace(self.options, strategy=self.strategy(system))
        spent = time.perf_counter() - began
        return search(shuffled(prepared(system), self.seed), options, on_event, spent), options

    def _discover(
        self, narrow: "Scenario", on_event: Callable[[SearchEvent], None], watched: Coverage | None, began: float
    ) -> Report:
        """Search with inputs that are discovered. What is found is confirmed with the program as it was written."""
        subject = explorable(self.program)

        supposed: dict[int, Program] = {}  # what one search has learned serves the next one

        def searching(network: Network, program: Program, look: Callable[[System], System]) -> Result:
            known = supposed.setdefault(id(program), self._supposed(program))
            return replace(narrow, network=network)._search(known, look, began, on_event, watched)[0]

        explorer = ConcolicExplorer(subject, ConcolicOptions(PathOptions(paths=self.discovery.paths)))
        found = discover(narrow.network, subject, explorer, self.discovery, self.options, searching, on_event)
        pools = {
            (one.spec.name, port): {label: (label, packet) for label, packet in pool}
            for one in discovering_clients(found.network)
            for port, pool in one.client.pools
        }
        ready = self._with(pools, answer_pools(found.network))
        system = ready.system()
        for one in found.result.violations:
            _confirm(Semantics(system), one)
        options = replace(self.options, strategy=narrow.strategy(system))
        bounds = (*stated_bounds(narrow.network, options, self.program), found.bound)
        return Report(ready, found.result, bounds, watched.report() if watched else None, found)

    def ready(self, states: int = FIRST_LOOK) -> "Scenario":
        """The scenario to step or walk through: with the inputs that a search of so many states discovers."""
        keep_order(self.program)
        if not any(discovering_clients(self.network)) and self.network.answers is None:
            return self
        options = replace(self.options, find_all=True, limits=Limits(states=states))
        return replace(self, network=replace(self, options=options).check().scenario.network)

    def discovering(self) -> "Scenario":
        """The scenario in which clients and switches say what is discovered instead of what they were told."""
        return replace(self, network=with_statistics_discovery(with_packet_discovery(self.network)), discovers=True)

    def trace(self, path: Steps, found: Finding | None, source: dict[str, str]) -> Trace:
        """The path as a trace that `replay` accepts for this scenario."""
        return Trace(path, found, self.fingerprint(), self.code_fingerprint(), source)

    def replay(self, trace: Trace) -> Replayed:
        """Take the steps of a trace again. A trace of another scenario is refused; changed code is a warning."""
        keep_order(self.program)
        ready = self.with_inputs_of(trace.path)
        return replay_trace(trace, ready.system(), self.fingerprint(), self.code_fingerprint())

    def with_inputs_of(self, path: Steps) -> "Scenario":
        """The scenario with the inputs that were discovered on that path."""
        return self._with(replayed_pools(self.network, path), replayed_answers(path))

    def _with(self, pools: Pools, answers: AnswerPools) -> "Scenario":
        return replace(self, network=with_answers(with_pools(self.network, pools), answers))

    def fingerprint(self) -> str:
        """A hash of all that the scenario declares. The program's code and state are no part of it: they may change.

        Neither are inputs that were discovered: a trace brings its own.
        """
        network = self._with({}, {}).network
        properties = [(one.name, one.needs.value, one.sometimes) for one in self.system().properties]
        return _digest([stable_text(network).encode(), stable_text(properties).encode()])

    def code_fingerprint(self) -> str:
        """A hash of the program's code: of its files or, for a scenario made in Python, of the methods of its class."""
        if self.code:
            return _digest([file.read_bytes() for file in self.code])
        defined = capability(self.program, DefinedByClass)
        kind = defined.kind if defined else type(self.program)
        return code_fingerprint(part for one in kind.__mro__ for part in vars(one).values() if inspect.isfunction(part))


def _confirm(semantics: Semantics, one: Counterexample) -> None:
    """Raise DiscoveryError unless the program shows a violation as it was written: what was searched was rewritten."""
    try:
        state = final_state(semantics, replay(semantics, one.path))
    except Diverged as error:
        raise DiscoveryError(
            f"{one.property}: the program does something else when it is not rewritten: {error}"
        ) from None
    if Finding(one.property, one.message) not in semantics.speaking(state):
        raise DiscoveryError(f"{one.property}: not violated by the program as it was written: {one.message}")


def _digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()[:32]


def shuffled(system: System, seed: int) -> System:
    """The same system with components, actions and channels in another order; seed 0 leaves it as it is."""
    if seed == 0:
        return system
    chance = random.Random(seed)
    components = [
        replace(one, actions=tuple(chance.sample(one.actions, len(one.actions)))) for one in system.components
    ]
    chance.shuffle(components)
    return replace(
        system,
        components=tuple(components),
        channels=tuple(chance.sample(system.channels, len(system.channels))),
    )
