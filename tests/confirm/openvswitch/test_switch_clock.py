"""The clock of all bridges, beside switches whose timers are simulated one by one."""

import random
import struct
from dataclasses import dataclass, replace

import pytest

from sdnloom.confirm.openvswitch.switch_clock import SwitchClock, TimerStart, idle_and_hard, timer_start
from sdnloom.network.openflow import (
    V10,
    V13,
    BarrierRequest,
    Experimenter,
    FlowCommand,
    FlowMod,
    FlowStats,
    GroupMod,
    Match,
    OpenFlowMessage,
    PacketOut,
)
from sdnloom.network.openflow.codec import encode


@pytest.mark.parametrize("version", [V10, V13])
def test_messages_are_told_apart_by_what_they_do_to_timers(version: int) -> None:
    expected: list[tuple[OpenFlowMessage, TimerStart | None]] = [
        (FlowMod(), TimerStart.ADD),
        (FlowMod(command=int(FlowCommand.MODIFY)), TimerStart.MODIFY),
        (FlowMod(command=int(FlowCommand.MODIFY_STRICT)), TimerStart.MODIFY),
        (FlowMod(command=int(FlowCommand.DELETE)), TimerStart.ADD),
        (PacketOut(), TimerStart.USE),
        (Experimenter(0x2320), TimerStart.MODIFY),
        (BarrierRequest(), None),
    ]
    if version != V10:
        expected.append((GroupMod(1), None))
    for message, start in expected:
        assert timer_start(encode(message, version)) is start
    for idle, hard in ((0, 0), (0, 300), (256, 0), (1, 1)):
        message = encode(FlowMod(Match.of(in_port=1), idle_timeout=idle, hard_timeout=hard), version)
        assert idle_and_hard(message) == (bool(idle), bool(hard))
    assert idle_and_hard(encode(Experimenter(0x2320), version)) == (True, True)
    assert idle_and_hard(encode(PacketOut(data=bytes(range(60))), version)) == (False, False)


def test_a_message_that_is_cut_off_is_looked_at_without_an_error() -> None:
    for version in (V10, V13):
        short = struct.pack("!BBHI", version, 14, 8, 0)
        assert timer_start(short) is TimerStart.ADD
        assert idle_and_hard(short) == (False, False)


@dataclass
class Entry:
    """An entry with its timers as Open vSwitch has them."""

    idle: int
    hard: int
    made: int
    modified: int
    used: int

    def expires(self) -> int | None:
        times = [
            start + 1000 * after + 1 for start, after in ((self.used, self.idle), (self.modified, self.hard)) if after
        ]
        return min(times, default=None)


class Simulation:
    """Two switches with few entries, and the clock under test."""

    def __init__(self) -> None:
        self.time = 0
        self.tables: dict[str, dict[int, Entry]] = {"s1": {}, "s2": {}}
        self.clock = SwitchClock(self.warp, self.entries)

    def warp(self, milliseconds: int) -> None:
        """Move on; entries must not expire while the clock moves by itself."""
        self.time += milliseconds
        assert all((when := each.expires()) is None or when > self.time for each in self.all())

    def all(self) -> list[Entry]:
        return [entry for table in self.tables.values() for entry in table.values()]

    def entries(self, name: str) -> list[FlowStats]:
        return [
            replace(
                FlowStats(Match.of(in_port=port), idle_timeout=entry.idle, hard_timeout=entry.hard),
                duration_sec=(self.time - entry.made) // 1000,
                duration_nsec=(self.time - entry.made) % 1000 * 1_000_000,
            )
            for port, entry in self.tables[name].items()
        ]

    def add(self, name: str, port: int, idle: int, hard: int) -> None:
        message = FlowMod(Match.of(in_port=port), idle_timeout=idle, hard_timeout=hard)
        self.clock.before_input(name, [encode(message, V13)], self.tables)
        old = self.tables[name].get(port)  # Open vSwitch takes the last use of an old entry for that of the new one
        # (rule idle-timer-of-replacement); if it is over at once then, nobody can foresee it.
        used = self.time if old is None or old.used + 1000 * idle <= self.time else old.used
        self.tables[name][port] = Entry(idle, hard, self.time, self.time, used)

    def modify(self, name: str, port: int) -> None:
        message = FlowMod(Match.of(in_port=port), command=int(FlowCommand.MODIFY))
        self.clock.before_input(name, [encode(message, V13)], self.tables)
        if port in self.tables[name]:
            self.tables[name][port].modified = self.time

    def use(self, name: str, port: int) -> None:
        self.clock.before_input(name, (), self.tables)
        if port in self.tables[name]:
            self.tables[name][port].used = self.time

    def expire_next(self) -> None:
        """Move on from one possible expiry to the next until an entry expires; it must be the first that does."""
        due = min((when for each in self.all() if (when := each.expires()) is not None), default=None)
        while due is not None and (expiries := self.clock.expiries(self.tables)):
            assert expiries[0] <= due
            self.time = expiries[0]
            self.clock.moved_to(self.time)
            for table in self.tables.values():
                for port in [port for port, each in table.items() if each.expires() == self.time]:
                    del table[port]
                    due = None
        assert due is None


@pytest.mark.parametrize("seed", range(60))
def test_every_expiry_is_foreseen_and_none_comes_by_itself(seed: int) -> None:
    source = random.Random(seed)
    simulation = Simulation()
    for _ in range(80):
        name, port = source.choice(("s1", "s2")), source.randint(1, 3)
        match source.choices(("add", "modify", "use", "expire"), (4, 1, 4, 1))[0]:
            case "add":
                simulation.add(name, port, source.choice((0, 0, 1, 2)), source.choice((0, 0, 1, 3)))
            case "modify":
                simulation.modify(name, port)
            case "use":
                simulation.use(name, port)
            case "expire":
                simulation.expire_next()
        assert simulation.clock.now == simulation.time


def test_the_clock_stands_still_while_no_entry_has_a_timeout() -> None:
    simulation = Simulation()
    for port in range(5):
        simulation.add("s1", port, 0, 0)
        simulation.use("s2", port)
    assert simulation.time == 0
    simulation.add("s1", 1, 0, 5)
    for _ in range(9):
        simulation.use("s2", 1)  # a hard timer does not mind
    assert simulation.time == 0
    simulation.add("s1", 1, 0, 5)
    assert simulation.time == 16
