"""Races as one JSON object."""

from typing import Any, Final

from sdnloom.netkat.printer import to_text
from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import RaceModel
from sdnloom.races.result import Race, RaceResult
from sdnloom.races.search.trace import Label, ProcessLabel
from sdnloom.report.json_text import json_text
from sdnloom.report.races.text import label_text

_VERSION: Final = 1
_MAX_LENGTH: Final = 100_000


def races_json(result: RaceResult) -> str:
    """The whole report; `version` changes when a key changes its meaning."""
    values: dict[str, Any] = {
        "version": _VERSION,
        "model": result.model.source,
        "verdict": result.verdict,
        "outcome": result.outcome.value,
        "mode": result.mode.value,
        "depth": "unbounded" if result.depth is None else result.depth,
        "proved": result.proved,
        "stopped": result.stopped,
        "counts": {kind.value: count for kind, count in result.counts.items()},
        "harmless": result.harmless and {kind.value: count for kind, count in result.harmless.items()},
        "states": result.states,
        "stored": result.stored,
        "levels": result.levels,
        "evaluations": result.evaluations,
        "properties": [prop.name for prop in result.properties],
        "elements": [{"name": element.name, "role": element.role.value} for element in result.model.elements],
        "unlisted": result.unlisted,
        "races": [_race(result.model, race) for race in result.races],
    }
    return json_text(values)


def _race(model: RaceModel, race: Race) -> dict[str, Any]:
    trace = race.trace
    return {
        "type": race.kind.value,
        "property": race.property,
        "labels": [_label(model, race.first), _label(model, race.second)],
        "positions": list(race.positions),
        "trace": [
            {"label": None, "clocks": trace.clocks[0]},
            *(
                {"label": _label(model, event.label), "clocks": clocks}
                for event, clocks in zip(trace.events, trace.clocks[1:], strict=True)
            ),
        ],
    }


def _label(model: RaceModel, label: Label) -> dict[str, Any]:
    text = label_text(model, label)
    if isinstance(label, ProcessLabel):
        tables = [_policy(table) for table in label.tables]
        return {"event": "forward", "element": label.element, "tables": tables, "text": text}
    return {
        "event": "rcfg",
        "channel": label.channel,
        "policy": _policy(label.policy),
        "from": label.sender,
        "to": label.receiver,
        "text": text,
    }


def _policy(policy: Policy) -> str:
    return to_text(policy, limit=_MAX_LENGTH)
