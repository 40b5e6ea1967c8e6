"""Apps written for the NOX controller as a controller program.

The API is NOX's, on Python 3: an app needs its syntax ported and nothing else (docs/nox.md). State is captured from
outside (`program_base`): nothing is added to an app.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sdnloom.engine.model import Event
from sdnloom.network.events import TimerFired
from sdnloom.network.network import Network
from sdnloom.network.program import Call, ClockTick, ControllerCommand, Input, ThreadTurn, TimerInput
from sdnloom.platforms.capture.roots import Roots
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.states import FreshProgram
from sdnloom.platforms.capture.type_rules import classes_of
from sdnloom.platforms.footprint.footprint import Effects
from sdnloom.platforms.handler_errors import defined_at, handler_raised
from sdnloom.platforms.nox.apps import NoxApps
from sdnloom.platforms.nox.kernel import Kernel, NoxError, handler_of
from sdnloom.platforms.nox.load import quiet
from sdnloom.platforms.nox.modules import pins
from sdnloom.platforms.program_base import CapturedProgram, ProgramStep, StartStep
from sdnloom.platforms.sandbox.clock import Clock, Draws
from sdnloom.platforms.sandbox.own_modules import Compiler, compile_source
from sdnloom.platforms.server.serve import served_environment, served_network
from sdnloom.platforms.state_entries import StateReader


class NoxProgram(CapturedProgram):
    """Apps, by file, as one program; components are made in this order, so those that others resolve come first.

    `arguments` has, by the name of the file without its ending, the list of texts that `configure` gets. `draws` is how
    many random draws of a reaction, each among at most `widest` alternatives, are explored as choices; the others
    follow the `seed`. `per_switch` is a promise (`sdnloom.network.assumed_independence`).
    """

    version = "1.0"

    def __init__(
        self,
        apps: Sequence[str | Path] | str | Path,
        arguments: Mapping[str, Sequence[str]] | None = None,
        *,
        seed: int = 0,
        draws: int = 0,
        widest: int = 8,
        per_switch: bool | None = None,
        compiler: Compiler = compile_source,
    ) -> None:
        files = [Path(each) for each in ([apps] if isinstance(apps, str | Path) else apps)]
        names = [file.stem for file in files]
        if not files or len(set(names)) < len(names):
            raise NoxError(f"the apps of a NOX program are {', '.join(names) or 'none'}; expected some, each once")
        unknown = sorted(set(arguments or {}) - set(names))
        if unknown:
            raise NoxError(f"arguments for {unknown[0]!r}; expected one of {', '.join(names)}")
        super().__init__(per_switch)
        self._configuration = dict(arguments or {})
        self._files = {file.stem: file for file in files}
        self._compiler, self._random = compiler, (seed, widest, draws)
        self._load()

    def _make(self) -> FreshProgram:
        """Load the files; their components are made by the first step."""
        kernel = Kernel(Clock(), Draws(*self._random))
        apps = self._apps = NoxApps(self._files, self._configuration, kernel, self.log.write, self._compiler)
        loader = apps.loader
        kernel.observes_time = loader.tells_time
        self._own_classes(classes_of(loader.modules.values()))
        self._own = apps.own
        known = {"clock": kernel.clock, "random": kernel.draws, "import": loader, **pins(apps.provided)}
        scope = Scope(loader.modules, known | {f"context of {name}": each for name, each in apps.contexts.items()})
        return FreshProgram(Roots(scope, {"kernel": kernel}, loader.modules.values()).values, scope, lambda: None)

    def _remake(self) -> FreshProgram:
        before = self._apps.kernel
        with self.log.muted():
            fresh = self._make()
        self._apps.kernel.timers_seen.update(before.timers_seen)
        return fresh

    def _running(self) -> AbstractContextManager[None]:
        return quiet()

    def controller_command(self, network: Network) -> ControllerCommand:
        """Run the apps behind the OpenFlow server."""
        files = {name: str(file.resolve()) for name, file in self._files.items()}
        own = {"files": files, "arguments": self._configuration, "seed": self._random[0]}
        return ControllerCommand(
            "sdnloom.platforms.nox.server",
            {**served_network(network), **own},
            served_environment(),
            f"OpenFlow server of {self.name}",
        )

    @property
    def name(self) -> str:
        """The names of the apps."""
        return " + ".join(self._files)

    @property
    def files(self) -> tuple[Path, ...]:
        """The source files of the apps."""
        return tuple(sorted(self._apps.loader.files.values()))

    @property
    def timers_seen(self) -> tuple[str, ...]:
        """The timers that were set so far, in any state."""
        return tuple(sorted(self._apps.kernel.timers_seen))

    def _waiting_lines(self) -> list[str]:
        return [
            defined_at(handler_of(each.function)) for each in sorted(self._apps.kernel.timers, key=lambda one: one.due)
        ]

    def check_input(self, given: Input) -> None:
        """Raise NoxError if the apps can never be given a timer or call."""
        if isinstance(given, TimerInput):
            raise NoxError(f"timer {given.name!r}: NOX apps set their timers themselves; expected `ticks`")
        if isinstance(given, Call):
            self._apps.callable(given.name)

    def _draws(self) -> Draws:
        return self._apps.kernel.draws

    def _apps_by_name(self) -> Mapping[str, Any]:
        return self._apps.kernel.components

    def _holders(self) -> Mapping[str, Any]:
        return dict(sorted(self._apps.kernel.components.items()))

    def _own_modules(self) -> Mapping[str, Any]:
        return dict(sorted(self._apps.loader.modules.items()))

    def _state_reader(self) -> StateReader:
        known = {id(each): f"component {name}" for name, each in self._apps.kernel.components.items()}
        return StateReader(self._own_modules(), ("ctxt", "component_names"), known)

    def _choices(self, given: Input) -> Sequence[str]:
        match given:
            case ClockTick():
                return list(self._apps.kernel.due())
            case ThreadTurn():
                return []  # NOX has one thread
            case TimerInput():
                self.check_input(given)
        return [""]

    def _perform(self, step: ProgramStep) -> Effects:
        kernel, given = self._apps.kernel, step.given
        happened: tuple[Event, ...] = ()
        match given:
            case StartStep():
                self.log.when = "start"
                self._apps.install()
                self.log.when = "run"
            case ClockTick():
                happened = (TimerFired(step.choice),)
                kernel.fire(step.choice)
            case _:
                self._apps.give(given)
        files = self._apps.loader.files
        if len(files) > len(self._own):
            raise NoxError(
                f"{self.name} imports {list(files)[-1]} while it runs; expected its own modules at the top of its files"
            )
        raised = tuple(handler_raised(self.name, name, error, self._own, _EFFECT) for name, error in kernel.escaped)
        effects = tuple(kernel.sent), (*happened, *raised)
        kernel.sent.clear()
        kernel.escaped.clear()
        return effects


_EFFECT = "the handler ends, the next ones run"
