"""Trace files by themselves, as they were recorded: for traces that diverge or whose scenario is not there.

Lanes, steps, vector clocks and the messages that steps receive are known; states are not. Causes are derived from the
clocks: a step depends on the last step of its lane and on the latest steps of other lanes that it knows of.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sdnloom.engine.model import Step
from sdnloom.engine.trace import Trace
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.packet import Packet, encode
from sdnloom.network.switch_component import EpochMessage
from sdnloom.report.describe import NO_NAMES, counted, words
from sdnloom.report.quoted_value import unquoted_message
from sdnloom.report.steps import offered_text
from sdnloom.report.view.of_trace import trace_finding, trace_result
from sdnloom.report.view.result_view import LaneView, ResultView, StepView, TraceView, TransferView

_LARGEST: Final = 1 << 53


def recorded_view(document: Mapping[str, Any], trace: Trace, file: Path, reason: str = "") -> ResultView:
    """A trace file as it is shown. `document` is the JSON value that `trace` was read from; `reason` says why it is not
    replayed. Clocks and texts of the document are used as far as they make sense: `load_trace` does not check them.
    """
    steps = _steps(trace, document["steps"])
    names = dict.fromkeys(step.component for step in trace.path.steps)
    lanes = tuple(LaneView(name, "controller" if name == CONTROLLER else "element") for name in names)
    shown = TraceView(lanes, steps, length=f"{counted(len(steps), 'step')}, as recorded")
    found = trace.finding
    headline = f"RECORDED {found.property}: {found.message}" if found else "RECORDED"
    facts = (("shown", f"as recorded, without states{': ' if reason else ''}{reason}"),)
    name = file.name.partition(".")[0] or file.name
    return trace_result(name, "incomplete", headline, trace_finding(found, shown, str(file)), facts)


def _steps(trace: Trace, rows: Sequence[Mapping[str, Any]]) -> tuple[StepView, ...]:
    steps = trace.path.steps
    lanes = {step.component for step in steps}
    clocks = [_clock(row.get("clock"), lanes) for row in rows]
    causes = _causes(steps, clocks)
    sent: dict[int, list[TransferView]] = {}
    for number, (step, direct) in enumerate(zip(steps, causes, strict=True), 1):
        for cause in sorted(direct):
            if steps[cause - 1].component != step.component and step.message is not None:
                sent.setdefault(cause, []).append(_transfer(step, number))
    return tuple(
        StepView(
            number,
            step.component,
            step.action,
            row["text"] if isinstance(row.get("text"), str) else offered_text(step, NO_NAMES),
            takes="" if step.message is None else words(unquoted_message(step.message)),
            effects=step.faults,
            transfers=tuple(sent.get(number, ())),
            causes=tuple(sorted(direct)),
            clock=clock,
        )
        for number, (step, row, direct, clock) in enumerate(zip(steps, rows, causes, clocks, strict=True), 1)
    )


def _causes(steps: Sequence[Step], clocks: Sequence[Mapping[str, int]]) -> list[set[int]]:
    numbers: dict[tuple[str, int], int] = {}  # the count-th step of a lane -> its number
    latest: dict[str, int] = {}
    counts: Counter[str] = Counter()
    causes: list[set[int]] = []
    for number, (step, clock) in enumerate(zip(steps, clocks, strict=True), 1):
        before = clocks[latest[step.component] - 1] if step.component in latest else {}
        fresh = {
            numbers[lane, count]: (lane, count)
            for lane, count in clock.items()
            if count > before.get(lane, 0) and (lane, count) in numbers
        }
        # A step that another one of them knows of is no direct cause; the lane's own last step always is one.
        direct = {
            one
            for one, (lane, count) in fresh.items()
            if not any(clocks[other - 1].get(lane, 0) >= count for other in fresh if other != one)
        }
        causes.append(direct | ({latest[step.component]} if step.component in latest else set()))
        counts[step.component] += 1
        numbers[step.component, counts[step.component]] = latest[step.component] = number
    return causes


def _transfer(step: Step, number: int) -> TransferView:
    """What a step receives. A packet has octets; those of an OpenFlow message depend on a version that is not known."""
    message = unquoted_message(step.message)
    if isinstance(message, EpochMessage):
        message = message.message
    text = words(message)
    if isinstance(message, OpenFlowMessage):
        return TransferView(step.component, text, "openflow", number)
    packet = message[1] if isinstance(message, tuple) and len(message) == 2 else message
    if isinstance(packet, Packet):
        return TransferView(step.component, words(packet), "packet", number, data=encode(packet))
    return TransferView(step.component, text, "message", number)


def _clock(value: Any, lanes: set[str]) -> dict[str, int]:
    if not isinstance(value, dict):
        return {}
    return {
        lane: count
        for lane, count in value.items()
        if lane in lanes and isinstance(count, int) and not isinstance(count, bool) and 0 <= count < _LARGEST
    }
