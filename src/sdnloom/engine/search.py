"""Search of a system: the choice of an engine, limits, replay of counterexamples, and the verdict."""

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from sdnloom.engine import stop_points
from sdnloom.engine.checkpoint.keeper import CheckpointKeeper, refuse_without_kernel
from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.counterexample.found_paths import FoundPaths
from sdnloom.engine.dives.schedule import DiveSchedule
from sdnloom.engine.dives.system_dives import SystemDives
from sdnloom.engine.dives.system_loop import SleepSetLoop, SystemLoop
from sdnloom.engine.kernel.compilation import KernelCompilation
from sdnloom.engine.late import LateActions, explored_part, judges_rest, with_late_explored
from sdnloom.engine.limits import LimitWatch, available_cores, resident_bytes, without_collector
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import ModelError, Needs, Observer, Restart, RestartRequired, System
from sdnloom.engine.observers import Observation, check_columns
from sdnloom.engine.options.option_mixes import refuse_bad_mixes
from sdnloom.engine.path import Path
from sdnloom.engine.reduction.auto_reduction import (
    HAND_OVER,
    IN_CLUSTER,
    SHORT_RUN,
    ChangedSystems,
    NoReduction,
    ReducedSystems,
    ReductionChoice,
    ReductionTrial,
    TrialRefused,
    WholeSearch,
)
from sdnloom.engine.reduction.explain import conflicts
from sdnloom.engine.reduction.laws import check_channels, check_commutation, check_memories
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.reduction.sleep_sets import can_sleep
from sdnloom.engine.reduction.stubborn_sets import StubbornSets
from sdnloom.engine.result import (
    AT_FIRST,
    STOPPING,
    ClusterOptions,
    Finished,
    Holds,
    Incomplete,
    Notice,
    Progress,
    Result,
    SearchEvent,
    SearchOptions,
    SentRoute,
    Statistics,
    Vacuous,
    Verdict,
    Violated,
)
from sdnloom.engine.semantics import Finding, Semantics, State
from sdnloom.engine.strategy import skipped
from sdnloom.engine.system_graph import StateObserver, SystemGraph
from sdnloom.errors import SdnloomError

if TYPE_CHECKING:
    from sdnloom.engine.cluster.protocol import ClusterBackend
    from sdnloom.engine.kernel.disk.files import Folder
    from sdnloom.engine.kernel.search import KernelSearch

SMALL_RUN = HAND_OVER  # transitions after which the kernel is faster, its start included
TIME_TO_CHANGE = 10.0  # seconds that must be left for a change of the engine
KERNEL_ACTIONS = 1 << 11  # of a system, that the kernel has numbers for
MEMORIES_AT_FIRST = 50  # of a property, that are checked when a reduced search takes over; the others at its end
COMPILING = "while the kernel engine was compiled"
LATE_MATTERS = "a violation ended when what was still waited for had happened, so that is explored in every order too"
GOING_TO_DISK = "the memory is full: the search goes on with files in"
_WAIT = 0.05  # seconds between two looks at the compilation


class Engine(Protocol):
    """Interface of the engines."""

    stopped: str | None

    @property
    def transitions(self) -> int:
        """How many transitions were taken."""

    @property
    def depth(self) -> int:
        """The greatest number of steps to a state."""

    @property
    def frontier(self) -> int:
        """How many states wait."""

    def run(self) -> None:
        """Search until done or stopped."""

    def count(self) -> int:
        """How many states there are."""

    def values(self, number: int) -> list[State]:
        """The states from the initial one to this one."""

    def value(self, number: int) -> State:
        """The state of that number."""

    def memories(self) -> dict[str, list[Any]]:
        """The memories met, by property."""

    def bytes_per_state(self) -> float | None:
        """The memory of a state in bytes, if the engine knows it."""


def search(
    system: System,
    options: SearchOptions | None = None,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
    observers: Sequence[Observer] = (),
    checkpoint: CheckpointKeeper | None = None,
    reduced: ReducedSystems | NoReduction | None = None,
) -> Result:
    """The verdict on a system. Every counterexample in it was replayed on the reference semantics.

    If a step returns a Restart, that is the verdict.

    `watch` is the watch of the run that the search is part of; its limits are those of the options. With a checkpoint
    the kernel searches from the start, or goes on where the checkpoint was written, whole or reduced. `reduced` has the
    systems that a reduced search takes instead of this one, where the options let the search choose.
    """
    options = options or SearchOptions()
    watch = watch or LimitWatch(options.limits)
    noted = on_event or (lambda event: None)
    if options.reduce == "auto" and options.cluster is not None:
        reduced = IN_CLUSTER
    earlier = None if checkpoint is None else checkpoint.earlier(system)
    if earlier is None:
        run = _Run(system, options, noted, watch, observers, checkpoint, reduced=reduced)
        earlier = run.result()
        if isinstance(earlier.verdict, Restart) or not run.needs_late():
            return earlier
        noted(Notice(LATE_MATTERS))
        if checkpoint is not None:
            checkpoint.follows(earlier)
    if reduced is not None and not isinstance(reduced, NoReduction):
        reduced = ChangedSystems(reduced, with_late_explored)
    again = _Run(with_late_explored(system), options, noted, watch, observers, checkpoint, earlier, reduced).result()
    return replace(again, late_explored=True, restarts=(LATE_MATTERS, *again.restarts))


class _Run:
    def __init__(
        self,
        system: System,
        options: SearchOptions,
        on_event: Callable[[SearchEvent], None],
        watch: LimitWatch,
        observers: Sequence[Observer],
        checkpoint: CheckpointKeeper | None = None,
        earlier: Result | None = None,
        reduced: ReducedSystems | NoReduction | None = None,
        trial: ReductionTrial | None = None,
    ) -> None:
        refuse_bad_mixes(options, observers)
        self.checkpoint = checkpoint
        if checkpoint is not None:
            refuse_without_kernel(options, observers)
        for observer in observers:
            check_columns(system, observer)
        self.choice: ReductionChoice | None = None
        if options.reduce == "auto":
            kernel_alone = self._begins_with_kernel(options)
            self.choice = ReductionChoice(system, options, observers, reduced, self._search_reduced, kernel_alone)
            options = replace(options, reduce=False)
        self.kept_choice = self.choice  # what a checkpoint has of a choice: of a trial, that of the whole search
        self.trial = trial  # that this search is
        self.reduced: _Run | None = None  # the search that is tried, or takes the place of this one
        self.whole = Semantics(system)  # with LATE actions; it confirms counterexamples
        late = judges_rest(system)
        system = explored_part(system)
        self.system, self.options, self.on_event = system, options, on_event
        self.tables = Memo(system, options.checked, options.strategy)
        self.tables.pause = self._on_pause
        self.reduction: Reduction | None = None
        if options.reduce:
            self.reduction = StubbornSets(system) if trial is None else trial.sets(system)
        self.sometimes = {prop.name for prop in system.properties if prop.sometimes}
        self.watch = watch
        self.semantics = Semantics(system)
        self.late = LateActions(self.whole.system, self.watch.reason_to_stop) if late else None
        self.observations = [Observation(self.semantics, observer) for observer in observers]
        self.log = self._new_log()
        self.graph = SystemGraph(self.tables, self.reduction, options.strategy)  # of the loop and of dives
        self.shown = FoundPaths(self.whole, self.tables, self.late, options, watch, on_event)
        self.dives = None
        if self._may_dive:
            schedule = DiveSchedule(len(system.components))
            self.dives = SystemDives(
                schedule, self.graph, self._new_log, self.shown.shorten, options.limits, watch, self._on_pause
            )
        if options.cluster is not None and self.reduction is not None and self.reduction.cycle_proviso:
            raise SdnloomError(
                "a reduction with a property that is checked at events needs the cycle proviso, which a search in a "
                "cluster does not check; expected no reduction, or no cluster"
            )
        self.cluster: ClusterBackend | None = None
        self.engine: Engine | None = None
        self.name = "loop"
        self.folder: Folder | None = None  # of a search on disk
        self.overtaken: Progress | None = None  # how far an engine before this one has come
        self.compilation: KernelCompilation | None = None
        self.began = watch.seconds
        self.earlier = earlier  # what a search without LATE actions found, which is so in any case

    def result(self) -> Result:
        """Run the engine and return its result."""
        with without_collector(), self.watch.catching_interrupts(self._interrupted), self.watch.in_force():
            try:
                if self.choice is not None and self._is_resumed_reduced(self.choice):
                    assert self.choice.result is not None
                    return self.choice.result
                engine = self._explore()
                if self.choice is not None and self.choice.result is not None:
                    return self.choice.result
                if self.trial is not None and not self.trial.taken:
                    self._take(engine)
                with stop_points.limits_in_force(None):  # what was found is replayed and reported
                    return self._result(engine)
            except RestartRequired as required:
                return Result(required.restart, self._statistics())
            finally:
                if self.folder is not None:
                    self.folder.close()
                if self.cluster is not None:
                    self.cluster.close()

    def _result(self, engine: Engine) -> Result:
        if self.checkpoint is not None:
            self.checkpoint.finish(self, engine.stopped, self._dived)
        self._check_laws(engine)
        if self.options.checked and isinstance(engine, SystemLoop):
            check_commutation(self.semantics, [engine.graph.value(state) for state in engine.states])
        statistics = self._statistics()  # taken here: shortening counterexamples adds to the memo
        found = [self.shown.counterexample(engine, finding, *where) for finding, where in self._causes_first(self.log)]
        if self.dives is not None and self.dives.best is not None:
            found.append(self.shown.of_dives(self.dives, self.dives.best))
        violations = tuple(one for one in found if one.property not in self.sometimes)
        witnesses = tuple(one for one in found if one.property in self.sometimes)
        if self.earlier is not None:  # a limit may have ended this search before it found them again
            known = {(one.property, one.message) for one in violations} | {(one.property, "") for one in witnesses}
            violations += tuple(one for one in self.earlier.violations if (one.property, one.message) not in known)
            witnesses += tuple(one for one in self.earlier.witnesses if (one.property, "") not in known)
        reason = self._incomplete(engine)
        never = sorted(self.sometimes - {one.property for one in witnesses})
        verdict: Verdict
        if violations:
            verdict = Violated(violations[0])
        elif reason is not None:
            verdict = Incomplete(reason)
        else:
            empty = [f"{name} was never seen" for name in never]
            if not statistics.transitions and all(prop.has_memory or prop.sometimes for prop in self.system.properties):
                empty.append("nothing ever happens")
            verdict = Vacuous(tuple(empty)) if empty else Holds()
        explained = conflicts(self.tables) if self.options.explain else ()
        statistics = replace(statistics, seconds=self.watch.seconds - self.began)
        result = Result(
            *(verdict, statistics, violations, witnesses, tuple(never), False, reason),
            *(self._reductions(), self._choice_words(), explained),
        )
        if not self.needs_late():
            self.on_event(Finished(result))
        return result

    def _check_laws(self, engine: Engine, most: int | None = None) -> None:
        """Raise ModelError if what the search relied on does not hold; TrialRefused if another search can go on.

        At most so many memories of each property are looked at.
        """
        try:
            if self.options.checked or self.options.reduce:
                check_channels(self.tables)
            if self.options.reduce:
                check_memories(self.tables, {name: met[:most] for name, met in engine.memories().items()})
        except ModelError as error:
            if self.trial is None:
                raise
            raise TrialRefused(str(error)) from error

    def needs_late(self) -> bool:
        """Whether a second search has to explore LATE actions, because some of them end a violation at rest."""
        if self.choice is not None and self.choice.result is not None and self.reduced is not None:
            return self.reduced.needs_late()
        assert self.engine is not None
        over = self.engine.stopped is None and self.log.restless is None and not self._ended_at_first
        return self.log.outlived and over

    @property
    def _ended_at_first(self) -> bool:
        """Whether the search ended at a violation."""
        return self._dived or (not self.options.find_all and self.log.has_violation)

    @property
    def _dived(self) -> bool:
        """Whether a dive ended the search."""
        return self.dives is not None and self.dives.best is not None

    @property
    def _may_dive(self) -> bool:
        """Whether dives can help: to find one violation, not all."""
        if self.options.cluster is not None:
            return False
        can_violate = any(not prop.sometimes for prop in self.system.properties)
        return self.options.order == "auto" and not self.options.find_all and can_violate

    def _causes_first(self, log: FindingLog) -> list[tuple[Finding, tuple[int, Path]]]:
        """The findings in the order of their states; in one state what an event showed before what it led to."""
        at_rest = {prop.name: prop.needs not in (Needs.EVENT, Needs.ORDER) for prop in self.system.properties}
        return sorted(log.findings.items(), key=lambda item: (item[1][0], at_rest[item[0].property]))

    def _reductions(self) -> tuple[str, ...]:
        """The names of the reductions that the search used."""
        if self.reduction is None:
            return ()
        names = [self.reduction.name]
        if self.options.order != "dfs" and can_sleep(self.system, self.reduction, self.options.strategy):
            names.append("sleep sets")
        return (*names, "cycle proviso") if self.reduction.cycle_proviso else tuple(names)

    # The choice of a reduction, see `reduction/auto_reduction.py`

    def _choice_words(self) -> str | None:
        """What the result says of the choice of a reduction, None if there was no choice."""
        if self.trial is not None:
            return self.trial.choice
        return None if self.choice is None else self.choice.words

    def _is_replaced(self, transitions: int, depth: int) -> bool:
        """Whether a reduced search takes the place of this one, which has explored every state of that depth."""
        if self.choice is None:
            return False
        dives = 0 if self.dives is None else self.dives.schedule.dives
        return self.choice.takes_over(WholeSearch(transitions, depth, dives))

    def _is_resumed_reduced(self, choice: ReductionChoice) -> bool:
        """Go on with a reduced search that a checkpoint is of; whether it took the place of this one."""
        whole = None if self.checkpoint is None else self.checkpoint.restore_choice(choice)
        return whole is not None and choice.goes_on(whole)

    def _search_reduced(self, system: System, trial: ReductionTrial) -> Result:
        options = replace(self.options, reduce=True, engine="loop" if self.options.engine == "loop" else "auto")

        def told(event: SearchEvent) -> None:
            if trial.taken or not isinstance(event, Progress):
                self.on_event(event)
            elif self.engine is not None:
                self.on_event(self._progress(self.engine))

        keeper = None if self.checkpoint is None else self.checkpoint.handed_on()
        self.reduced = run = _Run(system, options, told, self.watch, (), keeper, self.earlier, trial=trial)
        run.began, run.compilation, run.kept_choice = self.began, self.compilation, self.choice
        if run.dives is not None:
            run.dives.schedule.dives = trial.whole.dives
        try:
            return run.result()
        finally:
            self.began = run.began  # a checkpoint says how long it took before

    def _take(self, engine: Engine) -> None:
        """Let this search take the place of the one without a reduction, if it is worth that."""
        assert self.trial is not None
        if engine.stopped is not None:
            raise TrialRefused
        refuted = self.trial.take(engine.transitions)
        if refuted is not None:
            raise RestartRequired(refuted)
        self._check_laws(engine, MEMORIES_AT_FIRST)
        self.on_event(Notice(f"reduction {self.trial.choice}: the search begins again and leaves orders out"))

    def _statistics(self) -> Statistics:
        """How much was done so far."""
        engine, tables, components = self.engine, self.tables, self.system.components
        assert engine is not None
        counts = tables.evaluations
        if self.late is not None:
            late = self.late.tables.evaluations if self.checkpoint is None else self.checkpoint.late_evaluations(self)
            counts = [one + more for one, more in zip(counts, late, strict=True)]
        return Statistics(
            self.name,
            engine.count(),
            engine.transitions,
            engine.depth,
            self.watch.seconds - self.began,
            {component.name: count for component, count in zip(components, counts, strict=True)},
            {component.name: len(cores) for component, cores in zip(components, tables.cores, strict=True)},
            frozenset(components[tables.actions[number][0]].name for number in {one.action for one in tables.locals}),
            engine.bytes_per_state(),
            self.dives.dives if self.dives else 0,
            self.dives.states if self.dives else 0,
            _routes(tables),
            self.folder.most_bytes if self.folder else 0,
        )

    def _explore(self) -> Engine:
        try:
            if self.options.cluster is not None:
                return self._clustered(self.options.cluster)
            if self._begins_with_kernel(self.options):
                return self._kernel_alone()
            if self.options.engine == "loop" or not self._kernel_serves():
                return self._loop()
            loop = self._loop(self._hand_over)
            replaced = self.choice is not None and self.choice.result is not None
            return self._kernel_after(loop) if loop.handed_over and not replaced else loop
        finally:
            if self.compilation is not None:
                self.compilation.stop()

    def _begins_with_kernel(self, options: SearchOptions) -> bool:
        return options.engine == "kernel" or options.disk is not None or self.checkpoint is not None

    def _hand_over(self, transitions: int) -> bool:
        """Whether the kernel is to go on. While it is compiled, the loop goes on."""
        if transitions < SMALL_RUN or self.watch.left < TIME_TO_CHANGE:
            return False
        return self._compiled(meanwhile=True)

    def _compiled(self, meanwhile: bool) -> bool:
        """Whether nothing is left to compile; the first call starts the compilation if one is needed."""
        if self.compilation is None:
            try:
                self.compilation = KernelCompilation()
            except ImportError as error:
                raise _without_numba(error) from error
            if not self.compilation.is_over:
                goes_on = "; the loop engine searches meanwhile" if meanwhile else ""
                self.on_event(
                    Notice(f"compiling the kernel engine, once for this installation: about half a minute{goes_on}")
                )
        return self.compilation.is_over

    def _kernel_alone(self) -> Engine:
        """The kernel from the start; a limit may end the wait for its compilation."""
        with self.watch.during(COMPILING):
            try:
                while not self._compiled(meanwhile=False):
                    stop_points.check_limits()
                    time.sleep(_WAIT)
            except stop_points.LimitReached as reached:
                engine = self._new_loop()
                engine.stopped = reached.reason
                return engine
        return self._kernel()

    def _kernel_after(self, loop: SystemLoop) -> Engine:
        """The kernel, which begins again; the loop if a limit ends the kernel before it has found as many states."""
        log, self.log = self.log, self._new_log()
        self.overtaken = self._progress(loop)
        kernel = self._kernel()
        if kernel.stopped is None or kernel.count() >= loop.count() or self._dived:
            return kernel
        loop.stopped = kernel.stopped
        self.engine, self.name, self.log = loop, "loop", log
        return loop

    def _kernel_serves(self) -> bool:
        if self.options.order == "dfs" or self.options.checked or self.watch.left < SHORT_RUN:
            return False
        if len(self.tables.actions) > KERNEL_ACTIONS:
            return False
        if importlib.util.find_spec("numba") is not None:
            return True
        self.on_event(Notice("numba has no build for this Python: the loop engine is used"))
        return False

    def _loop(self, hand_over: Callable[[int], bool] = lambda transitions: False) -> SystemLoop:
        engine = self._new_loop(hand_over)
        engine.run()
        return engine

    def _new_loop(self, hand_over: Callable[[int], bool] = lambda transitions: False) -> SystemLoop:
        graph = self.graph
        observers = [StateObserver(graph, observation) for observation in self.observations]

        def observe(state: int) -> None:
            for observer in observers:
                observer.observe(state)

        def ends(transitions: int) -> bool:
            return self._is_replaced(transitions, engine.depth - 1) or hand_over(transitions)

        sleeps = self.options.order != "dfs" and can_sleep(self.system, self.reduction, self.options.strategy)
        kind = SleepSetLoop if sleeps else SystemLoop
        engine: SystemLoop = kind(
            graph,
            order="dfs" if self.options.order == "dfs" else "bfs",
            limits=self.options.limits,
            watch=self.watch,
            hand_over=ends,
            on_finding=self.log.note,
            on_pause=self._on_pause,
            on_level=self._on_level,
            observe=observe if self.observations else None,
        )
        self.log.value = engine.value
        self.engine, self.name = engine, "loop"
        return engine

    def _kernel(self) -> Engine:
        from sdnloom.engine.kernel.search import KernelSearch  # takes a while

        if self.checkpoint is not None and (reason := self.checkpoint.begin(self)) is not None:
            stopped = self._new_loop()
            stopped.stopped = reason
            return stopped
        kind: Callable[..., KernelSearch] = KernelSearch
        if self.options.disk is not None:
            kind = self._on_disk(self.options.disk)
        engine = kind(
            self.tables,
            self.reduction,
            limits=self.options.limits,
            watch=self.watch,
            on_finding=self.log.note,
            on_pause=self._on_pause,
            on_level=self._on_level,
            observations=self.observations,
            each_at_rest=self.late is not None,
            threads=self.options.threads or available_cores(),
            kept=self.checkpoint is not None,
        )
        self.log.value = engine.value
        self.engine, self.name = engine, "kernel"
        if self.checkpoint is not None:
            self.checkpoint.resume(self, engine)
        engine.run()
        return engine

    def _on_disk(self, path: str) -> "Callable[..., KernelSearch]":
        from sdnloom.engine.kernel.disk.files import Folder
        from sdnloom.engine.kernel.disk.search import DiskSearch

        self.folder = folder = Folder(path, self.options.disk_place)

        def on_spill(states: int) -> None:
            self.on_event(Notice(f"{GOING_TO_DISK} {path} (states so far: {states:,})"))

        return partial(DiskSearch, folder=folder, on_spill=on_spill)

    def _clustered(self, options: ClusterOptions) -> Engine:
        from sdnloom.engine.cluster.search import ClusterSearch, new_backend  # takes a while

        self.cluster = new_backend(
            options, self.options.threads, self.earlier is not None, lambda text: self.on_event(Notice(text))
        )
        engine = ClusterSearch(
            self.tables,
            self.cluster,
            limits=self.options.limits,
            watch=self.watch,
            on_finding=self.log.note,
            on_pause=self._on_pause,
            on_notice=lambda text: self.on_event(Notice(text)),
        )
        self.log.value = engine.value
        self.engine, self.name = engine, "cluster"
        engine.run()
        return engine

    def _new_log(self) -> FindingLog:
        return FindingLog(self.whole.system, self.late, self.options.find_all)

    def _on_level(self) -> bool:
        """Dive if that is due; True if the search ends: a dive has found a violation, or another search goes on."""
        assert self.engine is not None
        done, depth = self.engine.transitions, self.engine.depth
        is_beside = self.trial is not None and not self.trial.is_far_enough(depth)
        if self.trial is not None and not is_beside and not self.trial.taken:
            self._take(self.engine)
        if self.checkpoint is not None:
            self.checkpoint.at_boundary(self)
        if is_beside:
            return False
        if self.trial is not None:
            done += self.trial.whole.transitions  # dives are due as if the search before had gone on
        found = self.dives is not None and self.dives.has_found(done, depth)
        return found or self._is_replaced(done, depth)

    def _interrupted(self) -> None:
        self.on_event(STOPPING)

    def _on_pause(self) -> None:
        if self.trial is not None and self.engine is not None:
            self.trial.look(self.engine.transitions)
        if self.engine is not None and self.watch.progress_due():
            self.on_event(self._progress(self.engine))

    def _progress(self, engine: Engine) -> Progress:
        """How far the search is. A kernel that begins again has as much as the loop before it had."""
        seconds, memory = self.watch.seconds - self.began, resident_bytes()
        if self.overtaken is not None and engine.count() < self.overtaken.states:
            return replace(self.overtaken, seconds=seconds, memory=memory, engine=self.name, again=engine.count())
        dive = None
        if self.dives is not None and self.dives.current is not None:
            dive = self.dives.dives, self.dives.current.count(), self.dives.current.depth
        return Progress(
            engine.count(), engine.transitions, engine.frontier, engine.depth, seconds, memory, self.name, dive
        )

    def _incomplete(self, engine: Engine) -> str | None:
        """Why the search is not exhaustive, None if it is."""
        if engine.stopped is not None:
            return engine.stopped
        if self.options.strategy is not None:
            return skipped(self.options.strategy)
        if self._ended_at_first:
            return AT_FIRST
        return self.log.restless


def _without_numba(error: ImportError) -> SdnloomError:
    return SdnloomError(f"the kernel engine needs numba ({error}); use the loop engine")


def _routes(tables: Memo) -> frozenset[SentRoute]:
    """Who sent on which channel, and to which of its ports."""
    return frozenset(
        SentRoute(sender, channel.name, message[0] if getattr(channel.discipline, "senders", ()) else None)
        for channel, sent in zip(tables.system.channels, tables.sent, strict=True)
        for message, senders in sent.items()
        for sender in senders
    )
