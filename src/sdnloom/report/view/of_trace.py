"""Replayed traces and random walks as they are shown, with their states."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from sdnloom.report.replay.text import found_again, replay_outcome
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
from sdnloom.report.walk.swarm_result import SwarmWalk

# What the steps did inside of the program: of a scenario, or the code of each step of a program of actors.
InsideSteps: TypeAlias = TraceDetails | Sequence[Sequence[CodeRun]]

_VERDICTS: Final[Mapping[str, ViewVerdict]] = {
    "CONFIRMED": "violated",
    "STILL THERE": "violated",
    "DIVERGED": "incomplete",
    "INCOMPLETE": "incomplete",
}
# Of a `sometimes` property, which is to be seen again.
_VERDICTS_DESIRED: Final[Mapping[str, ViewVerdict]] = {
    "GONE": "violated",
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
    again: Sequence[Transition] = (),
    desired: bool = False,
) -> ResultView:
    """A replayed trace of a scenario's network or a program of actors, up to where it diverges.

    `again` are the steps to what a search of the trace's inputs found, replayed on the same system; then these are
    shown. `inside` belongs to the steps that are shown. `desired`: the trace is of a `sometimes` property.
    """
    assert replayed.semantics is not None, "a replay knows what it was replayed on"
    outcome = replay_outcome(recorded, replayed)
    verdict = (_VERDICTS_DESIRED if desired else _VERDICTS).get(outcome, "holds")
    finding = replayed.now or recorded.finding
    found = found_again(replayed)
    if found is not None:
        finding = Finding(found.property, found.message)
    what = f" {finding.property}: {finding.message}" if finding else ""
    trace = _path_trace(
        traced, replayed.semantics, again or replayed.transitions, _length(recorded, replayed, again), inside
    )
    shown = trace_finding(finding, trace, "" if file is None else str(file))
    properties = (shown.property,) if shown.property else ()
    if verdict != "violated" and finding is not None:  # what is shown violates nothing, so it is nobody's failure
        shown = replace(shown, property="", message=f"{outcome}{what}")
    facts = tuple(_replay_facts(traced, recorded, replayed))
    return ResultView("trace", name, verdict, f"{outcome}{what}", properties, (shown,), facts, version=__version__)


def _length(recorded: Trace, replayed: ReplayResult, again: Sequence[Transition]) -> str:
    taken, length = len(replayed.transitions), len(recorded.path)
    if again:
        return f"{counted(len(again), 'step')} with the same inputs"
    return counted(length, "step") if taken == length else f"{taken} of {counted(length, 'step')}"


def _replay_facts(traced: Network | Program, recorded: Trace, replayed: ReplayResult) -> Iterator[tuple[str, str]]:
    yield "outcome", replay_outcome(recorded, replayed)
    for warning in replayed.warnings:
        yield "warning", warning
    if replayed.diverged is not None:
        names = program_names(traced) if isinstance(traced, Program) else Names.of(traced.topology)
        taken = f"{len(replayed.transitions)} of {counted(len(recorded.path), 'step')} can be taken as recorded"
        yield "replayed", taken
        yield "next would be", offered_text(replayed.diverged.step, names)
    if replayed.search is not None:
        searched = counted(replayed.search.statistics.states, "state")
        yield "searched", f"all orders of the trace's inputs, {searched}"
        if replayed.search.incomplete is not None:
            yield "searched in part", replayed.search.incomplete


def walk_view(
    name: str, traced: Network | Program, result: WalkResult, semantics: Semantics, inside: InsideSteps = ()
) -> ResultView:
    """Random walks, with the minimised path of the violation that ended them, if there is one.

    `inside` is what the steps of that path did inside of the program.
    """
    walked = f"{counted(result.runs, 'random walk')} with {counted(result.steps, 'step')} in all"
    facts = (("walked", walked), ("seed", str(result.seed)))
    violation = result.violation
    if violation is None:
        headline = f"INCOMPLETE no violation in {walked}"
        return ResultView("trace", name, "incomplete", headline, (), (), facts, version=__version__)
    finding = violation.finding
    length = f"{counted(len(violation.transitions), 'step')} of a walk of {violation.walked}, seed {violation.seed}"
    trace = _path_trace(traced, semantics, violation.transitions, length, inside)
    shown = trace_finding(finding, trace, str(violation.trace))
    return trace_result(name, "violated", f"VIOLATED {finding.property}: {finding.message}", shown, facts)


def swarm_view(
    name: str, network: Network, result: SwarmWalk, semantics: Semantics, inside: InsideSteps = ()
) -> ResultView:
    """A swarm, with the shortened path of its violation, if there is one."""
    swarm = result.swarm
    tried = f"a swarm of {counted(len(swarm.members), 'member')} with {counted(swarm.transitions, 'transition')} in all"
    facts = (("tried", tried), ("seed", str(swarm.options.seed)))
    violation = swarm.violation
    if violation is None:
        headline = f"INCOMPLETE no violation in {tried}"
        return ResultView("trace", name, "incomplete", headline, (), (), facts, version=__version__)
    length = f"{counted(len(violation.transitions), 'step')} of a path of {swarm.walked}"
    trace = _path_trace(network, semantics, violation.transitions, length, inside)
    shown = trace_finding(Finding(violation.property, violation.message), trace, str(result.trace))
    return trace_result(name, "violated", f"VIOLATED {violation.property}: {violation.message}", shown, facts)


def trace_result(
    name: str, verdict: ViewVerdict, headline: str, finding: FindingView, facts: tuple[tuple[str, str], ...]
) -> ResultView:
    """A result that is one trace."""
    properties = (finding.property,) if finding.property else ()
    return ResultView("trace", name, verdict, headline, properties, (finding,), facts, version=__version__)


def trace_finding(finding: Finding | None, trace: TraceView, file: str) -> FindingView:
    """The finding at the end of a trace; a trace without one is a finding that violates nothing."""
    place = trace.last_code()
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
