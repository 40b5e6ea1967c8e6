"""A finding as a mermaid sequence diagram.

Texts cannot change the diagram: a character that mermaid might read as syntax is written as an entity, `#59;`.
"""

import re
import textwrap
from typing import Final

from sdnloom.report.export.sequence import (
    SequenceArrow,
    drawn_lanes,
    finding_title,
    flat_text,
    ordering_texts,
    sequence_rows,
)
from sdnloom.report.view.result_view import FindingView, LaneView, ResultView, TraceView

_PLAIN: Final = frozenset(" .,:()[]/=+*!?'_-")
# Words at which mermaid cuts a line or reads an option, wherever they stand.
_WORDS: Final = re.compile(r"style|classDef|wrap:|\bend\b", re.IGNORECASE)
_WIDTH: Final = 60
_BLANK: Final = "#160;"
_MOST_NAME: Final = 40  # characters of the name of a lane
_MARK: Final = "rgba(192, 57, 43, 0.15)"


def mermaid_sequence(view: ResultView, finding: FindingView | None) -> str:
    """The diagram of one finding; without one, a diagram that says the verdict."""
    trace = None if finding is None else finding.trace
    lanes = (LaneView("result", "environment"),) if trace is None else drawn_lanes(trace)
    ids = {lane.name: f"L{number}" for number, lane in enumerate(lanes, 1)}
    title = flat_text(view.headline) if finding is None else finding_title(view, finding)
    lines = ["sequenceDiagram", f"  title {_escaped(title) or _BLANK}"]
    for lane in lanes:
        kind = "actor" if lane.kind in ("host", "environment") else "participant"
        lines.append(f"  {kind} {ids[lane.name]} as {_escaped(flat_text(lane.name, _MOST_NAME)) or _BLANK}")
    if trace is not None:
        lines += _rows(trace, ids)
    ends = f"{ids[lanes[0].name]},{ids[lanes[-1].name]}" if len(lanes) > 1 else ids[lanes[0].name]
    said = [title, *([] if trace is None else ordering_texts(trace))]
    lines += [f"  Note over {ends}: {sequence_text(text)}" for text in said]
    return "\n".join(lines) + "\n"


def _rows(trace: TraceView, ids: dict[str, str]) -> list[str]:
    lines: list[str] = []
    marked = 0  # the step whose rows are in a box
    for row in sequence_rows(trace):
        if marked and marked != row.step:
            lines.append("  end")
            marked = 0
        if not marked and row.step in trace.marked:
            lines.append(f"  rect {_MARK}")
            marked = row.step
        if isinstance(row, SequenceArrow):
            arrow = "--x" if row.lost else "->>"
            lines.append(f"  {ids[row.source]}{arrow}{ids[row.target]}: {sequence_text(row.text)}")
        else:
            lines.append(f"  Note over {ids[row.lane]}: {sequence_text(row.text)}")
    return [*lines, "  end"] if marked else lines


def sequence_text(text: str) -> str:
    """Text of a sequence diagram: escaped, with breaks where it is long."""
    return "<br/>".join(map(_escaped, textwrap.wrap(flat_text(text), _WIDTH))) or _BLANK


def _escaped(text: str) -> str:
    broken = {match.start() for match in _WORDS.finditer(text)}
    return "".join(
        char if (char.isalnum() or char in _PLAIN) and place not in broken else f"#{ord(char)};"
        for place, char in enumerate(text)
    )
