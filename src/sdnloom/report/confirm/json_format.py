"""A confirmation as one JSON object, and as part of the report of a check."""

from typing import Any

from sdnloom.confirm.outcome import Confirmation, Impossible, ObservedStep, SentBytes, StepDifference
from sdnloom.report.confirm.observed_words import sent_words
from sdnloom.report.confirm.text import last_log_lines
from sdnloom.report.describe import Names
from sdnloom.report.json_text import json_text
from sdnloom.report.steps import StepCode, transition_text

_SCHEMA = "sdnloom-confirm-1"


def confirmation_json(confirmed: Confirmation, names: Names, code: StepCode = (), lists_steps: bool = True) -> str:
    """The outcome, and each step with what was observed in it. It says the same whatever is shown beside it."""
    values = {
        "schema": _SCHEMA,
        "property": None if confirmed.finding is None else confirmed.finding.property,
        "message": None if confirmed.finding is None else confirmed.finding.message,
        **confirmation_values(confirmed, names),
        "observed": [_step(each, names) for each in confirmed.steps],
        "log": last_log_lines(confirmed),
    }
    return json_text(values)


def confirmation_values(confirmed: Confirmation, names: Names) -> dict[str, Any]:
    """The outcome with what decided it, without the steps."""
    different, impossible = confirmed.difference, confirmed.impossible
    return {
        "outcome": confirmed.outcome.lower(),
        "steps": confirmed.of_trace,
        "taken": confirmed.taken,
        "difference": None if different is None else _difference(different, names),
        "impossible": None if impossible is None else _impossible(impossible, names),
        "parts": dict(confirmed.parts),
        "supplied": list(confirmed.supplied),
        "warnings": list(confirmed.warnings),
        "seconds": round(confirmed.seconds, 6),
    }


def _difference(different: StepDifference, names: Names) -> dict[str, Any]:
    return {
        **_place(different.step, names),
        "part": different.part.value,
        "name": different.name,
        "contrasts": [each._asdict() for each in different.contrasts],
    }


def _impossible(impossible: Impossible, names: Names) -> dict[str, Any]:
    return {**_place(impossible, names), "obstacle": impossible.obstacle.value, "reason": impossible.reason}


def _place(step: ObservedStep | Impossible, names: Names) -> dict[str, Any]:
    return {"step": step.number, "startup": step.startup, "text": transition_text(step.transition, names)}


def _step(step: ObservedStep, names: Names) -> dict[str, Any]:
    return {
        **_place(step, names),
        "seconds": round(step.seconds, 6),
        "delivered": [_sent(each, names) for each in step.delivered],
        "sent": [_sent(each, names) for each in step.sent],
        "raised": [{"text": each.text, "file": each.file, "line": each.line} for each in step.raised],
        "answers": [{"name": each.name, "status": each.status, "body": each.body} for each in step.answers],
    }


def _sent(sent: SentBytes, names: Names) -> dict[str, Any]:
    return {
        "channel": sent.channel or None,
        "port": None if sent.port is None else str(sent.port),
        "text": sent_words(sent, names),
        "data": sent.data.hex(),
    }
