"""The event loops of os-ken's apps, without threads that wait for ever.

An app's loop does what os-ken's does, but ends when the queue of the app is empty and begins again when something
comes. So an app that is quiet has no thread, and its state can be copied. A handler that waits keeps its loop, and what
comes later waits behind it, as on the real hub.

An exception that ends the loop ends it for good: what comes later is never handled. The real queue then fills up and,
after 128 more events, stops the connection of every switch that sends one; here such events are dropped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import greenlet
from os_ken.base import app_manager

from sdnloom.errors import SdnloomError
from sdnloom.platforms.sandbox.hub import Hub
from sdnloom.platforms.sandbox.threads import Flavour, HubThread

_send_event = app_manager.OSKenApp._send_event
ENDS = "the app's event loop ends, silently: nothing that comes later is handled"
GOES_ON = "it is logged, and the app's event loop goes on"


@dataclass(frozen=True)
class LoopException:
    """An exception that escaped from a handler of an app."""

    app: str
    handler: str
    error: BaseException
    effect: str


class EventLoops:
    """The loops of all apps. `ended` are those that an exception has ended; `raised` is for the owner to read."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.open: dict[str, None] = {}
        self.ended: dict[str, None] = {}
        self.running: dict[str, HubThread] = {}
        self.raised: list[LoopException] = []

    def named(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """Return what is part of the program's state."""
        return ("open", self.open), ("ended", self.ended), ("running", self.running)

    def is_loop(self, thread: HubThread) -> bool:
        """Whether a thread is the loop of an app."""
        return thread in self.running.values()

    def methods(self) -> dict[str, Callable[..., Any]]:
        """Return the methods of os-ken's base class of apps that this replaces."""

        def start(app: Any) -> None:
            self.open[app.name] = None
            self._wake(app)

        def send(app: Any, event: Any, state: Any) -> None:
            if app.name not in self.ended:
                _send_event(app, event, state)
                self._wake(app)

        return {"start": start, "_send_event": send}

    def _wake(self, app: Any) -> None:
        if app.name in self.open and app.name not in self.running and not app.events.empty():
            self.running[app.name] = self._hub.spawn(self._loop, app)

    def _loop(self, app: Any) -> None:
        try:
            while not app.events.empty():
                event, state = app.events.get()
                app._events_sem.release()
                handlers = list(app.get_handlers(event, state))
                # Everything is in variables: a handler that waits can then be told from one that waits elsewhere.
                while handlers:
                    handler = handlers.pop(0)
                    self._call(app, handler, event)
        finally:
            self.running.pop(app.name, None)

    def _call(self, app: Any, handler: Callable[[Any], Any], event: Any) -> None:
        try:
            handler(event)
        except (SdnloomError, greenlet.GreenletExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            # The native hub takes every Exception for the order to end, eventlet's none.
            goes_on = self._hub.flavour is Flavour.EVENTLET or not isinstance(error, Exception)
            self.raised.append(LoopException(app.name, handler.__name__, error, GOES_ON if goes_on else ENDS))
            if not goes_on:
                self.open.pop(app.name, None)
                self.ended[app.name] = None
                while not app.events.empty():
                    app.events.get()
                raise
