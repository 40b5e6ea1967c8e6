"""The event loops of os-ken's apps, without threads that wait for ever.

An app's loop does what os-ken's does, but ends when the queue of the app is empty and starts again at the next event.
So an idle app has no thread, and its state can be copied. A handler that waits keeps its loop, and later events wait
behind it, as on the real hub.

An exception that ends the loop ends it for good: later events are never handled. The real queue then fills up and,
after 128 more events, blocks the connection of every switch that sends one; here such events are dropped.
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
    """The event loops of all apps. `ended` are those that an exception ended; the owner reads `raised`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.open: dict[str, None] = {}
        self.ended: dict[str, None] = {}
        self.running: dict[str, HubThread] = {}
        self.raised: list[LoopException] = []

    def named(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """Return the loops that are part of the program's state, by word and name."""
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
            self.running[app.name].home = app.name  # on the real hub one thread is the loop for ever

    def _loop(self, app: Any) -> None:
        try:
            while not app.events.empty():
                event, state = app.events.get()
                app._events_sem.release()
                handlers = list(app.get_handlers(event, state))
                # All state is in variables, so that `frames` can read a handler that waits.
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
            # The native hub ends the loop on every Exception, eventlet's on none.
            goes_on = self._hub.flavour is Flavour.EVENTLET or not isinstance(error, Exception)
            self.raised.append(LoopException(app.name, handler.__name__, error, GOES_ON if goes_on else ENDS))
            if not goes_on:
                self.open.pop(app.name, None)
                self.ended[app.name] = None
                while not app.events.empty():
                    app.events.get()
                raise
