"""One bridge of a real Open vSwitch, with dummy devices as ports: the caller is its controller, on a unix socket.

What the bridge sends out of its ports is captured; nothing leaves the processes.
"""

import os
import select
import socket
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal

from sdnloom.network.openflow.constants import V10, V13
from sdnloom.switches import reset_messages as messages
from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.errors import RealSwitchError
from sdnloom.switches.fence import fence
from sdnloom.switches.service_connection import LAST_TABLE, ServiceConnection
from sdnloom.switches.vswitch_processes import VswitchProcesses

LOCAL: Final = 0xFFFFFFFE  # also in OpenFlow 1.0, whose wire writes only the low 16 bits
OVS_PROTOCOLS: Final = {V10: "OpenFlow10", V13: "OpenFlow13"}
_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class SwitchReaction:
    """What one stimulus made visible: OpenFlow messages in order, frames in order per port."""

    messages: tuple[bytes, ...] = ()
    frames: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class BridgePort:
    """A port of a bridge: its number, the name of its device, and the hardware address."""

    number: int
    device: str
    address: int


@dataclass(frozen=True, slots=True)
class BridgePlan:
    """What a bridge is made with. The port LOCAL has the name of the bridge.

    Names of devices have at most 15 characters, and each occurs once in all bridges of the processes. `max_entries`
    bounds each table but the last; `mtu` is the largest packet that leaves by a port, 1500 if it is None.
    """

    name: str
    version: int
    datapath_id: int
    address: int
    ports: tuple[BridgePort, ...]
    fail_mode: Literal["secure", "standalone"] = "secure"
    max_entries: int | None = None
    mtu: int | None = None


class Bridge:
    """A bridge, which is made by the transaction `words_to_add`, and used between `open` and `close`."""

    def __init__(self, processes: VswitchProcesses, plan: BridgePlan) -> None:
        if plan.version not in OVS_PROTOCOLS:
            raise RealSwitchError(f"version={plan.version!r}: expected {' or '.join(map(str, OVS_PROTOCOLS))}")
        self.processes, self.plan, self.version = processes, plan, plan.version
        self.hello = b""  # what the switch sent first on this connection
        self._devices = {port.number: port.device for port in plan.ports} | {LOCAL: plan.name}
        self._listener: socket.socket | None = None
        self._target = Path()
        self._connection: MessageConnection | None = None
        self._service: ServiceConnection | None = None
        self._pcaps: dict[int, Path] = {}
        self._captures: dict[int, BinaryIO] = {}

    # -- the bridge comes and goes --------------------------------------------------------------------------------

    def listen(self) -> None:
        """Wait for the bridge's connection on a socket of its own, in place of the one there is."""
        self.stop_listening()
        self._target = self.processes.fresh_path(".sock")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._target))
        self._listener.listen(1)
        self._listener.settimeout(_SECONDS)

    def stop_listening(self) -> None:
        """Refuse connections from now on; the one that there is stays."""
        if self._listener is not None:
            self._listener.close()
            self._target.unlink(missing_ok=True)
            self._listener = None

    def words_to_add(self) -> list[str]:
        """Return the words of the transaction that makes the bridge."""
        plan, words = self.plan, ["--", "add-br", self.plan.name]
        words += ["--", "set", "bridge", plan.name, "datapath_type=dummy", f"fail-mode={plan.fail_mode}"]
        words += [f"protocols={OVS_PROTOCOLS[self.version]}", "other-config:disable-in-band=true"]
        words += [f"other-config:datapath-id={plan.datapath_id:016x}"]
        words += [f"other-config:hwaddr={_address(plan.address)}"]
        self._pcaps = {number: self.processes.fresh_path(".pcap") for number in self._devices}
        # Ports of type internal are dummy devices too, whose address can be chosen.
        for port in plan.ports:
            words += ["--", "add-port", plan.name, port.device]
            words += ["--", "set", "interface", port.device, "type=internal", f"ofport_request={port.number}"]
            words += [f'mac="{_address(port.address)}"', f"options:tx_pcap={self._pcaps[port.number]}"]
            words += [] if plan.mtu is None else [f"mtu_request={plan.mtu}"]
        words += ["--", "set", "interface", plan.name, f"options:tx_pcap={self._pcaps[LOCAL]}"]
        if plan.max_entries is not None:
            words += ["--", "--id=@limit", "create", "Flow_Table", f"flow_limit={plan.max_entries}"]
            words += ["--", "set", "bridge", plan.name, *(f"flow_tables:{table}=@limit" for table in range(LAST_TABLE))]
        return words + self._words_to_connect()

    def words_to_remove(self) -> list[str]:
        """Return the words of the transaction that removes the bridge; it is closed before."""
        return ["--", "--if-exists", "del-br", self.plan.name]

    def _words_to_connect(self) -> list[str]:
        name = self.plan.name
        words = ["--", "set-controller", name, f"unix:{self._target}"]
        return [*words, "--", "set", "controller", name, "inactivity_probe=0", "max_backoff=1000"]

    def open(self) -> None:
        """Begin to use the bridge, which was made; there is no connection to its controller yet."""
        path = self.processes.directory / f"{self.plan.name}.mgmt"
        self._service = ServiceConnection(path, self.version, self.processes.rounds)
        for port, pcap in self._pcaps.items():
            self._captures[port] = pcap.open("rb")
            self._captures[port].seek(0, os.SEEK_END)

    def close(self) -> None:
        """Close all that belongs to this side of the bridge, and forget what it captured."""
        self.drop()
        if self._service is not None:
            self._service.close()
            self._service = None
        for capture in self._captures.values():
            capture.close()
        for pcap in self._pcaps.values():
            pcap.unlink(missing_ok=True)
        self._captures, self._pcaps = {}, {}

    # -- the connection -------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    @property
    def openflow(self) -> MessageConnection:
        """The connection to the switch."""
        if self._connection is None:
            raise RealSwitchError(f"bridge {self.plan.name} has no connection to its controller")
        return self._connection

    @property
    def service(self) -> ServiceConnection:
        """The connection for our own questions."""
        if self._service is None:
            raise RealSwitchError(f"bridge {self.plan.name} is not there: it has no power")
        return self._service

    def accept_waiting(self) -> bool:
        """Take a connection that the bridge has made; return whether there is one. Nothing is sent to it."""
        if self._listener is None or not select.select([self._listener], [], [], 0)[0]:
            return False
        self.accept()
        return True

    def accept(self) -> None:
        """Take the connection that the bridge makes; `hello` is what it sends, and nothing is sent to it."""
        assert self._listener is not None
        try:
            accepted, _ = self._listener.accept()
        except TimeoutError:
            self.processes.check()
            raise RealSwitchError(f"Open vSwitch does not connect to its controller within {_SECONDS:g} s") from None
        if self._connection is not None:
            self._connection.close()
        self._connection = MessageConnection(accepted)
        self.processes.rounds(1)
        self.hello = self._connection.next()

    def greet(self) -> None:
        """Complete a fresh connection with a plain Hello."""
        self.openflow.send(messages.plain_hello(self.version))
        self.processes.rounds(2)  # a daemon that waits for a Hello looks for it only when something else wakes it
        fence(self.openflow, self.version)

    def drop(self) -> None:
        """Close the connection, and refuse others."""
        self.stop_listening()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def connect_again(self) -> None:
        """Let the bridge make a connection now, though its clock stands still: one to another socket needs no wait."""
        self.drop()
        self.listen()
        self.processes.configure(*self._words_to_connect())
        self.accept()
        self.greet()

    # -- stimuli --------------------------------------------------------------------------------------------------

    def inject(self, port: int, frame: bytes) -> None:
        """Let a frame arrive on a port, and do not wait for what the switch does with it."""
        self.processes.control("netdev-dummy/receive", self._devices[port], frame.hex())

    def set_up(self, port: int, up: bool) -> None:
        """Bring the device of a port up or down."""
        self.processes.control("netdev-dummy/set-admin-state", self._devices[port], "up" if up else "down")

    def forget_addresses(self) -> None:
        """Empty the table of the bridge's MAC addresses, which NORMAL fills."""
        self.processes.control("fdb/flush", self.plan.name)

    def observe(self, removals: bool = False) -> SwitchReaction:
        """Return everything the switch sent so far; with `removals`, also the FlowRemoved that it delays."""
        if self._connection is None:
            self.service.fence()
            return SwitchReaction((), tuple(self.captured()))
        arrived = fence(self._connection, self.version)
        if removals:
            arrived += self.removals()
        return SwitchReaction(tuple(arrived), tuple(self.captured()))

    def removals(self) -> list[bytes]:
        """Return what arrives until all removals so far were reported."""
        self.service.removals()
        if self._connection is None:
            return []
        arrived = fence(self._connection, self.version, requests=1)
        return [each for each in arrived if not self.service.is_sentinel_report(each)]

    def captured(self) -> list[tuple[int, bytes]]:
        """Return the frames that left since the last call."""
        frames = []
        for port, capture in self._captures.items():
            data = capture.read()
            offset = 0
            while offset < len(data):
                length = struct.unpack_from("<I", data, offset + 8)[0]
                frames.append((port, data[offset + 16 : offset + 16 + length]))
                offset += 16 + length
        return frames


def advance_clock(processes: VswitchProcesses, bridges: Sequence[Bridge], steps: Iterable[int]) -> list[SwitchReaction]:
    """Return what each bridge did while the clock of all moved on, by so many milliseconds in each step.

    Entries that expire in one step are reported in any order.
    """
    arrived: list[list[bytes]] = [[] for _ in bridges]

    def collect() -> None:
        for bridge, found in zip(bridges, arrived, strict=True):
            found += bridge.removals()

    for step in steps:
        processes.warp(step)
        if bridges:
            processes.revalidate(collect)
    reactions = [bridge.observe(removals=True) for bridge in bridges]
    return [
        SwitchReaction((*found, *reaction.messages), reaction.frames)
        for found, reaction in zip(arrived, reactions, strict=True)
    ]


def _address(number: int) -> str:
    return number.to_bytes(6, "big").hex(":")
