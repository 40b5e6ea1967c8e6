"""Findings as a ShiViz log: an event for each step, with a vector clock.

The first line of the file is the regular expression that reads an event, the second one that which separates
executions, as ShiViz expects them. ShiViz has one order of the events of a host, so clocks are counted here with the
previous step of the same lane as a cause. A rendezvous is an event of the receiver, too.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from sdnloom.report.export.sequence import finding_title, findings_of, flat_text
from sdnloom.report.view.result_view import ResultView, TraceView

SHIVIZ_EVENT: Final = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})"
SHIVIZ_DELIMITER: Final = r"=== (?<trace>.*) ==="
_HOST: Final = re.compile(r"[^\w.:-]+")


class ShivizEvent(NamedTuple):
    """An event of a host; `clock` counts the events of each host that it knows of."""

    text: str
    host: str
    clock: Mapping[str, int]


def shiviz_log(views: Sequence[ResultView]) -> str:
    """The log of all findings, one execution for each."""
    lines = [SHIVIZ_EVENT, SHIVIZ_DELIMITER]
    for view, finding in findings_of(views):
        lines.append(f"=== {_event(finding_title(view, finding))} ===")
        for event in shiviz_events(finding.trace) if finding.trace is not None else ():
            lines += [event.text, f"{event.host} {json.dumps(event.clock)}"]
    return "\n".join(lines) + "\n"


def shiviz_events(trace: TraceView) -> Iterator[ShivizEvent]:
    """Yield the events of a trace with their clocks."""
    hosts = _hosts([lane.name for lane in trace.lanes])
    latest: dict[str, dict[str, int]] = {}  # lane -> the clock of its last event
    sent: dict[int, dict[str, int]] = {}  # step -> the clock of its lane after it
    received: dict[int, list[int]] = {}  # step -> the steps whose messages it receives
    for step in trace.steps:
        clock = dict(latest.get(step.lane, {}))
        for cause in (*step.causes, *received.pop(step.number, ())):
            _join(clock, sent[cause])
        clock[hosts[step.lane]] = clock.get(hosts[step.lane], 0) + 1
        latest[step.lane] = sent[step.number] = clock
        yield ShivizEvent(f"{step.number}. {_event(step.text)}", hosts[step.lane], clock)
        for one in step.transfers:
            if one.taken == step.number and one.to != step.lane:
                learned = dict(latest.get(one.to, {}))
                _join(learned, clock)
                learned[hosts[one.to]] = learned.get(hosts[one.to], 0) + 1
                latest[one.to] = learned
                yield ShivizEvent(f"{step.number}. receives {_event(one.text)}", hosts[one.to], learned)
            elif one.taken is not None and one.taken > step.number:
                received.setdefault(one.taken, []).append(step.number)


def _event(text: str) -> str:
    """A text that does not look like the line between two executions."""
    return flat_text(text).replace("===", "= = =")


def _join(clock: dict[str, int], other: Mapping[str, int]) -> None:
    for host, count in other.items():
        clock[host] = max(clock.get(host, 0), count)


def _hosts(lanes: Sequence[str]) -> dict[str, str]:
    """Names without white space, different for different lanes."""
    hosts: dict[str, str] = {}
    for lane in lanes:
        name = start = _HOST.sub("_", lane) or "_"
        number = 1
        while name in hosts.values():
            number += 1
            name = f"{start}_{number}"
        hosts[lane] = name
    return hosts
