"""Timeouts without clocks: any timer of a switch may expire next.

This covers every order that real clocks can give, and more: two entries with different hard timeouts may end in either
order. Timers never count down, which keeps the number of states small.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from sdnloom.network.events import NetworkEvent
from sdnloom.network.openflow import FlowRemovedReason
from sdnloom.network.switch import FlowEntry, Switch, SwitchCore, SwitchOutcome, pass_time
from sdnloom.network.switch_events import removal_reason, step_events


class Expiry(NamedTuple):
    """An expired timer: its name, the outcome, and the events."""

    what: str
    outcome: SwitchOutcome
    events: tuple[NetworkEvent, ...]


def expiries(name: str, config: Switch, core: SwitchCore, hard_only: bool) -> Iterator[Expiry]:
    """Yield every timer that may expire now: of entries and, unless `hard_only`, of buffers."""
    for entry in core.flows:
        for reason, left in (
            (FlowRemovedReason.HARD_TIMEOUT, entry.hard_left),
            (FlowRemovedReason.IDLE_TIMEOUT, None if hard_only else entry.idle_left),
        ):
            if left is not None:
                outcome = _ended(config, core, entry, reason)
                text = removal_reason(reason)
                what = f"{text} of {entry.match!r} priority {entry.wire_priority} table {entry.table}"
                yield Expiry(what, outcome, step_events(name, core, outcome, text))
    if not hard_only:
        for waiting in core.buffers:
            if waiting.left is not None:
                lone = pass_time(config, replace(core, flows=(), buffers=(replace(waiting, left=1),), macs=()), 1)
                rest = tuple(each for each in core.buffers if each is not waiting)
                outcome = replace(lone, core=replace(core, buffers=rest))
                yield Expiry(f"buffer {waiting.buffer_id}", outcome, step_events(name, core, outcome))


def _ended(config: Switch, core: SwitchCore, entry: FlowEntry, reason: FlowRemovedReason) -> SwitchOutcome:
    """Let one entry expire while the timers of all others stand still."""
    hard = reason is FlowRemovedReason.HARD_TIMEOUT
    last = replace(entry, hard_left=1 if hard else None, idle_left=None if hard else 1)
    lone = pass_time(config, replace(core, flows=(last,), buffers=(), macs=()), 1)
    return replace(lone, core=replace(core, flows=tuple(each for each in core.flows if each is not entry)))
