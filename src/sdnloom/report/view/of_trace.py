"""Replayed traces and random walks as they are shown, with their states."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from sdnloom import __version__
from sdnloom.actors.program import Program
from sdnloom.check.step_details import TraceDetails
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.network.network import Network
from sdnloom.platforms.code_runs import CodeRun
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import Names, counted
from sdnloom.report.replay.text import replay_outcome
from sdnloom.report.steps import offered_text
from sdnloom.report.view.actor_trace import actor_trace
from sdnloom.report.view.network_trace import NetworkPath, network_trace
from sdnloom.report.view.program_view import code_views, detailed_path
from sdnloom.report.view.result_view import (
    FindingView,
    ResultView,
    TraceView,
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
        names = program_names(traced) if isinstance(traced, Program) else Names.of(traced.topology)
        facts.append(("next would be", offered_text(replayed.diverged.step, names)))
    taken, length = len(replayed.transitions), len(recorded.path)
    words = counted(length, "step") if taken == length else f"{taken} of {counted(length, 'step')}"
    assert replayed.semantics is not None, "a replay knows what it was replayed on"
    trace = _path_trace(traced, replayed.semantics, replayed.transitions, words, inside)
    shown = trace_finding(finding, trace, "" if file is None else str(file))
    return trace_result(name, _VERDICTS.get(outcome, "holds"), f"{outcome}{what}", shown, tuple(facts))


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
    shown = trace_finding(finding, trace, str(violation.trace))
    return trace_result(name, "violated", f"VIOLATED {finding.property}: {finding.message}", shown, facts)


def trace_result(
    name: str, verdict: ViewVerdict, headline: str, finding: FindingView, facts: tuple[tuple[str, str], ...]
) -> ResultView:
    """A result that is one trace."""
    properties = (finding.property,) if finding.property else ()
    return ResultView("trace", name, verdict, headline, properties, (finding,), facts, version=__version__)


def trace_finding(finding: Finding | None, trace: TraceView, file: str) -> FindingView:
    """The finding at the end of a trace; a trace without one is a finding that violates nothing."""
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
