"""The one clock of all bridges: it stands still, and moves on a little between inputs that start timers.

Entries of different steps then expire one after the other, in the order in which their timers were started. What moves
on by itself never lets an entry expire.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Final, NamedTuple

from sdnloom.network.openflow import V10, FlowCommand, FlowStats

_SECOND_MS: Final = 1000
_GAP_MS: Final = 16  # between two inputs that start timers
_FLOW_MOD: Final = 14
_PACKET_OUT: Final = 13
_VENDOR: Final = 4
_MODIFY: Final = frozenset((FlowCommand.MODIFY, FlowCommand.MODIFY_STRICT))


class TimerStart(Enum):
    """What an input may do to the timers of a switch."""

    ADD = "add"  # make entries
    MODIFY = "modify"  # change entries: Open vSwitch then starts their hard timers again
    USE = "use"  # use entries, which starts their idle timers again


class TimedInput(NamedTuple):
    """An input that a switch got at a time, and what it may do to timers."""

    time: int
    start: TimerStart


def timer_start(message: bytes) -> TimerStart | None:
    """Return what an OpenFlow message may do to timers; None if it leaves them alone."""
    version, kind = message[0], message[1]
    if kind == _FLOW_MOD:
        command = int.from_bytes(message[56:58], "big") if version == V10 else message[25:26] and message[25]
        return TimerStart.MODIFY if command in _MODIFY else TimerStart.ADD
    return {_PACKET_OUT: TimerStart.USE, _VENDOR: TimerStart.MODIFY}.get(kind)


def idle_and_hard(message: bytes) -> tuple[bool, bool]:
    """Return whether a message may give entries an idle timeout, and a hard one."""
    if message[1] == _FLOW_MOD:
        at = 58 if message[0] == V10 else 26
        return any(message[at : at + 2]), any(message[at + 2 : at + 4])
    return (message[1] == _VENDOR,) * 2


def expiry_times(entries: Iterable[FlowStats], inputs: Iterable[TimedInput], now: int) -> set[int]:
    """Return the times after now at which an entry of a switch may expire, given the inputs of the switch.

    An entry expires just after its timeout is over. Its hard timer started when it was made or modified; its idle timer
    when it was made or used, or with the last use of an entry that it replaced.
    """
    found = set()
    for entry in entries:
        made = now - entry.duration_sec * _SECOND_MS - entry.duration_nsec // 1_000_000
        if entry.hard_timeout:
            starts = {made, *(each.time for each in inputs if each.start is TimerStart.MODIFY and each.time >= made)}
            found |= {each + entry.hard_timeout * _SECOND_MS + 1 for each in starts}
        if entry.idle_timeout:
            starts = {made, *(each.time for each in inputs)}
            found |= {each + entry.idle_timeout * _SECOND_MS + 1 for each in starts}
    return {each for each in found if each > now}


class SwitchClock:
    """Milliseconds since the switches were made. `warp` moves the real clock; `entries` are those of a switch now."""

    def __init__(self, warp: Callable[[int], None], entries: Callable[[str], Iterable[FlowStats]]) -> None:
        self.now = 0
        self._warp, self._entries = warp, entries
        self._inputs: dict[str, list[TimedInput]] = {}
        self._idle = self._timed = False  # whether some entry may have an idle timeout, or any
        self._started = False  # whether an input of this moment may have started a timer

    def before_input(self, name: str, given: Sequence[bytes], names: Iterable[str]) -> None:
        """Note that a switch is about to get messages, or frames if there are none.

        `names` are all switches that have power.
        """
        for idle, hard in map(idle_and_hard, given):
            self._idle = self._idle or idle
            self._timed = self._timed or idle or hard
        starts = {timer_start(each) for each in given} - {None} if given else {TimerStart.USE}
        if self._idle if starts == {TimerStart.USE} else starts and self._timed:
            if self._started:
                self._move_on(names)
            self._started = True
        self._inputs.setdefault(name, []).extend(TimedInput(self.now, start) for start in starts if start)

    def expiries(self, names: Iterable[str]) -> list[int]:
        """Return the times at which an entry of these switches may expire, in order."""
        found = (expiry_times(self._entries(name), self._inputs.get(name, ()), self.now) for name in names)
        return sorted(set().union(*found)) if self._timed else []

    def moved_to(self, now: int) -> None:
        """Note that the real clock was moved on."""
        self.now, self._started = now, False

    def _move_on(self, names: Iterable[str]) -> None:
        """Let time pass, but less than until the next expiry, and some of that is left for later inputs."""
        expiries = self.expiries(names)
        room = expiries[0] - 1 - self.now if expiries else _GAP_MS
        gap = min(_GAP_MS, (room + 1) // 2)
        if gap:
            self._warp(gap)
            self.moved_to(self.now + gap)
