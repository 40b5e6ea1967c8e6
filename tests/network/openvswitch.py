"""A real Open vSwitch as a black box: unprivileged, dummy datapath, unix sockets in one temporary directory.

No system service is touched: two processes are started with every path inside the directory, and ended by process id.
The switch's clock stands still; only `advance` moves it.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
LOCAL = 0xFFFFFFFE  # also in OpenFlow 1.0, whose wire writes only the low 16 bits
_PROTOCOL = {1: "OpenFlow10", 4: "OpenFlow13"}
_ECHO_REQUEST, _ECHO_REPLY, _FLOW_REMOVED = 2, 3, 11
_FENCE_XID = 0xFE0CE000
_ROUND = 50  # messages that the daemon takes before it looks after other things
_SENTINEL_COOKIE = 0x5E47_1E15_5E47_1E15
_SENTINEL_TYPE = 0x88B6  # of the entry that marks the end of removals in 1.0: tests must leave this type alone
_STEP_MS = 1000  # timeouts are whole seconds: a larger jump would let two of them expire together


@dataclass(frozen=True)
class Observed:
    """What one stimulus made visible: OpenFlow messages in order, frames in order per port."""

    messages: tuple[bytes, ...] = ()
    frames: tuple[tuple[int, bytes], ...] = ()


class _Control:
    """JSON-RPC to the daemon's control socket, kept open: a fresh `ovs-appctl` per call costs a process each."""

    def __init__(self, path: Path) -> None:
        self._socket = _connected(path)
        self._number = 0
        self._text = ""

    def __call__(self, method: str, *params: str) -> str:
        self._number += 1
        self._socket.sendall(json.dumps({"method": method, "params": list(params), "id": self._number}).encode())
        reply = self._reply()
        assert reply["id"] == self._number
        if reply.get("error") is not None:
            raise RuntimeError(f"{method} {params}: {reply['error']}")
        return str(reply["result"])

    def _reply(self) -> dict[str, Any]:
        decoder = json.JSONDecoder()
        while True:
            try:
                reply, end = decoder.raw_decode(self._text)
            except ValueError:
                data = self._socket.recv(1 << 16)
                if not data:
                    raise EOFError("ovs-vswitchd closed its control socket") from None
                self._text += data.decode()
            else:
                self._text = self._text[end:].lstrip()
                return dict(reply)

    def close(self) -> None:
        self._socket.close()


class _Connection:
    """The controller's end of the OpenFlow connection, in whole messages."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._data = b""

    def send(self, message: bytes) -> None:
        self._socket.sendall(message)

    def next(self, seconds: float = 10.0) -> bytes:
        while True:
            if len(self._data) >= 8:
                length = struct.unpack_from("!H", self._data, 2)[0]
                if len(self._data) >= length:
                    message, self._data = self._data[:length], self._data[length:]
                    return message
            if not select.select([self._socket], [], [], seconds)[0]:
                raise TimeoutError("Open vSwitch sent nothing where an answer is due")
            data = self._socket.recv(1 << 16)
            if not data:
                raise EOFError("Open vSwitch closed the OpenFlow connection")
            self._data += data

    def close(self) -> None:
        self._socket.close()


class OpenVswitch:
    """One bridge with ports 1..ports and LOCAL, its only controller being the caller, in OpenFlow version 1 or 4."""

    def __init__(self, version: int, ports: int = 3) -> None:
        self.version = version
        self.ports = ports
        self._directory = Path(tempfile.mkdtemp(prefix="sdnloom-ovs-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._environment = {
            **os.environ,
            **dict.fromkeys(("OVS_RUNDIR", "OVS_DBDIR", "OVS_LOGDIR", "OVS_SYSCONFDIR"), str(self._directory)),
        }
        self._listener = socket.socket(socket.AF_UNIX)
        self._control: _Control | None = None
        self._connection: _Connection | None = None
        self._captures: dict[int, Any] = {}
        self._addresses: dict[int, bytes] = {}
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> OpenVswitch:
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
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            process.wait(timeout=20)
        shutil.rmtree(self._directory, ignore_errors=True)

    # -- stimuli ------------------------------------------------------------------------------------------------

    def message(self, message: bytes, removals: bool = False) -> Observed:
        """Return what the switch did with one OpenFlow message; pass `removals` if it may have removed entries."""
        self._openflow.send(message)
        return self.observe(removals)

    def frame(self, port: int, frame: bytes) -> Observed:
        """Return what the switch did with a frame that arrives on a port."""
        self._ctl("netdev-dummy/receive", self._name(port), frame.hex())
        return self.observe()

    def advance(self, milliseconds: int) -> Observed:
        """Return what the switch did while its clock moved on."""
        messages: list[bytes] = []
        seconds, rest = divmod(milliseconds, _STEP_MS)
        for step in [rest + _STEP_MS, *[_STEP_MS] * (seconds - 1)] if seconds else [rest]:
            self._ctl("time/warp", str(step))
            # Flows expire only after statistics were collected; a change of the table starts that at once.
            messages += self._removal_fence()
            self._ctl("revalidator/wait")
        observed = self.observe(removals=True)
        return Observed((*messages, *observed.messages), observed.frames)

    def carrier(self, port: int, up: bool) -> Observed:
        """Return what the switch did when a port gained or lost its carrier."""
        self._ctl("netdev-dummy/set-admin-state", self._name(port), "up" if up else "down")
        return self.observe()

    def observe(self, removals: bool = False) -> Observed:
        """Return everything the switch sent so far; with `removals`, also the FlowRemoved that it delays."""
        messages = self._fence()
        if removals:
            messages += self._removal_fence()
        return Observed(tuple(messages), tuple(self._captured()))

    def forget(self) -> None:
        """Return to the state after start: no flows, no groups, default configuration, empty MAC table."""
        for message in self._reset_messages():
            self._openflow.send(message)
        for number in range(1, self.ports + 1):
            self._openflow.send(self._port_mod(number))
        self._ctl("fdb/flush", "br0")
        self.observe(removals=True)

    # -- start --------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        directory = self._directory
        self._run("ovsdb-tool", "create", f"{directory}/conf.db", SCHEMA)
        self._spawn("ovsdb-server", f"{directory}/conf.db", f"--remote=punix:{directory}/db.sock", control="db.ctl")
        _connected(directory / "db.sock").close()
        self._vsctl("--no-wait", "init")
        dummy = ("--enable-dummy=override", "--disable-system")
        self._spawn("ovs-vswitchd", f"unix:{directory}/db.sock", *dummy, control="switch.ctl")
        self._control = _Control(directory / "switch.ctl")
        self._listener.bind(f"{directory}/controller.sock")
        self._listener.listen(1)
        self._vsctl(*self._bridge())
        self._connect()
        self._addresses = self._hardware_addresses()
        for port in [*range(1, self.ports + 1), LOCAL]:
            self._captures[port] = (directory / f"{self._name(port)}.pcap").open("rb")
            self._captures[port].seek(0, os.SEEK_END)
        self._ctl("time/stop")
        self.forget()

    def _bridge(self) -> list[str]:
        directory = self._directory
        # As many tags as a frame of the tests has: what follows them is then parsed, as the specification asks.
        words = ["--", "set", "Open_vSwitch", ".", "other_config:vlan-limit=2"]
        # No datapath flows: one would answer the next frame for the flow table, and would hold back the report of the
        # removal of an entry that it was made from.
        words += ["other_config:flow-limit=0"]
        words += ["--", "add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=dummy", "fail-mode=secure"]
        words += [f"protocols={_PROTOCOL[self.version]}", "other-config:disable-in-band=true"]
        words += ["other-config:datapath-id=0000000000000001", "other-config:hwaddr=02:00:00:00:00:ff"]
        for number in range(1, self.ports + 1):
            words += ["--", "add-port", "br0", f"p{number}"]
            words += ["--", "set", "interface", f"p{number}", "type=dummy", f"ofport_request={number}"]
            words += [f"options:tx_pcap={directory}/p{number}.pcap"]
        words += ["--", "set", "interface", "br0", f"options:tx_pcap={directory}/br0.pcap"]
        words += ["--", "set-controller", "br0", f"unix:{directory}/controller.sock"]
        return [*words, "--", "set", "controller", "br0", "inactivity_probe=0", "max_backoff=1000"]

    def _connect(self) -> None:
        self._listener.settimeout(20)
        connected, _ = self._listener.accept()
        self._connection = _Connection(connected)
        self._openflow.send(struct.pack("!BBHI", self.version, 0, 8, 1))  # Hello
        hello = self._openflow.next()
        assert hello[1] == 0, hello
        self._fence()

    def _spawn(self, *command: str, control: str) -> None:
        log = f"--log-file={self._directory}/{control}.log"
        words = [*command, f"--unixctl={self._directory}/{control}", "-vconsole:off", log]
        self._processes.append(subprocess.Popen(words, env=self._environment))

    def _run(self, *command: str) -> None:
        subprocess.run(command, env=self._environment, check=True, capture_output=True, timeout=30)

    def _vsctl(self, *words: str) -> None:
        self._run("ovs-vsctl", f"--db=unix:{self._directory}/db.sock", *words)

    def _name(self, port: int) -> str:
        return "br0" if port == LOCAL else f"p{port}"

    # -- fences -------------------------------------------------------------------------------------------------

    @property
    def _openflow(self) -> _Connection:
        assert self._connection is not None
        return self._connection

    def _ctl(self, method: str, *params: str) -> None:
        assert self._control is not None
        self._control(method, *params)

    def _fence(self) -> list[bytes]:
        """Return what arrives before the answer to the last of many echo requests.

        The daemon takes at most 50 messages in one round of its main loop, and what a message makes it do later it does
        at the start of the next round: the 51st request is answered after all that was under way before the first.
        """
        last = _FENCE_XID + _ROUND
        requests = (struct.pack("!BBHI", self.version, _ECHO_REQUEST, 8, xid) for xid in range(_FENCE_XID, last + 1))
        self._openflow.send(b"".join(requests))
        messages = []
        while True:
            message = self._openflow.next()
            xid = int.from_bytes(message[4:8], "big")
            if message[1] != _ECHO_REPLY or not _FENCE_XID <= xid <= last:
                messages.append(message)
            elif xid == last:
                return messages

    def _removal_fence(self) -> list[bytes]:
        """Return what arrives before the removal of a sentinel entry that nothing matches.

        The switch reports a removal only after every thread has let go of the entry, in the order of deletion, so
        the sentinel's report comes after those of all entries deleted before it.
        """
        for message in self._sentinel():
            self._openflow.send(message)
        messages = []
        while True:
            message = self._openflow.next()
            if message[1] == _FLOW_REMOVED and struct.pack("!Q", _SENTINEL_COOKIE) in message:
                return messages
            messages.append(message)

    def _sentinel(self) -> tuple[bytes, bytes]:
        add, delete_strict, send_flow_removed = 0, 4, 1
        return (
            self._flow_mod(add, flags=send_flow_removed, sentinel=True),
            self._flow_mod(delete_strict, flags=0, sentinel=True),
        )

    def _reset_messages(self) -> list[bytes]:
        version, delete = self.version, 3
        messages = [
            self._flow_mod(delete, flags=0, sentinel=False),
            struct.pack("!BBHIHH", version, 9, 12, 0, 0, 128),  # SetConfig: normal fragments, miss_send_len 128
        ]
        if version == 4:
            delete_group, all_groups, equal = 2, 0xFFFFFFFC, 1
            delete_meter, all_meters = 2, 0xFFFFFFFF
            messages = [
                struct.pack("!BBHII4xQ", version, 24, 24, 0, equal, 0),  # RoleRequest
                struct.pack("!BBHI6I", version, 28, 32, 0, 3, 0, 7, 7, 15, 0),  # SetAsync, to the defaults
                *messages,
                struct.pack("!BBHIHBxI", version, 15, 16, 0, delete_group, 0, all_groups),
                struct.pack("!BBHIHHI", version, 29, 16, 0, delete_meter, 0, all_meters),
            ]
        return messages

    def _hardware_addresses(self) -> dict[int, bytes]:
        """Return each port's address, which the switch made up: a PortMod has to name it."""
        if self.version == 1:
            (reply,) = self.message(struct.pack("!BBHI", 1, 5, 8, 0)).messages  # FeaturesRequest
            return dict(struct.iter_unpack("!H6s40x", reply[32:]))
        (reply,) = self.message(struct.pack("!BBHIHH4x", 4, 18, 16, 0, 13, 0)).messages  # port descriptions
        return dict(struct.iter_unpack("!I4x6s50x", reply[16:]))

    def _port_mod(self, number: int) -> bytes:
        """Return the message that clears all configuration of a port."""
        if self.version == 1:
            body = struct.pack("!H6sIII4x", number, self._addresses[number], 0, 0x7F, 0)
        else:
            body = struct.pack("!I4x6s2xIII4x", number, self._addresses[number], 0, 0x65, 0)
        return struct.pack("!BBHI", self.version, 15 if self.version == 1 else 16, 8 + len(body), 0) + body

    def _flow_mod(self, command: int, flags: int, sentinel: bool) -> bytes:
        cookie = _SENTINEL_COOKIE if sentinel else 0
        no_buffer = any_port = any_group = 0xFFFFFFFF
        if self.version == 1:
            wildcards = 0x3FFFFF & ~0x10 if sentinel else 0x3FFFFF  # the sentinel fixes dl_type
            match = struct.pack("!IH6s6sHBxHBB2xIIHH", wildcards, 0, b"", b"", 0, 0, _SENTINEL_TYPE, 0, 0, 0, 0, 0, 0)
            body = match + struct.pack("!QHHHHIHH", cookie, command, 0, 0, 0, no_buffer, 0xFFFF, flags)
        else:
            table = 253 if sentinel else 0xFF  # the last table: nothing goes there
            head = struct.pack("!QQBBHHHI", cookie, 0, table, command, 0, 0, 0, no_buffer)
            fixed = head + struct.pack("!IIH2x", any_port, any_group, flags)
            body = fixed + struct.pack("!HH4x", 1, 4)
        return struct.pack("!BBHI", self.version, 14, 8 + len(body), 0) + body

    def _captured(self) -> list[tuple[int, bytes]]:
        frames = []
        for port, capture in self._captures.items():
            data = capture.read()
            offset = 0
            while offset < len(data):
                length = struct.unpack_from("<I", data, offset + 8)[0]
                frames.append((port, data[offset + 16 : offset + 16 + length]))
                offset += 16 + length
        return frames


def _connected(path: Path) -> socket.socket:
    """Return a connection to a unix socket that a process just started is about to listen on."""
    deadline = time.monotonic() + 20
    while True:
        attempt = socket.socket(socket.AF_UNIX)
        try:
            attempt.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            attempt.close()
            if time.monotonic() > deadline:
                raise
            select.select([], [], [], 0.002)
        else:
            return attempt
