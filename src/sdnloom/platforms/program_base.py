"""Base class of programs whose state is captured from live objects.

A platform that runs unmodified code subclasses `CapturedProgram` and says how to load the code, what to run for an
input and what to collect afterwards. States, replay, random draws, insertion order and footprints are done here.
"""

import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Restart
from sdnloom.engine.stop_points import check_limits, shielded
from sdnloom.network.openflow import MeterMod, OpenFlowMessage
from sdnloom.network.program import Input, Reaction, ReadsAndWrites, RunContext, StateEntry
from sdnloom.platforms.capture.dict_order import DictOrder
from sdnloom.platforms.capture.states import FreshProgram, StateId, StateStore
from sdnloom.platforms.capture.type_rules import forget
from sdnloom.platforms.copyable import Copyable
from sdnloom.platforms.footprint.footprint import Effects, FootprintRecorder
from sdnloom.platforms.process.output_log import OutputKeeper, OutputLog
from sdnloom.platforms.sandbox.clock import Draws, next_script
from sdnloom.platforms.state_entries import StateReader, waiting_entries

METERS_NOTE = "meters are configuration only: they drop nothing"


class StartStep(NamedTuple):
    """The apps start; the first step of every run."""


class ProgramStep(NamedTuple):
    """An input, the thread or timer that was chosen where there are several, and the outcomes of random draws."""

    given: Input | StartStep
    choice: str = ""
    script: tuple[int, ...] = ()


class StepResult(NamedTuple):
    """Messages and events of a step, and its random draws: the alternative taken and how many there were."""

    messages: tuple[tuple[str, OpenFlowMessage], ...]
    events: tuple[Event, ...]
    draws: tuple[tuple[int, int], ...]
    drawn: bool = False  # whether there were others


class CapturedProgram(Copyable, OutputKeeper, ABC):
    """A program whose state is captured from the live objects of its code. Its cores are ids of stored states.

    A subclass calls `_load` at the end of its constructor, inside of the context in which its code runs.
    """

    def __init__(self, per_switch: bool | None) -> None:
        self.per_switch = per_switch
        self.log = OutputLog()  # what the code prints
        self._classes: list[type] = []
        self._uses_meters = False
        self._first_variables: dict[str, tuple[StateEntry, ...]] = {}  # those of modules, before any input
        self._watched: tuple[StateId | None, RunContext] | None = None  # the state that a watched run led to
        weakref.finalize(self, forget, self._classes)

    # Methods that a platform defines.

    @property
    @abstractmethod
    def name(self) -> str:
        """The names of the apps."""

    @abstractmethod
    def _make(self) -> FreshProgram:
        """Load the code and make its objects; nothing has started."""

    @abstractmethod
    def _remake(self) -> FreshProgram:
        """Load the code again, in place of the code that was loaded before."""

    @abstractmethod
    def _running(self) -> AbstractContextManager[None]:
        """The context in which the code runs."""

    @abstractmethod
    def _choices(self, given: Input) -> Sequence[str]:
        """The threads or timers that can be chosen for an input in the present state; [""] where there is no choice."""

    @abstractmethod
    def _perform(self, step: ProgramStep) -> Effects:
        """Take a step from the present state: its messages and events."""

    @abstractmethod
    def _draws(self) -> Draws:
        """The source of random numbers of the code as it is loaded now."""

    @abstractmethod
    def _apps_by_name(self) -> Mapping[str, Any]:
        """The objects whose dict attributes are cells of the state."""

    @abstractmethod
    def _holders(self) -> Mapping[str, Any]:
        """The apps of the program's own files by name: objects whose attributes are the state that people ask for."""

    @abstractmethod
    def _own_modules(self) -> Mapping[str, Any]:
        """The modules of the program's own files, by name."""

    @abstractmethod
    def _state_reader(self) -> StateReader:
        """The reader of the objects as they are loaded now."""

    def _connections(self) -> Mapping[str, Any]:
        """The objects that hold the connection of each switch, if they are cells of the state."""
        return {}

    def _recording_connections(self, switches: set[str]) -> AbstractContextManager[object]:
        """The context that adds to the set each switch whose connection is read."""
        return nullcontext()

    def _check_start(self, events: Sequence[Event]) -> None:
        """Raise an error if something went wrong while the apps started."""

    def _waiting_lines(self) -> Iterable[str]:
        """The lines of code that wait for a timer in the present state, the one that is due first at the start."""
        return ()

    def _platform_notes(self) -> list[str]:
        """Notes for the report that only this platform has."""
        return []

    # Methods that a platform inherits.

    def _load(self) -> None:
        """Make the program and take its first step."""
        self._states: StateStore[ProgramStep] = StateStore(self._make(), self._remake, self._run_again)
        self._footprints = FootprintRecorder(
            self._states, self._apps_by_name, self._connections, self._recording_connections
        )
        self._orders = DictOrder(self.name, self._states, lambda *asked: tuple(self._reactions(*asked)), self._start)
        self._start()

    def _start(self) -> None:
        step = ProgramStep(StartStep())
        again = hasattr(self, "_initial")
        self._check_start((self._run_again(step) if again else self._run(step)).events)
        self._initial = self._states.store(self._states.first, step)
        if not again:
            self._first_variables = dict(self._variables())

    def _own_classes(self, classes: Sequence[type]) -> None:
        """Replace the classes whose type rules are forgotten together with the program."""
        forget(self._classes)
        self._classes[:] = classes

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the report on how the apps were run."""
        stored = [f"states of the program are kept by {self.capture}"] if self._states.refused else []
        meters = [METERS_NOTE] if self._uses_meters else []
        return (*self._platform_notes(), *self._orders.notes(), *stored, *meters)

    @property
    def capture(self) -> str:
        """How states were stored so far: "snapshot", or "replay" (perhaps "from the very start") with the reasons."""
        return self._states.description()

    def initial(self) -> StateId:
        """The state after the start, before any switch has joined."""
        return self._initial

    def prepare(self, core: StateId) -> None:
        """Restore a state now, so that the next `handle` runs the handler alone."""
        with shielded(), self._running():
            self._states.restore(core)

    def waits(self, core: StateId) -> tuple[str, ...]:
        """The distinct lines of code that wait for a timer in a state, the one that is due first at the start."""
        with shielded(), self._running():
            self._states.restore(core)
            return tuple(dict.fromkeys(self._waiting_lines()))

    def state_entries(self, core: StateId) -> tuple[StateEntry, ...]:
        """The attributes of the apps, variables of their modules and classes that changed, and the lines that wait."""
        with shielded(), self._running(), self.log.muted():
            self._states.restore(core)
            entries = self._state_reader().entries(self._holders())
            for name, found in self._variables():
                if found != self._first_variables.get(name, ()):
                    entries += found
            return (*entries, *waiting_entries(self._waiting_lines()))

    def _variables(self) -> list[tuple[str, tuple[StateEntry, ...]]]:
        return self._state_reader().variables(self._own_modules())

    def handle_watched(self, core: StateId, given: Input, watcher: RunContext) -> Sequence[Reaction]:
        """The reactions, computed anew; the code of each runs in a context of its own."""
        with shielded(), self._running(), self.log.muted():
            if self._states.live is not None and (self._states.live, watcher) != self._watched:
                self._states.live = None  # threads that wait there have frames that the watcher does not know
            found = tuple(self._reactions(core, given, watcher))
            self._watched = (self._states.live, watcher)
            return found

    def handle(self, core: StateId, given: Input) -> Sequence[Reaction] | Restart:
        """The reactions: one, or one for each thread, timer and outcome of draws."""
        with shielded(), self._running():
            return self._orders.reactions(core, given)

    def first(self, core: StateId, given: Input) -> Reaction | None:
        """The first of the reactions, without the work for the others; None if there is none."""
        with shielded(), self._running():
            return next(self._reactions(core, given), None)

    def keep_order(self) -> None:
        """Make the insertion order of dicts part of the state from now on; `initial` is another core then."""
        with shielded(), self._running():
            self._orders.keep()

    def footprint(self, core: StateId, given: Input, reactions: Sequence[Reaction]) -> ReadsAndWrites | None:
        """The cells that the reactions read and write; None where that is not known."""

        def again(watcher: RunContext) -> list[Effects]:
            return [(result.messages, result.events) for _, result in self._steps(core, given, watcher)]

        with shielded(), self._running():
            return self._footprints.footprint(core, reactions, again)

    def _reactions(self, core: StateId, given: Input, watcher: RunContext = nullcontext) -> Iterator[Reaction]:
        for step, result in self._steps(core, given, watcher):
            after = self._states.store(core, step)
            yield Reaction(after, result.messages, result.events, _label(step.choice, result.draws), drawn=result.drawn)

    def _steps(
        self, core: StateId, given: Input, watcher: RunContext = nullcontext
    ) -> Iterator[tuple[ProgramStep, StepResult]]:
        """Take the steps that an input allows, each from the same state."""
        self._states.restore(core)
        for choice in self._choices(given):
            script: tuple[int, ...] | None = ()
            while script is not None:
                step = ProgramStep(given, choice, script)
                self._states.restore(core)
                with watcher():
                    result = self._run(step)
                yield step, result
                script = next_script(result.draws)

    def _run_again(self, step: ProgramStep) -> StepResult:
        """Take a step that was taken before, to restore the state that it led to."""
        with self.log.muted():
            return self._run(step)

    def _run(self, step: ProgramStep) -> StepResult:
        """Take a step from the present state. Raises LimitReached before it, or inside of its code."""
        check_limits()  # restoring a state may take many steps
        draws = self._draws()
        before = draws.getstate()
        draws.begin(step.script)
        messages, events = self._states.leave(lambda: self._perform(step))
        self._uses_meters |= any(isinstance(message, MeterMod) for _, message in messages)
        drawn = draws.getstate() != before
        result = StepResult(messages, (*events, *self._printed()), tuple(draws.made), drawn)
        draws.begin()
        return result


def _label(choice: str, draws: Sequence[tuple[int, int]]) -> str:
    drawn = f"draws {','.join(str(pick) for pick, _ in draws)}" if draws else ""
    return " ".join(filter(None, (choice, drawn)))
