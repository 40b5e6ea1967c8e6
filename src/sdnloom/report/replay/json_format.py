"""A replayed trace as one JSON object."""

from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.report.describe import Names
from sdnloom.report.json_text import json_text
from sdnloom.report.replay.text import replay_outcome
from sdnloom.report.steps import offered_text, transition_text

_SCHEMA = "sdnloom-replay-1"


def replay_json(trace: Trace, replayed: ReplayResult, names: Names) -> str:
    """The outcome, the steps that could be taken, and the step at which the replay diverged."""
    diverged = replayed.diverged
    values = {
        "schema": _SCHEMA,
        "outcome": replay_outcome(trace, replayed).lower(),
        "property": None if trace.finding is None else trace.finding.property,
        "message": None if trace.finding is None else trace.finding.message,
        "message_now": None if replayed.now is None else replayed.now.message,
        "steps": len(trace.path),
        "path": [transition_text(transition, names) for transition in replayed.transitions],
        "diverged": None
        if diverged is None
        else {
            "step": offered_text(diverged.step, names),
            "enabled": [offered_text(step, names) for step in diverged.offered],
        },
        "warnings": list(replayed.warnings),
    }
    return json_text(values)
