"""Captures os-ken's own objects by what changed in them, so that snapshots stay small.

os-ken keeps a dozen objects in each app (queues, registries, a logger) and in each connection that hardly ever change.
They are compared with their first values, all at once, and captured only if one of them differs. Law: two apps are
captured alike only if all their attributes are alike.
"""

import operator
from collections.abc import Mapping
from typing import Any, ClassVar

from os_ken.base import app_manager

from sdnloom.platforms.capture.save_restore import Aspect, Aspects, CapturedAspect, Form
from sdnloom.platforms.capture.type_rules import capture_by
from sdnloom.platforms.osken.event_loops import EventLoops
from sdnloom.platforms.process.process import Process
from sdnloom.platforms.sandbox.clock import Draws
from sdnloom.platforms.sandbox.threads import HubThread

INCOMING = "(came, not yet read)"
_JOINED = "(joined as)"
_WORDS = (INCOMING, _JOINED)
_DELETED = "(deleted)"
_INSIDE = ("ports", "unreplied_echo_requests")  # the mutable attributes of a connection
_CONNECTION = (
    *("ofproto", "ofproto_parser", "socket", "address", "is_active", "send_q", "_send_q_sem", "xid", "id", "state"),
    *("echo_request_interval", "max_unreplied_echo_requests", "unreplied_echo_requests", "flow_format", "ofp_brick"),
    *("_ports", "ports", "switch", "_outbox", "waited", "receiver"),
)
_ALL = "(all attributes)"
_GONE = object()


class BareApp:
    """The attributes of an app that every OSKenApp has, with their values before the start."""

    def __init__(self, app: Any, bare: Mapping[str, Any]) -> None:
        same = {name: each for name, each in vars(app).items() if name in bare and _alike(each, bare[name])}
        if not all(isinstance(each, HubThread) for each in same.get("threads", ())):
            del same["threads"]
        self._names, self._values, self._gone = tuple(same), tuple(same.values()), (_GONE,) * len(same)
        self._handlers = {kind: list(each) for kind, each in app.event_handlers.items()}
        self._observers = _copied(app.observers)
        self._threads = list(app.threads) if "threads" in same else None

    def is_quiet(self, app: Any) -> bool:
        """Whether its queue is empty and its handlers and observers are unchanged."""
        queue, free = app.events, app._events_sem
        return (
            not (queue.queue or queue._getting or queue._putting or free._waiting)
            and free.counter == free._bound
            and app.event_handlers == self._handlers
            and app.observers == self._observers
            and (self._threads is None or app.threads == self._threads)
        )

    def save(self, app: Any) -> dict[str, Any]:
        """Return the attributes that not every OSKenApp has; all of them if one of the common ones changed."""
        saved: dict[str, Any] = vars(app).copy()
        live = map(saved.pop, self._names, self._gone)
        if all(map(operator.is_, live, self._values)) and self.is_quiet(app):
            return saved
        return {_ALL: True, **vars(app)}

    def load(self, app: Any, saved: Mapping[str, Any]) -> None:
        """Restore the attributes, and the contents of the common ones unless they are captured by themselves."""
        live = vars(app)
        live.clear()
        live.update(saved)
        if live.pop(_ALL, False):
            return
        live.update(zip(self._names, self._values, strict=True))
        if not self.is_quiet(app):
            for waiting in (app.events.queue, app.events._getting, app.events._putting, app._events_sem._waiting):
                waiting.clear()
            app._events_sem.counter = app._events_sem._bound
            app.event_handlers.clear()
            app.event_handlers.update({kind: list(each) for kind, each in self._handlers.items()})
            app.observers.clear()
            app.observers.update(_copied(self._observers))
            if self._threads is not None:
                app.threads[:] = self._threads


def _alike(one: Any, other: Any) -> bool:
    """Whether two objects have classes of one name; os-ken makes a new class for the stop event of each app."""
    return type(one).__qualname__ == type(other).__qualname__ and type(one).__module__ == type(other).__module__


def _copied(observers: Mapping[Any, Any]) -> dict[Any, Any]:
    return {kind: {name: set(states) for name, states in each.items()} for kind, each in observers.items()}


def capture_apps(apps: Mapping[str, Any]) -> frozenset[str]:
    """Register the capture of each app by the attributes that not every OSKenApp has; return the others."""
    bare = vars(app_manager.OSKenApp())
    for app in apps.values():
        kept = BareApp(app, bare)
        capture_by(type(app), (Aspect("app", Form.MAP, kept.save, kept.load),))
    return frozenset(bare)


def foreign_handlers(apps: Mapping[str, Any]) -> list[Any]:
    """Return the handlers that are not methods of their app: functions and other objects with state."""
    return [
        handler
        for _, app in sorted(apps.items())
        for handlers in app.event_handlers.values()
        for handler in handlers
        if getattr(handler, "__self__", None) is not app
    ]


class SettledConnection:
    """A connection after its handshake: its attributes at that time, and a text that identifies the switch.

    Attributes of a connection that are not named here are captured like those of any object.
    """

    def __init__(self, connection: Any) -> None:
        live = connection.__dict__
        text = f"{connection.switch} {connection.id} {connection.ofproto.OFP_VERSION} "
        self._still = {_JOINED: text + str(sorted(map(tuple, connection.ports.values())))}
        self._names = {name: live[name] for name in _CONNECTION if name in live}
        self._ports = dict(connection.ports)
        self._values = tuple(self._names.values())
        others = {name: each for name, each in live.items() if name not in self._names and name != "_settled"}
        live.clear()
        live.update(self._names, _settled=self, **others)  # in this order, so that `save` can compare values one by one

    def save(self, connection: Any) -> dict[str, Any]:
        """Return the attributes that changed, and the text that identifies the switch."""
        live, quiet = connection.__dict__, self._is_quiet(connection)
        if quiet and len(live) == len(self._values) + 1 and all(map(operator.is_, live.values(), self._values)):
            return self._still
        saved = {
            name: each
            for name, each in live.items()
            if each is not self._names.get(name, _GONE) or (not quiet and name in _INSIDE)
        }
        del saved["_settled"]
        saved.update(dict.fromkeys(self._names.keys() - live.keys(), _DELETED))
        return {**saved, **self._still, INCOMING: connection.socket.incoming}

    def load(self, connection: Any, saved: Mapping[str, Any]) -> None:
        """Restore all attributes."""
        if saved is self._still and self.save(connection) is saved:
            return
        live = connection.__dict__
        live.clear()
        live.update(self._names, _settled=self, **{name: each for name, each in saved.items() if name not in _WORDS})
        for name in [name for name, each in saved.items() if each is _DELETED]:
            del live[name]
        connection.socket.incoming = saved.get(INCOMING, b"")
        if "ports" not in saved and connection.ports != self._ports:
            connection.ports.clear()
            connection.ports.update(self._ports)
        if "unreplied_echo_requests" not in saved:
            connection.unreplied_echo_requests.clear()

    def _is_quiet(self, connection: Any) -> bool:
        found = vars(connection)
        return bool(
            found.get("ports") == self._ports
            and not found.get("unreplied_echo_requests")
            and not self._names["socket"].incoming
        )


class SandboxState(CapturedAspect):
    """The state of the sandbox: clock, random numbers, threads, event loops and the process."""

    __slots__ = ("draws", "hub", "loops", "process")
    aspects: ClassVar[Aspects] = (
        Aspect("surroundings", Form.MAP, lambda each: each.save(), lambda each, saved: each.load(saved)),
    )

    def __init__(self, process: Process, draws: Draws, loops: EventLoops) -> None:
        self.process, self.hub, self.draws, self.loops = process, process.hub, draws, loops

    def save(self) -> dict[str, Any]:
        """Return the time, the state of the random numbers, and all threads, timers and loops."""
        key, count, gauss = self.draws.getstate()
        saved = {"now": self.hub.clock.now, "draws": key, "drawn": count, "gauss": gauss, **self.process.save()}
        for word, loops in self.loops.named():
            for name, each in loops.items():
                saved[f"{word} {name}"] = each
        if self.hub.threads or self.hub.timers:
            for word, parts in self._lists():
                for place, each in enumerate(parts):
                    saved[f"{word}[{place}]"] = each
        return saved

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore them."""
        if self.save() == saved:  # threads compare by identity
            return
        self.hub.clock.now = saved["now"]
        self.process.load(saved)
        self.draws.setstate((saved["draws"], saved["drawn"], saved["gauss"]))
        for word, loops in self.loops.named():
            loops.clear()
            loops.update({key[len(word) + 1 :]: each for key, each in saved.items() if key.startswith(f"{word} ")})
        for word, parts in self._lists():
            parts[:] = [each for key, each in saved.items() if key.startswith(f"{word}[")]

    def _lists(self) -> tuple[tuple[str, list[Any]], ...]:
        return ("threads", self.hub.threads), ("ready", self.hub.ready), ("timers", self.hub.timers)
