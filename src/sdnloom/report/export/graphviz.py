"""Findings as one Graphviz graph of happens-before: a cluster for each lane, its steps in order, and their causes."""

import textwrap
from collections.abc import Sequence
from typing import Final

from sdnloom.report.export.sequence import drawn_lanes, finding_title, findings_of, flat_text
from sdnloom.report.view.result_view import ResultView, StepView, TraceView, TransferView

_WIDTH: Final = 40
_RED: Final = "#c0392b"
_GREY: Final = "#999999"


def graphviz_causes(views: Sequence[ResultView]) -> str:
    """One directed graph; each finding is a cluster of its own."""
    lines = ["digraph sdnloom {", "  node [shape=box, fontsize=10];", "  edge [fontsize=9];", "  newrank=true;"]
    found = findings_of(views)
    for number, (view, finding) in enumerate(found, 1):
        lines += [f"  subgraph cluster_f{number} {{", f"    label={_label(finding_title(view, finding), 100)};"]
        lines += _trace(finding.trace, f"f{number}") if finding.trace is not None and finding.trace.steps else []
        lines += [f"    f{number} [shape=plaintext, label={_label(finding.property)}];"]
        lines += ["  }"]
    if not found:
        lines += [f"  r{number} [label={_label(view.headline)}];" for number, view in enumerate(views, 1)]
    return "\n".join([*lines, "}"]) + "\n"


def _trace(trace: TraceView, prefix: str) -> list[str]:
    lines = []
    last: dict[str, int] = {}
    for number, lane in enumerate(drawn_lanes(trace), 1):
        steps = [step for step in trace.steps if step.lane == lane.name]
        lines += [f"    subgraph cluster_{prefix}_{number} {{", f"      label={_label(lane.name)}; style=dashed;"]
        lines += [
            f"      {_node(prefix, step.number)} [label={_step_label(step)}{_mark(trace, step)}];" for step in steps
        ]
        lines += [] if steps else [f'      {prefix}_lane{number} [style=invis, label=""];']
        lines += ["    }"]
    sent = {(step.number, each.taken): each for step in trace.steps for each in step.transfers if each.taken}
    senders: dict[int, set[int]] = {}
    for number, taken in sent:
        senders.setdefault(taken, set()).add(number)
    for step in trace.steps:
        causes = {*step.causes, *senders.get(step.number, ())} - {step.number}
        if step.lane in last:
            causes.add(last[step.lane])
        last[step.lane] = step.number
        lines += [_edge(prefix, cause, step, sent.get((cause, step.number)), trace) for cause in sorted(causes)]
    lines.append(f"    {_node(prefix, trace.steps[-1].number)} -> {prefix} [style=dotted];")
    return lines


def _edge(prefix: str, cause: int, step: StepView, sent: TransferView | None, trace: TraceView) -> str:
    if sent is not None:
        attributes = f" [label={_label(sent.text, 30)}]"
    elif trace.steps[cause - 1].lane == step.lane:
        attributes = f' [color="{_GREY}"]'
    else:
        attributes = " [style=dashed]"
    return f"    {_node(prefix, cause)} -> {_node(prefix, step.number)}{attributes};"


def _node(prefix: str, number: int) -> str:
    return f"{prefix}_{number}"


def _mark(trace: TraceView, step: StepView) -> str:
    if step.number in trace.marked:
        return f', color="{_RED}", penwidth=2'
    return ", style=rounded" if step.environment else ""


def _step_label(step: StepView) -> str:
    received = [f"to {sent.to}" for sent in step.transfers if sent.taken == step.number]
    return _label(f"{step.number}. {step.text}{' ' if received else ''}{', '.join(received)}")


def _label(text: str, width: int = _WIDTH) -> str:
    """A quoted string: Graphviz reads escapes and entities in it."""
    lines = textwrap.wrap(flat_text(text), width)
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines)
    return '"' + "\\n".join(escaped) + '"'
