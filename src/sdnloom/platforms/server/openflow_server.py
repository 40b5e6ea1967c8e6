"""The OpenFlow server: one thread that gives a live program the inputs of its connections, calls and timers.

It listens on 127.0.0.1 only. An input is handled to its end, and its messages are written, before the next one is
read; so an answer to an echo request says that everything before it is done. It ends when its standard input does.
"""

import contextlib
import selectors
import socket
import sys
from collections.abc import Mapping
from typing import Any, Final

from sdnloom.network.openflow import OpenFlowMessage, encode
from sdnloom.network.program import Call, Input, SwitchUp, TimerInput
from sdnloom.platforms.server.input_lines import InputLineError, InputLines
from sdnloom.platforms.server.report_lines import RaisedReport, ReportLines
from sdnloom.platforms.server.served_program import ServedProgram, ServedReaction
from sdnloom.platforms.server.switch_session import SwitchSession

_READ: Final = 1 << 16
_WAITING: Final = 100  # connections that are not accepted yet


class _Connection:
    """An accepted connection: its session, and the bytes that its socket does not take yet."""

    def __init__(self, accepted: socket.socket, session: SwitchSession) -> None:
        self.socket, self.session = accepted, session
        self.unsent = bytearray()


class OpenFlowServer:
    """A server for one program; `names` has the name of each switch by its datapath id."""

    def __init__(
        self, program: ServedProgram, version: int, names: Mapping[int, str], lines: InputLines, reports: ReportLines
    ) -> None:
        self._program, self._version, self._names = program, version, names
        self._lines, self._reports = lines, reports
        self._switches: dict[str, _Connection] = {}  # those that have joined
        self._selector = selectors.PollSelector()  # unlike epoll it takes any kind of standard input
        self._closed: set[socket.socket] = set()

    def run(self) -> None:
        """Serve until standard input ends."""
        with socket.create_server(("127.0.0.1", 0), backlog=_WAITING) as listener:
            self._selector.register(listener, selectors.EVENT_READ)
            self._selector.register(self._lines.descriptor, selectors.EVENT_READ)
            self._reports.listening(listener.getsockname()[1])
            while not self._lines.ended:
                for key, events in self._selector.select(self._program.seconds_left()):
                    if key.fileobj is listener:
                        self._accept(listener)
                    elif isinstance(key.data, _Connection):
                        self._attend(key.data, events)
                    else:
                        self._read_lines()
                self._perform(self._program.fire_due())

    def _accept(self, listener: socket.socket) -> None:
        try:
            accepted, _ = listener.accept()
        except OSError:
            return  # it was closed again before it was accepted
        accepted.setblocking(False)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = _Connection(accepted, SwitchSession(self._version, self._names))
        self._selector.register(accepted, selectors.EVENT_READ, connection)
        self._send(connection, connection.session.greeting())

    def _attend(self, connection: _Connection, events: int) -> None:
        if connection.socket.fileno() < 0:
            return  # closed by an earlier event of the same round
        if events & selectors.EVENT_WRITE:
            self._send(connection, b"")
        if not events & selectors.EVENT_READ:
            return
        try:
            data = connection.socket.recv(_READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        for step in connection.session.receive(data):
            self._send(connection, step.answers)
            for given in step.inputs:
                if isinstance(given, SwitchUp):
                    self._replace(given.switch, connection)
                self._give(given)
        if connection.session.over:
            sys.stderr.write(f"a connection is closed: {connection.session.over}\n")
        if not data or connection.session.over:
            self._close(connection)

    def _replace(self, switch: str, connection: _Connection) -> None:
        """Note the connection of a switch; an older one of the same switch is closed before."""
        older = self._switches.get(switch)
        if older is not None:
            self._close(older)
        self._switches[switch] = connection

    def _close(self, connection: _Connection) -> None:
        """Close a connection; its switch, if it has joined, leaves."""
        self._selector.unregister(connection.socket)
        connection.socket.close()
        if connection in self._switches.values():
            del self._switches[str(connection.session.switch)]
            for given in connection.session.leave():
                self._give(given)

    def _read_lines(self) -> None:
        for line in self._lines.arrived():
            self._give(_outside(line))
            self._reports.done()

    def _give(self, given: Input) -> None:
        self._perform(self._program.handle(given))

    def _perform(self, reaction: ServedReaction) -> None:
        """Report exceptions and send messages; those to a switch that is not connected are lost, as in the model."""
        for raised in reaction.raised:
            self._reports.raised(raised)
        for switch, message in reaction.messages:
            if switch in self._switches:
                self._send(self._switches[switch], self._encoded(switch, message))
            elif switch not in self._names.values():
                known = ", ".join(self._names.values())
                sys.stderr.write(f"a message to the switch {switch!r} is lost; expected one of {known}\n")

    def _encoded(self, switch: str, message: OpenFlowMessage) -> bytes:
        """Return the bytes of a message; one that its version cannot carry, or that is no message, is reported."""
        try:
            return encode(message, self._version)
        except Exception as error:  # the program may have put anything into it
            self._reports.raised(RaisedReport(f"a message to {switch} cannot be sent: {error}", "", 0))
            return b""

    def _send(self, connection: _Connection, data: bytes) -> None:
        connection.unsent += data
        with contextlib.suppress(BlockingIOError):
            try:
                while connection.unsent:
                    del connection.unsent[: connection.socket.send(connection.unsent)]
            except (BrokenPipeError, ConnectionResetError):
                connection.unsent.clear()  # that the switch has left is noticed when its socket is read
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.unsent else 0)
        self._selector.modify(connection.socket, wanted, connection)


def _outside(line: Mapping[str, Any]) -> Input:
    """Return the call or timer that a line of standard input asks for."""
    match line:
        case {"timer": str(name)}:
            return TimerInput(name)
        case {"call": str(name), "arguments": list(arguments)}:
            return Call(name, tuple(arguments))
    raise InputLineError(f"standard input has {line!r}; expected a call with its arguments, or a timer")
