"""Sockets of apps in a process of their own: they listen on loopback only.

The port for switches and that for requests are chosen by the system, so that confirmations do not disturb each other.
A server that an app makes itself keeps its port unless that is in use, and gets the loopback address instead of any
other one.
"""

import errno
import importlib
import socket
from collections.abc import Callable
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from os_ken.lib import hub

_HOST: Final = "127.0.0.1"
_LOOPBACK: Final = {socket.AF_INET: _HOST, socket.AF_INET6: "::1"}


def bind_to_loopback() -> None:
    """Let sockets of Python, and those under eventlet's, be bound to loopback addresses only."""
    kind: Any = socket.socket
    if hub.HUB_TYPE == "eventlet":
        kind = importlib.import_module("eventlet.greenio.base")._original_socket
    bind = kind.bind

    def bind_there(self: Any, address: Any) -> None:
        host = _LOOPBACK.get(self.family)
        try:
            bind(self, (host, *address[1:]) if host is not None else address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or host is None:
                raise
            bind(self, (host, 0, *address[2:]))

    kind.bind = bind_there


def server_for_switches(listens: Callable[[int], None]) -> type:
    """Return the class of os-ken's server of connections of switches; `listens` gets its port."""

    class SwitchServer(hub.StreamServer):  # type: ignore[misc]  # os-ken has no types
        def __init__(self, address: Any, handle: Any = None, **_: Any) -> None:
            super().__init__((_HOST, 0), handle)  # without TLS: the switches are ours
            listens(self.server.getsockname()[1])

    return SwitchServer


class _ThreadedServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _QuietHandler(WSGIRequestHandler):
    def address_string(self) -> str:
        return str(self.client_address[0])


class NativeWebServer:
    """A server of requests for the native hub, which has none: a thread for each request."""

    def __init__(self, address: Any, handle: Any = None, **_: Any) -> None:
        self._server = make_server(_HOST, 0, handle, _ThreadedServer, _QuietHandler)
        self.server = self._server.socket

    def serve_forever(self) -> None:
        """Serve."""
        self._server.serve_forever()


def web_server(on_request: Callable[[Any], Any]) -> type:
    """Return the class of the hub's server of requests; `on_request` makes the application that it serves."""
    kind: Any = hub.WSGIServer if hub.HUB_TYPE == "eventlet" else NativeWebServer

    class WebServer(kind):  # type: ignore[misc]  # os-ken has no types
        def __init__(self, address: Any, application: Any = None, **options: Any) -> None:
            super().__init__((_HOST, 0), on_request(application), **options)

    return WebServer
