"""Unmodified os-ken and Ryu apps as a controller program.

Real os-ken code does as much as possible: its AppManager loads and connects the apps, its handler of OpenFlow does the
handshake, its Datapath parses and serialises. Ours are the threads, the clock, chance, and the wire (`osken_world`,
`osken_loops`, `osken_connection`); state is captured from outside (`states`). An app is data to us: nothing is added to
it, and no line of it is changed.
"""

import contextlib
import importlib.util
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sdnloom.engine.model import Event
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
from sdnloom.platforms.capture.dict_order import DictOrder
from sdnloom.platforms.capture.states import FreshProgram, StateId, StateStore
from sdnloom.platforms.capture.type_rules import forget
from sdnloom.platforms.footprint.footprint import Effects, FootprintRecorder, ReadsAndWrites, Watcher
from sdnloom.platforms.osken.errors import AppError
from sdnloom.platforms.sandbox.clock import Draws, next_script
from sdnloom.platforms.sandbox.own_modules import Compiler, compile_source
from sdnloom.platforms.sandbox.threads import Flavour

if TYPE_CHECKING:
    from sdnloom.platforms.osken.sandbox import Sandbox
    from sdnloom.platforms.osken.symbolic import SymbolicOsken
    from sdnloom.platforms.osken.wsgi import Route

THREADS = ("settle", "explore")


class StartStep(NamedTuple):
    """The apps start; the first step of every run."""


class ProgramStep(NamedTuple):
    """What a program was given, which of several threads or timers was meant, and the outcomes of its draws."""

    given: Input | StartStep
    choice: str = ""
    script: tuple[int, ...] = ()


class StepResult(NamedTuple):
    """What a step brought about."""

    messages: tuple[tuple[str, OpenFlowMessage], ...]
    events: tuple[Event, ...]
    made: tuple[tuple[int, int], ...]


class OskenProgram:
    """Apps, by file or by module name, as one program.

    `threads` says what becomes of threads that the apps start: with "settle" they run to where they wait, first come
    first served, within the reaction that made them ready, and timers that are due at the same time fire together (one
    order of the possible ones); with "explore" each is an action of its own. `draws` is how many random draws of a
    reaction, each among at most `widest` alternatives, are explored as choices; the others follow the `seed`. `path`
    has folders where modules of apps are found: those of Ryu's own apps too, as a source tree of Ryu has them. `config`
    sets options of os-ken's configuration. `per_switch` is a promise (`sdnloom.network.assumed_independence`).
    """

    def __init__(
        self,
        apps: Sequence[str | Path],
        *,
        version: str | None = None,
        hub: Flavour | str = Flavour.NATIVE,
        threads: str = "settle",
        seed: int = 0,
        draws: int = 0,
        widest: int = 8,
        config: Mapping[str, Any] | None = None,
        path: Sequence[Path] = (),
        per_switch: bool | None = None,
        compiler: Compiler = compile_source,
    ) -> None:
        if importlib.util.find_spec("os_ken") is None:
            raise AppError("os-ken is not installed; expected it for os-ken and Ryu apps: pip install 'sdnloom[osken]'")
        _one_of("threads", threads, THREADS)
        self._made_with: dict[str, Any] = {
            "apps": tuple(apps),
            "version": version,
            "hub": hub,
            "threads": threads,
            "seed": seed,
            "draws": draws,
            "widest": widest,
            "config": config,
            "path": tuple(path),
            "per_switch": per_switch,
        }
        self.per_switch = per_switch
        self._flavour = hub if isinstance(hub, Flavour) else Flavour(_one_of("hub", hub, [x.value for x in Flavour]))
        self._compiler = compiler
        self.explores_threads = threads == "explore"
        self._classes: list[type] = []
        weakref.finalize(self, forget, self._classes)
        self._entered = contextlib.ExitStack()  # what surrounds the apps while they run
        with self._entered:
            self._states: StateStore[ProgramStep] = StateStore(self._made(), self._made_anew, self._run)
            self._touching = FootprintRecorder(
                self._states,
                lambda: self._apps.bricks,
                lambda: self._apps.connections,
                lambda notes: self._apps.noting(notes),
            )
            self._orders = DictOrder(self.name, self._states, lambda *each: tuple(self._reactions(*each)), self._begin)
            self._begin()

    def _surroundings(self) -> "Sandbox":
        from sdnloom.platforms.osken.sandbox import Sandbox

        options = self._made_with
        draws = Draws(options["seed"], options["widest"], options["draws"])
        return Sandbox(self._flavour, draws, options["path"], options["config"], self._compiler)

    def _made(self) -> FreshProgram:
        """Make the apps, in a world of their own, and enter it."""
        from sdnloom.platforms.osken.apps import Apps

        names, version = self._made_with["apps"], self._made_with["version"]
        self._world = self._surroundings()
        apps = self._apps = Apps(self._world, tuple(map(str, names)), version, settle=not self.explores_threads)
        self._entered.enter_context(self._world.running())
        forget(self._classes)
        self._classes[:] = apps.classes
        return FreshProgram(apps.roots.values, apps.scope, apps.clear, apps.parked, apps.roots.telling)

    def _made_anew(self) -> FreshProgram:
        before = self._apps
        self._entered.close()  # one world is left before the next one is there
        made = self._made()
        self._apps.take_over(before)
        return made

    def _begin(self) -> None:
        step = ProgramStep(StartStep())
        self._apps.refuse_events(self._run(step).events)
        self._initial = self._states.note(self._states.first, step)

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        with self._entered:
            self._entered.enter_context(self._world.running())
            yield

    def rewritten(self) -> "SymbolicOsken":
        """The same apps once more, with code that follows symbolic values."""
        from sdnloom.platforms.osken.symbolic import SymbolicOsken

        made = SymbolicOsken(**self._made_with)
        if self._states.ordered:
            made.keep_order()
        return made

    @property
    def name(self) -> str:
        """The names of the apps."""
        return self._apps.program

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
    def notes(self) -> tuple[str, ...]:
        """What a report must say about how the apps were run."""
        notes = []
        if self._apps.has_threads and not self.explores_threads:
            notes.append("threads of the program run first come first served (threads = settle)")
        notes += self._orders.notes()
        if self._states.refused:
            notes.append(f"states of the program are kept by {self.capture}")
        return tuple(notes)

    @property
    def capture(self) -> str:
        """How states were kept so far: "snapshot", or "replay" (perhaps "from the very start") with the reasons."""
        return self._states.how()

    def check_input(self, given: Input) -> None:
        """Raise AppError if the apps can never be given a timer or call."""
        if isinstance(given, TimerInput):
            raise AppError(f"timer {given.name!r}: an os-ken app has no timers of that kind; expected `ticks`")
        if isinstance(given, Call):
            self._apps.web_of(given.name, given.arguments)

    def reloaded(self) -> "OskenProgram":
        """The same apps, loaded once more."""
        return OskenProgram(**self._made_with)

    def initial(self) -> StateId:
        """The state after the start, before any switch has joined."""
        return self._initial

    def prepare(self, core: StateId) -> None:
        """Bring the apps into a state now, so that what runs next is the reaction alone."""
        with self._running():
            self._states.bring(core)

    def handle(self, core: StateId, given: Input) -> Sequence[Reaction]:
        """The reactions: one, or one for each thread, timer or outcome of draws that there is to choose from."""
        with self._running():
            return self._orders.reactions(core, given)

    def keep_order(self) -> None:
        """Tell states apart by the order in which dicts were filled, from now on; `initial` is another core then."""
        with self._running():
            self._orders.keep()

    def first(self, core: StateId, given: Input) -> Reaction | None:
        """The first of the reactions, without the work for the others; None if there is none."""
        with self._running():
            return next(self._reactions(core, given), None)

    def footprint(self, core: StateId, given: Input, reactions: Sequence[Reaction]) -> ReadsAndWrites | None:
        """What the reactions looked at and what they changed; None where that is not known."""

        def again(around: Watcher) -> list[Effects]:
            return [(done.messages, done.events) for _, done in self._steps(core, given, around)]

        with self._running():
            return self._touching.touched(core, reactions, again)

    def _reactions(self, core: StateId, given: Input) -> Iterator[Reaction]:
        for step, done in self._steps(core, given):
            after = self._states.note(core, step)
            yield Reaction(after, done.messages, done.events, _label(step.choice, done.made))

    def _steps(
        self, core: StateId, given: Input, around: Watcher = contextlib.nullcontext
    ) -> Iterator[tuple[ProgramStep, StepResult]]:
        """Take the steps that an input allows, each from the same state."""
        self._states.bring(core)
        for choice in self._apps.choices(given):
            script: tuple[int, ...] | None = ()
            while script is not None:
                step = ProgramStep(given, choice, script)
                self._states.bring(core)
                with around():
                    done = self._run(step)
                yield step, done
                script = next_script(done.made)

    def _run(self, step: ProgramStep) -> StepResult:
        """Take a step from the state that the apps are in."""
        apps, draws, given = self._apps, self._world.draws, step.given
        self._states.moved()
        draws.begin(step.script)
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
        messages, events = apps.collect()
        made = tuple(draws.made)
        draws.begin()
        return StepResult(messages, events, made)


def _label(choice: str, made: Sequence[tuple[int, int]]) -> str:
    drawn = f"draws {','.join(str(pick) for pick, _ in made)}" if made else ""
    return " ".join(filter(None, (choice, drawn)))


def _one_of(name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise AppError(f"{name} is {value!r}; expected one of {', '.join(known)}")
    return value
