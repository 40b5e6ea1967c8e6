"""What each step of the controller did inside of the program: the code that it ran, and the program's state after it.

The steps of a path are taken once more on the program itself, with a record of its lines; no cache of a search is in
between. Verdicts and counts are those of the search, whatever happens here.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sdnloom.engine.model import Restart, System
from sdnloom.engine.semantics import State, Transition
from sdnloom.engine.stop_points import limits_in_force
from sdnloom.network.controller_component import CONTROLLER, ControllerComponent, ControllerCore
from sdnloom.network.program import (
    DefinedByClass,
    Input,
    Program,
    Reaction,
    ShowsState,
    StateEntry,
    WatchesCode,
    WrappedProgram,
    capability,
)
from sdnloom.platforms.code_runs import CodeRecorder, CodeRun, RunLines

_T = TypeVar("_T")
MOST_DETAILED = 50  # counterexamples of a report that have details


class StepDetail(NamedTuple):
    """The functions of the program that a step of the controller ran, and the program's state after the step."""

    code: tuple[CodeRun, ...]
    state: tuple[StateEntry, ...]


class TraceDetails(NamedTuple):
    """The program's state before a path, and for each step of the path its detail; None if another component acts."""

    initial: tuple[StateEntry, ...] = ()
    steps: tuple[StepDetail | None, ...] = ()


class StepDetails:
    """Finds the details of steps of one run. `files` are those of the program, as far as they are known."""

    def __init__(self, controller: ControllerComponent, program: Program, files: Iterable[Path] = ()) -> None:
        self._recorder = CodeRecorder({*files, *_class_files(program)})
        self._program = _RecordedProgram(program, self._recorder)
        self._state = capability(program, ShowsState)
        self._controller = controller.with_program(self._program)
        # Counterexamples share most of their steps, so each is looked into once.
        self._states: dict[Hashable, tuple[StateEntry, ...]] = {}
        self._codes: dict[tuple[Hashable, ...], tuple[CodeRun, ...]] = {}

    def of_path(self, system: System, initial: State, transitions: Sequence[Transition]) -> TraceDetails:
        """The details of a path of the system that the controller belongs to, or of a reordered one."""
        number = [component.name for component in system.components].index(CONTROLLER)
        states = [initial, *(transition.state for transition in transitions)]
        with limits_in_force(None), self._recorder.tracing():
            first = self.state(initial.cores[number])
            steps = [
                self._step(before.cores[number], transition)
                for before, transition in zip(states, transitions, strict=False)
            ]
        return TraceDetails(first, tuple(steps))

    def of_step(self, system: System, before: State, transition: Transition) -> StepDetail | None:
        """The detail of one step."""
        number = [component.name for component in system.components].index(CONTROLLER)
        with limits_in_force(None), self._recorder.tracing():
            return self._step(before.cores[number], transition)

    def state(self, core: Hashable) -> tuple[StateEntry, ...]:
        """The program's state in a core of the controller."""
        if self._state is None or not isinstance(core, ControllerCore):
            return ()
        if core.program not in self._states:
            shown = self._state
            self._states[core.program] = _unless_it_fails(lambda: shown.state_entries(core.program))
        return self._states[core.program]

    def _step(self, core: Any, transition: Transition) -> StepDetail | None:
        if transition.component.name != CONTROLLER:
            return None
        outcome = transition.outcome
        key = core, transition.action.name, transition.step.message, outcome.choice, outcome.core
        if key not in self._codes:
            self._codes[key] = _unless_it_fails(lambda: self._code(core, transition))
        return StepDetail(self._codes[key], self.state(outcome.core))

    def _code(self, core: Any, transition: Transition) -> tuple[CodeRun, ...]:
        """The code that the step ran; nothing if the program does something else now."""
        action = self._controller.action(core, transition.action.name)
        if action is None:
            return ()
        self._program.lines.clear()
        outcomes = action.step(core, transition.step.message)
        if isinstance(outcomes, Restart):
            return ()
        wanted = transition.outcome
        for outcome, lines in zip(outcomes, self._program.lines, strict=False):
            if (outcome.choice, outcome.core) == (wanted.choice, wanted.core):
                return lines.runs()
        return ()


class _RecordedProgram(WrappedProgram):
    """A program that records the lines of each reaction: `lines` has them in the order of the reactions."""

    def __init__(self, program: Program, recorder: CodeRecorder) -> None:
        super().__init__(program)
        self._recorder = recorder
        self._watches = capability(program, WatchesCode)
        self.lines: list[RunLines] = []

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        recorder = self._recorder
        del recorder.recorded[:]
        if self._watches is not None:
            reactions = self._watches.handle_watched(core, given, recorder.recording)
            self.lines += recorder.recorded[: len(reactions)]
            self.lines += [RunLines() for _ in reactions[len(recorder.recorded) :]]
            return reactions
        with recorder.recording():  # a program of another kind: what it runs belongs to each of its reactions
            found = self.wrapped.handle(core, given)
        if not isinstance(found, Restart):
            self.lines += recorder.recorded * len(found)
        return found


def _unless_it_fails(look: Callable[[], tuple[_T, ...]]) -> tuple[_T, ...]:
    """What a look into a program finds; nothing if it fails, because the answer of the search stands without it."""
    try:
        return look()
    except Exception:  # a program that does not do the same again, or objects that nobody has thought of
        return ()


def _class_files(program: Program) -> list[Path]:
    """The files of the class that a program is, and of its bases; none for another program."""
    defined = capability(program, DefinedByClass)
    found = []
    for kind in () if defined is None else defined.kind.__mro__[:-1]:
        try:
            found.append(Path(inspect.getfile(kind)))
        except (OSError, TypeError):  # made without a file
            continue
    return found
