"""The control socket of an Open vSwitch daemon: JSON-RPC over a connection that is kept open.

A fresh `ovs-appctl` for each call would cost a process each. The daemon answers at most ten calls of a connection in
each round of its main loop, so that calls also are a clock of its rounds.
"""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from sdnloom.switches.errors import RealSwitchError, SwitchEndedError
from sdnloom.switches.unix_socket import connect_unix

_CALLS_PER_ROUND: Final = 10
_SECONDS: Final = 20.0  # a daemon that takes longer hangs


class ControlSocket:
    """Calls of one daemon, one after the other."""

    def __init__(self, path: Path) -> None:
        self._socket: socket.socket = connect_unix(path)
        self._socket.settimeout(_SECONDS)
        self._number = 0
        self._text = ""

    def __call__(self, method: str, *params: str) -> str:
        """Return the answer to a call; raise SwitchEndedError if the daemon is gone."""
        (reply,) = self._replies(1, method, params)
        return _result(reply, method, params)

    def during(self, method: str, step: Callable[[], None]) -> str:
        """Make a call, take a step while the daemon works on it, and return the answer."""
        (reply,) = self._replies(1, method, (), step)
        return _result(reply, method, ())

    def rounds(self, count: int) -> None:
        """Wait until the daemon's main loop has run so many times from start to end."""
        self._replies(count * _CALLS_PER_ROUND + 1, "version", ())

    def _replies(
        self, count: int, method: str, params: tuple[str, ...], step: Callable[[], None] = lambda: None
    ) -> list[dict[str, Any]]:
        """Return the replies to the same call, made so many times at once, before a step is taken."""
        self._number += 1
        request = json.dumps({"method": method, "params": list(params), "id": self._number}).encode()
        try:
            self._socket.sendall(request * count)
        except OSError:
            raise SwitchEndedError("Open vSwitch closed its control socket") from None
        step()
        try:
            return [self._reply() for _ in range(count)]
        except TimeoutError:
            raise SwitchEndedError(f"Open vSwitch does not answer {method!r} for {_SECONDS:g} s: it hangs") from None
        except OSError:
            raise SwitchEndedError("Open vSwitch closed its control socket") from None

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _reply(self) -> dict[str, Any]:
        decoder = json.JSONDecoder()
        while True:
            try:
                reply, end = decoder.raw_decode(self._text)
            except ValueError:
                data = self._socket.recv(1 << 16)
                if not data:
                    raise SwitchEndedError("Open vSwitch closed its control socket") from None
                self._text += data.decode()
            else:
                self._text = self._text[end:].lstrip()
                if reply["id"] == self._number:  # otherwise the reply to a call that was interrupted
                    return dict(reply)


def _result(reply: dict[str, Any], method: str, params: tuple[str, ...]) -> str:
    if reply.get("error") is not None:
        words = " ".join((method, *params))[:100]
        raise RealSwitchError(f"Open vSwitch refused {words!r}: {str(reply['error']).strip()}")
    return str(reply["result"])
