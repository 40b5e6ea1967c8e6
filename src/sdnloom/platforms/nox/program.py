"""Apps written for the NOX controller as a controller program.

The API is NOX's, on Python 3: an app needs its syntax ported and nothing else (docs/nox.md). State is captured from
outside (`sdnloom.platforms.states`): nothing is added to an app.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sdnloom.engine.model import Event
from sdnloom.network.controller import Call, Came, Fired, Input, Joined, Left, Opaque, Reaction, Tick, Turn
from sdnloom.network.openflow import Message
from sdnloom.network.userfile import CodeError, naming
from sdnloom.platforms.clock import Clock, Draws, next_script
from sdnloom.platforms.escapes import handler_raised
from sdnloom.platforms.nox import events
from sdnloom.platforms.nox.context import Context
from sdnloom.platforms.nox.inputs import join_event, message_event
from sdnloom.platforms.nox.kernel import Kernel, NoxError
from sdnloom.platforms.nox.loading import Loader, quiet
from sdnloom.platforms.nox.modules import pins, provided_modules
from sdnloom.platforms.own_modules import Compiler, compile_source
from sdnloom.platforms.roots import Roots
from sdnloom.platforms.snapshot import Scope
from sdnloom.platforms.states import Core, States


class Step(NamedTuple):
    """What a program was given, which of several timers was meant, and the outcomes of its draws."""

    given: Input
    timer: str = ""
    script: tuple[int, ...] = ()


class Done(NamedTuple):
    """What a step brought about."""

    messages: tuple[tuple[str, Message], ...]
    events: tuple[Event, ...]
    made: tuple[tuple[int, int], ...]


class NoxProgram(Opaque):
    """Apps, by file, as one program; components are made in this order, so those that others resolve come first.

    `arguments` has, by the name of the file without its ending, the list of texts that `configure` gets. `draws` is how
    many random draws of a reaction, each among at most `widest` alternatives, are explored as choices; the others
    follow the `seed`.
    """

    version = "1.0"
    turns = False  # NOX has one thread

    def __init__(
        self,
        apps: Sequence[str | Path] | str | Path,
        arguments: Mapping[str, Sequence[str]] | None = None,
        *,
        seed: int = 0,
        draws: int = 0,
        widest: int = 8,
        compiler: Compiler = compile_source,
    ) -> None:
        files = [Path(each) for each in ([apps] if isinstance(apps, str | Path) else apps)]
        if not files:
            raise NoxError("a NOX program without apps; expected at least one file")
        self._kernel = Kernel(Clock(), Draws(seed, widest, draws))
        self._provided = provided_modules(self._kernel)
        self._loader = Loader(self._provided, compiler)
        self._names = [file.stem for file in files]
        unknown = sorted(set(arguments or {}) - set(self._names))
        if unknown:
            raise NoxError(f"arguments for {unknown[0]!r}; expected one of {', '.join(self._names)}")
        self._start(files, arguments or {})
        self._own = frozenset(str(place) for place in self._loader.files.values())
        self._states = self._captured()
        self._initial = self._states.note(None, None)

    def _start(self, files: Sequence[Path], arguments: Mapping[str, Sequence[str]]) -> None:
        kernel = self._kernel
        for file in files:
            factory = getattr(self._loader.load(file), "getFactory", None)
            if not callable(factory):
                raise CodeError(f"{file}: has no getFactory(); expected a NOX app, whose factory makes its component")
            with naming(file, "the component"), quiet():
                kernel.components[file.stem] = factory().instance(Context(kernel))
        for call, with_arguments in (("configure", True), ("install", False)):
            for file in files:
                method = getattr(kernel.components[file.stem], call, None)
                if method is None:
                    raise CodeError(f"{file}: its component has no {call}(); expected a subclass of Component")
                given = [{"arguments": list(arguments.get(file.stem, ()))}] if with_arguments else []
                with naming(file, f"{call}()"), quiet():
                    method(*given)
        with quiet():
            kernel.happen(events.Bootstrap_complete_event())
        for handler, error in kernel.escaped:
            with naming(files[0], handler):
                raise error
        kernel.sent.clear()
        kernel.observes_time = self._loader.tells_time

    def _captured(self) -> States[Step]:
        kernel = self._kernel
        known = {"clock": kernel.clock, "random": kernel.draws, "import": self._loader, **pins(self._provided)}
        for name, component in kernel.components.items():
            context = getattr(component, "ctxt", None)
            if isinstance(context, Context):
                known[f"context of {name}"] = context
        scope = Scope(self._loader.modules, known)
        roots = Roots(scope, {"kernel": kernel}, self._loader.modules.values())
        return States(roots.values, scope, self._run, lambda: None)

    @property
    def name(self) -> str:
        """The names of the apps."""
        return " + ".join(self._names)

    @property
    def files(self) -> tuple[Path, ...]:
        """The source files of the apps."""
        return tuple(sorted(self._loader.files.values()))

    @property
    def timed(self) -> bool:
        """Whether time may matter to the apps: always possible, for a timer can be set at any moment."""
        return True

    @property
    def capture(self) -> str:
        """How states were kept so far: "snapshot", or "replay" with the reasons."""
        reasons = "; ".join([*self._states.refused, *self._states.unread])
        return f"replay: {reasons}" if reasons else "snapshot"

    def initial(self) -> Core:
        """The state after all components are installed, before any switch has joined."""
        return self._initial

    def handle(self, core: Core, given: Input) -> Sequence[Reaction]:
        """The reactions: one, or one for each timer or outcome of draws that there is to choose from."""
        with quiet():
            return tuple(self._reactions(core, given))

    def _reactions(self, core: Core, given: Input) -> Iterator[Reaction]:
        self._states.bring(core)
        if isinstance(given, Fired):
            raise NoxError(f"timer {given.name!r}: NOX apps set their timers themselves; expected `ticks`")
        choices = [""] if not isinstance(given, Tick | Turn) else list(self._kernel.due()) if given == Tick() else []
        for timer in choices:
            script: tuple[int, ...] | None = ()
            while script is not None:
                step = Step(given, timer, script)
                self._states.bring(core)
                done = self._run(step)
                after = self._states.note(core, step)
                drawn = f"draws {','.join(str(pick) for pick, _ in done.made)}" if done.made else ""
                yield Reaction(after, done.messages, done.events, " ".join(filter(None, (timer, drawn))))
                script = next_script(done.made)

    def _run(self, step: Step) -> Done:
        """Take a step from the state that the apps are in."""
        kernel, given = self._kernel, step.given
        self._states.moved()
        kernel.draws.begin(step.script)
        match given:
            case Joined():
                kernel.switches[given.datapath_id] = given.switch
                kernel.happen(join_event(given))
            case Left():
                datapath = kernel.datapath_of(given.switch)
                if datapath is not None:
                    del kernel.switches[datapath]
                    kernel.happen(events.Datapath_leave_event(datapath_id=datapath))
            case Came():
                datapath = kernel.datapath_of(given.switch)
                event = None if datapath is None else message_event(datapath, given.message)
                if event is not None:
                    kernel.happen(event)
            case Call():
                kernel.request(self._callable(given.name), given.arguments)
            case Tick():
                kernel.fire(step.timer)
            case _:
                raise NoxError(f"{given!r}; expected an input that a NOX app can get")
        raised = tuple(handler_raised(self.name, name, error, self._own, _EFFECT) for name, error in kernel.escaped)
        done = Done(tuple(kernel.sent), raised, tuple(kernel.draws.made))
        kernel.sent.clear()
        kernel.escaped.clear()
        kernel.draws.begin()
        return done

    def _callable(self, name: str) -> Any:
        """A method of a component, or a function of an app's module, that is called from outside."""
        owners = [*self._kernel.components.values(), *self._loader.modules.values()]
        found = next((getattr(owner, name) for owner in owners if callable(getattr(owner, name, None))), None)
        if found is None:
            raise NoxError(f"call of {name!r}; expected a method of a component or a function of {self.name}")
        return found


_EFFECT = "the handler ends, the next ones run"
