"""One input on one agent as one JSON object."""

from typing import Final

from sdnloom.crosscheck.output_document import plain_output
from sdnloom.report.crosscheck.input_text import case_steps, changed_values
from sdnloom.report.crosscheck.try_text import TriedWitness
from sdnloom.report.json_text import json_text

_SCHEMA: Final = "sdnloom-crosscheck-try-1"


def tried_json(tried: TriedWitness) -> str:
    """The whole report."""
    witness = tried.witness
    case = witness.test.case(witness.case)
    values = {
        "schema": _SCHEMA,
        "agent": tried.agent,
        "test": witness.test.name,
        "case": witness.case,
        "condition": witness.condition,
        "witness": dict(witness.values),
        "differs_from_harmless": dict(changed_values(case, witness.values, witness.test.version)),
        "same": tried.same,
        "like": list(tried.alike),
        "steps": [{"title": step.title, "hex": step.octets.hex()} for step in case_steps(case, witness.values)],
        "output": plain_output(tried.output),
        "recorded": [
            {"agent": name, "output": plain_output(output)}
            for name, output in zip(witness.agents, witness.outputs, strict=True)
        ],
    }
    return json_text(values)
