"""A trace as the rows of a sequence diagram: arrows where a message is received, and notes about other steps."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sdnloom.report.view.result_view import FindingView, LaneView, ResultView, TraceView

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_MOST_TEXT: Final = 400  # characters of one row
_MOST_ORDERINGS: Final = 10  # that are told


@dataclass(frozen=True, slots=True)
class SequenceArrow:
    """A message that the step received; `lost` if no step of the trace did, then the step is its sender's."""

    step: int
    source: str
    target: str
    text: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class SequenceNote:
    """What a lane did in a step, where no arrow says it."""

    step: int
    lane: str
    text: str


def sequence_rows(trace: TraceView) -> Iterator[SequenceArrow | SequenceNote]:
    """Yield the rows of the diagram in the order of the steps; the first row of each step starts with its number."""
    received: dict[int, list[SequenceArrow]] = {}
    for step in trace.steps:
        for sent in step.transfers:
            if sent.taken is not None:
                arrow = SequenceArrow(sent.taken, step.lane, sent.to, sent.text)
                received.setdefault(sent.taken, []).append(arrow)
        arrows = received.pop(step.number, [])
        for number, arrow in enumerate(arrows):
            text = arrow.text if number else f"{step.number}. {arrow.text}"
            yield SequenceArrow(step.number, arrow.source, arrow.target, text)
        if not arrows:
            yield SequenceNote(step.number, step.lane, f"{step.number}. {step.text}")
        elif step.effects:
            yield SequenceNote(step.number, step.lane, "; ".join(step.effects))
        for sent in step.transfers:
            if sent.taken is None:
                text = f"{sent.text} (not received)"
                yield SequenceArrow(step.number, step.lane, sent.to, text, lost=True)


def drawn_lanes(trace: TraceView) -> tuple[LaneView, ...]:
    """The lanes that take part in a step; all of them if none does."""
    used = {step.lane for step in trace.steps} | {sent.to for step in trace.steps for sent in step.transfers}
    return tuple(lane for lane in trace.lanes if lane.name in used) or trace.lanes


def ordering_texts(trace: TraceView) -> list[str]:
    """The orderings that matter, a sentence each."""
    return [ordering.text for ordering in trace.orderings if ordering.matters][:_MOST_ORDERINGS]


def unique_names(views: Sequence[ResultView]) -> list[str]:
    """The names of results; those that several results have get numbers."""
    counts: Counter[str] = Counter()
    names = []
    for view in views:
        counts[view.name] += 1
        names.append(view.name if counts[view.name] == 1 else f"{view.name} ({counts[view.name]})")
    return names


def findings_of(views: Sequence[ResultView]) -> list[tuple[ResultView, FindingView]]:
    """The findings of results, with the result that each belongs to."""
    return [(view, finding) for view in views for finding in view.findings]


def finding_title(view: ResultView, finding: FindingView) -> str:
    """What a finding is, in a line."""
    return flat_text(": ".join(part for part in (view.name, finding.property, finding.message) if part))


def flat_text(text: str, most: int = _MOST_TEXT) -> str:
    """A text on one line, without control characters, and not too long."""
    flat = _CONTROL.sub(" ", text)
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."
