"""A real Open vSwitch with one bridge, which can be brought back to the state after its start.

The caller is its controller, on a unix socket. The switch's clock stands still; only `advance` and `reconnect` move it.
"""

from pathlib import Path
from typing import Final

from sdnloom.switches import reset_messages as messages
from sdnloom.switches.bridge import OVS_PROTOCOLS, Bridge, BridgePlan, BridgePort, SwitchReaction, advance_clock
from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.errors import RealSwitchError
from sdnloom.switches.vswitch_processes import VswitchProcesses

_STEP_MS: Final = 1000  # timeouts are whole seconds: a larger jump would let two of them expire together
_BACKOFF_MS: Final = 8000  # the longest time that the daemon waits before it connects again
_ROUNDS_TO_CONNECT: Final = 50


class OpenVswitch:
    """One bridge with ports 1..ports and LOCAL, its only controller being the caller, in OpenFlow version 1 or 4.

    Make it in a thread that lives longer: Linux ends the processes with it.
    """

    def __init__(self, version: int, ports: int = 3) -> None:
        if version not in OVS_PROTOCOLS:
            raise RealSwitchError(f"version={version!r}: expected {' or '.join(map(str, OVS_PROTOCOLS))}")
        self.version = version
        self.ports = ports
        self._addresses: dict[int, bytes] = {}
        self._processes = VswitchProcesses()
        devices = tuple(BridgePort(number, f"p{number}", 0x0200_0000_0000 | number) for number in range(1, ports + 1))
        self._bridge = Bridge(self._processes, BridgePlan("br0", version, 1, 0x0200_0000_00FF, devices))
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "OpenVswitch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End both processes, by id, and remove the directory."""
        self._bridge.close()
        self._processes.close()

    @property
    def directory(self) -> Path:
        """The temporary directory of everything that the switch writes."""
        return self._processes.directory

    @property
    def process_ids(self) -> dict[str, int]:
        """The process ids of the daemons by name."""
        return self._processes.process_ids

    @property
    def hello(self) -> bytes:
        """What the switch sent first on this connection."""
        return self._bridge.hello

    # -- stimuli ------------------------------------------------------------------------------------------------

    def message(self, message: bytes, removals: bool = False) -> SwitchReaction:
        """Return what the switch did with one OpenFlow message; pass `removals` if it may have removed entries."""
        self.openflow.send(message)
        return self.observe(removals)

    def frame(self, port: int, frame: bytes) -> SwitchReaction:
        """Return what the switch did with a frame that arrives on a port."""
        self.inject(port, frame)
        return self.observe()

    def inject(self, port: int, frame: bytes) -> None:
        """Let a frame arrive on a port, and do not wait for what the switch does with it."""
        self._bridge.inject(port, frame)

    def advance(self, milliseconds: int) -> SwitchReaction:
        """Return what the switch did while its clock moved on."""
        seconds, rest = divmod(milliseconds, _STEP_MS)
        steps = [rest + _STEP_MS, *[_STEP_MS] * (seconds - 1)] if seconds else [rest]
        (reaction,) = advance_clock(self._processes, [self._bridge], steps)
        return reaction

    def carrier(self, port: int, up: bool) -> SwitchReaction:
        """Return what the switch did when a port gained or lost its carrier."""
        self._bridge.set_up(port, up)
        return self.observe()

    def observe(self, removals: bool = False) -> SwitchReaction:
        """Return everything the switch sent so far; with `removals`, also the FlowRemoved that it delays."""
        return self._bridge.observe(removals)

    def forget(self) -> None:
        """Return to the state after start: no flows, no groups, default configuration, empty MAC table.

        What stays: counters of ports and tables, and the newest generation of a master in 1.3.
        """
        version = self.version
        data = b"".join((
            *messages.reset_connection(version),
            messages.delete_flows(version),
            messages.default_config(version),
            *messages.delete_groups_and_meters(version),
            *(messages.clear_port(version, number, self._addresses) for number in range(1, self.ports + 1)),
        ))  # fmt: skip
        self.openflow.send(data)
        self.forget_addresses()
        self.observe(removals=True)

    def forget_addresses(self) -> None:
        """Empty the table of a bridge's MAC addresses, which NORMAL fills."""
        self._bridge.forget_addresses()

    # -- the connection -----------------------------------------------------------------------------------------

    @property
    def openflow(self) -> MessageConnection:
        """The connection to the switch."""
        return self._bridge.openflow

    def control(self, method: str, *params: str) -> str:
        """Return the answer of the daemon to a command of `ovs-appctl`."""
        return self._processes.control(method, *params)

    def rounds(self, count: int) -> None:
        """Wait for rounds of the daemon's main loop, without a message: what it was sent before is then done."""
        self._processes.rounds(count)

    def reconnect(self) -> None:
        """Drop the connection and take the next one; `hello` is what the switch sends, and nothing is sent to it."""
        self.openflow.close()
        for attempt in range(_ROUNDS_TO_CONNECT):
            if attempt % 10 == 2:  # it has noticed, and waits: with a clock that stands still, for ever
                self._processes.warp(_BACKOFF_MS)
            self.rounds(1)
            if self._bridge.accept_waiting():
                return
        self.check()
        raise RealSwitchError("Open vSwitch does not connect to its controller again")

    def greet(self) -> None:
        """Complete a fresh connection with a plain Hello."""
        self._bridge.greet()

    def check(self) -> None:
        """Raise SwitchEndedError if a process has ended."""
        self._processes.check()

    def wait_for_end(self, seconds: float = 2.0) -> None:
        """Raise SwitchEndedError if a process ends within a time: one that aborts first loses its connections."""
        self._processes.wait_for_end(seconds)

    def crash_reason(self) -> str | None:
        """Return the last line of the log of a process that ended; None if all run."""
        return self._processes.crash_reason()

    def captured(self) -> list[tuple[int, bytes]]:
        """Return the frames that left since the last call."""
        return self._bridge.captured()

    def _start(self) -> None:
        self._bridge.listen()
        self._processes.configure(*self._bridge.words_to_add())
        self._bridge.open()
        self._bridge.accept()
        self.greet()
        (reply,) = self.message(messages.ports_request(self.version)).messages
        self._addresses = messages.hardware_addresses(self.version, reply)
        self.forget()
