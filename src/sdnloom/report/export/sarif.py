"""Results as SARIF 2.1.0, which code hosts and editors show beside the source: a run for each result.

Rules are properties. The steps of a trace are a code flow: a step that ran code of the program is a place in its
file, every other one a logical place, the component.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from sdnloom.report.export.sequence import flat_text, unique_names
from sdnloom.report.view.result_view import CodeView, FindingView, ResultView, StepView, TraceView

SARIF_VERSION: Final = "2.1.0"
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"  # stands for the folder of the repository
_MOST_TEXT: Final = 2_000


def sarif_log(views: Sequence[ResultView]) -> str:
    """One log with a run for each result."""
    runs = [_run(view, name) for view, name in zip(views, unique_names(views), strict=True)]
    log = {"$schema": _SCHEMA, "version": SARIF_VERSION, "runs": runs}
    return json.dumps(log, indent=1, ensure_ascii=True) + "\n"


def _run(view: ResultView, name: str) -> dict[str, Any]:
    rules = list(dict.fromkeys((*view.properties, *(finding.property for finding in view.findings))))
    driver: dict[str, Any] = {"name": "sdnloom", "rules": [_rule(name) for name in rules]}
    if view.version:
        driver["version"] = view.version
    compared = any(finding.known for finding in view.findings)
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if view.verdict in ("incomplete", "vacuous"):
        notice = {"level": "warning", "message": {"text": _text(view.headline)}}
        invocation["toolExecutionNotifications"] = [notice]
    return {
        "tool": {"driver": driver},
        "automationDetails": {"id": flat_text(f"sdnloom/{view.kind}/{name}/")},
        "invocations": [invocation],
        "results": [_result(view, finding, rules, compared) for finding in view.findings],
        "columnKind": "unicodeCodePoints",
        "properties": {"verdict": view.verdict, "facts": [f"{label}: {text}" for label, text in view.facts]},
    }


def _rule(name: str) -> dict[str, Any]:
    described = {"text": f"The property {flat_text(name)} holds in every order of events."}
    return {"id": flat_text(name) or "finding", "shortDescription": described}


def _result(view: ResultView, finding: FindingView, rules: list[str], compared: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": flat_text(finding.property) or "finding",
        "ruleIndex": rules.index(finding.property),
        "level": "error" if finding.property else "note",
        "message": {"text": _text(finding.message) or "violated"},
        "partialFingerprints": {"sdnloom/v1": finding_fingerprint(view, finding)},
    }
    place = _place_of(finding.file or finding.trace_file, finding.line if finding.file else 0)
    lane = finding.trace.steps[-1].lane if finding.trace is not None and finding.trace.steps else ""
    location = {**place, **_logical(lane)}
    if location:
        result["locations"] = [location]
    if finding.trace is not None and finding.trace.steps:
        result["codeFlows"] = [_flow(finding.trace)]
    if compared:
        result["baselineState"] = "unchanged" if finding.known else "new"
    return result


def finding_fingerprint(view: ResultView, finding: FindingView) -> str:
    """A text that is the same for the same violation after lines of the program have moved."""
    parts = (view.kind, view.name, finding.property, finding.message)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _flow(trace: TraceView) -> dict[str, Any]:
    return {"threadFlows": [{"locations": [each for step in trace.steps for each in _locations(step, trace)]}]}


def _locations(step: StepView, trace: TraceView) -> list[dict[str, Any]]:
    """Where a step is: one place for each function of the program that it ran, or the component."""
    places = [_place(code) for code in step.code if code.file] or [{}]
    importance = "essential" if step.number in trace.marked or step.number == len(trace.steps) else "important"
    return [
        {
            "location": {**place, **_logical(step.lane), "message": {"text": _text(f"{step.number}. {step.text}")}},
            "executionOrder": step.number,
            "importance": importance,
        }
        for place in places
    ]


def _place(code: CodeView) -> dict[str, Any]:
    return _place_of(code.file, code.ran[0] if code.ran else code.first)


def _place_of(file: str, line: int) -> dict[str, Any]:
    if not file:
        return {}
    place: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if line > 0:
        place["region"] = {"startLine": line}
    return {"physicalLocation": place}


def _artifact(file: str) -> dict[str, str]:
    path = PurePath(file)
    if path.is_absolute():
        return {"uri": f"file://{quote(path.as_posix(), errors='replace')}"}
    return {"uri": quote(path.as_posix(), errors="replace"), "uriBaseId": _ROOT}


def _logical(lane: str) -> dict[str, Any]:
    return {"logicalLocations": [{"name": flat_text(lane), "kind": "object"}]} if lane else {}


def _text(text: str) -> str:
    """A text of a message: SARIF would make a link of `[...](...)`."""
    return flat_text(text, _MOST_TEXT).replace("](", "] (")
