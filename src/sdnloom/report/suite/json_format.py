"""A suite as one JSON object."""

import json

from sdnloom.report.baseline.text import judgement_json
from sdnloom.report.json_text import json_text
from sdnloom.report.suite.result import SuiteResult

_SCHEMA = "sdnloom-suite-1"


def check_suite_json(result: SuiteResult) -> str:
    """The worst verdict, how many rows have each, and for each row its own JSON object as `report`."""
    rows = [
        {
            "name": row.name,
            "verdict": row.verdict,
            "error": row.error or None,
            "confirmation": None if row.confirmed is None else row.confirmed.lower(),
            "property": row.properties[0] if row.properties else None,
            "steps": row.steps,
            "states": row.states,
            "seconds": round(row.seconds, 6),
            "baseline": judgement_json(row.judgement),
            "report": json.loads(row.json) if row.json else None,
        }
        for row in result.rows
    ]
    values = {
        "schema": _SCHEMA,
        "verdict": result.verdict,
        "counts": result.counts(),
        "results": rows,
        "left": list(result.left),
    }
    return json_text(values)
