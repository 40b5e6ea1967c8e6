"""The report of a check of a program of actors as it is shown in pictures and exports."""

from collections.abc import Mapping
from pathlib import Path

from sdnloom import __version__
from sdnloom.actors.report import ActorReport
from sdnloom.engine.result import Counterexample
from sdnloom.report.describe import counted
from sdnloom.report.verdict import headline, length_words
from sdnloom.report.view.actor_trace import actor_trace
from sdnloom.report.view.program_view import code_views
from sdnloom.report.view.result_view import FindingView, ResultView


def actors_view(report: ActorReport, traces: Mapping[Counterexample, Path] | None = None) -> ResultView:
    """The report as it is shown; `traces` has the trace file of each violation."""
    statistics, files = report.result.statistics, traces or {}
    searched = f"{counted(statistics.states, 'state')}, {counted(statistics.transitions, 'transition')}"
    facts = [("searched", f"{searched}, depth {statistics.depth}, {counted(report.task_runs, 'task run')}")]
    facts += [("note", note) for note in report.notes]
    facts += [("bound", bound) for bound in report.bounds]
    facts += [("reduction", report.reduction), ("symmetry", report.symmetry or "not used")]
    findings = []
    for shown in report.violations:
        code = [code_views(runs) for runs in report.code.get(shown, ())]
        trace = actor_trace(report.program, shown.initial, shown.transitions, code, length_words(shown))
        file = str(files[shown]) if shown in files else ""
        findings.append(FindingView(shown.property, shown.message, trace, trace_file=file))
    return ResultView(
        "actors",
        report.program.name,
        report.verdict,
        headline(report),
        report.checked,
        tuple(findings),
        tuple(facts),
        statistics.seconds,
        __version__,
    )
