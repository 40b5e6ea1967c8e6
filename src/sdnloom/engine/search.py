"""Search of a system: the choice of an engine, limits, replay of counterexamples, and the verdict."""

import gc
import importlib.util
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from sdnloom.engine import stop_points
from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.counterexample.minimise import MinimisedPath, minimise
from sdnloom.engine.dives.schedule import DiveSchedule
from sdnloom.engine.dives.system_dives import DiveFinding, SystemDives
from sdnloom.engine.dives.system_loop import SleepSetLoop, SystemLoop
from sdnloom.engine.kernel.compilation import KernelCompilation
from sdnloom.engine.late import LateActions, explored_part, judges_rest, with_late_explored
from sdnloom.engine.limits import LimitWatch, available_cores, resident_bytes
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import ModelError, Needs, Observer, Restart, RestartRequired, Step, System
from sdnloom.engine.observers import Observation, check_columns
from sdnloom.engine.path import Path, ReplayDivergence, replay
from sdnloom.engine.reduction.explain import conflicts
from sdnloom.engine.reduction.laws import check_channels, check_commutation, check_memories
from sdnloom.engine.reduction.reduction import Reduction
from sdnloom.engine.reduction.sleep_sets import can_sleep
from sdnloom.engine.reduction.stubborn_sets import StubbornSets
from sdnloom.engine.result import (
    AT_FIRST,
    STOPPING,
    ClusterOptions,
    Counterexample,
    CounterexampleFound,
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
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.strategy import skipped
from sdnloom.engine.system_graph import StateObserver, SystemGraph
from sdnloom.errors import SdnloomError

if TYPE_CHECKING:
    from sdnloom.engine.cluster.protocol import ClusterBackend

SMALL_RUN = 200_000  # transitions after which the kernel is faster, its start included
SHORT_RUN = 30.0  # seconds; with less time the loop sees more states, because it does not begin twice
TIME_TO_CHANGE = 10.0  # seconds that must be left for a change of the engine
SHORTENING = 5.0  # seconds in which counterexamples are shortened after the time limit
STATES_TO_SHORTEN = 2_000  # that are searched for a shorter counterexample
STEPS_TO_SHORTEN = 50_000  # that are followed in attempts to leave some out
COMPILING = "while the kernel engine was compiled"
LATE_MATTERS = "a violation ended when what was still waited for had happened, so that is explored in every order too"
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
) -> Result:
    """The verdict on a system. Every counterexample in it was replayed on the reference semantics.

    If a step returns a Restart, that is the verdict.

    `watch` is the watch of the run that the search is part of; its limits are those of the options.
    """
    options = options or SearchOptions()
    watch = watch or LimitWatch(options.limits)
    noted = on_event or (lambda event: None)
    run = _Run(system, options, noted, watch, observers)
    result = run.result()
    if not isinstance(result.verdict, Restart) and run.needs_late():
        noted(Notice(LATE_MATTERS))
        again = _Run(with_late_explored(system), options, noted, watch, observers, result).result()
        return replace(again, late_explored=True, restarts=(LATE_MATTERS, *again.restarts))
    return result


class _Run:
    def __init__(
        self,
        system: System,
        options: SearchOptions,
        on_event: Callable[[SearchEvent], None],
        watch: LimitWatch,
        observers: Sequence[Observer],
        earlier: Result | None = None,
    ) -> None:
        _refuse_bad_mixes(options, observers)
        for observer in observers:
            check_columns(system, observer)
        self.whole = Semantics(system)  # with LATE actions; it confirms counterexamples
        late = judges_rest(system)
        system = explored_part(system)
        self.system, self.options, self.on_event = system, options, on_event
        self.tables = Memo(system, options.checked, options.strategy)
        self.tables.pause = self._on_pause
        self.reduction: Reduction | None = StubbornSets(system) if options.reduce else None
        self.sometimes = {prop.name for prop in system.properties if prop.sometimes}
        self.watch = watch
        self.semantics = Semantics(system)
        self.recorded = MemoSemantics(self.tables)  # finds and shortens paths; `whole` confirms them
        self.late = LateActions(self.whole.system, self.watch.reason_to_stop) if late else None
        self.observations = [Observation(self.semantics, observer) for observer in observers]
        self.log = self._new_log()
        self.graph = SystemGraph(self.tables, self.reduction, options.strategy)  # of the loop and of dives
        self.dives = None
        if self._may_dive:
            schedule = DiveSchedule(len(system.components))
            self.dives = SystemDives(
                schedule, self.graph, self._new_log, self._shorten, options.limits, watch, self._on_pause
            )
        if options.cluster is not None and self.reduction is not None and self.reduction.cycle_proviso:
            raise SdnloomError(
                "a reduction with a property that is checked at events needs the cycle proviso, which a search in a "
                "cluster does not check; expected no reduction, or no cluster"
            )
        self.cluster: ClusterBackend | None = None
        self.engine: Engine | None = None
        self.name = "loop"
        self.overtaken: Progress | None = None  # how far an engine before this one has come
        self.compilation: KernelCompilation | None = None
        self.began = watch.seconds
        self.earlier = earlier  # what a search without LATE actions found, which is so in any case

    def result(self) -> Result:
        """Run the engine and return its result."""
        with without_collector(), self.watch.catching_interrupts(self._interrupted), self.watch.in_force():
            try:
                engine = self._explore()
                with stop_points.limits_in_force(None):  # what was found is replayed and reported
                    return self._result(engine)
            except RestartRequired as required:
                return Result(required.restart, self._statistics())
            finally:
                if self.cluster is not None:
                    self.cluster.close()

    def _result(self, engine: Engine) -> Result:
        if self.options.checked or self.options.reduce:
            check_channels(self.tables)
        if self.options.reduce:
            check_memories(self.tables, engine.memories())
        if self.options.checked and isinstance(engine, SystemLoop):
            check_commutation(self.semantics, [engine.graph.value(state) for state in engine.states])
        statistics = self._statistics()  # taken here: shortening counterexamples adds to the memo
        found = [self._counterexample(engine, finding, *where) for finding, where in self._causes_first(self.log)]
        if self.dives is not None and self.dives.best is not None:
            found.append(self._counterexample_of_dives(self.dives, self.dives.best))
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
        reduction = self._reductions()
        result = Result(verdict, statistics, violations, witnesses, tuple(never), False, reason, reduction, explained)
        if not self.needs_late():
            self.on_event(Finished(result))
        return result

    def needs_late(self) -> bool:
        """Whether a second search has to explore LATE actions, because some of them end a violation at rest."""
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

    def _statistics(self) -> Statistics:
        """How much was done so far."""
        engine, tables, components = self.engine, self.tables, self.system.components
        assert engine is not None
        counts = tables.evaluations
        if self.late is not None:
            counts = [one + more for one, more in zip(counts, self.late.tables.evaluations, strict=True)]
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
        )

    def _explore(self) -> Engine:
        try:
            if self.options.cluster is not None:
                return self._clustered(self.options.cluster)
            if self.options.engine == "kernel":
                return self._kernel_alone()
            if self.options.engine == "loop" or not self._kernel_serves():
                return self._loop()
            loop = self._loop(self._hand_over)
            return self._kernel_after(loop) if loop.handed_over else loop
        finally:
            if self.compilation is not None:
                self.compilation.stop()

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

        sleeps = self.options.order != "dfs" and can_sleep(self.system, self.reduction, self.options.strategy)
        kind = SleepSetLoop if sleeps else SystemLoop
        engine = kind(
            graph,
            order="dfs" if self.options.order == "dfs" else "bfs",
            limits=self.options.limits,
            watch=self.watch,
            hand_over=hand_over,
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

        engine = KernelSearch(
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
        )
        self.log.value = engine.value
        self.engine, self.name = engine, "kernel"
        engine.run()
        return engine

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
            on_lost=lambda text: self.on_event(Notice(text)),
        )
        self.log.value = engine.value
        self.engine, self.name = engine, "cluster"
        engine.run()
        return engine

    def _new_log(self) -> FindingLog:
        return FindingLog(self.whole.system, self.late, self.options.find_all)

    def _on_level(self) -> bool:
        """Dive if that is due; True if a dive has found a violation, which ends the search."""
        assert self.engine is not None
        return self.dives is not None and self.dives.has_found(self.engine.transitions, self.engine.depth)

    def _interrupted(self) -> None:
        self.on_event(STOPPING)

    def _on_pause(self) -> None:
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

    def _counterexample(self, engine: Engine, found: Finding, number: int, course: Path) -> Counterexample:
        path = self._path(engine, number, course)
        plain = self.options.order != "dfs" and self._is_plain
        if plain and not course.steps:
            return self._shown(MinimisedPath(path, found), shortest=True)
        return self._shown(self._minimised(path, found))

    def _counterexample_of_dives(self, dives: SystemDives, best: MinimisedPath) -> Counterexample:
        """The counterexample of the shortest path that dives found."""
        if len(best.path) > dives.least:
            best = self._minimised(best.path, best.found)
        return self._shown(best, self._is_plain and not dives.is_late and len(best.path) <= dives.least)

    def _shorten(self, of_dive: DiveFinding) -> MinimisedPath:
        """A path that a dive found, shortened without a search."""
        path = self._path(of_dive.engine, of_dive.number, of_dive.course)
        return self._minimised(path, of_dive.found, most_states=0)

    @property
    def _is_plain(self) -> bool:
        """Whether no order of steps is left out."""
        return not self.options.reduce and self.options.strategy is None

    def _path(self, engine: Engine, number: int, course: Path) -> Path:
        return Path(path_through(self.recorded, engine.values(number)).steps + course.steps)

    def _minimised(self, path: Path, found: Finding, most_states: int = STATES_TO_SHORTEN) -> MinimisedPath:
        return minimise(
            self.recorded if self.late is None else self.late.semantics,
            path,
            found,
            self._no_time_to_shorten,
            same_message=self.options.find_all,  # each distinct message has a counterexample of its own
            most_states=most_states,
            most_followed=STEPS_TO_SHORTEN,
        )

    def _shown(self, shorter: MinimisedPath, shortest: bool = False) -> Counterexample:
        """The counterexample, confirmed."""
        path, found, minimal = shorter.path, shorter.found, shorter.minimal
        recorded = self.recorded if self.late is None else self.late.semantics
        transitions = self._confirmed(recorded, path)
        initial = self.whole.initial()
        result = Counterexample(
            found.property, found.message, path, shortest, initial, tuple(transitions), minimal, self.whole.system
        )
        if found not in self.whole.findings(result.final_state()):
            raise AssertionError(
                f"the counterexample to {found.property!r} does not replay; this is a defect of sdnloom"
            )
        self.on_event(CounterexampleFound(result, found.property in self.sometimes))
        return result

    def _no_time_to_shorten(self) -> bool:
        return self.watch.interrupted or self.watch.left < -SHORTENING

    def _confirmed(self, recorded: Semantics, path: Path) -> list[Transition]:
        """The transitions of a path, replayed without the memo; ModelError if they differ from those in the memo."""
        expected = replay(recorded, path)
        try:
            transitions = replay(self.whole, path)
        except ReplayDivergence as diverged:
            raise _impure(diverged.position) from diverged
        for position, (now, before) in enumerate(zip(transitions, expected, strict=True)):
            if now.state != before.state:
                raise _impure(position)
        return transitions

    def _incomplete(self, engine: Engine) -> str | None:
        """Why the search is not exhaustive, None if it is."""
        if engine.stopped is not None:
            return engine.stopped
        if self.options.strategy is not None:
            return skipped(self.options.strategy)
        if self._ended_at_first:
            return AT_FIRST
        return self.log.restless


def path_through(semantics: Semantics, states: Sequence[State]) -> Path:
    """A path that visits these states one after the other."""
    steps: list[Step] = []
    for before, after in itertools.pairwise(states):
        step = next((each.step for each in semantics.transitions(before) if each.state == after), None)
        if step is None:
            raise _impure(len(steps))
        steps.append(step)
    return Path(tuple(steps))


def _impure(position: int) -> ModelError:
    return ModelError(
        f"step {position + 1} of a path that was found leads elsewhere when it is taken again; expected "
        "components, and programs in them, that depend on nothing but their state and inputs: not on files, "
        "the environment, addresses of objects or the system's own randomness"
    )


def _without_numba(error: ImportError) -> SdnloomError:
    return SdnloomError(f"the kernel engine needs numba ({error}); use the loop engine")


def _refuse_bad_mixes(options: SearchOptions, observers: Sequence[Observer]) -> None:
    if options.cluster is not None:
        refused = {
            "order 'dfs'": options.order == "dfs",
            f"the {options.engine} engine": options.engine != "auto",
            "a checked run": options.checked,
            "an observer, as the discovery of inputs needs it": bool(observers),
        }
        for what, given in refused.items():
            if given:
                raise SdnloomError(f"{what} is not possible in a cluster, which searches breadth first")
    if options.engine == "kernel" and options.order == "dfs":
        raise SdnloomError("the kernel engine searches breadth first; use the loop engine for order 'dfs'")
    if options.engine == "kernel" and options.checked:
        raise SdnloomError("checked runs evaluate every step in Python; use the loop engine")
    if options.threads is not None and (type(options.threads) is not int or options.threads < 1):
        raise SdnloomError(f"option threads is {options.threads!r}; expected a positive whole number")
    for name, value, known in (
        ("engine", options.engine, ("auto", "loop", "kernel")),
        ("order", options.order, ("auto", "bfs", "dfs")),
    ):
        if value not in known:
            raise SdnloomError(f"option {name} is {value!r}; expected one of {', '.join(known)}")


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the garbage collector: a search allocates millions of values, keeps them, and they have no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _routes(tables: Memo) -> frozenset[SentRoute]:
    """Who sent on which channel, and to which of its ports."""
    return frozenset(
        SentRoute(sender, channel.name, message[0] if getattr(channel.discipline, "senders", ()) else None)
        for channel, sent in zip(tables.system.channels, tables.sent, strict=True)
        for message, senders in sent.items()
        for sender in senders
    )
