"""The check of a program of actors as one JSON object."""

from collections.abc import Mapping
from pathlib import Path

from sdnloom.actors.report import ActorReport
from sdnloom.engine.result import Counterexample
from sdnloom.report.actors.names import program_names
from sdnloom.report.verdict import check_json


def actor_report_json(report: ActorReport, traces: Mapping[Counterexample, Path] | None = None) -> str:
    """The report as a JSON object; `traces` has the trace file of each violation."""
    counted = report.executions
    own = {
        "task_runs": report.task_runs,
        "reduction": None if report.reduction == "none" else {"used": [report.reduction]},
        "symmetry": report.symmetry,
        "final_states": report.final_states,
        "executions": counted.count if counted is not None and counted.complete else None,
        "execution_count": None
        if counted is None
        else {
            "counted": counted.count,
            "level": counted.level,
            "incomplete": counted.incomplete,
            "violating": dict(counted.violating),
        },
        "notes": list(report.notes),
        "restarts": list(report.result.restarts),
        "output": [line._asdict() for line in report.output] if report.shows_output else None,
    }
    return check_json(report, program_names(report.program), traces or {}, own)
