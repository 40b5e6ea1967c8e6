"""Apps written for the NOX controller as a controller program.

The API is NOX's, on Python 3: an app needs its syntax ported and nothing else (docs/nox.md). State is captured from
outside (`sdnloom.platforms.capture.states`): nothing is added to an app.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from sdnloom.engine.model import Event
from sdnloom.network.events import TimerFired
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import (
    Call,
    ClockTick,
    Input,
    MessageIn,
    Reaction,
    SwitchDown,
    SwitchUp,
    ThreadTurn,
    TimerInput,
)
from sdnloom.network.usercode import UserCodeError, user_code_errors
from sdnloom.platforms.capture.dict_order import DictOrder
from sdnloom.platforms.capture.roots import Roots
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.states import FreshProgram, StateId, StateStore
from sdnloom.platforms.capture.type_rules import classes_of, forget
from sdnloom.platforms.footprint.footprint import Effects, FootprintRecorder, ReadsAndWrites, Watcher
from sdnloom.platforms.handler_errors import handler_raised
from sdnloom.platforms.nox import events
from sdnloom.platforms.nox.context import Context
from sdnloom.platforms.nox.inputs import join_event, message_event
from sdnloom.platforms.nox.kernel import Kernel, NoxError
from sdnloom.platforms.nox.load import Loader, quiet
from sdnloom.platforms.nox.modules import pins, provided_modules
from sdnloom.platforms.sandbox.clock import Clock, Draws, next_script
from sdnloom.platforms.sandbox.own_modules import Compiler, compile_source


class NoxStartStep(NamedTuple):
    """The components are made and installed; the first step of every run."""


class NoxStep(NamedTuple):
    """What a program was given, which of several timers was meant, and the outcomes of its draws."""

    given: Input | NoxStartStep
    timer: str = ""
    script: tuple[int, ...] = ()


class NoxStepResult(NamedTuple):
    """What a step brought about."""

    messages: tuple[tuple[str, OpenFlowMessage], ...]
    events: tuple[Event, ...]
    made: tuple[tuple[int, int], ...]


class NoxProgram:
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
        self._arguments, self.per_switch = dict(arguments or {}), per_switch
        self._files = {file.stem: file for file in files}
        self._compiler, self._draws = compiler, (seed, widest, draws)
        self._classes: list[type] = []
        weakref.finalize(self, forget, self._classes)
        self._states = StateStore(self._made(), self._made_anew, self._run)
        self._touching = FootprintRecorder(self._states, lambda: self._kernel.components)
        self._orders = DictOrder(self.name, self._states, lambda *each: tuple(self._reactions(*each)), self._begin)
        self._begin()

    def _made(self) -> FreshProgram:
        """Load the files; their components are made by the first step."""
        kernel = self._kernel = Kernel(Clock(), Draws(*self._draws))
        self._provided = provided_modules(kernel)
        loader = self._loader = Loader(self._provided, self._compiler)
        self._factories = {name: self._factory(file) for name, file in self._files.items()}
        self._contexts = {name: Context(kernel) for name in self._files}
        kernel.observes_time = loader.tells_time
        forget(self._classes)
        self._classes[:] = classes_of(loader.modules.values())
        self._own = frozenset(str(place) for place in loader.files.values())
        known = {"clock": kernel.clock, "random": kernel.draws, "import": loader, **pins(self._provided)}
        scope = Scope(loader.modules, known | {f"context of {name}": each for name, each in self._contexts.items()})
        return FreshProgram(Roots(scope, {"kernel": kernel}, loader.modules.values()).values, scope, lambda: None)

    def _made_anew(self) -> FreshProgram:
        before = self._kernel
        made = self._made()
        self._kernel.timers_seen.update(before.timers_seen)
        return made

    def _begin(self) -> None:
        start = NoxStep(NoxStartStep())
        self._run(start)
        self._initial = self._states.note(self._states.first, start)

    def _factory(self, file: Path) -> Any:
        found = getattr(self._loader.load(file), "getFactory", None)
        if not callable(found):
            raise UserCodeError(f"{file}: has no getFactory(); expected a NOX app, whose factory makes its component")
        return found

    def _start(self) -> None:
        """Make, configure and install the components; what goes wrong is one message with the line."""
        kernel = self._kernel
        with quiet():
            for name, file in self._files.items():
                with user_code_errors(file, "the component"):
                    kernel.components[name] = self._factories[name]().instance(self._contexts[name])
            for call in ("configure", "install"):
                for name, file in self._files.items():
                    given = [{"arguments": list(self._arguments.get(name, ()))}] if call == "configure" else []
                    with user_code_errors(file, f"{call}()"):
                        getattr(kernel.components[name], call)(*given)
            kernel.happen(events.Bootstrap_complete_event())
        for handler, error in kernel.escaped:
            with user_code_errors(next(iter(self._files.values())), handler):
                raise error

    @property
    def name(self) -> str:
        """The names of the apps."""
        return " + ".join(self._files)

    @property
    def files(self) -> tuple[Path, ...]:
        """The source files of the apps."""
        return tuple(sorted(self._loader.files.values()))

    @property
    def timers_seen(self) -> tuple[str, ...]:
        """The timers that were set so far, in any state."""
        return tuple(sorted(self._kernel.timers_seen))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a report must say about how the apps were run."""
        kept = [f"states of the program are kept by {self.capture}"] if self._states.refused else []
        return (*self._orders.notes(), *kept)

    @property
    def capture(self) -> str:
        """How states were kept so far: "snapshot", or "replay" (perhaps "from the very start") with the reasons."""
        return self._states.how()

    def check_input(self, given: Input) -> None:
        """Raise NoxError if the apps can never be given a timer or call."""
        if isinstance(given, TimerInput):
            raise NoxError(f"timer {given.name!r}: NOX apps set their timers themselves; expected `ticks`")
        if isinstance(given, Call):
            self._callable(given.name)

    def reloaded(self) -> "NoxProgram":
        """The same apps, loaded once more."""
        seed, widest, draws = self._draws
        return NoxProgram(tuple(self._files.values()), self._arguments, seed=seed, draws=draws, widest=widest)

    def initial(self) -> StateId:
        """The state after all components are installed, before any switch has joined."""
        return self._initial

    def handle(self, core: StateId, given: Input) -> Sequence[Reaction]:
        """The reactions: one, or one for each timer or outcome of draws that there is to choose from."""
        with quiet():
            return self._orders.reactions(core, given)

    def keep_order(self) -> None:
        """Tell states apart by the order in which dicts were filled, from now on; `initial` is another core then."""
        with quiet():
            self._orders.keep()

    def footprint(self, core: StateId, given: Input, reactions: Sequence[Reaction]) -> ReadsAndWrites | None:
        """What the reactions looked at and what they changed; None where that is not known."""

        def again(around: Watcher) -> list[Effects]:
            return [(done.messages, done.events) for _, done in self._steps(core, given, around)]

        with quiet():
            return self._touching.touched(core, reactions, again)

    def _reactions(self, core: StateId, given: Input) -> Iterator[Reaction]:
        for step, done in self._steps(core, given):
            after = self._states.note(core, step)
            drawn = f"draws {','.join(str(pick) for pick, _ in done.made)}" if done.made else ""
            yield Reaction(after, done.messages, done.events, " ".join(filter(None, (step.timer, drawn))))

    def _steps(
        self, core: StateId, given: Input, around: Watcher = nullcontext
    ) -> Iterator[tuple[NoxStep, NoxStepResult]]:
        """Take the steps that an input allows, each from the same state."""
        self._states.bring(core)
        if isinstance(given, TimerInput):
            self.check_input(given)
        choices = (
            [""]
            if not isinstance(given, ClockTick | ThreadTurn)
            else list(self._kernel.due())
            if given == ClockTick()
            else []
        )
        for timer in choices:
            script: tuple[int, ...] | None = ()
            while script is not None:
                step = NoxStep(given, timer, script)
                self._states.bring(core)
                with around():
                    done = self._run(step)
                yield step, done
                script = next_script(done.made)

    def _run(self, step: NoxStep) -> NoxStepResult:
        """Take a step from the state that the apps are in."""
        kernel, given = self._kernel, step.given
        happened: tuple[Event, ...] = ()
        self._states.moved()
        kernel.draws.begin(step.script)
        match given:
            case NoxStartStep():
                self._start()
            case SwitchUp():
                kernel.switches[given.datapath_id] = given.switch
                kernel.happen(join_event(given))
            case SwitchDown():
                datapath = kernel.datapath_of(given.switch)
                if datapath is not None:
                    del kernel.switches[datapath]
                    kernel.happen(events.Datapath_leave_event(datapath_id=datapath))
            case MessageIn():
                datapath = kernel.datapath_of(given.switch)
                event = None if datapath is None else message_event(datapath, given.message)
                if event is not None:
                    kernel.happen(event)
            case Call():
                kernel.request(self._callable(given.name), given.arguments)
            case ClockTick():
                happened = (TimerFired(step.timer),)
                kernel.fire(step.timer)
            case _:
                raise NoxError(f"{given!r}; expected an input that a NOX app can get")
        if len(self._loader.files) > len(self._own):
            late = list(self._loader.files)[-1]
            raise NoxError(
                f"{self.name} imports {late} while it runs; expected its own modules at the top of its files"
            )
        raised = tuple(handler_raised(self.name, name, error, self._own, _EFFECT) for name, error in kernel.escaped)
        done = NoxStepResult(tuple(kernel.sent), (*happened, *raised), tuple(kernel.draws.made))
        kernel.sent.clear()
        kernel.escaped.clear()
        return done

    def _callable(self, name: str) -> Any:
        """A method of a component, or a function of an app's module, that is called from outside."""
        owners = [*self._kernel.components.values(), *self._loader.modules.values()]
        found = next((getattr(owner, name) for owner in owners if callable(getattr(owner, name, None))), None)
        if found is None:
            raise NoxError(f"call of {name!r}; expected a method of a component or a function of {self.name}")
        return found


_EFFECT = "the handler ends, the next ones run"
