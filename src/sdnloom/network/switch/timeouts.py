"""Time. Deadlines are relative, so a state does not know what time it is."""

from dataclasses import replace

from sdnloom.network.openflow import FlowRemovedReason
from sdnloom.network.switch.config import Switch
from sdnloom.network.switch.core import FlowEntry, SwitchCore
from sdnloom.network.switch.step import BufferExpired, SwitchOutcome, SwitchStep
from sdnloom.network.switch.tables.flow_mod import remove


def next_deadline(core: SwitchCore) -> int | None:
    """Return the milliseconds until something expires: an entry, a buffer or a learned address. None: nothing will."""
    times = [left for entry in core.flows for left in (entry.idle_left, entry.hard_left) if left is not None]
    times += [waiting.left for waiting in core.buffers if waiting.left is not None]
    times += [row[3] for row in core.macs]
    return min(times, default=None)


def advance(config: Switch, core: SwitchCore, milliseconds: int) -> SwitchOutcome:
    """Return the outcome of letting time pass: what expires does so in the order of its deadlines.

    A thing expires when its time is up, not after. Of two timers of one entry that end together the hard one counts.
    Time splits freely: `advance(a)` then `advance(b)` does what `advance(a + b)` does.
    """
    if milliseconds < 0:
        raise ValueError(f"milliseconds={milliseconds}: time does not go back")
    turn = SwitchStep(config, core)
    turn.writes.add("time")
    rest = milliseconds
    while (step := next_deadline(turn.core)) is not None and step <= rest:
        _pass(turn, step)
        _expire(turn)
        rest -= step
    _pass(turn, rest)
    return turn.outcome()


def _pass(turn: SwitchStep, milliseconds: int) -> None:
    if not milliseconds:
        return
    core = turn.core
    timed = any(entry.idle_left is not None or entry.hard_left is not None for entry in core.flows)
    if timed or turn.config.counters:
        turn.update(flows=tuple(_older(turn, entry, milliseconds) for entry in core.flows))
    if turn.config.counters:
        turn.update(groups=tuple(replace(group, age=group.age + milliseconds) for group in core.groups))
    if any(waiting.left is not None for waiting in core.buffers):
        turn.update(
            buffers=tuple(
                replace(waiting, left=None if waiting.left is None else waiting.left - milliseconds)
                for waiting in core.buffers
            )
        )
    if core.macs:
        turn.update(macs=tuple((*row[:3], row[3] - milliseconds) for row in core.macs))


def _older(turn: SwitchStep, entry: FlowEntry, milliseconds: int) -> FlowEntry:
    if entry.idle_left is None and entry.hard_left is None and not turn.config.counters:
        return entry
    return replace(
        entry,
        idle_left=None if entry.idle_left is None else entry.idle_left - milliseconds,
        hard_left=None if entry.hard_left is None else entry.hard_left - milliseconds,
        age=entry.age + milliseconds if turn.config.counters else 0,
    )


def _expire(turn: SwitchStep) -> None:
    hard = [entry for entry in turn.core.flows if entry.hard_left == 0]
    remove(turn, hard, FlowRemovedReason.HARD_TIMEOUT)
    idle = [entry for entry in turn.core.flows if entry.idle_left == 0]
    remove(turn, idle, FlowRemovedReason.IDLE_TIMEOUT)
    for waiting in turn.core.buffers:
        if waiting.left == 0:
            turn.writes.add("buffers")
            turn.events.append(BufferExpired(waiting.buffer_id, waiting.packet))
    if any(row[3] <= 0 for row in turn.core.macs):
        turn.writes.add("macs")
    turn.update(
        buffers=tuple(waiting for waiting in turn.core.buffers if waiting.left != 0),
        macs=tuple(row for row in turn.core.macs if row[3] > 0),
    )
