"""The switch's end of a connection to the controller: whole messages, echo requests answered, fences.

A fence is an echo request of ours. Its reply proves that the controller has read all that was sent before, and that
all that it had sent before has arrived. Neither echo requests of the controller nor our fences are ever shown.
"""

import contextlib
import fcntl
import socket
import struct
import termios
from typing import Final

from sdnloom.confirm.real_parts import RealPartError
from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.errors import RealSwitchError
from sdnloom.switches.reset_messages import ECHO_REPLY, ECHO_REQUEST

_HEADER: Final = struct.Struct("!BBHI")
_FENCE: Final = b"sdnloom fence"
_FIN_WAIT2: Final = 5  # of the states of TCP: the peer has got the end of what we send
_CLOSED: Final = 7
_SECONDS: Final = 10.0


class SwitchEnd:
    """A connection as the switch of this name.

    The owner sets `version` to that of the switch's own Hello, and `accepted` once the controller has asked for the
    features of the switch: from then on a switch may send anything, fences included.
    """

    def __init__(self, switch: str, port: int) -> None:
        self.switch = switch
        self.version = 0
        self.accepted = False
        self._fences = 0
        self._awaited: int | None = None  # the transaction id of the last fence that is not answered
        self._told = False  # the end of the connection was told
        try:
            self._socket = socket.create_connection(("127.0.0.1", port), _SECONDS)
        except OSError as error:
            raise RealPartError(f"the controller does not accept switch {switch} on port {port}: {error}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._messages = MessageConnection(self._socket, "the controller")

    def fileno(self) -> int:
        """The file descriptor of the socket."""
        return self._socket.fileno()

    def send(self, data: bytes) -> None:
        """Send bytes; an ended connection drops them."""
        try:
            self._messages.send(data)
        except RealSwitchError as error:
            raise RealPartError(f"connection of switch {self.switch}: {error}") from None

    def send_fence(self, data: bytes = b"") -> None:
        """Send bytes and a fence after them."""
        self._fences += 1
        self._awaited = self._fences
        size = _HEADER.size + len(_FENCE)
        self.send(data + _HEADER.pack(self.version, ECHO_REQUEST, size, self._fences) + _FENCE)

    @property
    def fenced(self) -> bool:
        """Whether the last fence was answered, or never will be, because the connection has ended."""
        return self._awaited is None or self._messages.ended

    @property
    def delivered(self) -> bool:
        """Whether the controller's machine has everything that was sent, the end of the connection included."""
        if self._messages.ended:
            return True
        unsent = struct.unpack("=i", fcntl.ioctl(self._socket, termios.TIOCOUTQ, bytes(4)))[0]
        return bool(unsent == 0)

    def take(self) -> list[bytes]:
        """Return the messages that arrived, without waiting; echo requests are answered."""
        try:
            arrived = self._messages.arrived()
            if arrived:
                self._hurry()
        except RealSwitchError as error:
            raise RealPartError(f"connection of switch {self.switch}: {error}") from None
        return [message for message in arrived if not self._is_ours(message)]

    def _hurry(self) -> None:
        """Acknowledge at once what arrives: a controller that collects short messages waits for that.

        Linux forgets it after a while, so it is said again and again.
        """
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def _is_ours(self, message: bytes) -> bool:
        if len(message) < _HEADER.size:
            return False
        _, kind, _, xid = _HEADER.unpack_from(message)
        if kind == ECHO_REPLY and message[_HEADER.size :] == _FENCE:
            if xid == self._awaited:
                self._awaited = None
            return True
        if kind == ECHO_REQUEST:
            self.send(message[:1] + bytes([ECHO_REPLY]) + message[2:])
            return True
        return False

    @property
    def ended(self) -> bool:
        """Whether the controller has closed the connection and all its messages were taken."""
        return self._messages.ended

    def tell_end(self) -> bool:
        """Whether the connection has ended and this was not told before."""
        told, self._told = self._told, self._messages.ended
        return self._told and not told

    def finish(self) -> None:
        """Say that nothing more is sent, as a switch that closes its connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    @property
    def finished(self) -> bool:
        """Whether the controller's machine knows that nothing more is sent."""
        state = self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        return state in (_FIN_WAIT2, _CLOSED) or state > _CLOSED

    def close(self) -> None:
        """Close the connection."""
        self._messages.close()
