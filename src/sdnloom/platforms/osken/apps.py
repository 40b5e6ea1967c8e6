"""Running apps: methods for each input, and `collect` for the messages and events that follow."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from greenlet import GreenletExit
from os_ken import cfg

from sdnloom.engine.model import Event
from sdnloom.errors import SdnloomError
from sdnloom.network.events import CONNECTION_ENDS, CallAnswered, HandlerRaised, ProgramEnded, TimerFired
from sdnloom.network.openflow import (
    VERSION_NUMBERS,
    FeaturesRequest,
    Hello,
    OpenFlowMessage,
    PortDescReply,
    PortDescRequest,
    StatsReply,
)
from sdnloom.network.program import ClockTick, Input, SwitchUp, ThreadTurn
from sdnloom.network.switch import Switch, features_of, initial_switch_core
from sdnloom.platforms.capture.roots import Roots
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.type_rules import classes_of
from sdnloom.platforms.handler_errors import defined_at, handler_raised, waiting_line
from sdnloom.platforms.osken import wsgi as osken_wsgi
from sdnloom.platforms.osken.capture import SandboxState, capture_apps, foreign_handlers
from sdnloom.platforms.osken.connection import REQUESTS, Connection, SentMessage, decoded, encoded, recording
from sdnloom.platforms.osken.errors import AppError
from sdnloom.platforms.osken.event_loops import LoopException
from sdnloom.platforms.osken.load import LoadedApps, load
from sdnloom.platforms.osken.sandbox import Sandbox
from sdnloom.platforms.sandbox.inert_metrics import is_metrics
from sdnloom.platforms.sandbox.threads import Effect, Flavour, HubThread, HubTimer

FRAMEWORK = ("callers", "routing_info", "_SERVICE_NAME", "_REQUIRED_APP", "OFP_VERSIONS", "_CONTEXTS", "_EVENTS")
MAX_TURNS = 10_000
FAILED = "the request is answered with an internal error"
_EFFECTS = {
    Effect.SILENT: "the thread ends, silently",
    Effect.LOGGED: "it is logged, and the thread ends",
    Effect.RAISED: "threads that wait for this one get it",
}


class Apps:
    """The apps of a program, with the connections of their switches."""

    def __init__(self, sandbox: Sandbox, names: Sequence[str], version: str | None, settle: bool) -> None:
        self._sandbox, self._settle = sandbox, settle
        self._loaded: LoadedApps = load(sandbox, names, version)
        self._wire = VERSION_NUMBERS[self._loaded.version]
        self._outbox: list[SentMessage] = []
        self._happened: list[Event] = []
        self.waiting: dict[str, None] = {}  # timers that were set so far, in any state
        self.has_threads = False
        self._datapaths: dict[str, Connection] = {}
        self._native = sandbox.hub.flavour is Flavour.NATIVE
        self.names, self.version, self.files = self._loaded.names, self._loaded.version, sandbox.own.files()
        self.modules = self._loaded.modules
        self._modules = len(sandbox.own.modules)
        self.program = " + ".join(self.names)
        # An exception is reported at a line of the user's code or, if there is none, of an app of os-ken.
        modules = sandbox.own.modules.values()
        self.own_files = frozenset(map(str, self.files))
        self.other_files = frozenset(str(each.__file__) for each in modules)
        with sandbox.running():
            sandbox.process.settle()
            self.scope, self.roots = self._capture()

    def _capture(self) -> tuple[Scope, Roots]:
        sandbox = self._sandbox
        pins = {
            "CONF": cfg.CONF,
            "manager": sandbox.manager,
            "outbox": self._outbox,
            "happened": self._happened,
            "apps": self,
            "sandbox": sandbox,
            "hub": sandbox.hub,
            "process": sandbox.process,
            "clock": sandbox.hub.clock,
            "draws": sandbox.draws,
            "loops": sandbox.loops,
        }
        for name, each in self._web():
            pins[f"{name}.mapper"] = each.mapper
        scope = Scope(sandbox.own.modules, pins)
        objects = {
            "bricks": sandbox.bricks,
            **{f"context {name}": each for name, each in sandbox.manager.contexts.items()},
            "datapaths": self._datapaths,
            "surroundings": SandboxState(sandbox.process, sandbox.draws, sandbox.loops),
            "handlers": foreign_handlers(sandbox.bricks),
        }
        self.framework_attributes = capture_apps(sandbox.bricks)  # those that every app has
        return scope, Roots(scope, objects, sandbox.own.modules.values(), FRAMEWORK)

    def _web(self) -> Iterable[tuple[str, Any]]:
        contexts = self._sandbox.manager.contexts
        return [(name, each) for name, each in contexts.items() if isinstance(each, osken_wsgi.WSGIApplication)]

    @property
    def routes(self) -> tuple[osken_wsgi.Route, ...]:
        """The requests that the apps answer."""
        return tuple(route for _, each in self._web() for route in osken_wsgi.routes_of(each))

    @property
    def web_sockets(self) -> tuple[str, ...]:
        """The paths of the web sockets that the apps offer."""
        return tuple(path for _, each in self._web() for path in osken_wsgi.web_sockets_of(each))

    @property
    def has_metrics(self) -> bool:
        """Whether the apps use a library of metrics."""
        return any(map(is_metrics, self._sandbox.own.libraries))

    @property
    def bricks(self) -> Mapping[str, Any]:
        """The apps by name, os-ken's own among them."""
        return self._sandbox.bricks

    @property
    def connections(self) -> Mapping[str, Connection]:
        """The connections of switches."""
        return self._datapaths

    def recording(self, notes: set[str]) -> AbstractContextManager[None]:
        """Context that records the switches whose connections are read."""
        return recording(self._datapaths, notes)

    @property
    def classes(self) -> list[type]:
        """The classes that these apps define."""
        return [*classes_of(self._sandbox.own.modules.values()), *map(type, self._sandbox.manager.contexts.values())]

    # Inputs.

    def start(self) -> None:
        """Start the apps, as os-ken's manager does once all are made."""
        self._sandbox.process.starting, self._sandbox.output.when = True, "start"
        for app in list(self._sandbox.manager.applications.values()):
            self._do(partial(_start, app))
        self._sandbox.process.starting, self._sandbox.output.when = False, "run"

    def join(self, joined: SwitchUp) -> None:
        """Connect a switch and do the handshake; without an app that handles OpenFlow nothing happens."""
        if "ofp_event" not in self._sandbox.bricks:
            return
        datapath = Connection(joined.switch, self._outbox)
        self._datapaths[joined.switch] = datapath
        self._do(datapath.greet)
        self._feed(datapath, Hello())
        switch = Switch(joined.datapath_id, joined.ports, version=self._wire)
        features = joined.features or features_of(switch, initial_switch_core(switch))
        self._shake(datapath, FeaturesRequest, features)
        self._shake(datapath, PortDescRequest, PortDescReply(joined.ports))
        # The rest of the handshake is not sent to the switch.
        self._outbox[:] = [sent for sent in self._outbox if not isinstance(decoded(sent, self._wire), Hello)]
        if datapath.state == "dead":
            raise AppError(
                f"switch {joined.switch!r} (datapath id {joined.datapath_id}): {', '.join(self.names)} closes its "
                "connection while it joins; expected an app that accepts it (an app with a configuration may not know "
                "it)"
            )
        if datapath.state != "main":
            raise AppError(
                f"switch {joined.switch!r} and {', '.join(self.names)} cannot agree on OpenFlow "
                f"{self.version}; expected a version that both speak"
            )
        datapath.settle_ids()
        datapath.settle()

    def _shake(self, datapath: Connection, request: type[OpenFlowMessage], answer: OpenFlowMessage) -> None:
        """Answer the first request of this type in os-ken's handshake, as the switch would."""
        for place, sent in enumerate(self._outbox):
            message = decoded(sent, self._wire)
            if sent.switch == datapath.switch and isinstance(message, request):
                del self._outbox[place]
                self._feed(datapath, replace(answer, xid=message.xid))
                return

    def leave(self, switch: str) -> None:
        """End the connection of a switch."""
        datapath = self._datapaths.pop(switch, None)
        if datapath is not None:
            self._do(partial(datapath.end, self._native))

    def receive(self, switch: str, message: OpenFlowMessage) -> None:
        """Deliver a message of a switch."""
        datapath = self._datapaths.get(switch)
        if datapath is not None:
            self._feed(datapath, message)

    def call(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Send a request to the web interface: "PUT /path" with the body."""
        self._do(partial(self._ask, self.web_of(name, arguments), name, "".join(map(str, arguments))))

    def web_of(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Return the application that takes requests; AppError if this is no valid request."""
        path = name.partition(" ")[2]
        web = [each for _, each in self._web()]
        if not web or not path.startswith("/") or len(arguments) > 1:
            known = ", ".join(f"{route.method} {route.path}" for route in self.routes) or "none: the app has no routes"
            raise AppError(f"call {name!r} with {len(arguments)} arguments; expected METHOD /path and a body: {known}")
        return web[0]

    def _ask(self, application: Any, name: str, body: str) -> None:
        method, _, path = name.partition(" ")
        try:
            status, text = osken_wsgi.answer(application, method, path, body)
        except (SdnloomError, GreenletExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self._sandbox.loops.raised.append(LoopException(self.program, name, error, FAILED))
            status, text = 500, ""
        self._happened.append(CallAnswered(name, status, text))

    def turn(self, choice: str) -> None:
        """Run one thread."""
        self._sandbox.hub.run(self._ready()[choice])
        self._go_on()

    def tick(self, choice: str) -> None:
        """Let time pass until a timer is due, and fire it; when threads settle, fire all due timers in order."""
        hub, due = self._sandbox.hub, self._due()
        for name, timer in due.items() if self._settle else ((choice, due[choice]),):
            if timer in hub.timers and not self.has_ended:  # an earlier one may have cancelled it
                hub.fire(timer)
                self._happened.append(TimerFired(name))
                self._go_on()

    def choices(self, given: Input) -> tuple[str, ...]:
        """Return the threads or timers that an input can choose, by name; one empty name for all other inputs."""
        match given:
            case ThreadTurn():
                return tuple(self._ready())
            case ClockTick():
                due = tuple(self._due())
                together = f"{due[0]} and {len(due) - 1} more" if len(due) > 1 else ""
                return (together,) if together and self._settle else due
        return ("",)

    def _ready(self) -> dict[str, HubThread]:
        return {thread.label: thread for thread in self._sandbox.hub.runnable() if not self._is_ours(thread)}

    def _due(self) -> dict[str, HubTimer]:
        named: dict[str, HubTimer] = {}
        for timer in self._sandbox.hub.due():
            place = 1
            while (name := timer.name if place == 1 else f"{timer.name} ({place})") in named:
                place += 1
            named[name] = timer
        return named

    # Delivery.

    @property
    def has_ended(self) -> bool:
        """Whether the apps have ended their process: nothing more happens in it."""
        return self._sandbox.process.end is not None

    def _do(self, function: Callable[[], Any]) -> None:
        if not self.has_ended:
            self._sandbox.hub.call(function)
            self._go_on()

    def _feed(self, datapath: Connection, message: OpenFlowMessage) -> None:
        if message.xid in datapath.waited and not (isinstance(message, StatsReply) and message.flags & 1):
            datapath.waited = tuple(each for each in datapath.waited if each != message.xid)
        datapath.socket.incoming += encoded(message, self._wire)
        if datapath.receiver is None:
            self._sandbox.hub.call(self._receive, datapath)
        self._go_on()

    def _receive(self, datapath: Connection) -> None:
        datapath.receiver = self._sandbox.hub.current
        try:
            datapath.receive()
        except (SdnloomError, GreenletExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            # As in os-ken: when its own handling of a message fails, it closes the connection.
            self._sandbox.loops.raised.append(LoopException(self.program, "receiving", error, CONNECTION_ENDS))
            self._datapaths.pop(datapath.switch, None)
            datapath.end(self._native)

    def _go_on(self) -> None:
        """Run all ready threads, or only the event loops of apps if other threads are actions."""
        hub = self._sandbox.hub
        for _ in range(MAX_TURNS):
            if self.has_ended:
                return
            ready = next((each for each in hub.runnable() if self._settle or self._is_ours(each)), None)
            if ready is None:
                return
            self.has_threads |= not self._is_ours(ready)
            hub.run(ready)
        raise AppError(
            f"threads of {', '.join(self.names)} still run after {MAX_TURNS} turns, {hub.ready[0].label} among them; "
            "expected them to wait"
        )

    def _is_ours(self, thread: HubThread) -> bool:
        """Whether a thread was started by os-ken: the event loop of an app, or a receiver of messages."""
        return self._sandbox.loops.is_loop(thread) or any(each.receiver is thread for each in self._datapaths.values())

    # Effects.

    def collect(self) -> tuple[tuple[tuple[str, OpenFlowMessage], ...], tuple[Event, ...]]:
        """Return the messages that were sent and the events since the last call."""
        hub = self._sandbox.hub
        if hub.refused:
            what = hub.refused[0]
            hub.refused.clear()
            raise AppError(f"{', '.join(self.names)}: {what} is not available; expected an app that does without it")
        if len(self._sandbox.own.modules) != self._modules:
            raise AppError(
                f"{self.program} imports {list(self._sandbox.own.modules)[-1]} while it runs; expected such an import "
                "at the top of a module, where its state can be followed"
            )
        messages = tuple(self._message(sent) for sent in self._outbox if sent.switch in self._datapaths)
        events = (*self._happened, *self._raised(), *self._ended())
        self._outbox.clear()
        self._happened.clear()
        self.waiting.update(dict.fromkeys(_plain(timer.name) for timer in hub.timers))
        for datapath in self._datapaths.values():
            datapath.settle_ids()
            self._pin_ports(datapath)
        return messages, events

    def _ended(self) -> list[ProgramEnded]:
        """Return the end of the process as an event, and end what is left of it."""
        process, hub = self._sandbox.process, self._sandbox.hub
        if process.end is None:
            return []
        with self._sandbox.output.muted():
            hub.stop()
        self._sandbox.loops.raised.clear()
        return [ProgramEnded(self.program, process.end.how, process.end.file, process.end.line)]

    def _pin_ports(self, datapath: Connection) -> None:
        """Pin port descriptions by their text: they are immutable, and there are many of them."""
        for port in object.__getattribute__(datapath, "__dict__").get("ports", {}).values():
            if id(port) not in self.scope.names:
                self.scope.pin(f"{type(port).__name__}{tuple(port)!r}", port)

    def _message(self, sent: SentMessage) -> tuple[str, OpenFlowMessage]:
        message = decoded(sent, self._wire)
        if isinstance(message, REQUESTS) and message.xid:
            self._datapaths[sent.switch].waited += (message.xid,)
        return sent.switch, message

    def _raised(self) -> list[HandlerRaised]:
        loops, hub = self._sandbox.loops, self._sandbox.hub
        known = [each.error for each in loops.raised]
        raised = loops.raised + [
            LoopException(self.program, _plain(each.thread), each.error, _EFFECTS[each.effect])
            for each in hub.escaped
            if each.error not in known
        ]
        loops.raised.clear()
        hub.escaped.clear()
        return [
            handler_raised(each.app, each.handler, each.error, self.own_files, each.effect, self.other_files)
            for each in raised
        ]

    def take_over(self, before: "Apps") -> None:
        """Replace the same apps that were made before; facts about the whole run are kept."""
        self.waiting.update(before.waiting)
        self.has_threads |= before.has_threads
        self._sandbox.process.notes.update(before._sandbox.process.notes)

    def clear(self) -> None:
        """Kills parked threads before a state is restored and discards what they send and print while dying."""
        with self._sandbox.output.muted():
            self._sandbox.hub.discard()
        for happened in (self._outbox, self._happened, self._sandbox.loops.raised, self._sandbox.hub.escaped):
            happened.clear()
        self._sandbox.hub.refused.clear()

    def parked(self) -> list[str]:
        """Return the threads that wait in the present state, in words: no snapshot can hold them."""
        return [f"thread {_plain(thread.label)} waits inside of a call" for thread in self._sandbox.hub.parked()]

    def waiting_lines(self) -> list[str]:
        """Return the lines of code that wait for a timer, in the order in which the timers are due."""
        found = []
        for timer in sorted(self._sandbox.hub.timers, key=lambda each: each.left):
            if (thread := timer.thread) is None:
                found.append(timer.name)
            elif thread.has_begun:
                found.append(waiting_line(thread.waiting_frame, self.own_files, self.other_files) or _plain(timer.name))
            else:
                found.append(defined_at(thread.target))
        return found

    def refuse_events(self, events: Iterable[Event]) -> None:
        """Raise AppError if code of the apps raised an exception at the start."""
        for event in events:
            if isinstance(event, HandlerRaised):
                raise AppError(f"{event.file}:{event.line}: {event.handler} raised {event.text} when it started")
            if isinstance(event, ProgramEnded):
                raise AppError(
                    f"{event.file}:{event.line}: the app ends its own process when it starts ({event.how}); "
                    "expected it to go on"
                )


def _start(app: Any) -> None:
    thread = app.start()
    if thread is not None:
        app.set_main_thread(thread)


def _plain(name: str) -> str:
    """Return the name of a thread without its number."""
    return name.partition("#")[0]
