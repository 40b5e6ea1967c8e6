"""The real Open vSwitch as an agent: a black box, started here without privileges, for OpenFlow 1.0 and 1.3.

A reset undoes only what the messages since the last one may have changed. What no message undoes, counters of ports and
tables among it, is undone by a new process, as soon as a test looks at it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from sdnloom.crosscheck.agent import Agent, AgentError, Observed, Wait
from sdnloom.crosscheck.agents.remote_agent import RemoteAgent, asks_for_report, framing, with_errors
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.openflow.tables import STATS_REQUEST
from sdnloom.switches.bridge import SwitchReaction
from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError, SwitchEndedError
from sdnloom.switches.openvswitch import OpenVswitch
from sdnloom.switches.reset_messages import FLOW_MOD
from sdnloom.switches.sigterm import ended_like_ctrl_c

OPEN_VSWITCH: Final = "openvswitch"
_PACKET_OUT: Final = 13
# Types of messages that change what `OpenVswitch.forget` restores: SetConfig, FlowMod, PortMod, GroupMod, MeterMod.
_FORGOTTEN: Final = {V10: frozenset((9, 14, 15)), V13: frozenset((9, 14, 15, 16, 29))}
# Types of messages that change what only a new process has as before: vendor extensions, tables, roles, SetAsync.
_KEPT: Final = {V10: frozenset((4,)), V13: frozenset((4, 17, 24, 28))}
_COUNTERS: Final = frozenset((3, 4, 5))  # statistics of tables, ports and queues, which count from the start
_ROUNDS: Final = 4  # of the main loop: it reads, handles, answers and closes


class OpenVswitchAgent(RemoteAgent):
    """One running Open vSwitch with ports 1 to 3."""

    def __init__(self, version: int) -> None:
        super().__init__(OPEN_VSWITCH, version)
        self._touched: set[int] = set()  # types of messages since the switch was clean
        self._reports = False  # whether an entry may be there whose removal is reported
        self._counted = False  # whether a counter of a port or table may have moved since the reset
        self._stale = False  # whether one may have moved before
        self._steps: list[tuple[bytes | int, bytes | None]] = []  # since the reset: a message, time, or port and frame
        self._started(OpenVswitch(version))

    def close(self) -> None:
        """End the switch."""
        self._switch.close()

    def reset(self) -> list[Observed]:
        """Restore the state after power-on; return what the switch sent on its connection."""
        self._steps = []
        self._stale, self._counted = self._stale or self._counted, False
        return super().reset()

    def message(self, data: bytes) -> list[Observed]:
        """Send bytes and return what the switch did."""
        if self._stale and _asks_for_counters(data, self.version):
            self._renew_counters()
        self._steps.append((data, None))
        return super().message(data)

    def packet(self, port: int, frame: bytes) -> list[Observed]:
        """Let a frame arrive and return what the switch did."""
        self._steps.append((port, frame))
        return super().packet(port, frame)

    def advance(self, milliseconds: int) -> list[Observed]:
        """Let time pass and return what the switch did."""
        self._steps.append((milliseconds, None))
        return super().advance(milliseconds)

    # -- the contract of a remote agent -------------------------------------------------------------------------

    def connect(self) -> list[Observed]:
        """Drop the connection and take the next one; start a new process if there is none."""
        try:
            self._switch.reconnect()
        except SwitchEndedError:
            self._restart()
            self._switch.reconnect()
        return [self._switch.hello]

    def greet(self) -> None:
        """Complete a fresh connection with a plain Hello."""
        self._switch.greet()

    def clean(self) -> None:
        """Undo what the messages since the last time may have changed."""
        if self._touched & _KEPT[self.version]:
            self._restart()
        elif self._touched & _FORGOTTEN[self.version]:
            self._switch.forget()
        elif _PACKET_OUT in self._touched:
            self._switch.forget_addresses()
        self._touched.clear()
        self._reports = False

    def ask(self, data: bytes) -> Iterator[Observed]:
        """Send bytes and return what the switch did."""
        found = framing(data)
        types = set(found.types)
        self._touched |= types
        self._counted = self._counted or bool(types & {_PACKET_OUT, FLOW_MOD})
        removals = self._reports and bool(types & _FORGOTTEN[self.version])
        self._reports = self._reports or asks_for_report(data, self.version)
        if self._greeted and found.whole:
            yield from _observations(self._switch.message(data, removals), self.version)
            return
        yield from self._ask_without_fence(data)
        if not found.whole:
            yield Wait()
        self._greeted = True  # otherwise the switch would have closed the connection

    def probe(self, port: int, frame: bytes) -> Iterator[Observed]:
        """Let a frame arrive and return what the switch did."""
        self._counted = True
        if self._greeted:
            yield from _observations(self._switch.frame(port, frame), self.version)
        else:
            self._switch.inject(port, frame)
            yield from self._ask_without_fence(b"")

    def wait(self, milliseconds: int) -> Iterator[Observed]:
        """Let time pass and return what the switch did."""
        if self._greeted:
            yield from _observations(self._switch.advance(milliseconds), self.version)
        else:
            self._switch.control("time/warp", str(milliseconds))
            yield from self._ask_without_fence(b"")

    def late_frames(self) -> Iterator[Observed]:
        """Return the frames that left before the connection was lost."""
        yield from _wire_ports(self._switch.captured(), self.version)

    def crash_reason(self) -> str | None:
        """Return the last line of the log of a process that ended; None if all run."""
        return self._switch.crash_reason()

    # -- the switch ---------------------------------------------------------------------------------------------

    def _ask_without_fence(self, data: bytes) -> Iterator[Observed]:
        """Send bytes where no other message may follow: before the Hello, or after half a message."""
        switch = self._switch
        switch.openflow.send(data)
        switch.rounds(_ROUNDS)
        messages = switch.openflow.arrived()
        if switch.openflow.ended:
            raise ConnectionClosedError("closed", messages)
        yield from messages
        yield from _wire_ports(switch.captured(), self.version)

    def _started(self, switch: OpenVswitch) -> None:
        self._switch = switch
        self._welcome = [switch.hello]
        self._lost, self._greeted = False, True
        self._touched.clear()
        self._stale = False

    def _restart(self) -> None:
        self._switch.close()
        self._started(OpenVswitch(self.version))

    def _renew_counters(self) -> None:
        """Start a new switch and repeat the steps of the test, so that its counters are those of this test alone."""
        with_errors(self.name, self._restart)
        self._unasked = True
        for first, second in self._steps:
            if isinstance(first, bytes):
                super().message(first)
            elif second is None:
                super().advance(first)
            else:
                super().packet(first, second)


def _observations(reaction: SwitchReaction, version: int) -> Iterator[Observed]:
    yield from reaction.messages
    yield from _wire_ports(reaction.frames, version)


def _wire_ports(frames: Iterable[tuple[int, bytes]], version: int) -> Iterator[Observed]:
    """Yield frames with the port numbers of the version: LOCAL has 16 bits in 1.0."""
    mask = 0xFFFF if version == V10 else 0xFFFFFFFF
    yield from ((port & mask, frame) for port, frame in frames)


def _asks_for_counters(data: bytes, version: int) -> bool:
    """Return whether a message asks for counters that only a new process sets to 0."""
    return data[1:2] == bytes((STATS_REQUEST[version],)) and int.from_bytes(data[8:10], "big") in _COUNTERS


class OpenVswitchSource:
    """The switch that is installed, started for each block that needs it."""

    name = OPEN_VSWITCH
    versions = frozenset((V10, V13))
    black_box = True

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        """Start Open vSwitch, and end it after the block."""
        if version not in self.versions:
            raise AgentError(f"agent {self.name} does not speak OpenFlow version {version}")
        with ended_like_ctrl_c():
            try:
                agent = OpenVswitchAgent(version)
            except RealSwitchError as error:
                raise AgentError(f"agent {self.name}: {error}") from None
            try:
                yield agent
            finally:
                agent.close()

    def symbolic(self, version: int) -> Callable[[], Agent]:
        """Refuse: its code is not Python."""
        raise AgentError(f"agent {self.name} cannot be explored: it is a black box, which can only be tried")


def openvswitch_source(rest: str) -> OpenVswitchSource:
    """Return the source of the agent `openvswitch`; nothing may follow the name."""
    if rest:
        raise AgentError(f"agent openvswitch:{rest}: nothing may follow the name")
    return OpenVswitchSource()
