"""Random walks as one JSON object."""

from sdnloom.report.json_text import json_text
from sdnloom.report.steps import long_texts
from sdnloom.report.walk.result import WalkResult

_SCHEMA = "sdnloom-walk-1"


def walk_json(result: WalkResult) -> str:
    """How much was walked, and the violation with its minimised path; walks never prove that a property holds."""
    violation, names = result.violation, result.names
    values = {
        "schema": _SCHEMA,
        "verdict": "incomplete" if violation is None else "violated",
        "runs": result.runs,
        "steps": result.steps,
        "seed": result.seed,
        "violation": None
        if violation is None
        else {
            "property": violation.finding.property,
            "message": violation.finding.message,
            "steps": len(violation.transitions),
            "walked": violation.walked,
            "seed": violation.seed,
            "path": long_texts(violation.transitions, names, violation.code),
            "trace": str(violation.trace),
        },
    }
    return json_text(values)
