"""A minimised trace as one JSON object."""

from sdnloom.report.json_text import json_text
from sdnloom.report.minimise.result import MinimiseResult
from sdnloom.report.steps import long_texts

_SCHEMA = "sdnloom-minimise-1"


def minimise_json(result: MinimiseResult) -> str:
    """The finding, the steps that are left, and how short that is."""
    return json_text(
        {
            "schema": _SCHEMA,
            "property": result.found.property,
            "message": result.found.message,
            "message_before": result.recorded[0].message,
            "steps": len(result.transitions),
            "steps_before": result.recorded[1],
            "minimal": result.minimal,
            "shortest_of_inputs": result.shortest,
            "states": result.states,
            "path": long_texts(result.transitions, result.names, result.code),
            "trace": str(result.trace),
        }
    )
