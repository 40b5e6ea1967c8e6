"""Results as the compact JSON value that the page's scripts read.

Texts, state lines and functions are stored once and named by their place in a table. The state of a lane after a step
is its difference from the state before: how many lines at both ends stay, and the lines between them. `data.js` reads
this form; it is no published format, so both may change together.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from sdnloom.report.view.result_view import (
    CodeView,
    FindingView,
    LaneState,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
    WireView,
)

_Row = TypeVar("_Row", bound=Hashable)


class _Table(Generic[_Row]):
    """Distinct rows in the order in which they first occur."""

    def __init__(self) -> None:
        self.rows: dict[_Row, int] = {}

    def place(self, row: _Row) -> int:
        return self.rows.setdefault(row, len(self.rows))


class _Tables:
    """The tables that all results of a page share."""

    def __init__(self) -> None:
        self.texts: _Table[str] = _Table()
        self.lines: _Table[tuple[int, int]] = _Table()
        self.codes: _Table[tuple[int, int, int, tuple[int, ...]]] = _Table()

    def line(self, line: StateLine) -> int:
        return self.lines.place((self.texts.place(line.part), self.texts.place(line.text)))

    def code(self, code: CodeView) -> int:
        places = tuple(self.texts.place(line) for line in code.lines)
        return self.codes.place((self.texts.place(code.file), self.texts.place(code.function), code.first, places))


def page_data(views: Sequence[ResultView]) -> dict[str, Any]:
    """The value of the page's data block: tables, and the results that refer to them."""
    tables = _Tables()
    results = [_result(view, tables) for view in views]
    return {
        "texts": list(tables.texts.rows),
        "lines": list(tables.lines.rows),
        "codes": list(tables.codes.rows),
        "results": results,
    }


def _result(view: ResultView, tables: _Tables) -> dict[str, Any]:
    return {
        "kind": view.kind,
        "name": view.name,
        "verdict": view.verdict,
        "headline": view.headline,
        "properties": view.properties,
        "facts": view.facts,
        "seconds": view.seconds,
        "version": view.version,
        "findings": [_finding(finding, tables) for finding in view.findings],
    }


def _finding(finding: FindingView, tables: _Tables) -> dict[str, Any]:
    return {
        "property": finding.property,
        "message": finding.message,
        "facts": finding.facts,
        "file": finding.file,
        "line": finding.line,
        "traceFile": finding.trace_file,
        "known": finding.known,
        "trace": None if finding.trace is None else _trace(finding.trace, tables),
    }


def _trace(trace: TraceView, tables: _Tables) -> dict[str, Any]:
    lanes: _Table[str] = _Table()
    kinds = {lane.name: lane.kind for lane in trace.lanes}
    for lane in trace.lanes:
        lanes.place(lane.name)
    states = {name: _lines(state, tables) for name, state in trace.initial.items()}
    initial = {lanes.place(name): lines for name, lines in states.items()}
    steps = [_step(step, lanes, states, tables) for step in trace.steps]
    wires = [_wire(wire, lanes, tables) for wire in trace.wires]
    return {
        "lanes": [[tables.texts.place(name), kinds.get(name, "environment")] for name in lanes.rows],
        "steps": steps,
        "wires": wires,
        "initial": initial,
        "orderings": [
            [each.first, each.second, tables.texts.place(each.text), each.matters, each.removes]
            for each in trace.orderings
        ],
        "marked": trace.marked,
        "length": trace.length,
    }


def _step(step: StepView, lanes: _Table[str], states: dict[str, list[int]], tables: _Tables) -> dict[str, Any]:
    """Without entries for what is empty, because most of it is in most steps. `states` becomes that after the step."""
    place = tables.texts.place
    made: dict[str, Any] = {
        "number": step.number,
        "lane": lanes.place(step.lane),
        "action": place(step.action),
        "text": place(step.text),
        "long": place(step.long) if step.long and step.long != step.text else None,
        "takes": place(step.takes) if step.takes else None,
        "effects": [place(effect) for effect in step.effects],
        "transfers": [_transfer(transfer, lanes, tables) for transfer in step.transfers],
        "causes": step.causes,
        "clock": _clock(step.clock, lanes),
        "code": [[tables.code(code), code.ran] for code in step.code],
        "changes": [],
        "environment": step.environment,
    }
    for name, state in step.changes.items():
        new = _lines(state, tables)
        made["changes"].append([lanes.place(name), *_difference(states.get(name, []), new)])
        states[name] = new
    made = _without_empty(made)
    if step.wires is not None:  # no wires at all are a fact of their own
        made["wires"] = [_wire(wire, lanes, tables) for wire in step.wires]
    return made


def _transfer(transfer: TransferView, lanes: _Table[str], tables: _Tables) -> dict[str, Any]:
    place = tables.texts.place
    made: dict[str, Any] = {
        "to": lanes.place(transfer.to),
        "text": place(transfer.text),
        "kind": transfer.kind,
        "taken": transfer.taken,
        "long": place(transfer.long) if transfer.long and transfer.long != transfer.text else None,
        "packet": place(transfer.packet) if transfer.packet else None,
        "port": place(transfer.port) if transfer.port else None,
        "toPort": place(transfer.to_port) if transfer.to_port else None,
        "data": place(transfer.data.hex()) if transfer.data else None,
    }
    return _without_empty(made)


def _without_empty(made: Mapping[str, Any]) -> dict[str, Any]:
    """Without None, False and empty lists; a place in a table may be 0."""
    return {key: value for key, value in made.items() if value or (value == 0 and value is not False)}


def _wire(wire: WireView, lanes: _Table[str], tables: _Tables) -> list[Any]:
    one, other = lanes.place(wire.one), lanes.place(wire.other)
    return [one, tables.texts.place(wire.one_port), other, tables.texts.place(wire.other_port), wire.control, wire.up]


def _clock(clock: Mapping[str, int], lanes: _Table[str]) -> list[int]:
    """Lane, count, lane, count ..."""
    return [number for name, count in clock.items() if count for number in (lanes.place(name), count)]


def _lines(state: LaneState, tables: _Tables) -> list[int]:
    return [tables.line(line) for line in state]


def _difference(old: list[int], new: list[int]) -> tuple[int, int, list[int]]:
    """How many lines at the beginning and at the end stay, and the new lines between them."""
    limit = min(len(old), len(new))
    before = 0
    while before < limit and old[before] == new[before]:
        before += 1
    after = 0
    while after < limit - before and old[-1 - after] == new[-1 - after]:
        after += 1
    return before, after, new[before : len(new) - after]
