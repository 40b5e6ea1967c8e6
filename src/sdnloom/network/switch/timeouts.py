"""Passing of time in a switch. Deadlines are relative, so the time of day is not part of the state."""

from dataclasses import replace

from sdnloom.network.openflow import FlowRemovedReason
from sdnloom.network.switch.config import Switch
from sdnloom.network.switch.core import FlowEntry, SwitchCore
from sdnloom.network.switch.step import BufferExpired, SwitchOutcome, SwitchStep
from sdnloom.network.switch.tables.flow_mod import remove_entries


def next_deadline(core: SwitchCore) -> int | None:
    """Return the milliseconds until the next entry, buffer or learned address expires, or None."""
    times = [left for entry in core.flows for left in entry.timers]
    times += [waiting.left for waiting in core.buffers if waiting.left is not None]
    times += [row[3] for row in core.macs]
    return min(times, default=None)


def pass_time(config: Switch, core: SwitchCore, milliseconds: int) -> SwitchOutcome:
    """Return the outcome of letting time pass: timers expire in the order of their deadlines.

    A timer expires when its time is up, not after it. If both timers of an entry expire together, the hard one counts.
    Law: `pass_time(a)` then `pass_time(b)` is `pass_time(a + b)`.
    """
    if milliseconds < 0:
        raise ValueError(f"milliseconds={milliseconds}: time does not go back")
    step = SwitchStep(config, core)
    step.writes.add("time")
    rest = milliseconds
    while (wait := next_deadline(step.core)) is not None and wait <= rest:
        _pass(step, wait)
        _expire(step)
        rest -= wait
    _pass(step, rest)
    return step.outcome()


def _pass(step: SwitchStep, milliseconds: int) -> None:
    if not milliseconds:
        return
    core = step.core
    if step.config.counters or any(entry.timers for entry in core.flows):
        step.update(flows=tuple(_older(step, entry, milliseconds) for entry in core.flows))
    if step.config.counters:
        step.update(
            groups=tuple(replace(group, age=group.age + milliseconds) for group in core.groups),
            meters=tuple(replace(meter, age=meter.age + milliseconds) for meter in core.meters),
        )
    if any(waiting.left is not None for waiting in core.buffers):
        step.update(
            buffers=tuple(
                replace(waiting, left=None if waiting.left is None else waiting.left - milliseconds)
                for waiting in core.buffers
            )
        )
    if core.macs:
        step.update(macs=tuple((*row[:3], row[3] - milliseconds) for row in core.macs))


def _older(step: SwitchStep, entry: FlowEntry, milliseconds: int) -> FlowEntry:
    if not (step.config.counters or entry.timers):
        return entry
    return replace(
        entry,
        idle_left=None if entry.idle_left is None else entry.idle_left - milliseconds,
        hard_left=None if entry.hard_left is None else entry.hard_left - milliseconds,
        age=entry.age + milliseconds if step.config.counters else 0,
    )


def _expire(step: SwitchStep) -> None:
    hard = [entry for entry in step.core.flows if entry.has_hard_timer and entry.hard_left == 0]
    remove_entries(step, hard, FlowRemovedReason.HARD_TIMEOUT)
    idle = [entry for entry in step.core.flows if entry.has_idle_timer and entry.idle_left == 0]
    remove_entries(step, idle, FlowRemovedReason.IDLE_TIMEOUT)
    for waiting in step.core.buffers:
        if waiting.left == 0:
            step.writes.add("buffers")
            step.events.append(BufferExpired(waiting.buffer_id, waiting.packet))
    if any(row[3] <= 0 for row in step.core.macs):
        step.writes.add("macs")
    step.update(
        buffers=tuple(waiting for waiting in step.core.buffers if waiting.left != 0),
        macs=tuple(row for row in step.core.macs if row[3] > 0),
    )
