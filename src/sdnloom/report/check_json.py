"""A check's report as one JSON object."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdnloom.check.scenario import Report
from sdnloom.engine.result import Counterexample

SCHEMA = "sdnloom-check-1"


def report_json(report: Report, traces: Mapping[Counterexample, Path]) -> dict[str, Any]:
    """The report as a JSON object; `traces` says where the trace of each violation was written."""
    statistics = report.result.statistics
    violations = [
        {
            "property": one.property,
            "message": one.message,
            "steps": len(one.path),
            "shortest": one.shortest,
            "trace": _text(traces.get(one)),
        }
        for one in report.violations
    ]
    bounds = list(report.bounds)
    if report.result.incomplete is not None:
        bounds.append(f"searched in part: {report.result.incomplete}")
    return {
        "schema": SCHEMA,
        "verdict": report.verdict,
        "property": report.violations[0].property if report.violations else None,
        "bounds": bounds,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "depth": statistics.depth,
        "seconds": round(statistics.seconds, 6),
        "handler_runs": report.handler_runs,
        "trace": violations[0]["trace"] if violations else None,
        "violations": violations,
    }


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
