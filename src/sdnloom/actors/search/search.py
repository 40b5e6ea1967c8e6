"""Search of a program of actors: rounds, limits, replay of counterexamples, and the verdict."""

from collections.abc import Callable
from dataclasses import replace

from sdnloom.actors.program import PLAIN, Group, Naming, Program
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.dive import ACTOR_WIDTH, ActorDive
from sdnloom.actors.search.equivariance import Asymmetry, Equivariance
from sdnloom.actors.search.groups import groups_text, interchangeable_actors
from sdnloom.actors.search.options import ActorOptions, ActorResult, ReductionLevel
from sdnloom.actors.search.path import PathFinder, RecordedSemantics
from sdnloom.actors.search.step_memo import unchecked
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine import stop_points
from sdnloom.engine.counterexample.found_paths import SHORTENING, STATES_TO_SHORTEN, STEPS_TO_SHORTEN
from sdnloom.engine.counterexample.minimise import minimise
from sdnloom.engine.dives.schedule import DiveSchedule
from sdnloom.engine.limits import LimitWatch, resident_bytes, without_collector
from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.path import Path, replay
from sdnloom.engine.result import (
    AT_FIRST,
    STOPPING,
    Counterexample,
    CounterexampleFound,
    Finished,
    Holds,
    Incomplete,
    Notice,
    Progress,
    Result,
    SearchEvent,
    Statistics,
    Vacuous,
    Verdict,
    Violated,
)
from sdnloom.engine.semantics import Finding


def search_program(
    program: Program,
    options: ActorOptions | None = None,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
) -> ActorResult:
    """The verdict on a program. Every counterexample in it was replayed on the plain semantics.

    `watch` is the watch of the run that the search is part of; its limits are those of the options.
    """
    options = options or ActorOptions()
    watch = watch or LimitWatch(options.limits)
    noted = on_event or (lambda event: None)
    groups: tuple[Group, ...] = ()
    symmetry = "not used"
    if options.symmetry and program.symmetric:
        groups = interchangeable_actors(program)
        symmetry = groups_text(groups)
    try:
        return _Run(program, Naming(groups), symmetry, options, noted, watch).result()
    except Asymmetry as found:
        noted(Notice(f"symmetry is not used: {found}"))
        again = _Run(program, PLAIN, f"not used: {found}", options, noted, watch).result()
        return replace(again, result=replace(again.result, restarts=(str(found),)))


class _Run:
    def __init__(
        self,
        program: Program,
        naming: Naming,
        symmetry: str,
        options: ActorOptions,
        on_event: Callable[[SearchEvent], None],
        watch: LimitWatch,
    ) -> None:
        self.program, self.options, self.on_event, self.watch = program, options, on_event, watch
        self.symmetry = symmetry
        self.level: ReductionLevel = "none" if program.always else options.reduction
        self.equivariance = Equivariance(program, naming)
        self.graph = ActorGraph(program, naming, self.level, self.equivariance.check if naming.groups else unchecked)
        self.graph.pause = self._pause
        self.plain = ActorSemantics(program)
        self.recorded = RecordedSemantics(program)
        self.paths = PathFinder(self.graph, self.recorded)
        self.findings: dict[Finding, int] = {}
        self.schedule = DiveSchedule(ACTOR_WIDTH) if options.order == "auto" and not options.find_all else None
        self.dived: ActorDive | None = None  # the dive that ended the search
        self.dive_states = 0
        self.loop = self._new_loop()
        self.rounds = 1
        self.began = watch.seconds

    def result(self) -> ActorResult:
        """Search, and return the result."""
        with without_collector(), self.watch.catching_interrupts(self._interrupted), self.watch.in_force():
            self._search()
            with stop_points.limits_in_force(None):  # what was found is replayed and reported
                return self._result()

    def _search(self) -> None:
        """Search, again if in the meantime a task could do more than the choice of tasks had been based on."""
        sets = self.graph.sets
        while True:
            before = None if sets is None else sets.summaries.version
            self.loop.run()
            over = self.loop.stopped is not None or self.loop.ended_by_finding or self.dived is not None
            if sets is None or over or sets.summaries.version == before:
                return
            self.findings.clear()
            self.loop = self._new_loop()
            self.rounds += 1

    def _new_loop(self) -> LoopSearch[int]:
        return LoopSearch(
            self.graph,
            order="dfs" if self.options.order == "dfs" else "bfs",
            limits=self.options.limits,
            watch=self.watch,
            on_finding=self._on_finding,
            on_level=self._on_level,
        )

    def _on_finding(self, found: Finding, number: int) -> bool:
        if self.options.only not in (None, found.property):
            return False
        self.findings.setdefault(found, number)
        return not self.options.find_all

    def _on_level(self) -> bool:
        """Dive if that is due; True if the dive has found a violation, which ends the search."""
        schedule = self.schedule
        if schedule is None or not schedule.is_due(self.loop.transitions, self.watch.is_half_over):
            return False
        dive = ActorDive(self.program, *schedule.next_dive(), self.options, self.watch)
        found = dive.run(lambda: self._pause(dive))
        self.dive_states += len(dive.search.states)
        self.dived = dive if found else None
        return found

    def _interrupted(self) -> None:
        self.on_event(STOPPING)

    def _pause(self, dive: ActorDive | None = None) -> None:
        stop_points.check_limits()
        if self.watch.progress_due():
            loop, seconds = self.loop, self.watch.seconds - self.began
            self.on_event(
                Progress(
                    len(loop.states),
                    loop.transitions,
                    loop.frontier,
                    loop.depth,
                    seconds,
                    resident_bytes(),
                    "loop",
                    None if dive is None else (self._dives, len(dive.search.states), dive.search.depth),
                    self.rounds,
                )
            )

    @property
    def _dives(self) -> int:
        return 0 if self.schedule is None else self.schedule.dives

    def _result(self) -> ActorResult:
        loop, statistics = self.loop, self._statistics()
        # After a limit, states are left whose tasks have not run yet, and may not run now.
        finals = [] if loop.stopped is not None else [each for each in loop.states if self.graph.is_final(each)]
        found = [self._counterexample(self.paths, loop, *where) for where in self.findings.items()]
        if self.dived is not None and self.dived.found is not None:
            paths = PathFinder(self.dived.graph, self.recorded)
            found.append(self._counterexample(paths, self.dived.search, *self.dived.found))
        violations = _distinct(found)
        for each in violations:  # only now: to find one of them may show that symmetry was wrong
            self.on_event(CounterexampleFound(each, False))
        reason = loop.stopped
        if reason is None and violations and not self.options.find_all:
            reason = AT_FIRST
        verdict: Verdict
        if violations:
            verdict = Violated(violations[0])
        elif reason is not None:
            verdict = Incomplete(reason)
        else:
            verdict = Holds() if statistics.transitions else Vacuous(("nothing ever happens",))
        result = Result(verdict, statistics, violations, incomplete=reason, reduction=self._reductions())
        self.on_event(Finished(result))
        return ActorResult(
            result,
            len(finals),
            self.level,
            self._symmetry(),
            self.rounds,
            self.graph.naming,
            frozenset(map(self.graph.state, finals)),
        )

    def _symmetry(self) -> str:
        """Which actors were interchangeable, and whether that was checked in part only."""
        in_part = self.equivariance.renamings.sampled or self.graph.renamings.sampled
        return f"{self.symmetry} (they are too many to try all their renamings)" if in_part else self.symmetry

    def _reductions(self) -> tuple[str, ...]:
        return () if self.graph.sets is None else (f"stubborn sets ({self.level})", "cycle proviso")

    def _statistics(self) -> Statistics:
        loop, seconds = self.loop, self.watch.seconds - self.began
        evaluations = dict(self.graph.memo.evaluations)
        active = frozenset(evaluations)
        return Statistics(
            *("loop", len(loop.states), loop.transitions, loop.depth, seconds, evaluations),
            active=active,
            dives=self._dives,
            dive_states=self.dive_states,
        )

    def _counterexample(
        self, paths: PathFinder, search: LoopSearch[int], found: Finding, number: int
    ) -> Counterexample:
        path = paths.along(search.route(number))
        now = self._found_after(path, found)
        shortest = search.order == "bfs" and self.level == "none"
        minimal = True
        if not shortest:
            shorter = minimise(
                self.recorded,
                path,
                now,
                self._no_time_to_shorten,
                same_message=self.options.find_all,  # each distinct message has a counterexample of its own
                most_states=STATES_TO_SHORTEN,
                most_followed=STEPS_TO_SHORTEN,
            )
            path, now, minimal = shorter.path, shorter.found, shorter.minimal
        transitions = tuple(replay(self.plain, path))
        initial = self.plain.initial()
        result = Counterexample(now.property, now.message, path, shortest, initial, transitions, minimal)
        if now not in self.plain.findings(result.final_state()):
            raise AssertionError(f"the counterexample to {now.property!r} does not replay; this is a defect of sdnloom")
        return result

    def _found_after(self, path: Path, found: Finding) -> Finding:
        """The finding as the plain semantics words it."""
        transitions = replay(self.recorded, path)
        state = transitions[-1].state if transitions else self.plain.initial()
        there = self.recorded.findings(state)
        if found in there:
            return found
        same = [each for each in there if each.property == found.property]
        if not same:
            raise Asymmetry(f"{found.property} is not violated with other names")
        return same[0]

    def _no_time_to_shorten(self) -> bool:
        return self.watch.interrupted or self.watch.left < -SHORTENING


def _distinct(found: list[Counterexample]) -> tuple[Counterexample, ...]:
    """The counterexamples without those that say the same; findings that differ by a renaming can become the same."""
    kept: dict[tuple[str, str], Counterexample] = {}
    for each in found:
        said = each.property, each.message
        if said not in kept or len(each.path) < len(kept[said].path):
            kept[said] = each
    return tuple(kept.values())
