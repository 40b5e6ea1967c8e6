"""Replaces os-ken's hub by the deterministic one: the layer that knows os-ken's names."""

import contextlib
import queue
from collections.abc import Iterator
from typing import Any

import greenlet

from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.sync import waitables
from sdnloom.platforms.sandbox.threads import Flavour

REFUSED = ("listen", "connect", "StreamServer", "StreamClient", "WSGIServer", "WebSocketWSGI")


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
        **{name: _refusal(hub, name) for name in REFUSED},
    }


def _refusal(hub: Hub, name: str) -> Any:
    def refuse(self: object = None, *args: Any, **kwargs: Any) -> None:
        raise hub.refuse(f"os_ken.lib.hub.{name}")

    # Classes stay classes, for programs may subclass them.
    return refuse if name[0].islower() else type(name, (), {"__init__": refuse, "__module__": __name__})


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
