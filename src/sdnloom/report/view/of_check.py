"""The report of a check as it is shown in pictures and exports."""

from collections.abc import Mapping
from pathlib import Path

from sdnloom import __version__
from sdnloom.check.report import Report
from sdnloom.confirm.outcome import Confirmation
from sdnloom.engine.result import Counterexample
from sdnloom.network import events
from sdnloom.report.check.text import traffic_lines
from sdnloom.report.confirm.view_facts import confirmation_facts
from sdnloom.report.describe import counted
from sdnloom.report.verdict import Confirmations, headline, length_words
from sdnloom.report.view.network_trace import NetworkPath, network_trace
from sdnloom.report.view.program_view import detailed_path
from sdnloom.report.view.result_view import FindingView, ResultView, TraceView


def check_view(
    report: Report,
    traces: Mapping[Counterexample, Path] | None = None,
    confirmations: Confirmations | None = None,
) -> ResultView:
    """The report as it is shown; `traces` has the trace file of each violation.

    `confirmations` has what became of violations on the real system.
    """
    confirmed = confirmations or {}
    statistics = report.result.statistics
    searched = f"{counted(statistics.states, 'state')}, {counted(statistics.transitions, 'transition')}"
    facts = [("searched", f"{searched}, depth {statistics.depth}, {counted(report.handler_runs, 'handler run')}")]
    facts += [("bound", bound) for bound in report.bounds]
    facts += [("tried", line) for line in traffic_lines(report.traffic)]
    facts += [("not tried", str(each)) for each in report.omissions] if report.verdict == "holds" else []
    facts += [("searched in part", report.result.incomplete)] if report.result.incomplete is not None else []
    facts += [("seen", f"{witness.property}: {witness.message}") for witness in report.result.witnesses]
    return ResultView(
        "check",
        report.scenario.name,
        report.verdict,
        headline(report),
        report.checked,
        tuple(
            violation_view(report, each, (traces or {}).get(each), confirmed.get(each)) for each in report.violations
        ),
        tuple(facts),
        statistics.seconds,
        __version__,
    )


def violation_view(
    report: Report, shown: Counterexample, file: Path | None = None, confirmed: Confirmation | None = None
) -> FindingView:
    """A violation with its trace."""
    facts = () if confirmed is None else confirmation_facts(confirmed)
    trace = counterexample_trace(report, shown)
    place = trace.last_code()
    raised = [event for each in shown.transitions for event in each.events if isinstance(event, events.HandlerRaised)]
    if raised:
        place = (raised[-1].file, raised[-1].line)
    name = "" if file is None else str(file)
    return FindingView(shown.property, shown.message, trace, facts, *place, trace_file=name)


def counterexample_trace(report: Report, shown: Counterexample) -> TraceView:
    """The path of a counterexample as it is shown."""
    assert shown.system is not None, "a counterexample of a scenario knows its system"
    path = NetworkPath(
        report.scenario.network, shown.system, shown.initial, shown.transitions, length=length_words(shown)
    )
    details = report.details.get(shown)
    return network_trace(path if details is None else detailed_path(path, details))
