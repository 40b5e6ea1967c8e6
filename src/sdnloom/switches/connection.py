"""One end of an OpenFlow connection to a real switch or controller, in whole messages.

Laws: messages are those of the length fields, in order; bytes that cannot be divided (a length below 8) are one last
message, and the connection is `broken`.
"""

import contextlib
import select
import socket
import time
from typing import Final

from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError, SwitchSilentError

ANSWER_SECONDS: Final = 10.0  # an answer that takes longer does not come
_HEADER: Final = 8
_MOST_MESSAGES: Final = 20_000  # after one question: nobody sends without an end


class MessageConnection:
    """A connected stream socket; messages of errors name the peer."""

    def __init__(self, connected: socket.socket, peer: str = "the switch") -> None:
        self._socket = connected
        self._peer = peer
        connected.settimeout(ANSWER_SECONDS)  # of what is sent: to a peer that does not read
        self._data = bytearray()
        self._ended = False
        self._taken = 0  # messages since something was sent
        self.broken = False

    def send(self, data: bytes) -> None:
        """Send bytes; a peer that closed the connection is noticed when something is read."""
        self._taken = 0
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._socket.sendall(data)
        except TimeoutError:
            raise SwitchSilentError(f"{self._peer} reads nothing of what it is sent for {ANSWER_SECONDS:g} s") from None

    def next(self, seconds: float = ANSWER_SECONDS) -> bytes:
        """Return the next message; raise ConnectionClosedError, or SwitchSilentError when none arrives in time."""
        deadline = time.monotonic() + seconds
        while (message := self._take()) is None:
            if self._ended:
                raise ConnectionClosedError(f"{self._peer} closed the OpenFlow connection")
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._socket], [], [], left)[0]:
                raise SwitchSilentError(f"{self._peer} sent nothing for {seconds:g} s where an answer is due")
            self._read()
        return message

    def arrived(self) -> list[bytes]:
        """Return the messages that arrived so far, without waiting."""
        messages = []
        while True:
            while (message := self._take()) is not None:
                messages.append(message)
            if self._ended or not select.select([self._socket], [], [], 0)[0]:
                return messages
            self._read()

    @property
    def ended(self) -> bool:
        """Whether the peer closed the connection and all its messages were taken."""
        return self._ended and not self._data

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _read(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        self._data += data
        self._ended = not data

    def _take(self) -> bytes | None:
        """Return the first whole message of what was read, or None."""
        data = self._data
        length = int.from_bytes(data[2:4], "big") if len(data) >= _HEADER else None
        if self._ended and data and (length is None or len(data) < length):
            length = len(data)  # the rest of a message that will not come
            self.broken = True
        if length is None or len(data) < length:
            return None
        if length < _HEADER:
            length = len(data)
            self.broken = True
        self._taken += 1
        if self._taken > _MOST_MESSAGES:
            raise RealSwitchError(f"{self._peer} sent more than {_MOST_MESSAGES:,} messages without a question")
        message = bytes(data[:length])
        del data[:length]
        return message


def divide_messages(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the messages that bytes hold by their length fields, and the bytes that are left."""
    found = []
    while len(data) >= _HEADER and _HEADER <= (length := int.from_bytes(data[2:4], "big")) <= len(data):
        found.append(data[:length])
        data = data[length:]
    return found, data
