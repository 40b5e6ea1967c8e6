"""The check of a program of actors as text: the verdict and the smallest counterexample first, the replay command last.

It leaves out what differs from run to run (seconds, rates): the same program prints the same text.
"""

from collections.abc import Mapping
from pathlib import Path

from sdnloom.actors.executions.count import ExecutionCount
from sdnloom.actors.report import ActorReport
from sdnloom.engine.result import Counterexample
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import counted
from sdnloom.report.limit_hints import limit_hints
from sdnloom.report.output import output_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle, list_lines
from sdnloom.report.verdict import dives_text, replay_commands, verdict_text


def actor_report_text(
    report: ActorReport, traces: Mapping[Counterexample, Path] | None = None, style: TextStyle = PLAIN_STYLE
) -> str:
    """The whole report; `traces` has the trace file of each violation."""
    statistics = report.result.statistics
    lines = [
        *verdict_text(report, program_names(report.program), style),
        *(limit_hints(report) if report.verdict == "incomplete" else ()),
        *(f"note: {note}" for note in report.notes),
        f"searched {counted(statistics.states, 'state')}, {counted(statistics.transitions, 'transition')}, "
        f"depth {statistics.depth}, {counted(report.task_runs, 'task run')}{dives_text(report.result)}",
        *list_lines("bounds", report.bounds, style),
        f"reduction: {report.reduction}; symmetry: {report.symmetry or 'not used'}",
    ]
    if report.final_states is not None:
        lines.append(f"final states: {report.final_states:,}")
    if report.executions is not None:
        lines.append(_executions(report.executions))
    lines += output_text(report.output, "tasks and checks") if report.shows_output else []
    lines += replay_commands(report, traces or {})
    return "\n".join(lines) + "\n"


def _executions(found: ExecutionCount) -> str:
    count = f"{found.count:,}" if found.complete else f"at least {found.count:,}, because {found.incomplete}"
    violating = "".join(f"; {name} violated in {number:,}" for name, number in found.violating.items())
    return f"executions: {count} (independence: {found.level}){violating}"
