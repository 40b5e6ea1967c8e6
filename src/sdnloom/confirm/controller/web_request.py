"""A REST request to the controller on loopback, whose answer may come later.

As the model makes it: HTTP/1.0 to localhost, no header of the body's type, and no proxy, whatever the environment says.
"""

import contextlib
import fcntl
import socket
import struct
import termios
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Final
from urllib.parse import quote

from sdnloom.confirm.real_parts import ObservedAnswer, RealPartError

_SECONDS: Final = 10.0
_SAFE: Final = "/?%&=:;,+@!$'()*~[]"  # of a path and a query; other characters are escaped
_LARGEST: Final = 1 << 26


class WebRequest:
    """A request that was sent; `answer` is there when the controller has answered."""

    def __init__(self, port: int, name: str, body: str) -> None:
        method, _, path = name.partition(" ")
        self._name = name
        data = body.encode()
        head = [f"{method} {quote(path, safe=_SAFE)} HTTP/1.0", "Host: localhost:80"]
        if data:
            head.append(f"Content-Length: {len(data)}")
        self._data = bytearray()
        self.answer: ObservedAnswer | None = None
        try:
            self._socket = socket.create_connection(("127.0.0.1", port), _SECONDS)
            self._socket.sendall("\r\n".join([*head, "", ""]).encode("latin-1") + data)
        except OSError as error:
            raise RealPartError(f"call {name!r}: the controller does not take it on port {port}: {error}") from None
        self._socket.setblocking(False)

    def fileno(self) -> int:
        """The file descriptor of the socket."""
        return self._socket.fileno()

    @property
    def delivered(self) -> bool:
        """Whether the controller's machine has the whole request."""
        if self.answer is not None:
            return True
        return bool(struct.unpack("=i", fcntl.ioctl(self._socket, termios.TIOCOUTQ, bytes(4)))[0] == 0)

    def read(self) -> None:
        """Read what has arrived, without waiting."""
        while self.answer is None:
            try:
                data = self._socket.recv(1 << 16)
            except BlockingIOError:
                return
            except ConnectionResetError:
                data = b""
            self._data += data
            if not data or len(self._data) > _LARGEST:
                self.answer = _answer(self._name, bytes(self._data))
                self.close()

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._socket.close()


def _answer(name: str, data: bytes) -> ObservedAnswer:
    """Return the answer; status 0 for one that is no HTTP, such as that of a process that ended."""
    head, _, body = data.partition(b"\r\n\r\n")
    line, _, fields = head.partition(b"\r\n")
    words = line.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/") or not words[1].isdigit():
        return ObservedAnswer(name, 0, data[:1000].decode("latin-1"))
    headers: Message = BytesHeaderParser().parsebytes(fields + b"\r\n\r\n")
    charset = headers.get_param("charset")
    with contextlib.suppress(LookupError, UnicodeDecodeError):
        return ObservedAnswer(name, int(words[1]), body.decode(charset if isinstance(charset, str) else "latin-1"))
    return ObservedAnswer(name, int(words[1]), body.decode("latin-1"))
