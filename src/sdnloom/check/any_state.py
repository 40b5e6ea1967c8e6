"""Which lines and exceptions of the handlers some state and some packet lead to, for `sdnloom inputs --from any`.

First a search with discovered inputs shows what runs lead to, and which states the program has. Then the handlers are
explored from any state of the shape that these states have (`inputs.any_state`). Each line of the handlers and each
exception has one of four answers: reached by a run, which was replayed; possible in some state, which was run on the
program as it was written, but not shown reachable; not possible in any state of the shape; or not decided, because a
limit or a value that could not be followed left paths out.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import islice
from pathlib import Path
from types import FunctionType
from typing import Any

from sdnloom.check.line_reach import HandlerTarget, LineRun, RaisedAt, WatchedTwin, shortest_paths, targets_of
from sdnloom.check.report import Report
from sdnloom.check.scenario import Scenario
from sdnloom.check.survey import CONFIRMING, messages_at, state_after
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.result import Counterexample, Limits, SearchEvent
from sdnloom.engine.semantics import Transition
from sdnloom.engine.stop_points import LimitReached, check_limits, limits_in_force
from sdnloom.engine.trace import Fingerprints, Trace
from sdnloom.inputs.any_state.source_lines import SourceFacts, source_facts, source_text
from sdnloom.inputs.any_state.state_exploration import (
    StateAnswer,
    StateExplorer,
    StateShape,
    learn_shape,
    mentioned_in,
    packet_of,
    run_in_state,
)
from sdnloom.inputs.any_state.state_shapes import StateBounds
from sdnloom.inputs.branch_sides import domain_text
from sdnloom.inputs.clients import DiscoveryError
from sdnloom.inputs.concolic import ConcolicOptions
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.skeletons import SenderView, Skeleton
from sdnloom.network.events import HandlerRaised
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.platforms.explorable import Holders, LaterWork
from sdnloom.platforms.line_trace import Line, line_trace
from sdnloom.symbolic.path_search import PathRun
from sdnloom.symbolic.result import PathClass

SEARCH_STATES = 5_000  # of the search for runs, unless another limit is given
SEARCH_SHARE = 0.6  # of the time limit, for the first search
DEEP_SHARE = 0.8  # of the time that is left after the exploration, for the second one
SHAPE_STATES = 500  # from which the shape of a state is learned at most
_FRAMEWORKS = ("os_ken", "ryu", "sdnloom")
_HERE = str(Path(__file__).parents[1])  # the package
_ATTEMPTS = 3  # pairs that are tried on the program as it was written, for each line and exception


class TargetStatus(Enum):
    """What is known about a line or an exception."""

    REACHED = "reached by a run"
    POSSIBLE = "possible, not shown reachable"
    IMPOSSIBLE = "not possible"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class StatePacket:
    """A state and a packet that lead to a line or exception: attributes that the handler used, and the fields."""

    state: tuple[tuple[str, str], ...]
    question: HandlerQuestion
    values: Mapping[str, int]
    mentioned: frozenset[str]  # the fields that matter, and variables of the state


@dataclass(frozen=True)
class TargetAnswer:
    """The answer for a line or an exception. `text` is the source of the line, or the exception with its text."""

    target: HandlerTarget
    status: TargetStatus
    text: str
    run: Counterexample | None = None  # that leads there
    pair: StatePacket | None = None  # that leads there in the handler

    @property
    def is_exception(self) -> bool:
        """Whether it is about an exception."""
        return isinstance(self.target, RaisedAt)


@dataclass(frozen=True)
class AnyStateSurvey:
    """The answers for the handlers of packets at a port, and what they are relative to."""

    program: str
    port: SwitchPort
    answers: tuple[TargetAnswer, ...]
    shape: StateShape
    searches: tuple[Report, ...]
    skeletons: tuple[Skeleton, ...]  # of the packets that were explored
    domains: tuple[tuple[str, str], ...]  # the values of the fields that conditions mention, in words
    gaps: tuple[str, ...]  # why paths of the handlers may be missing
    divergences: tuple[str, ...]
    paths: int  # runs of handlers from symbolic states
    scenario: Scenario  # whose runs are shown
    fingerprints: Fingerprints
    replayed: Mapping[Counterexample, tuple[Transition, ...]]

    def of(self, status: TargetStatus, exceptions: bool) -> list[TargetAnswer]:
        """The lines, or exceptions, with this answer."""
        return [each for each in self.answers if each.status is status and each.is_exception == exceptions]

    @property
    def complete(self) -> bool:
        """Whether all paths from states of the shape were explored, and were as predicted."""
        return not self.gaps and not self.divergences

    @property
    def decided(self) -> bool:
        """Whether every line and exception is reached or not possible, and nothing was left out."""
        return self.complete and all(
            each.status in (TargetStatus.REACHED, TargetStatus.IMPOSSIBLE) for each in self.answers
        )


def survey_any_state(
    scenario: Scenario,
    port: SwitchPort,
    skeletons: Sequence[Skeleton],
    means: ConcolicOptions,
    bounds: StateBounds | None = None,
    watch: LimitWatch | None = None,
    states: int = SEARCH_STATES,
    on_event: Callable[[SearchEvent], None] | None = None,
    on_run: Callable[[HandlerQuestion, PathRun], None] | None = None,
) -> AnyStateSurvey:
    """What some state and some packet at a port lead to. `states` bounds the search for runs.

    Limits of the watch end it with what was found; what is shown is replayed all the same.
    """
    watch = watch or LimitWatch(Limits())
    scenario.network.topology.check_port(port)
    return _Survey(scenario, port, bounds or StateBounds(), watch, states, on_event).survey(skeletons, means, on_run)


class _Survey:
    def __init__(
        self,
        scenario: Scenario,
        port: SwitchPort,
        bounds: StateBounds,
        watch: LimitWatch,
        states: int,
        on_event: Callable[[SearchEvent], None] | None,
    ) -> None:
        self.scenario, self.port, self.bounds, self.watch = scenario, port, bounds, watch
        self.states, self.on_event = states, on_event
        self.discovering = scenario.discovering()
        self.found: list[tuple[LineRun, Report]] = []  # the searches, and what they found
        self.search(SEARCH_SHARE)
        self.run, self.report = self.found[0]
        self.files = self.run.watched.files
        self.facts: SourceFacts = source_facts(self.files)
        self.classes: frozenset[str] = frozenset()  # of the objects that hold the state, and their bases
        self.divergences: list[str] = []
        self.missing: list[str] = []

    def search(self, share: float, deep: bool = False) -> None:
        """Search for runs, with so much of the time that is left."""
        seconds = None if self.watch.limits.seconds is None else max(round(self.watch.left * share, 1), 0.1)
        limits = replace(self.scenario.options.limits, states=self.states, seconds=seconds)
        limited = replace(self.discovering, options=replace(self.scenario.options, limits=limits))
        with self.watch.in_force(), self.watch.during("during the start-up"):
            run = LineRun(limited, self.port, self.scenario.code, deep)
        watch = LimitWatch(limits)
        self.found.append((run, run.check(self.on_event, watch)))
        self.watch.interrupted |= watch.interrupted

    def survey(
        self,
        skeletons: Sequence[Skeleton],
        means: ConcolicOptions,
        on_run: Callable[[HandlerQuestion, PathRun], None] | None,
    ) -> AnyStateSurvey:
        shape = StateShape((), frozenset(), (), 0, self.bounds)
        answers: list[StateAnswer] = []
        pairs: dict[HandlerTarget, StatePacket] = {}
        try:
            with self.watch.in_force():
                check_limits()
                twin = self.run.watched.twin or self.run.watched.rewritten()
                core, switch = state_after(self.run.build_unchecked(twin.wrapped), self.port, None)
                original, _ = state_after(self.run.build_unchecked(self.run.watched.wrapped), self.port, None)
                shape = self._learned(twin, core, original)
        except LimitReached as reached:
            self.missing.append(f"nothing was explored, {reached.reason}")
        else:
            explorer = StateExplorer(twin.wrapped, twin.opened, shape, means, on_run)
            unsent: list[str] = []
            with self.watch.in_force():
                for skeleton in skeletons:
                    if (reason := self.watch.reason_to_stop()) is not None:
                        self.missing.append(f"{skeleton.stack.name}: not explored, {reason}")
                        continue
                    try:
                        came = messages_at(self.scenario.network, switch, self.port, skeleton)
                    except DiscoveryError:
                        unsent.append(skeleton.stack.name)
                        if len(unsent) == len(skeletons):
                            raise
                        continue
                    answers += [
                        explorer.explore(HandlerQuestion(core, self.port.switch, message, kind))
                        for message, kind in came
                    ]
            if unsent:
                stacks = ", ".join(unsent)
                self.missing.append(
                    f"{stacks}: not explored, the switch sends no such packet to the controller at first"
                )
            with limits_in_force(None):  # what was found is confirmed
                pairs = self._confirmed(answers, original, explorer)
            if pairs.keys() - self._paths().keys() and self.watch.reason_to_stop() is None:
                with suppress(LimitReached):  # while the program is loaded again
                    self.search(DEEP_SHARE, deep=True)
        with limits_in_force(None):  # and reported
            return self._result(shape, answers, pairs)

    def _paths(self) -> Mapping[HandlerTarget, Counterexample]:
        """For each line and exception that the searches reached, a shortest run."""
        return shortest_paths([one for _, report in self.found for one in report.result.violations])

    def _learned(self, twin: WatchedTwin, core: object, original: object) -> StateShape:
        """The shape of the states that the search met; it ran the twin if inputs were discovered."""
        watched = self.run.watched
        met, first = (twin, core) if twin.cores else (watched, original)
        self.classes = watched.opened.read_state(original, _class_names)
        own = frozenset(map(str, twin.wrapped.own_files))
        self.missing += twin.opened.read_state(core, partial(_not_followed, own=own))
        cores = dict.fromkeys([first, *islice(met.cores, SHAPE_STATES)])
        return learn_shape(met.opened, cores, self.facts, self.bounds)

    def _confirmed(
        self, answers: Iterable[StateAnswer], core: Any, explorer: StateExplorer
    ) -> dict[HandlerTarget, StatePacket]:
        """For each line and exception a state and a packet that lead there in the program as it was written."""
        program = self.run.watched.opened
        wanted: dict[HandlerTarget, list[tuple[HandlerQuestion, PathClass]]] = {}
        for answer in answers:
            for one in answer.exploration.classes:
                for target in self._targets(one):
                    if len(found := wanted.setdefault(target, [])) < _ATTEMPTS:
                        found.append((answer.question, one))
        pairs: dict[HandlerTarget, StatePacket] = {}

        def confirm(question: HandlerQuestion, one: PathClass) -> None:
            program.prepare(core)
            done, lines = line_trace(lambda: run_in_state(program, core, explorer.states, question, one), self.files)
            pair = StatePacket(one.output.used, question, packet_of(question, one), mentioned_in(one))
            for each in targets_of(lines, done.handler_run.events, self.facts.lines).targets:
                pairs.setdefault(each, pair)

        for number, (target, found) in enumerate(wanted.items()):
            if self.watch.left < -CONFIRMING:
                self.missing.append(f"{len(wanted) - number} lines and exceptions, for which no time was left")
                break
            for question, one in found:
                if target not in pairs:
                    confirm(question, one)
            if target not in pairs:
                self.divergences.append(f"{target_words(target)}: the program as it was written does not get there")
        return pairs

    def _targets(self, one: PathClass) -> Iterable[HandlerTarget]:
        """The lines and exceptions of a path."""
        names = {str(file): file.name for file in self.files} | {str(file.resolve()): file.name for file in self.files}
        lines = [Line(names[file], number) for file, number in one.trail if file in names]
        if one.output is None:  # the exception is not one of a handler, which would be an event
            self.missing.append(f"a run of the handler failed: {one.exception}")
            return ()
        events = one.output.handler_run.events
        self.missing += [
            f"what a handler does later is not explored: it waits at {place}"
            for event in events
            if isinstance(event, LaterWork)
            for place in event.places
        ]
        return targets_of(lines, events, self.facts.lines).targets

    def _result(
        self, shape: StateShape, answers: Sequence[StateAnswer], pairs: Mapping[HandlerTarget, StatePacket]
    ) -> AnyStateSurvey:
        paths = self._paths()
        gaps = tuple(dict.fromkeys([*(gap for answer in answers for gap in answer.gaps), *self.missing]))
        complete = not gaps and not self.divergences
        run_lines = {each for each in (*paths, *pairs) if isinstance(each, Line)}
        wanted = self.facts.lines_of_handlers(run_lines, self.classes)
        raised = {each for each in (*paths, *pairs) if isinstance(each, RaisedAt)}
        texts = self._exception_texts(answers)
        found = []
        targets: list[HandlerTarget] = [*sorted(raised), *sorted(wanted)]
        for target in targets:
            text = texts.get(target, target.type) if isinstance(target, RaisedAt) else source_text(self.files, target)
            if target in paths:
                status = TargetStatus.REACHED
            elif target in pairs:
                status = TargetStatus.POSSIBLE
            else:
                status = TargetStatus.IMPOSSIBLE if complete else TargetStatus.UNDECIDED
            found.append(TargetAnswer(target, status, text, paths.get(target), pairs.get(target)))
        shown = {each.run: None for each in found if each.run is not None}
        scenario, fingerprints, replayed = self._replayed(list(shown))
        return AnyStateSurvey(
            self.run.program.name,
            self.port,
            tuple(found),
            shape,
            tuple(report for _, report in self.found),
            tuple(answer.question.skeleton for answer in answers),
            self._domains(answers),
            gaps,
            tuple(self.divergences),
            sum(answer.exploration.statistics.paths for answer in answers),
            scenario,
            fingerprints,
            replayed,
        )

    def _domains(self, answers: Sequence[StateAnswer]) -> tuple[tuple[str, str], ...]:
        """The values of the fields that conditions mention."""
        topology = self.scenario.network.topology
        view = SenderView(topology, next((each for each in topology.hosts if each.switch_port == self.port), None))
        found: dict[tuple[str, str], None] = {}
        for answer in answers:
            mentioned = frozenset().union(*map(mentioned_in, answer.exploration.classes))
            for field, domain in answer.question.skeleton.followed:
                if field.name in mentioned and not field.structural:
                    found[field.name, domain_text(field, domain, view)] = None
        return tuple(sorted(found))

    def _exception_texts(self, answers: Sequence[StateAnswer]) -> dict[HandlerTarget, str]:
        """The exceptions with the text of one of them."""
        texts: dict[HandlerTarget, str] = {}
        happened = [
            event
            for _, report in self.found
            for one in report.result.violations
            for transition in one.transitions
            for event in transition.events
        ]
        for event in happened:
            if isinstance(event, HandlerRaised):
                texts.setdefault(RaisedAt.of(event), event.text)
        for answer in answers:
            for path in answer.exploration.classes:
                for event in path.output.handler_run.events if path.output is not None else ():
                    if isinstance(event, HandlerRaised):
                        texts.setdefault(RaisedAt.of(event), event.text)
        return texts

    def _replayed(
        self, shown: Sequence[Counterexample]
    ) -> tuple[Scenario, Fingerprints, dict[Counterexample, tuple[Transition, ...]]]:
        """The scenario with its own properties, and the runs as `sdnloom replay` takes them."""
        replayed = {}
        for run, report in self.found:
            scenario = replace(self.discovering, network=report.scenario.network)
            again = run.unwatched(scenario)
            known = set(report.result.violations)
            for one in shown:
                if one in known and one not in replayed:
                    steps = Steps(tuple(transition.step for transition in one.transitions))
                    result = again.replay(Trace(steps, None, *again.fingerprints))
                    if result.diverged is not None:
                        raise DiscoveryError(f"a run that was found cannot be replayed: {result.diverged}")
                    replayed[one] = result.transitions
        return scenario, again.fingerprints, replayed


def _class_names(holders: Holders) -> frozenset[str]:
    return frozenset(kind.__name__ for holder in holders.values() for kind in type(holder).__mro__[:-1])


def _not_followed(holders: Holders, own: frozenset[str]) -> list[str]:
    """Why paths may be missing: bases of the program's classes whose code is in files that are not rewritten."""
    found = dict[str, None]()
    for holder in holders.values():
        for kind in type(holder).__mro__[:-1]:
            files = {each.__code__.co_filename for each in vars(kind).values() if isinstance(each, FunctionType)} - own
            files = {file for file in files if not file.startswith(("<", _HERE))}  # made by a decorator, or ours
            package = kind.__module__.partition(".")[0]
            if files and package not in _FRAMEWORKS and package not in sys.stdlib_module_names:
                where = ", ".join(sorted(Path(file).name for file in files))
                found[f"methods of {kind.__name__} are not followed: {where} is no file of the program"] = None
    return list(found)


def target_words(target: HandlerTarget) -> str:
    """A line or an exception as text."""
    if isinstance(target, RaisedAt):
        return f"{target.type} at {target.line.file}:{target.line.number}"
    return f"{target.file}:{target.number}"
