"""Where a switch on this machine is reached: a unix socket, a TCP port of the loopback address, or a port of ours.

Only this machine: a test sends messages that may crash a switch, so no address of another one is accepted.
"""

import contextlib
import ipaddress
import os
import socket
import stat
import time
from pathlib import Path
from typing import Final, Protocol

from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.errors import RealSwitchError

_PAUSE: Final = 0.02
_LOOPBACK: Final = "127.0.0.1"
_MOST_PATH: Final = 107  # characters of the name of a unix socket


class Endpoint(Protocol):
    """A way to get connections to one switch."""

    text: str  # as on the command line
    patience: float  # seconds after which a switch that lost its connection has ended

    def connect(self, seconds: float) -> MessageConnection:
        """Return a fresh connection; raise RealSwitchError if there is none within the time."""
        ...

    def close(self) -> None:
        """Release what belongs to the endpoint."""
        ...


class ListeningSwitch:
    """A switch that listens: we connect."""

    patience = 1.0

    def __init__(self, text: str, family: socket.AddressFamily, address: str | tuple[str, int]) -> None:
        self.text, self._family, self._address = text, family, address

    def connect(self, seconds: float) -> MessageConnection:
        """Connect; retry while nobody listens, because a switch may be about to start."""
        deadline = time.monotonic() + seconds
        while True:
            attempt = socket.socket(self._family, socket.SOCK_STREAM)
            try:
                attempt.settimeout(max(seconds, _PAUSE))
                attempt.connect(self._address)
            except OSError as error:
                attempt.close()
                if time.monotonic() >= deadline:
                    reason = error.strerror or str(error)
                    raise RealSwitchError(f"no switch listens there ({reason})") from None
                time.sleep(_PAUSE)
            except BaseException:
                attempt.close()
                raise
            else:
                attempt.settimeout(None)
                if self._family != socket.AF_UNIX:
                    attempt.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return MessageConnection(attempt)

    def close(self) -> None:
        """Nothing belongs to us."""


class ConnectingSwitch:
    """A switch that connects to its controller: we listen, on the loopback address, from the first call to `close`."""

    patience = 10.0  # it may wait before it connects again

    def __init__(self, text: str, port: int) -> None:
        self.text, self._port = text, port
        self._socket: socket.socket | None = None

    def connect(self, seconds: float) -> MessageConnection:
        """Take the next connection of the switch."""
        if self._socket is None:
            self._socket = self._listener()
        self._socket.settimeout(max(seconds, _PAUSE))
        try:
            accepted, _ = self._socket.accept()
        except TimeoutError:
            raise RealSwitchError(f"no switch connected within {seconds:g} s") from None
        accepted.settimeout(None)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return MessageConnection(accepted)

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _listener(self) -> socket.socket:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((_LOOPBACK, self._port))
            listener.listen(8)
        except OSError as error:
            listener.close()
            raise RealSwitchError(f"cannot listen on port {self._port}: {error.strerror}") from None
        return listener


def unix_endpoint(path: str) -> ListeningSwitch:
    """Return the endpoint `unix:PATH`; raise RealSwitchError if the path can be none."""
    text = f"unix:{path}"
    if not path or "\0" in path or len(os.fsencode(path)) > _MOST_PATH:
        raise RealSwitchError(f"{text}: expected unix:PATH, the path of a socket of at most {_MOST_PATH} characters")
    with contextlib.suppress(OSError):
        if not stat.S_ISSOCK(Path(path).stat().st_mode):
            raise RealSwitchError(f"{text}: the file is no socket")
    return ListeningSwitch(text, socket.AF_UNIX, path)


def tcp_endpoint(rest: str) -> ListeningSwitch:
    """Return the endpoint `tcp:PORT` or `tcp:ADDRESS:PORT`; raise RealSwitchError unless it is on this machine."""
    text = f"tcp:{rest}"
    host, _, number = rest.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    address = _LOOPBACK if host in ("", "localhost") else host
    port = _port(text, number, "tcp:PORT or tcp:127.0.0.1:PORT")
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        known = None
    if known is None or not known.is_loopback:
        raise RealSwitchError(f"{text}: expected a switch on this machine, such as tcp:{port} or tcp:127.0.0.1:{port}")
    family = socket.AF_INET6 if known.version == 6 else socket.AF_INET
    return ListeningSwitch(text, family, (address, port))


def listen_endpoint(rest: str) -> ConnectingSwitch:
    """Return the endpoint `listen:PORT`, where a switch on this machine finds its controller."""
    text = f"listen:{rest}"
    return ConnectingSwitch(text, _port(text, rest, "listen:PORT"))


def _port(text: str, number: str, expected: str) -> int:
    if not (number.isascii() and number.isdigit()) or not 1 <= int(number[:6]) <= 0xFFFF:
        raise RealSwitchError(f"{text}: expected {expected} with a port from 1 to 65535")
    return int(number)
