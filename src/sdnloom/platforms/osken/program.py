"""Unmodified os-ken and Ryu apps as a controller program.

Real os-ken code does as much as possible: its AppManager loads and connects the apps, its handler of OpenFlow does the
handshake, its Datapath parses and serialises. sdnloom replaces the threads, the clock, random numbers and the wire
(`sandbox`, `event_loops`, `connection`); state is captured from outside (`program_base`). No line of an app is changed.
"""

import contextlib
import importlib.metadata
import importlib.util
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sdnloom.engine.model import Event
from sdnloom.engine.stop_points import shielded
from sdnloom.network.network import Network
from sdnloom.network.program import (
    Call,
    ClockTick,
    ControllerCommand,
    Input,
    MessageIn,
    SwitchDown,
    SwitchUp,
    ThreadTurn,
    TimerInput,
)
from sdnloom.platforms.capture.states import FreshProgram, StateId
from sdnloom.platforms.explorable import HandlerRun, Holders, LaterWork, MessageContent
from sdnloom.platforms.footprint.footprint import Effects
from sdnloom.platforms.osken.default_hub import default_hub
from sdnloom.platforms.osken.errors import AppError
from sdnloom.platforms.program_base import CapturedProgram, ProgramStep, StartStep
from sdnloom.platforms.sandbox.clock import Draws
from sdnloom.platforms.sandbox.inert_metrics import METRICS_NOTE
from sdnloom.platforms.sandbox.own_modules import Compiler, compile_source
from sdnloom.platforms.sandbox.threads import Flavour
from sdnloom.platforms.state_entries import StateReader

if TYPE_CHECKING:
    from sdnloom.platforms.osken.sandbox import Sandbox
    from sdnloom.platforms.osken.symbolic import SymbolicOsken
    from sdnloom.platforms.osken.wsgi import Route

_Seen = TypeVar("_Seen")
THREADS = ("settle", "explore")
AUTO = "auto"


class OskenProgram(CapturedProgram):
    """Apps, by file or by module name, as one program.

    `hub` is os-ken's hub to emulate: "native", "eventlet", or "auto", which is eventlet for apps that import Ryu.
    With `threads` "settle", threads that the apps start run to where they wait, first come first served, within the
    reaction that made them ready, and timers that are due at the same time fire together (one order of the possible
    ones); with "explore" each is an action of its own. `draws` is how many random draws of a reaction, each among at
    most `widest` alternatives, are explored as choices; the others follow the `seed`. `path` has folders where modules
    of apps are found: those of Ryu's own apps too, as a source tree of Ryu has them. `config` sets options of os-ken's
    configuration, `environment` environment variables, only while the apps run. `per_switch` is a promise
    (`sdnloom.network.assumed_independence`).
    """

    def __init__(
        self,
        apps: Sequence[str | Path],
        *,
        version: str | None = None,
        hub: Flavour | str = AUTO,
        threads: str = "settle",
        seed: int = 0,
        draws: int = 0,
        widest: int = 8,
        config: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        path: Sequence[Path] = (),
        per_switch: bool | None = None,
        compiler: Compiler = compile_source,
    ) -> None:
        if importlib.util.find_spec("os_ken") is None:
            raise AppError("os-ken is not installed; expected it for os-ken and Ryu apps: pip install 'sdnloom[osken]'")
        _one_of("threads", threads, THREADS)
        super().__init__(per_switch)
        self._names, self._version = tuple(map(str, apps)), version
        if not isinstance(hub, Flavour):
            _one_of("hub", hub, [AUTO, *(each.value for each in Flavour)])
            hub = default_hub(self._names, path) if hub == AUTO else Flavour(hub)
        self._flavour = hub
        self._random = seed, widest, draws
        self._path, self._config, self._compiler = tuple(path), config, compiler
        self._environment = environment
        self.explores_threads = threads == "explore"
        self._entered = contextlib.ExitStack()  # the sandbox while the apps run
        with self._entered:
            self._load()

    def _new_sandbox(self) -> "Sandbox":
        from sdnloom.platforms.osken.sandbox import Sandbox

        return Sandbox(
            self._flavour,
            Draws(*self._random),
            self._path,
            self._config,
            self._compiler,
            self._environment,
            ("osken-manager", *self._names),
            self.log,
        )

    def _make(self) -> FreshProgram:
        """Make the apps in a new sandbox and enter it."""
        from sdnloom.platforms.osken.apps import Apps

        self._sandbox = self._new_sandbox()
        apps = self._apps = Apps(self._sandbox, self._names, self._version, settle=not self.explores_threads)
        self._entered.enter_context(self._sandbox.running())
        self._own_classes(apps.classes)
        hub = self._sandbox.hub
        return FreshProgram(
            apps.roots.values, apps.scope, apps.clear, apps.parked, apps.roots.digest_roots, hub.stacks, hub.hold
        )

    def _remake(self) -> FreshProgram:
        before = self._apps
        self._entered.close()  # one sandbox is left before the next one is made
        with self.log.muted():
            fresh = self._make()
        self._apps.take_over(before)
        return fresh

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        with self._entered:
            self._entered.enter_context(self._sandbox.running())
            yield

    def rewritten(self) -> "SymbolicOsken":
        """The same apps with the same options, with code that follows symbolic values."""
        from sdnloom.platforms.osken.symbolic import SymbolicOsken

        arguments, options = self._arguments
        twin = SymbolicOsken(*arguments, **{name: each for name, each in options.items() if name != "compiler"})
        if self._states.ordered:
            twin.keep_order()
        return self._shown_alike(twin)

    def controller_command(self, network: Network) -> ControllerCommand:
        """How the apps run in a process of their own, found where this program found them."""
        own, alias = self._sandbox.own, self._sandbox.alias
        document = {
            "names": self._names,
            "apps": self._apps.modules,
            "places": {name: str(place) for name, place in own.places.items()},
            "folders": own.folders,
            "reserved": sorted(own.reserved),
            "ryu apps": str(alias.folder) if alias.folder is not None else None,
            "config": dict(self._config or {}),
            "folder": os.getcwd(),
            "files": sorted(self._apps.own_files),
            "other files": sorted(self._apps.other_files),
        }
        environment = {**(self._environment or {}), "OSKEN_HUB_TYPE": self._flavour.value}
        what = f"os-ken {importlib.metadata.version('os-ken')}, {self._flavour.value} hub"
        return ControllerCommand("sdnloom.platforms.osken.own_process", document, environment, what)

    @property
    def name(self) -> str:
        """The names of the apps."""
        return self._apps.program

    @property
    def has_threads(self) -> bool:
        """Whether a thread that the apps have started has run so far."""
        return self._apps.has_threads

    @property
    def version(self) -> str:
        """The version of OpenFlow that the switches must speak."""
        return self._apps.version

    @property
    def files(self) -> tuple[Path, ...]:
        """The source files of the apps."""
        return self._apps.files

    @property
    def routes(self) -> "tuple[Route, ...]":
        """The requests that the apps answer; a `Call` of one is named by its method and path: "GET /router/1"."""
        return self._apps.routes

    @property
    def timers_seen(self) -> tuple[str, ...]:
        """The timers that were set so far, in any state."""
        return tuple(sorted(self._apps.waiting))

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The source files of the apps."""
        return self.files

    def read_state(self, core: StateId, read: Callable[[Holders], _Seen]) -> _Seen:
        """What a function finds in the apps in a state."""
        with shielded(), self._running():
            self._states.restore(core)
            return read(self._holders())

    def run_changed(
        self, core: StateId, given: MessageIn, change: Callable[[Holders], None], content: MessageContent | None = None
    ) -> HandlerRun:
        """Run the handlers of a message in a state that is changed first."""
        assert content is None, "only rewritten apps take other content"
        with shielded(), self._running(), self.log.muted():
            return self._run_from(core, given, change)

    def _run_from(self, core: StateId, given: MessageIn, change: Callable[[Holders], None]) -> HandlerRun:
        """Run the handlers of a message, inside of the apps' context."""
        self._states.restore(core)
        self._states.live = None  # also if the change fails
        before = Counter(self._left_for_later())
        change(self._holders())
        done = self._run(ProgramStep(given))
        later = Counter(self._left_for_later()) - before
        return HandlerRun(done.messages, (*done.events, LaterWork(tuple(later))) if later else done.events)

    def _left_for_later(self) -> list[str]:
        """What waits in the present state: for a timer, or otherwise inside of a call."""
        return self._apps.waiting_lines() or self._apps.parked()

    def _holders(self) -> dict[str, Any]:
        """The apps that come from files of the program, by name."""
        own = set(map(str, self.files))
        return {
            name: app
            for name, app in sorted(self._apps.bricks.items())
            if getattr(self._sandbox.own.modules.get(type(app).__module__), "__file__", None) in own
        }

    def _own_modules(self) -> dict[str, Any]:
        own = set(map(str, self.files))
        return {
            name: module
            for name, module in sorted(self._sandbox.own.modules.items())
            if getattr(module, "__file__", None) in own
        }

    def _state_reader(self) -> StateReader:
        known = {id(each): f"switch {switch}" for switch, each in self._apps.connections.items()}
        known |= {id(app): f"app {name}" for name, app in self._apps.bricks.items()}
        known |= {id(each): f"thread {each.label.partition('#')[0]}" for each in self._sandbox.hub.threads}
        return StateReader(self._own_modules(), self._apps.framework_attributes, known)

    def check_input(self, given: Input) -> None:
        """Raise AppError if the apps can never be given a timer or call."""
        if isinstance(given, TimerInput):
            raise AppError(f"timer {given.name!r}: an os-ken app has no timers of that kind; expected `ticks`")
        if isinstance(given, Call):
            self._apps.web_of(given.name, given.arguments)

    def _waiting_lines(self) -> list[str]:
        return self._apps.waiting_lines()

    def _platform_notes(self) -> list[str]:
        notes = []
        if self._apps.has_threads and not self.explores_threads:
            notes.append("threads of the program run first come first served (threads = settle)")
        notes += [f"nobody connects to the web socket {path} of the program" for path in self._apps.web_sockets]
        notes += self._sandbox.process.notes
        return [*notes, METRICS_NOTE] if self._apps.has_metrics else notes

    def _check_start(self, events: Sequence[Event]) -> None:
        self._apps.refuse_events(tuple(events))

    def _draws(self) -> Draws:
        return self._sandbox.draws

    def _apps_by_name(self) -> Mapping[str, Any]:
        return self._apps.bricks

    def _connections(self) -> Mapping[str, Any]:
        return self._apps.connections

    def _recording_connections(self, switches: set[str]) -> AbstractContextManager[object]:
        return self._apps.recording(switches)

    def _choices(self, given: Input) -> Sequence[str]:
        if self._apps.has_ended and isinstance(given, ThreadTurn | ClockTick):
            return ()
        return self._apps.choices(given)

    def _perform(self, step: ProgramStep) -> Effects:
        apps, given = self._apps, step.given
        if apps.has_ended:
            return (), ()
        match given:
            case StartStep():
                apps.start()
            case SwitchUp():
                apps.join(given)
            case SwitchDown():
                apps.leave(given.switch)
            case MessageIn():
                apps.receive(given.switch, given.message)
            case Call():
                apps.call(given.name, given.arguments)
            case ThreadTurn():
                apps.turn(step.choice)
            case ClockTick():
                apps.tick(step.choice)
            case TimerInput():
                self.check_input(given)
        return apps.collect()


def _one_of(name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise AppError(f"{name} is {value!r}; expected one of {', '.join(known)}")
    return value
