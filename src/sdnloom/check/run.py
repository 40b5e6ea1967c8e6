"""A run: one use of a scenario, with a program and a system of its own.

A search restarts when something that it assumed is refuted: the order in which dicts were filled matters to the
program, or handlers of different switches are not independent. Only then is the system built a second time.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

from sdnloom.check.bounds import key_bound, stated_bounds
from sdnloom.check.checkpoint.run_checkpoint import RunCheckpoint, RunStage
from sdnloom.check.coverage import Coverage
from sdnloom.check.discovery import Discovery, discover
from sdnloom.check.discovery_progress import DiscoveryProgress
from sdnloom.check.fingerprint import declared_fingerprint, program_fingerprint
from sdnloom.check.own_inputs import search_own_inputs
from sdnloom.check.program_factory import make_program
from sdnloom.check.reduction_choice.noted_program import NotedProgram
from sdnloom.check.reduction_choice.reduced_network import ReducedNetwork
from sdnloom.check.report import ReductionReport, Report, unsearched
from sdnloom.check.scenario import Scenario
from sdnloom.check.scope import omissions
from sdnloom.check.step_details import MOST_DETAILED, StepDetails
from sdnloom.check.vacuity import vacuous_reasons
from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Observer, Property, Restart, RestartRequired, System
from sdnloom.engine.path import ReplayDivergence, final_state, replay
from sdnloom.engine.reduction.auto_reduction import NoReduction
from sdnloom.engine.result import (
    BEFORE_SEARCH,
    STOPPING,
    ClusterOptions,
    Counterexample,
    Holds,
    Incomplete,
    Limits,
    Result,
    SearchEvent,
    SearchOptions,
    Statistics,
    Vacuous,
    Violated,
)
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.stop_points import LimitReached, limits_in_force
from sdnloom.engine.trace import Fingerprints, ReplayResult, Trace, replay_trace
from sdnloom.errors import SdnloomError
from sdnloom.inputs.clients import DiscoveryError, discovering_clients
from sdnloom.inputs.concolic import ConcolicExplorer, ConcolicOptions
from sdnloom.inputs.explorable import explorable
from sdnloom.inputs.statistics import answer_pools
from sdnloom.network.assumed_independence import AssumeIndependent
from sdnloom.network.build import BuiltNetwork, StartupUse, build_network
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.network import Network
from sdnloom.network.program import DefinedByClass, KeepsOutput, OutputLine, Program, capability, keep_order
from sdnloom.network.startup.result import follow_path
from sdnloom.network.startup.violation import EarlyViolation
from sdnloom.platforms.code_runs import CodeRun
from sdnloom.symbolic.options import ExplorationOptions

_T = TypeVar("_T")
NOT_SEARCHED = Statistics("none", 0, 0, 0, 0.0)
FOR_DISCOVERY = NoReduction("discovery asks about every state")
FOR_COVERAGE = NoReduction("coverage counts what runs in every order")


class Run:
    """One use of a scenario: makes its program, builds its system, searches or replays it.

    `ordered` lets the program tell all its states apart, because merging states saves nothing on a single path.
    With `coverage` the lines and branches of the program are recorded from its start on. With `show_output` what the
    program prints in a step is an event of the step.
    """

    def __init__(
        self, scenario: Scenario, ordered: bool = False, coverage: bool = False, show_output: bool = False
    ) -> None:
        self.scenario = scenario
        self.restarts: list[str] = []  # why the search started again
        self.refuted: list[str] = []  # which of these refuted an assumption of the reduction
        self._ordered = ordered  # whether insertion order matters
        self._checkpoint: RunCheckpoint | None = None
        self._coverage: Coverage | None = None
        if coverage:
            self._coverage = Coverage(scenario.code, branches=not scenario.narrowed().needs_discovery)
            self.program = self._coverage.watching(lambda: make_program(scenario.program, new=True))
            defined = capability(self.program, DefinedByClass)
            self._coverage.only(defined.kind if defined else None)
        else:
            self.program = make_program(scenario.program)
        self._shows_output = show_output
        self._copy: Program | None = None  # the program that was searched, if it is another one
        keeper = capability(self.program, KeepsOutput)
        if keeper is not None and show_output:
            keeper.show_output()
        if ordered:
            keep_order(self.program)

    @property
    def output(self) -> tuple[OutputLine, ...]:
        """What the program has printed so far; of a rewritten copy, what it has printed in the search."""
        keepers = [capability(each, KeepsOutput) for each in (self.program, self._copy)]
        found = [() if each is None else each.output for each in keepers]
        times: dict[tuple[str, str], int] = {}
        for when, text, number in (*found[0], *(line for line in found[1] if line.when == "run")):
            times[when, text] = times.get((when, text), 0) + number
        return tuple(OutputLine(*key, number) for key, number in times.items())

    @property
    def built(self) -> BuiltNetwork:
        """The network of the scenario, with the system that is searched."""
        return self._built

    @property
    def system(self) -> System:
        """The scenario's system, its parts in the order of the scenario; strategies leave it as it is."""
        return self._built.system

    @property
    def early(self) -> EarlyViolation | None:
        """The violation before the search, if there is one: then the system has the steps before the search only."""
        return self._built.early

    @cached_property
    def _built(self) -> BuiltNetwork:
        return self._restarting(lambda: self._build(self.program, self.scenario.network))

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties of the scenario."""
        return self._built.declared

    @property
    def fingerprints(self) -> Fingerprints:
        """The hashes by which a trace of this run is recognised."""
        return self._fingerprints(self.properties)

    def _fingerprints(self, properties: tuple[Property, ...]) -> Fingerprints:
        declared = declared_fingerprint(self.scenario.network, properties)
        return Fingerprints(declared, program_fingerprint(self.program, self.scenario.code))

    def build(self, program: Program, network: Network | None = None) -> System:
        """The system of the scenario with another program or network."""
        return self._build(program, self.scenario.network if network is None else network).system

    def build_unchecked(self, program: Program) -> System:
        """The system as it is after the start-up, whatever happened in it."""
        return self._build(program, self.scenario.network, StartupUse.PASSED).system

    def _build(self, program: Program, network: Network, use: StartupUse = StartupUse.JUDGED) -> BuiltNetwork:
        with self.scenario.error_context():
            return build_network(network, program, self.scenario.properties, use)

    def replay(self, trace: Trace) -> ReplayResult:
        """Take the steps of a trace again. A trace of another scenario is refused; changed code is a warning."""
        return replay_trace(trace, self.system_of(trace), *self.fingerprints)

    def system_of(self, trace: Trace) -> System:
        """The system that the steps of a trace are steps of: with the start-up, if they begin there."""
        return self.built_of(trace).system

    def built_of(self, trace: Trace) -> BuiltNetwork:
        """The network whose system the steps of a trace are steps of."""
        joins = self.is_of_startup(trace)
        if joins == (self.early is not None):
            return self._built
        # The start-up violates a property now and did not when the trace was recorded, or the other way round.
        use = StartupUse.STEPS if joins else StartupUse.PASSED
        return self._restarting(lambda: self._build(self.program, self.scenario.network, use))

    def built_startup(self) -> BuiltNetwork:
        """The network whose system has the steps before a search, which are its `course`."""
        return self._restarting(lambda: self._build(self.program, self.scenario.network, StartupUse.STEPS))

    def search_inputs_of(
        self,
        trace: Trace,
        limits: Limits | None = None,
        on_event: Callable[[SearchEvent], None] | None = None,
        watch: LimitWatch | None = None,
    ) -> Result:
        """Search all orders of the inputs of a trace for a violation of its property.

        Nothing but the trace's property counts. The events before a search have one course: a trace of a violation
        there is compared with that. The watch's limits cover the start-up too.
        """
        noted, limits = on_event or (lambda event: None), limits or Limits()
        watch = watch or LimitWatch(limits)
        with watch.catching_interrupts(lambda: noted(STOPPING)), watch.in_force():
            try:
                return self._restarting(lambda: self._search_inputs_of(trace, limits, noted, watch))
            except LimitReached as reached:
                return Result(Incomplete(reached.reason), NOT_SEARCHED, incomplete=reached.reason)

    def _search_inputs_of(
        self, trace: Trace, limits: Limits, on_event: Callable[[SearchEvent], None], watch: LimitWatch
    ) -> Result:
        network, early = self.scenario.network, None
        with watch.during("during the start-up"):
            built = self._build(self.program, network)
            early = built.early
            if early is not None and trace.finding is not None and early.found.property == trace.finding.property:
                return follow_path(
                    built.system, *early, BEFORE_SEARCH, on_event, lambda: watch.interrupted or watch.left < 0
                )
            if self.is_of_startup(trace):
                return Result(Holds(), NOT_SEARCHED)
            if early is not None:
                built = self._build(self.program, network, StartupUse.PASSED)
        options = SearchOptions(order="bfs", limits=limits)
        return search_own_inputs(built.system, network.topology, trace, options, on_event, watch)

    def is_of_startup(self, trace: Trace) -> bool:
        """Whether the trace has steps before a search."""
        return any(step.action == "connect" for step in trace.path.steps) and not self.scenario.network.joining

    def check(
        self,
        on_event: Callable[[SearchEvent], None] | None = None,
        watch: LimitWatch | None = None,
        checkpoint: RunCheckpoint | None = None,
    ) -> Report:
        """Search the scenario's system, or if inputs are discovered, one system after the other.

        The watch's limits cover all of it: start-up and discovery too. Replaying what was found comes on top. The
        checkpoint is kept up to date; one that was read is where the search begins.
        """
        on_event, watch = on_event or (lambda event: None), watch or LimitWatch(self.scenario.options.limits)
        self._checkpoint = checkpoint
        if checkpoint is not None and (stage := checkpoint.begin(self.scenario)) is not None:
            self.restarts, self.refuted, self._ordered = list(stage.restarts), list(stage.refuted), stage.ordered
            if stage.ordered:
                keep_order(self.program)
        with watch.catching_interrupts(lambda: on_event(STOPPING)), watch.in_force():
            try:
                return self._restarting(lambda: self._check(on_event, watch))
            except LimitReached as reached:
                bounds = stated_bounds(self.scenario.network, self.scenario.options, self.program)
                return unsearched(self.scenario, reached.reason, watch.seconds, bounds)

    def _restarting(self, attempt: Callable[[], _T]) -> _T:
        """The result of an attempt; of a second one if the insertion order of dicts matters to the program."""
        try:
            return attempt()
        except RestartRequired as required:
            self.restarts.append(required.restart.reason)
            self._ordered = True
            keep_order(self.program)  # the program that found it may be a rewritten copy
            return attempt()

    def _check(self, on_event: Callable[[SearchEvent], None], watch: LimitWatch) -> Report:
        narrow = self.scenario.narrowed()
        if narrow.needs_discovery:
            if narrow.options.cluster is not None:
                by_option = {True: "--discover", "only": "--discover-only"}
                what = by_option.get(self.scenario.discovers, "a scenario with discovered inputs")
                raise SdnloomError(
                    f"{what} and --cluster are given; expected one or the other: discovery needs all states in one "
                    "process"
                )
            return self._discover(narrow, on_event, watch)
        searched = self._search(narrow, self._assuming(self.program), lambda system: (), on_event, watch)
        bounds = stated_bounds(
            narrow.network, searched.options, self.program, searched.notes, searched.result.late_explored
        )
        if searched.options.cluster is not None:
            bounds += (key_bound(searched.result.statistics.states),)
        return self._report(self.scenario, searched.result, bounds, searched.built)

    def _search(
        self,
        narrow: Scenario,
        program: Program,
        observers: Callable[[System], Sequence[Observer]],
        on_event: Callable[[SearchEvent], None],
        watch: LimitWatch,
    ) -> "SearchRecord":
        """Search a scenario with a program; restart without each assumption that is refuted.

        Raises RestartRequired if insertion order matters: results so far are then about other cores.
        """
        while True:
            known = _refuted(program)
            try:
                with watch.during("during the start-up"):
                    built = self._watched(program, narrow.network)
                system = built.system
                options = replace(narrow.options, strategy=narrow.strategy(system))
                if built.early is not None:
                    with limits_in_force(None):  # what was found is replayed and reported
                        result = follow_path(
                            system, *built.early, BEFORE_SEARCH, on_event, lambda: watch.interrupted or watch.left < 0
                        )
                    return SearchRecord(result, options, built, (*built.notes, BEFORE_SEARCH))
                keeper, reduced = None, self._reduced(program, narrow)
                if self._checkpoint is not None:
                    fingerprints = self._fingerprints(built.declared)
                    keeper = self._checkpoint.keeper(fingerprints, lambda: self._stage(program), on_event)
                options = replace(options, cluster=self._cluster(options.cluster, program))
                parts = shuffled(system, narrow.seed)
                result = search(parts, options, on_event, watch, observers(system), keeper, reduced)
                if not isinstance(result.verdict, Restart):
                    if result.reduction and isinstance(reduced, ReducedNetwork):
                        self.refuted += reduced.refuted
                        self.restarts += reduced.refuted
                    return SearchRecord(result, options, built, built.notes)
                restart = result.verdict
            except RestartRequired as required:  # of the start-up, which runs the program while the system is built
                restart = required.restart
            reasons = _refuted(program)[len(known) :]
            if not reasons:
                raise RestartRequired(restart)
            self.refuted += reasons
            self.restarts += reasons

    def _cluster(self, options: ClusterOptions | None, program: Program) -> ClusterOptions | None:
        """The options of a cluster, with what its workers make for themselves: the program as it is searched now."""
        if options is None:
            return None
        for flag, given in (("--coverage", self._coverage is not None), ("--show-output", self._shows_output)):
            if given:
                raise SdnloomError(
                    f"{flag} and --cluster are given; expected one or the other: workers tell only numbers"
                )
        if options.scenario is None:
            raise SdnloomError(
                "the scenario was made in Python; expected "
                "SearchOptions(cluster=ClusterOptions(..., scenario=function))"
            )
        assumed = (program.apart, program.near) if isinstance(program, AssumeIndependent) else None
        return replace(options, program=partial(cluster_program, options.scenario, self._ordered, assumed))

    def _watched(self, program: Program, network: Network) -> BuiltNetwork:
        """The system to search, with its coverage recorded if that is wanted."""
        if self._coverage is None:
            return self._build(program, network)
        built = self._coverage.watching(lambda: self._build(program, network))
        return replace(built, system=self._coverage.watch(built.system, CONTROLLER))

    def _assuming(self, program: Program) -> Program:
        """The program with the assumptions that a reduction needs, or with notes for one that may be chosen."""
        options = self.scenario.options
        if options.reduce is True or options.checked:
            assuming = AssumeIndependent(program)
            if self._checkpoint is not None:
                assuming.assume(*self._checkpoint.assumed())
            return assuming
        chooses = options.reduce == "auto" and self._coverage is None and options.cluster is None
        return NotedProgram(program) if chooses and not self.scenario.needs_discovery else program

    def _stage(self, program: Program) -> RunStage:
        """What searches so far have refuted."""
        assumed = program.assumed if isinstance(program, AssumeIndependent) else (True, True, ())
        return RunStage(tuple(self.restarts), tuple(self.refuted), self._ordered, assumed)

    def _reduced(self, program: Program, narrow: Scenario) -> ReducedNetwork | NoReduction | None:
        """The systems for a search that may choose a reduction; None for one that may not by its own options."""
        if isinstance(program, NotedProgram):
            return ReducedNetwork(
                program, lambda assuming: shuffled(self._build(assuming, narrow.network).system, narrow.seed)
            )
        if self.scenario.needs_discovery:
            return FOR_DISCOVERY
        return None if self._coverage is None else FOR_COVERAGE

    def _discover(self, narrow: Scenario, on_event: Callable[[SearchEvent], None], watch: LimitWatch) -> Report:
        """Search a rewritten copy of the program with discovered inputs, and confirm violations on the program."""
        with watch.during("while the program was rewritten"):
            copy = explorable(self.program)
            self._copy = copy
        progress = DiscoveryProgress(narrow.network.topology, on_event, watch)
        assuming: dict[int, Program] = {}  # assumptions that one search refuted are not made by the next one

        def searching(network: Network, program: Program, observers: Callable[[System], Sequence[Observer]]) -> Result:
            progress.begin_round(sum(len(pool) for one in discovering_clients(network) for _, pool in one.client.pools))
            known = assuming.setdefault(id(program), self._assuming(program))
            return self._search(replace(narrow, network=network), known, observers, on_event, watch).result

        options = self.scenario.options
        paths = ConcolicOptions(ExplorationOptions(paths=self.scenario.discovery.paths))
        explorer = ConcolicExplorer(copy, paths, progress)
        found = discover(
            *(narrow.network, copy, explorer, self.scenario.discovery, options, searching, on_event, watch),
            on_journey=progress.journey,
        )
        with limits_in_force(None):  # what was found is replayed and reported
            return self._confirmed_discovery(narrow, found)

    def _confirmed_discovery(self, narrow: Scenario, found: Discovery) -> Report:
        """The report of a discovery, its violations confirmed on the program as it was written."""
        pools = {
            (host.spec.name, port): {label: (label, packet) for label, packet in pool}
            for host in discovering_clients(found.network)
            for port, pool in host.client.pools
        }
        ready = self.scenario.with_inputs(pools, answer_pools(found.network))
        built = self._build(self.program, ready.network)
        system = built.system
        result = _confirmed(found.result, Semantics(system))
        options = replace(self.scenario.options, strategy=narrow.strategy(system))
        notes = built.notes if built.early is None else (*built.notes, BEFORE_SEARCH)
        bounds = stated_bounds(narrow.network, options, self.program, notes, result.late_explored)
        return self._report(ready, result, (*bounds, found.bound), built, replace(found, result=result))

    def _report(
        self,
        scenario: Scenario,
        result: Result,
        bounds: tuple[str, ...],
        built: BuiltNetwork,
        discovery: Discovery | None = None,
    ) -> Report:
        covered = None if self._coverage is None else self._coverage.report()
        refuted = tuple(dict.fromkeys(self.refuted))
        reduction = ReductionReport(result.reduction, refuted, result.conflicts) if result.reduction else None
        verdict = result.verdict
        if isinstance(verdict, Holds | Vacuous):
            from_options = scenario.document is not None
            empty = vacuous_reasons(result, built.system, scenario.network, self.program, from_options)
            verdict = Vacuous(empty) if empty else Holds()
        network = scenario.narrowed().network
        report = Report(
            scenario,
            replace(result, verdict=verdict, restarts=(*self.restarts, *result.restarts)),
            bounds,
            built.declared,
            self._fingerprints(built.declared),
            covered,
            discovery,
            reduction,
            self.output,
            self._shows_output,
            omissions(network, result.statistics, self.program, discovery is not None, covered is not None),
        )
        details = StepDetails(built.controller, self.program, scenario.code)
        return replace(
            report,
            details={
                shown: details.of_path(shown.system, shown.initial, shown.transitions)
                for shown in report.violations[:MOST_DETAILED]
                if shown.system is not None
            },
        )

    def step_details(self) -> StepDetails:
        """Finds what steps of `system` do inside of the program."""
        return StepDetails(self._built.controller, self.program, self.scenario.code)

    def code_of(self, replayed: ReplayResult) -> tuple[tuple[CodeRun, ...], ...]:
        """The functions of the program that each step of a replay ran; none if it was on another system."""
        semantics = replayed.semantics
        if semantics is None or semantics.system is not self.system:
            return ()
        return self.path_code(semantics.initial(), replayed.transitions)

    def path_code(self, initial: State, transitions: Sequence[Transition]) -> tuple[tuple[CodeRun, ...], ...]:
        """The functions of the program that each step of a path of `system` ran."""
        found = self.step_details().of_path(self.system, initial, transitions)
        return tuple(() if each is None else each.code for each in found.steps)


def _refuted(program: Program) -> tuple[str, ...]:
    """The reasons why assumptions about the program were refuted so far."""
    return program.refuted if isinstance(program, AssumeIndependent) else ()


def cluster_program(
    scenario: Callable[[], Scenario], ordered: bool, assumed: tuple[bool, bool] | None, late_explored: bool
) -> ClusterProgram:
    """The program of a scenario as a worker of a cluster makes it: with the assumptions that are not refuted yet."""
    run = Run(scenario(), ordered)
    narrow = run.scenario.narrowed()
    program: Program = run.program
    if assumed is not None:
        program = AssumeIndependent(program)
        program.apart, program.near = assumed
    system = run.build(program, narrow.network)
    return ClusterProgram(
        shuffled(system, narrow.seed), narrow.strategy(system), narrow.options.reduce is True, late_explored
    )


class SearchRecord(NamedTuple):
    """The result of a search, the options that it had in the end, what was searched, and notes on what came before."""

    result: Result
    options: SearchOptions
    built: BuiltNetwork
    notes: tuple[str, ...]


def _confirmed(result: Result, semantics: Semantics) -> Result:
    """The result with its violations replayed on the program as it was written."""
    violations = {shown: _confirm(semantics, shown) for shown in result.violations}
    verdict = result.verdict
    if isinstance(verdict, Violated):
        verdict = Violated(violations[verdict.counterexample])
    return replace(result, verdict=verdict, violations=tuple(violations.values()))


def _confirm(semantics: Semantics, shown: Counterexample) -> Counterexample:
    """Replay a counterexample that a rewritten program gave. Raises DiscoveryError unless it shows the violation."""
    try:
        transitions = replay(semantics, shown.path)
    except ReplayDivergence as error:
        raise DiscoveryError(
            f"{shown.property}: the program does something else when it is not rewritten: {error}"
        ) from None
    if Finding(shown.property, shown.message) not in semantics.findings(final_state(semantics, transitions)):
        raise DiscoveryError(f"{shown.property}: not violated by the program as it was written: {shown.message}")
    return replace(shown, initial=semantics.initial(), transitions=tuple(transitions), system=semantics.system)


def shuffled(system: System, seed: int) -> System:
    """The same system with components, actions and channels in another order; seed 0 leaves it as it is."""
    if seed == 0:
        return system
    chance = random.Random(seed)
    components = [
        replace(each, actions=tuple(chance.sample(each.actions, len(each.actions)))) for each in system.components
    ]
    chance.shuffle(components)
    return replace(
        system,
        components=tuple(components),
        channels=tuple(chance.sample(system.channels, len(system.channels))),
    )
