"""Replaces os-ken's hub by the deterministic one: the layer that knows os-ken's names."""

import contextlib
import queue
import socket
from collections.abc import Iterator
from typing import Any

import greenlet

from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.sync import waitables
from sdnloom.platforms.sandbox.threads import Flavour


def hub_names(hub: Hub) -> dict[str, Any]:
    """Return the values of the names of `os_ken.lib.hub` for a program under test.

    With native semantics `TaskExit` is `Exception`, as in os-ken. That is why an exception of a handler ends the event
    loop of its app there, while with eventlet's the loop logs it and continues.
    """
    native = hub.flavour is Flavour.NATIVE
    return {
        "HUB_TYPE": hub.flavour.value,
        "spawn": hub.spawn,
        "spawn_after": hub.spawn_after,
        "sleep": hub.sleep,
        "kill": hub.kill,
        "joinall": hub.joinall,
        "getcurrent": hub.getcurrent,
        "patch": hub.patch,
        "TaskExit": Exception if native else greenlet.GreenletExit,
        "QueueEmpty": queue.Empty,
        **waitables(hub),
        **_server_names(hub),
    }


def _server_names(hub: Hub) -> dict[str, Any]:
    """Return the names that only eventlet's hub has; listening is os-ken's own code over inert sockets."""
    from os_ken.lib import hub as module  # imported here, so that the rest works without os-ken

    def connect(address: Any, family: int = socket.AF_INET, bind: Any = None) -> Any:
        made = socket.socket(family)
        if bind is not None:
            made.bind(bind)
        made.connect(address)
        return made

    def serve_forever(server: Any) -> None:
        hub.wait_for_ever()

    def ignore(self: Any, *args: Any, **kwargs: Any) -> None:
        self.handler = args[0] if args else None

    server = type("WSGIServer", (module.StreamServer,), {"__module__": __name__, "serve_forever": serve_forever})
    return {
        "connect": connect,
        "WSGIServer": server,
        "WebSocketWSGI": type("WebSocketWSGI", (), {"__module__": __name__, "__init__": ignore}),
    }


@contextlib.contextmanager
def installed(hub: Hub) -> Iterator[None]:
    """While this lasts, os-ken's own modules and whatever imports them use this hub.

    A module that imported a name with `from os_ken.lib.hub import ...` before keeps the real one.
    """
    from os_ken.lib import hub as module  # imported here, so that the rest works without os-ken

    names = hub_names(hub)
    before = {name: getattr(module, name) for name in names if hasattr(module, name)}
    vars(module).update(names)
    try:
        yield
    finally:
        for name in names.keys() - before.keys():
            delattr(module, name)
        vars(module).update(before)
