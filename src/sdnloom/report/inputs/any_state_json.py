"""What some state and some packet lead to, as one JSON object."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdnloom.check.any_state import AnyStateSurvey, StatePacket, TargetAnswer
from sdnloom.check.line_reach import RaisedAt
from sdnloom.engine.result import Counterexample
from sdnloom.inputs.any_state.state_shapes import shape_text
from sdnloom.report.inputs.any_state_text import pair_fields
from sdnloom.report.json_text import json_text

_SCHEMA = "sdnloom-any-state-1"


def any_state_json(survey: AnyStateSurvey, traces: Mapping[Counterexample, Path]) -> str:
    """The answers, and what they are relative to."""
    shape = survey.shape
    values = {
        "schema": _SCHEMA,
        "program": survey.program,
        "switch": survey.port.switch,
        "port": survey.port.port,
        "exceptions": [_answer(each, traces) for each in survey.answers if each.is_exception],
        "lines": [_answer(each, traces) for each in survey.answers if not each.is_exception],
        "state": {
            "entries": shape.bounds.entries,
            "states_met": shape.states,
            "any": {str(attribute): shape_text(each) for attribute, each in shape.free},
            "optional": sorted(map(str, shape.optional)),
            "kept": {str(attribute): why for attribute, why in shape.kept},
        },
        "stacks": [skeleton.stack.name for skeleton in survey.skeletons],
        "domains": [{"field": field, "values": values} for field, values in survey.domains],
        "searches": [
            {"states": each.result.statistics.states, "incomplete": each.result.incomplete} for each in survey.searches
        ],
        "paths": survey.paths,
        "complete": survey.complete,
        "decided": survey.decided,
        "reasons": list(survey.gaps),
        "divergences": list(survey.divergences),
    }
    return json_text(values)


def _answer(each: TargetAnswer, traces: Mapping[Counterexample, Path]) -> dict[str, Any]:
    line = each.target.line if isinstance(each.target, RaisedAt) else each.target
    run = None
    if each.run is not None:
        run = {"steps": len(each.run.path), "trace": str(traces[each.run]) if each.run in traces else None}
    return {
        "file": line.file,
        "line": line.number,
        "text": each.text,
        "answer": each.status.name.lower(),
        "run": run,
        "pair": None if each.pair is None else _pair(each.pair),
    }


def _pair(pair: StatePacket) -> dict[str, Any]:
    skeleton = pair.question.skeleton
    return {
        "state": dict(pair.state),
        "stack": skeleton.stack.name,
        "packet": pair_fields(pair),
        "frame": skeleton.frame(pair.values).hex(),
    }
