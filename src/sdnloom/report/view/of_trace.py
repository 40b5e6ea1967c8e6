"""Traces as they are shown: replayed ones with their states, and trace files alone as they were recorded."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from sdnloom import __version__
from sdnloom.actors.program import Program
from sdnloom.check.step_details import TraceDetails
from sdnloom.engine.path import describe
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.network import Network
from sdnloom.platforms.code_runs import CodeRun
from sdnloom.report.describe import counted
from sdnloom.report.replay.text import replay_outcome
from sdnloom.report.view.actor_trace import actor_trace
from sdnloom.report.view.network_trace import NetworkPath, network_trace
from sdnloom.report.view.program_view import code_views, detailed_path
from sdnloom.report.view.result_view import (
    FindingView,
    LaneView,
    ResultView,
    StepView,
    TraceView,
    TransferView,
    ViewVerdict,
)
from sdnloom.report.walk.result import WalkResult

# What the steps did inside of the program: of a scenario, or the code of each step of a program of actors.
InsideSteps: TypeAlias = TraceDetails | Sequence[Sequence[CodeRun]]

_VERDICTS: Final[Mapping[str, ViewVerdict]] = {
    "CONFIRMED": "violated",
    "STILL THERE": "violated",
    "DIVERGED": "incomplete",
    "INCOMPLETE": "incomplete",
}


def replay_view(
    name: str,
    traced: Network | Program,
    recorded: Trace,
    replayed: ReplayResult,
    file: Path | None = None,
    inside: InsideSteps = (),
) -> ResultView:
    """A replayed trace of a scenario's network or a program of actors, up to where it diverges."""
    outcome = replay_outcome(recorded, replayed)
    finding = replayed.now or recorded.finding
    what = f" {finding.property}: {finding.message}" if finding else ""
    facts = [("outcome", outcome), *(("warning", warning) for warning in replayed.warnings)]
    if replayed.diverged is not None:
        facts.append(("next would be", describe(replayed.diverged.step)))
    taken, length = len(replayed.transitions), len(recorded.path)
    words = counted(length, "step") if taken == length else f"{taken} of {counted(length, 'step')}"
    assert replayed.semantics is not None, "a replay knows what it was replayed on"
    trace = _path_trace(traced, replayed.semantics, replayed.transitions, words, inside)
    shown = _finding_view(finding, trace, "" if file is None else str(file))
    return _trace_result(name, _VERDICTS.get(outcome, "holds"), f"{outcome}{what}", shown, tuple(facts))


def walk_view(name: str, traced: Network | Program, result: WalkResult, semantics: Semantics) -> ResultView:
    """Random walks, with the minimised path of the violation that ended them, if there is one."""
    walked = f"{counted(result.runs, 'random walk')} with {counted(result.steps, 'step')} in all"
    facts = (("walked", walked), ("seed", str(result.seed)))
    violation = result.violation
    if violation is None:
        headline = f"INCOMPLETE no violation in {walked}"
        return ResultView("trace", name, "incomplete", headline, (), (), facts, version=__version__)
    finding = violation.finding
    length = f"{counted(len(violation.transitions), 'step')} of a walk of {violation.walked}, seed {violation.seed}"
    trace = _path_trace(traced, semantics, violation.transitions, length)
    shown = _finding_view(finding, trace, str(violation.trace))
    return _trace_result(name, "violated", f"VIOLATED {finding.property}: {finding.message}", shown, facts)


def recorded_view(document: Mapping[str, Any], trace: Trace, file: Path, reason: str = "") -> ResultView:
    """A trace file by itself: lanes, steps and vector clocks as they were recorded, without states.

    `document` is the JSON value that `trace` was read from; its clocks are used as far as they make sense.
    """
    steps = _recorded_steps(trace, [_clock(step.get("clock")) for step in document["steps"]])
    names = dict.fromkeys(step.component for step in trace.path.steps)
    lanes = tuple(LaneView(name, "controller" if name == CONTROLLER else "element") for name in names)
    shown = TraceView(lanes, steps, length=f"{counted(len(steps), 'step')}, as recorded")
    found = trace.finding
    headline = f"RECORDED {found.property}: {found.message}" if found else "RECORDED"
    facts = (("shown", f"as recorded, without states{': ' if reason else ''}{reason}"),)
    name = file.name.partition(".")[0] or file.name
    return _trace_result(name, "incomplete", headline, _finding_view(found, shown, str(file)), facts)


def _trace_result(
    name: str, verdict: ViewVerdict, headline: str, finding: FindingView, facts: tuple[tuple[str, str], ...]
) -> ResultView:
    properties = (finding.property,) if finding.property else ()
    return ResultView("trace", name, verdict, headline, properties, (finding,), facts, version=__version__)


def _finding_view(finding: Finding | None, trace: TraceView, file: str) -> FindingView:
    place = next(((code.file, code.first) for step in reversed(trace.steps) for code in step.code), ("", 0))
    name, message = (finding.property, finding.message) if finding else ("", "a trace without a property")
    return FindingView(name, message, trace, (), *place, trace_file=file)


def _path_trace(
    traced: Network | Program,
    semantics: Semantics,
    transitions: Sequence[Transition],
    length: str,
    inside: InsideSteps = (),
) -> TraceView:
    if isinstance(traced, Program):
        code = [] if isinstance(inside, TraceDetails) else [code_views(runs) for runs in inside]
        return actor_trace(traced, semantics.initial(), transitions, code, length)
    path = NetworkPath(traced, semantics.system, semantics.initial(), transitions, length=length)
    return network_trace(detailed_path(path, inside) if isinstance(inside, TraceDetails) else path)


def _recorded_steps(trace: Trace, clocks: Sequence[Mapping[str, int]]) -> tuple[StepView, ...]:
    """The steps, with an arrow from each cause in another lane: a step is caused by what it receives."""
    own: dict[tuple[str, int], int] = {}  # the count-th step of a lane -> its number
    latest: dict[str, int] = {}
    counts: Counter[str] = Counter()
    causes: list[set[int]] = []
    for number, (step, clock) in enumerate(zip(trace.path.steps, clocks, strict=True), 1):
        before = clocks[latest[step.component] - 1] if step.component in latest else {}
        fresh = {
            own[lane, count]: (lane, count)
            for lane, count in clock.items()
            if count > before.get(lane, 0) and (lane, count) in own
        }
        # A step that another one of them knows of is no direct cause; the lane's own last step always is one.
        direct = {
            one
            for one, (lane, count) in fresh.items()
            if not any(clocks[other - 1].get(lane, 0) >= count for other in fresh if other != one)
        }
        causes.append(direct | ({latest[step.component]} if step.component in latest else set()))
        counts[step.component] += 1
        own[step.component, counts[step.component]] = latest[step.component] = number
    sent: dict[int, list[TransferView]] = {}
    for number, (step, direct) in enumerate(zip(trace.path.steps, causes, strict=True), 1):
        for cause in direct:
            if trace.path.steps[cause - 1].component != step.component and step.message is not None:
                arrow = TransferView(step.component, str(step.message), "message", number)
                sent.setdefault(cause, []).append(arrow)
    return tuple(
        StepView(
            number,
            step.component,
            step.action,
            describe(step),
            takes="" if step.message is None else str(step.message),
            effects=step.faults,
            transfers=tuple(sent.get(number, ())),
            causes=tuple(sorted(causes[number - 1])),
            clock={lane: count for lane, count in clocks[number - 1].items() if lane in latest},
        )
        for number, step in enumerate(trace.path.steps, 1)
    )


def _clock(value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        return {}
    return {
        lane: count
        for lane, count in value.items()
        if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 1 << 53
    }
