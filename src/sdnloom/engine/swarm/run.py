"""Runs a swarm: its members in worker processes or in this one, and the violation of the first member that found one.

Members are independent and numbered. If several find a violation, that of the least number is reported, and members
with smaller numbers end their share first: so the result is the same for any number of processes.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sdnloom.engine.counterexample.confirmed_path import path_through
from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.counterexample.found_paths import SHORTENING
from sdnloom.engine.counterexample.minimise import minimise
from sdnloom.engine.late import LateActions, explored_part, judges_rest
from sdnloom.engine.limits import LimitWatch, without_collector
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.model import ModelError, System
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.path import final_state, replay
from sdnloom.engine.result import STOPPING, Activity, Counterexample, CounterexampleFound, Limits, Notice, SearchEvent
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.stop_points import LimitReached, limits_in_force
from sdnloom.engine.swarm.member import BitstateSearch, MemberOutcome, Pulse, member_document, member_of
from sdnloom.engine.swarm.options import SwarmOptions
from sdnloom.engine.swarm.path_choices import choices_of, path_of
from sdnloom.engine.swarm.probe import probed_depth
from sdnloom.engine.swarm.result import OUTLIVED, SwarmResult
from sdnloom.engine.swarm.state_hash import ContentDigests
from sdnloom.engine.swarm.worker_pool import WorkerLink, WorkerPool, why_not_to_fork
from sdnloom.engine.system_graph import SystemGraph

_Event = Callable[[SearchEvent], None]


def search_swarm(
    system: System,
    options: SwarmOptions | None = None,
    on_event: _Event | None = None,
    watch: LimitWatch | None = None,
) -> SwarmResult:
    """Search a system with a swarm. A violation was replayed on the reference semantics and is as short as can be.

    `watch` is the watch of the run that the swarm is part of.
    """
    options, noted = options or SwarmOptions(), on_event or (lambda event: None)
    watch = watch or LimitWatch(Limits(seconds=options.seconds))
    run = _SwarmRun(system, options, noted, watch)
    with without_collector(), watch.catching_interrupts(lambda: noted(STOPPING)), watch.in_force():
        outcomes = run.outcomes()
        with limits_in_force(None):  # what was found is replayed and reported
            return run.result(outcomes)


class _Members:
    """The members of a swarm in one process: they share the memo of local steps."""

    def __init__(self, system: System, options: SwarmOptions) -> None:
        self._options, self._stop = options, _never
        self.whole = Semantics(system)  # with LATE actions
        self.tables = Memo(explored_part(system))
        self._recorded = MemoSemantics(self.tables)
        self._late = LateActions(system, lambda: self._stop()) if judges_rest(system) else None
        self.semantics = self._recorded if self._late is None else self._late.semantics
        self._graph = SystemGraph(self.tables)
        self._digests = ContentDigests(self._graph)
        self._probed = 0
        self._sometimes = {prop.name for prop in system.properties if prop.sometimes}

    def probe(self) -> None:
        """Find out how deep the space is, about."""
        self._probed = probed_depth(self._graph, self._options.seed, self._options.depth)

    def run(self, number: int, pulse: Pulse, stop: Callable[[], str | None]) -> MemberOutcome:
        """Run one member."""
        options, self._stop = self._options, stop
        log = FindingLog(self.whole.system, self._late, find_all=False)
        search = BitstateSearch(
            self._digests, options.plan(number, self._probed), options.memory, options.bits_per_state, log, pulse
        )
        self.tables.pause = lambda: _ignore(pulse(search.states, search.transitions))
        end = search.run()
        if end != "violation":
            return search.outcome(end)
        with limits_in_force(None):
            found, (_, course) = next(one for one in log.findings.items() if one[0].property not in self._sometimes)
            states = [search.graph.value(state) for state in search.path]
            path = Steps(path_through(self._recorded, states).steps + course.steps)
            return search.outcome(end, choices_of(self.semantics, path), found.property)


def _never() -> str | None:
    return None


def _ignore(value: object) -> None:
    """Use a function for its effect."""


class _SwarmRun:
    def __init__(self, system: System, options: SwarmOptions, noted: _Event, watch: LimitWatch) -> None:
        self.options, self.noted, self.watch = options, noted, watch
        self.members = _Members(system, options)
        self.processes = 1
        self.began = watch.seconds
        self._notes: list[str] = []
        self._stopped: str | None = None
        self._done = 0
        self._counts: dict[int, tuple[int, int]] = {}  # states and transitions so far, by member

    def outcomes(self) -> list[MemberOutcome]:
        """The outcomes of the members that count, by number."""
        try:
            self.members.probe()
        except LimitReached as reached:
            self._stopped = reached.reason
            return []
        self.processes = self.options.processes
        if self.processes > 1 and (reason := why_not_to_fork()) is not None:
            self._note(f"the members run one after the other: {reason}")
            self.processes = 1
        return self._here() if self.processes == 1 else self._in_workers()

    def result(self, outcomes: Sequence[MemberOutcome]) -> SwarmResult:
        """The result; a violation is shortened and confirmed."""
        stopped = self._stopped or next((each.stopped for each in outcomes if each.stopped is not None), None)
        if stopped is None and len(outcomes) < self.options.members and not any(each.violated for each in outcomes):
            stopped = self.watch.reason_to_stop()
        for text in dict.fromkeys(each.restless for each in outcomes if each.restless is not None):
            self._notes.append(text)
        if any(each.outlived for each in outcomes):
            self._notes.append(OUTLIVED)
        violation, walked = None, 0
        if outcomes and outcomes[-1].violated:
            violation, walked = self._violation(outcomes[-1]), len(outcomes[-1].choices)
        return SwarmResult(
            *(self.options, tuple(outcomes), violation, walked, stopped),
            *(self.processes, self.watch.seconds - self.began, tuple(self._notes)),
        )

    def _here(self) -> list[MemberOutcome]:
        """The members one after the other in this process."""
        found: list[MemberOutcome] = []

        def pulse(states: int, transitions: int) -> str | None:
            self._counts[len(found) + 1] = states, transitions
            self._show()
            return self.watch.reason_to_stop()

        for number in range(1, self.options.members + 1):
            found.append(self.members.run(number, pulse, self.watch.reason_to_stop))
            self._done += 1
            if found[-1].end in ("violation", "stopped"):
                break
        return found

    def _in_workers(self) -> list[MemberOutcome]:
        limits, left = self.watch.limits, self.watch.left
        watch = LimitWatch(limits, 0.0 if limits.seconds is None else limits.seconds - left)  # of each worker

        def task(number: int, link: WorkerLink) -> dict[str, Any]:
            def pulse(states: int, transitions: int) -> str | None:
                watch.interrupted = watch.interrupted or link.asked_to_stop()
                if watch.progress_due():
                    link.tell(progress=[states, transitions])
                return watch.reason_to_stop()

            with watch.in_force():
                return member_document(self.members.run(number, pulse, watch.reason_to_stop))

        with WorkerPool(task, self.options.members, self.processes, self._look, self._follow) as pool:
            found = pool.results(self._ends_all)
        for lost in pool.lost:
            doing = "that had nothing to do" if lost.task is None else f"of member {lost.task}"
            self._note(f"a worker process {doing} ended with {lost.text}, and not because it was told to")
        if pool.failed:
            numbers, several = ", ".join(map(str, pool.failed)), "s" if len(pool.failed) > 1 else ""
            self._stopped = f"the worker processes of member{several} {numbers} ended before their time"
        return [member_of(document) for document in found.values()]

    def _look(self) -> str | None:
        self._show()
        return self.watch.reason_to_stop()

    def _follow(self, number: int, values: Any) -> None:
        self._counts[number] = values[0], values[1]

    def _ends_all(self, document: dict[str, Any]) -> bool:
        """Note that a member is done; whether those with greater numbers do not count any more."""
        self._follow(document["plan"]["number"], (document["states"], document["transitions"]))
        self._done += 1
        return bool(document["end"] == "violation")

    def _note(self, text: str) -> None:
        self._notes.append(text)
        self.noted(Notice(text))

    def _show(self) -> None:
        """Tell how far the swarm is, if that is due."""
        if not self.watch.progress_due():
            return
        states, transitions = (
            (sum(each) for each in zip(*self._counts.values(), strict=True)) if self._counts else (0, 0)
        )
        text = (
            f"swarm: {self._done:,} of {self.options.members:,} members done, {states:,} states counted, "
            f"{transitions:,} transitions"
        )
        self.noted(Activity("", text, self.watch.seconds - self.began))

    def _violation(self, outcome: MemberOutcome) -> Counterexample:
        """The violation of a member, shortened and replayed without the memo."""
        members, whole = self.members, self.members.whole
        path = path_of(members.semantics, outcome.choices)
        end = final_state(members.semantics, replay(members.semantics, path))
        found = next((each for each in members.semantics.findings(end) if each.property == outcome.violated), None)
        if found is None:
            raise _impure(outcome.violated)
        shorter = minimise(members.semantics, path, found, self._no_time, same_message=False)
        transitions = tuple(replay(whole, shorter.path))
        initial = whole.initial()
        shown = Counterexample(
            *(shorter.found.property, shorter.found.message, shorter.path, False, initial, transitions),
            *(shorter.minimal, whole.system),
        )
        if shorter.found not in whole.findings(shown.final_state()):
            raise _impure(outcome.violated)
        self.noted(CounterexampleFound(shown, False))
        return shown

    def _no_time(self) -> bool:
        return self.watch.interrupted or self.watch.left < -SHORTENING


def _impure(name: str) -> ModelError:
    return ModelError(
        f"the path to a violation of {name!r} leads elsewhere when it is taken again; expected components, and "
        "programs in them, that depend on nothing but their state and inputs"
    )
