"""A replayed trace as one JSON object."""

from pathlib import Path
from typing import Any

from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.report.describe import Names
from sdnloom.report.json_text import json_text
from sdnloom.report.replay.text import found_again, replay_outcome
from sdnloom.report.steps import StepCode, long_texts, offered_text

_SCHEMA = "sdnloom-replay-1"


def replay_json(
    trace: Trace, replayed: ReplayResult, names: Names, written: Path | None = None, code: StepCode = ()
) -> str:
    """The outcome, the steps that could be taken, the step at which the replay diverged, and the search after that.

    `written` is the file of the trace that the search found, `code` the functions that each step ran.
    """
    diverged = replayed.diverged
    values = {
        "schema": _SCHEMA,
        "outcome": replay_outcome(trace, replayed).lower(),
        "property": None if trace.finding is None else trace.finding.property,
        "message": None if trace.finding is None else trace.finding.message,
        "message_now": None if replayed.now is None else replayed.now.message,
        "steps": len(trace.path),
        "path": long_texts(replayed.transitions, names, code),
        "diverged": None
        if diverged is None
        else {
            "step": offered_text(diverged.step, names),
            "enabled": [offered_text(step, names) for step in diverged.offered],
        },
        "search": None if replayed.search is None else _search_values(replayed, names, written),
        "warnings": list(replayed.warnings),
    }
    return json_text(values)


def _search_values(replayed: ReplayResult, names: Names, written: Path | None) -> dict[str, Any]:
    """The search of the trace's inputs: its size, whether it was whole, and what it found."""
    assert replayed.search is not None
    statistics, again = replayed.search.statistics, found_again(replayed)
    return {
        "states": statistics.states,
        "transitions": statistics.transitions,
        "depth": statistics.depth,
        "seconds": round(statistics.seconds, 6),
        "incomplete": replayed.search.incomplete,
        "found": None
        if again is None
        else {
            "message": again.message,
            "steps": len(again.path),
            "shortest": again.shortest,
            "path": long_texts(again.transitions, names),
            "trace": None if written is None else str(written),
        },
    }
