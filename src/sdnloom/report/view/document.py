"""Result documents: results as JSON that `sdnloom view` and `sdnloom export` read.

A document holds everything that pictures are made from, and no reference to a program. Facts of states and source
lines are written once for each trace (`lines`, `functions`) and meant by their numbers, because a state is given again
in full whenever it changes. Octets are hexadecimal. `document_reader` reads what is written here; the published schema
is `sdnloom schema result`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Generic, TypeVar

from sdnloom.report.view.result_view import (
    CodeView,
    FindingView,
    LaneState,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
)

RESULT_SCHEMA: Final = "sdnloom-result-1"
_T = TypeVar("_T")


def result_document(views: Sequence[ResultView]) -> str:
    """Return the document of one or more results, ending with a newline."""
    document = {"schema": RESULT_SCHEMA, "results": [_result(view) for view in views]}
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


class _Numbers(Generic[_T]):
    """Numbers values in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[_T, int] = {}

    def of(self, value: _T) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> Iterable[_T]:
        return self._numbers


_Function = tuple[str, str, int, tuple[str, ...]]  # all of a CodeView but the lines that ran


class _Tables:
    """What the steps of a trace share."""

    def __init__(self) -> None:
        self.lines: _Numbers[StateLine] = _Numbers()
        self.functions: _Numbers[_Function] = _Numbers()

    def states(self, states: Mapping[str, LaneState]) -> dict[str, list[int]]:
        return {lane: [self.lines.of(line) for line in state] for lane, state in states.items()}

    def code(self, code: CodeView) -> dict[str, Any]:
        function = self.functions.of((code.file, code.function, code.first, code.lines))
        return {"function": function, "ran": list(code.ran)}


def _result(view: ResultView) -> dict[str, Any]:
    return {
        "kind": view.kind,
        "name": view.name,
        "verdict": view.verdict,
        "headline": view.headline,
        "properties": list(view.properties),
        "facts": [list(fact) for fact in view.facts],
        "seconds": view.seconds,
        "version": view.version,
        "findings": [_finding(finding) for finding in view.findings],
    }


def _finding(finding: FindingView) -> dict[str, Any]:
    return {
        "property": finding.property,
        "message": finding.message,
        "facts": [list(fact) for fact in finding.facts],
        "file": finding.file,
        "line": finding.line,
        "trace_file": finding.trace_file,
        "known": finding.known,
        "trace": None if finding.trace is None else _trace(finding.trace),
    }


def _trace(trace: TraceView) -> dict[str, Any]:
    tables = _Tables()
    initial = tables.states(trace.initial)
    steps = [_step(step, tables) for step in trace.steps]
    return {
        "length": trace.length,
        "lanes": [asdict(lane) for lane in trace.lanes],
        "wires": [asdict(wire) for wire in trace.wires],
        "marked": list(trace.marked),
        "orderings": [asdict(ordering) for ordering in trace.orderings],
        "lines": [[line.part, line.text] for line in tables.lines.values()],
        "functions": [
            {"file": file, "function": function, "first": first, "lines": list(lines)}
            for file, function, first, lines in tables.functions.values()
        ],
        "initial": initial,
        "steps": steps,
    }


def _step(step: StepView, tables: _Tables) -> dict[str, Any]:
    return {
        "number": step.number,
        "lane": step.lane,
        "action": step.action,
        "text": step.text,
        "long": step.long,
        "takes": step.takes,
        "effects": list(step.effects),
        "transfers": [_transfer(transfer) for transfer in step.transfers],
        "causes": list(step.causes),
        "clock": dict(step.clock),
        "code": [tables.code(code) for code in step.code],
        "changes": tables.states(step.changes),
        "wires": None if step.wires is None else [asdict(wire) for wire in step.wires],
        "environment": step.environment,
    }


def _transfer(transfer: TransferView) -> dict[str, Any]:
    return {**asdict(transfer), "data": transfer.data.hex()}
