"""A real Open vSwitch: unprivileged, with a dummy datapath, everything in one temporary directory.

No system service is touched: `ovsdb-server` and `ovs-vswitchd` are started with every path inside of the directory,
and ended by process id. The caller is the controller, on a unix socket. The switch's clock stands still; only
`advance` and `reconnect` move it.
"""

import os
import select
import socket
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

from sdnloom.network.openflow.constants import V10, V13
from sdnloom.switches import reset_messages as messages
from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.control_socket import ControlSocket
from sdnloom.switches.daemons import Daemons, need_programs
from sdnloom.switches.errors import ConnectionLostError, RealSwitchError
from sdnloom.switches.unix_socket import connect_unix

OVS_SCHEMA: Final = Path("/usr/share/openvswitch/vswitch.ovsschema")
LOCAL: Final = 0xFFFFFFFE  # also in OpenFlow 1.0, whose wire writes only the low 16 bits
OVS_PACKAGE: Final = "openvswitch-switch"
_PROGRAMS: Final = ("ovsdb-tool", "ovsdb-server", "ovs-vsctl", "ovs-vswitchd")
_PROTOCOL: Final = {V10: "OpenFlow10", V13: "OpenFlow13"}
_FENCE_XID: Final = 0xFE0CE000
_ROUND: Final = 50  # messages that the daemon takes before it looks after other things
_STEP_MS: Final = 1000  # timeouts are whole seconds: a larger jump would let two of them expire together
_BACKOFF_MS: Final = 8000  # the longest time that the daemon waits before it connects again
_ROUNDS_TO_CONNECT: Final = 50
_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class SwitchReaction:
    """What one stimulus made visible: OpenFlow messages in order, frames in order per port."""

    messages: tuple[bytes, ...] = ()
    frames: tuple[tuple[int, bytes], ...] = ()


class OpenVswitch:
    """One bridge with ports 1..ports and LOCAL, its only controller being the caller, in OpenFlow version 1 or 4.

    Make it in a thread that lives longer: Linux ends the processes with it.
    """

    def __init__(self, version: int, ports: int = 3) -> None:
        if version not in _PROTOCOL:
            raise RealSwitchError(f"version={version!r}: expected {' or '.join(map(str, _PROTOCOL))}")
        need_programs(_PROGRAMS, OVS_PACKAGE)
        if not OVS_SCHEMA.exists():
            raise RealSwitchError(f"{OVS_SCHEMA}: not found; install the package {OVS_PACKAGE}")
        self.version = version
        self.ports = ports
        self.hello = b""  # what the switch sent first on this connection
        self._daemons = Daemons("sdnloom-ovs-", _environment)
        self._listener = socket.socket(socket.AF_UNIX)
        self._control: ControlSocket | None = None
        self._connection: MessageConnection | None = None
        self._captures: dict[int, BinaryIO] = {}
        self._addresses: dict[int, bytes] = {}
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
        for capture in self._captures.values():
            capture.close()
        for peer in (self._connection, self._control):
            if peer is not None:
                peer.close()
        self._listener.close()
        self._daemons.close()

    @property
    def directory(self) -> Path:
        """The temporary directory of everything that the switch writes."""
        return self._daemons.directory

    @property
    def process_ids(self) -> dict[str, int]:
        """The process ids of the daemons by name."""
        return self._daemons.process_ids

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
        self.control("netdev-dummy/receive", _name(port), frame.hex())

    def advance(self, milliseconds: int) -> SwitchReaction:
        """Return what the switch did while its clock moved on."""
        arrived: list[bytes] = []
        seconds, rest = divmod(milliseconds, _STEP_MS)
        for step in [rest + _STEP_MS, *[_STEP_MS] * (seconds - 1)] if seconds else [rest]:
            self.control("time/warp", str(step))
            # Flows expire only after statistics were collected; a change of the table starts that at once.
            arrived += self._removal_fence()
            self.control("revalidator/wait")
        reaction = self.observe(removals=True)
        return SwitchReaction((*arrived, *reaction.messages), reaction.frames)

    def carrier(self, port: int, up: bool) -> SwitchReaction:
        """Return what the switch did when a port gained or lost its carrier."""
        self.control("netdev-dummy/set-admin-state", _name(port), "up" if up else "down")
        return self.observe()

    def observe(self, removals: bool = False) -> SwitchReaction:
        """Return everything the switch sent so far; with `removals`, also the FlowRemoved that it delays."""
        arrived = self._fence()
        if removals:
            arrived += self._removal_fence()
        return SwitchReaction(tuple(arrived), tuple(self.captured()))

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
        self.control("fdb/flush", "br0")
        self.observe(removals=True)

    def forget_addresses(self) -> None:
        """Empty the table of a bridge's MAC addresses, which NORMAL fills."""
        self.control("fdb/flush", "br0")

    # -- the connection -----------------------------------------------------------------------------------------

    @property
    def openflow(self) -> MessageConnection:
        """The connection to the switch."""
        assert self._connection is not None
        return self._connection

    def control(self, method: str, *params: str) -> str:
        """Return the answer of the daemon to a command of `ovs-appctl`."""
        assert self._control is not None
        return self._control(method, *params)

    def rounds(self, count: int) -> None:
        """Wait for rounds of the daemon's main loop, without a message: what it was sent before is then done."""
        assert self._control is not None
        self._control.rounds(count)

    def reconnect(self) -> None:
        """Drop the connection and take the next one; `hello` is what the switch sends, and nothing is sent to it."""
        self.openflow.close()
        for attempt in range(_ROUNDS_TO_CONNECT):
            if attempt % 10 == 2:  # it has noticed, and waits: with a clock that stands still, for ever
                self.control("time/warp", str(_BACKOFF_MS))
            self.rounds(1)
            if select.select([self._listener], [], [], 0)[0]:
                self._accept()
                return
        self.check()
        raise RealSwitchError("Open vSwitch does not connect to its controller again")

    def greet(self) -> None:
        """Complete a fresh connection with a plain Hello."""
        self.openflow.send(messages.plain_hello(self.version))
        self.rounds(2)  # a daemon that waits for a Hello looks for it only when something else wakes it
        self._fence()

    def check(self) -> None:
        """Raise SwitchEndedError if a process has ended."""
        self._daemons.check()

    def wait_for_end(self, seconds: float = 2.0) -> None:
        """Raise SwitchEndedError if a process ends within a time: one that aborts first loses its connections."""
        self._daemons.wait_for_end(seconds)

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

    # -- start --------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        daemons, directory = self._daemons, self._daemons.directory
        daemons.run("ovsdb-tool", "create", f"{directory}/conf.db", str(OVS_SCHEMA))
        database = ("ovsdb-server", f"{directory}/conf.db", f"--remote=punix:{directory}/db.sock")
        daemons.start("ovsdb-server", *database, *_usual(directory, "ovsdb-server"))
        connect_unix(directory / "db.sock", daemons.check).close()
        daemons.run(*_vsctl(directory), "--no-wait", "init")
        daemon = ("ovs-vswitchd", f"unix:{directory}/db.sock", "--enable-dummy=override", "--disable-system")
        daemons.start("ovs-vswitchd", *daemon, *_usual(directory, "ovs-vswitchd"))
        connect_unix(directory / "ovs-vswitchd.ctl", daemons.check).close()
        self._control = ControlSocket(directory / "ovs-vswitchd.ctl")
        self._listener.bind(f"{directory}/controller.sock")
        self._listener.listen(1)
        self._listener.settimeout(_SECONDS)
        daemons.run(*_vsctl(directory), *_bridge(self.version, self.ports, directory))
        self._accept()
        self.greet()
        (reply,) = self.message(messages.ports_request(self.version)).messages
        self._addresses = messages.hardware_addresses(self.version, reply)
        for port in [*range(1, self.ports + 1), LOCAL]:
            self._captures[port] = (directory / f"{_name(port)}.pcap").open("rb")
            self._captures[port].seek(0, os.SEEK_END)
        self.control("time/stop")
        self.forget()

    def _accept(self) -> None:
        try:
            accepted, _ = self._listener.accept()
        except TimeoutError:
            self.check()
            raise RealSwitchError(f"Open vSwitch does not connect to its controller within {_SECONDS:g} s") from None
        self._connection = MessageConnection(accepted)
        self.rounds(1)
        self.hello = self._connection.next()

    # -- fences -------------------------------------------------------------------------------------------------

    def _fence(self) -> list[bytes]:
        """Return what arrives before the answer to the last of many echo requests.

        The daemon takes at most 50 messages in one round of its main loop, and what a message makes it do later it does
        at the start of the next round: the 51st request is answered after all that was under way before the first.
        """
        last = _FENCE_XID + _ROUND
        self.openflow.send(_echo_requests(self.version))
        arrived: list[bytes] = []
        while True:
            message = self._next(arrived)
            xid = int.from_bytes(message[4:8], "big")
            if message[1] != messages.ECHO_REPLY or not _FENCE_XID <= xid <= last:
                arrived.append(message)
            elif xid == last:
                return arrived

    def _removal_fence(self) -> list[bytes]:
        """Return what arrives before the removal of a sentinel entry that nothing matches.

        The switch reports a removal only after every thread has let go of the entry, in the order of deletion, so
        the sentinel's report comes after those of all entries deleted before it.
        """
        self.openflow.send(messages.removal_sentinel(self.version))
        arrived: list[bytes] = []
        while not messages.is_sentinel_report(message := self._next(arrived)):
            arrived.append(message)
        return arrived

    def _next(self, arrived: list[bytes]) -> bytes:
        try:
            return self.openflow.next()
        except ConnectionLostError as error:
            raise type(error)(f"Open vSwitch: {error}", arrived) from None


@cache
def _echo_requests(version: int) -> bytes:
    """Return the echo requests of a fence."""
    return b"".join(
        messages.header(version, messages.ECHO_REQUEST, xid=_FENCE_XID + number) for number in range(_ROUND + 1)
    )


def _environment(directory: Path) -> dict[str, str]:
    return dict.fromkeys(("OVS_RUNDIR", "OVS_DBDIR", "OVS_LOGDIR", "OVS_SYSCONFDIR"), str(directory))


def _usual(directory: Path, name: str) -> tuple[str, ...]:
    """Return the options that both daemons have."""
    return (f"--unixctl={directory}/{name}.ctl", "-vconsole:off", f"--log-file={directory}/{name}.log")


def _vsctl(directory: Path) -> tuple[str, ...]:
    return ("ovs-vsctl", f"--db=unix:{directory}/db.sock")


def _name(port: int) -> str:
    return "br0" if port == LOCAL else f"p{port}"


def _bridge(version: int, ports: int, directory: Path) -> list[str]:
    """Return the words of the transaction that makes the bridge."""
    # As many tags as a frame of the tests has: what follows them is then parsed, as the specification asks.
    words = ["--", "set", "Open_vSwitch", ".", "other_config:vlan-limit=2"]
    # No datapath flows: one would answer the next frame for the flow table, and would hold back the report of the
    # removal of an entry that it was made from.
    words += ["other_config:flow-limit=0"]
    words += ["--", "add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=dummy", "fail-mode=secure"]
    words += [f"protocols={_PROTOCOL[version]}", "other-config:disable-in-band=true"]
    words += ["other-config:datapath-id=0000000000000001", "other-config:hwaddr=02:00:00:00:00:ff"]
    # Ports of type internal are dummy devices too, whose address can be chosen.
    for number in range(1, ports + 1):
        words += ["--", "add-port", "br0", f"p{number}"]
        words += ["--", "set", "interface", f"p{number}", "type=internal", f"ofport_request={number}"]
        words += [f'mac="02:00:00:00:00:{number:02x}"']
        words += [f"options:tx_pcap={directory}/p{number}.pcap"]
    words += ["--", "set", "interface", "br0", f"options:tx_pcap={directory}/br0.pcap"]
    words += ["--", "set-controller", "br0", f"unix:{directory}/controller.sock"]
    return [*words, "--", "set", "controller", "br0", "inactivity_probe=0", "max_backoff=1000"]
