"""The code of a program of actors that a step ran: the task's functions and their lines, found by running it again."""

from collections.abc import Sequence
from types import CodeType, FrameType
from typing import TypeAlias

from sdnloom.actors.runtime.task_run import TaskRun
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.task import Ending, StepResult, Task
from sdnloom.engine.model import Step
from sdnloom.engine.semantics import State, Transition
from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.stop_points import limits_in_force
from sdnloom.platforms.code_runs import CodeRun, RunLines

MOST_WITH_CODE = 50  # counterexamples of a report whose steps have code


KnownCode: TypeAlias = dict[tuple[State, Step, State], tuple[CodeRun, ...]]


def path_code(
    semantics: ActorSemantics, initial: State, transitions: Sequence[Transition], known: KnownCode | None = None
) -> tuple[tuple[CodeRun, ...], ...]:
    """The code that each step of a path ran. `known` has steps of other paths, and is added to."""
    known = {} if known is None else known
    states = [initial, *(transition.state for transition in transitions)]
    keys = [(before, each.step, each.state) for before, each in zip(states, transitions, strict=False)]
    with limits_in_force(None):
        for key, transition in zip(keys, transitions, strict=True):
            if key not in known:
                known[key] = step_code(semantics, key[0], transition)
    return tuple(known[key] for key in keys)


def step_code(semantics: ActorSemantics, before: State, transition: Transition) -> tuple[CodeRun, ...]:
    """The code that a step ran; nothing if the program does something else now."""
    found = _task_of(semantics, before, transition)
    if found is None:
        return ()
    task, result = found
    cells = dict(state_of(before).cells)
    run = _RecordedRun(
        semantics.program,
        semantics.naming,
        task,
        lambda location: semantics.meaning.value(cells, location),
        [choice.taken for choice in result.choices],
    )
    run.result()
    return run.code()


def _task_of(semantics: ActorSemantics, before: State, transition: Transition) -> tuple[Task, StepResult] | None:
    """The task and its result that a transition is made of."""
    state, cells = state_of(before), dict(state_of(before).cells)
    meaning, step = semantics.meaning, transition.step
    for task, _ in sorted(state.tasks, key=stable_text):
        if (str(semantics.naming.plain(task.actor)), task.method) == step[:2] and meaning.can_run(task):
            results = [each for each in meaning.results(cells, task) if each.ending is not Ending.BLOCKED]
            for result in results if semantics.arguments_of(task) == step.message else ():
                if meaning.after(state, task, result) == state_of(transition.state):
                    return task, result
    return None


class _RecordedRun(TaskRun):
    """A run of a step that records its lines. A suspended task runs from its start; its earlier lines do not count."""

    lines: RunLines | None = None
    _resumed: tuple[CodeType, int] | None = None  # the last line that ran before: the await at which it goes on

    def record(self, frame: FrameType) -> None:
        """Note a line."""
        if self.replays:
            self._resumed = frame.f_code, frame.f_lineno
            return
        if self.lines is None:
            self.lines = RunLines()
        self.lines.add(frame.f_code, frame.f_lineno)

    def code(self) -> tuple[CodeRun, ...]:
        """The functions that ran."""
        lines = self.lines or RunLines()
        if self._resumed is not None:
            lines.add(*self._resumed)
        return lines.runs()
