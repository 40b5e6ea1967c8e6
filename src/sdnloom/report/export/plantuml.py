"""Findings as PlantUML sequence diagrams: one `@startuml` block for each.

Texts cannot change the diagram or run its preprocessor: all but letters, digits and a few signs are written as
`<U+XXXX>`.
"""

import re
import textwrap
from collections.abc import Sequence
from typing import Final

from sdnloom.report.export.sequence import (
    SequenceArrow,
    drawn_lanes,
    finding_title,
    findings_of,
    flat_text,
    ordering_texts,
    sequence_rows,
)
from sdnloom.report.view.result_view import FindingView, LaneKind, LaneView, ResultView, TraceView

_PLAIN: Final = frozenset(" .,:()=+?")
_SINGLE: Final = frozenset("-_")  # markup only if there are two of them
_DOUBLED: Final = re.compile(r"--+|__+|\.\.+|==+|\+\++")
_WIDTH: Final = 60
_MOST_NAME: Final = 40  # characters of the name of a lane
_SHAPES: Final[dict[LaneKind, str]] = {"host": "actor", "environment": "actor", "controller": "control"}


def plantuml_sequences(views: Sequence[ResultView]) -> str:
    """The diagrams of all findings; a diagram that says the verdict for a result without one."""
    blocks = []
    for view in views:
        blocks += [_block(view, finding) for _, finding in findings_of([view])] or [_block(view, None)]
    return "\n".join(blocks)


def _block(view: ResultView, finding: FindingView | None) -> str:
    trace = None if finding is None else finding.trace
    lanes = (LaneView("result", "environment"),) if trace is None else drawn_lanes(trace)
    ids = {lane.name: f"L{number}" for number, lane in enumerate(lanes, 1)}
    title = flat_text(view.headline) if finding is None else finding_title(view, finding)
    lines = ["@startuml", f"title {_text(title)}"]
    for lane in lanes:
        shape = _SHAPES.get(lane.kind, "participant")
        lines.append(f'{shape} "{_escaped(flat_text(lane.name, _MOST_NAME)) or "<U+00A0>"}" as {ids[lane.name]}')
    if trace is not None:
        lines += _rows(trace, ids)
    ends = f"{ids[lanes[0].name]},{ids[lanes[-1].name]}" if len(lanes) > 1 else ids[lanes[0].name]
    said = [title, *([] if trace is None else ordering_texts(trace))]
    lines += [f"note over {ends} : {_text(text)}" for text in said]
    return "\n".join([*lines, "@enduml", ""])


def _rows(trace: TraceView, ids: dict[str, str]) -> list[str]:
    lines = []
    for row in sequence_rows(trace):
        marked = row.step in trace.marked
        if isinstance(row, SequenceArrow):
            colour = "[#c0392b]" if marked else ""
            arrow = f"-{colour}->x" if row.lost else f"-{colour}>"
            lines.append(f"{ids[row.source]} {arrow} {ids[row.target]} : {_text(row.text)}")
        else:
            colour = " #f5b7b1" if marked else ""
            lines.append(f"note over {ids[row.lane]}{colour} : {_text(row.text)}")
    return lines


def _text(text: str) -> str:
    return "\\n".join(map(_escaped, textwrap.wrap(flat_text(text), _WIDTH))) or "<U+00A0>"


def _escaped(text: str) -> str:
    doubled = {place for match in _DOUBLED.finditer(text) for place in range(*match.span())}
    return "".join(
        char
        if char.isalnum() or (place not in doubled and (char in _PLAIN or char in _SINGLE))
        else f"<U+{ord(char):04X}>"
        for place, char in enumerate(text)
    )
