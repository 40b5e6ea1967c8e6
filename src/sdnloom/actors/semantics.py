"""The reference semantics of a program of actors, with the interface of the engine's own.

Replay, stepping, walks, shortening and every oracle use it. A step names the actor, the task, its arguments, where it
was resumed, and its choices.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.program import NO_DEADLOCK, NO_TASK_ERRORS, PLAIN, FinalCheck, Naming, Program, is_barrier
from sdnloom.actors.runtime.line_limit import raised_at
from sdnloom.actors.runtime.step_output import StepOutput
from sdnloom.actors.state import ActorState, FailedTask, Meaning
from sdnloom.actors.state_view import StateView
from sdnloom.actors.step_words import (
    ArgumentText,
    ResumedChoice,
    TaskDone,
    TaskFailed,
    TaskSent,
    arguments_text,
    last_position,
    line_text,
    numbered_choice,
    readable_value,
    task_text,
    waiting_text,
    without_defaults,
)
from sdnloom.actors.task import Ending, StepResult, Task
from sdnloom.actors.values import Done, Reference, Stored, Symbol, thaw
from sdnloom.engine.model import Action, Component, Outcome, Restart, Step, System
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.stable_text import printable_text, stable_text
from sdnloom.engine.stop_points import interruptible
from sdnloom.errors import SdnloomError
from sdnloom.network.events import Printed


class ActorSemantics(Semantics):
    """The transitions of a program. `State.cores` has one element, the ActorState.

    With `shows_output`, what a task prints in a step is an event of the step.
    """

    def __init__(self, program: Program, naming: Naming = PLAIN, shows_output: bool = False) -> None:
        self.program, self.naming = program, naming
        self._shows_output = shows_output
        self.meaning = Meaning(program, naming)
        self._order = {actor.name: number for number, actor in enumerate(program.actors)}
        self._components = {actor.name: _component(actor.name, type(actor)) for actor in program.actors}
        super().__init__(System(tuple(self._components.values())))

    @property
    def property_names(self) -> tuple[str, ...]:
        """What is checked, by name."""
        names = [NO_TASK_ERRORS, *([NO_DEADLOCK] if self.program.deadlocks else [])]
        names += [monitor.name for monitor in self.program.monitors]
        return (*names, *(check.__name__ for check in (*self.program.final, *self.program.always)))

    def initial(self) -> State:
        """The state before any step."""
        return engine_state(self.meaning.initial())

    def transitions(self, state: State) -> list[Transition]:
        """Every transition, in the order of actors, tasks, arguments and choices."""
        return self._transitions(state, [task for task, _ in state_of(state).tasks])

    def named(self, state: State, step: Step) -> Iterator[Transition]:
        """The transitions by the tasks that the step names."""
        tasks = [
            task
            for task, _ in state_of(state).tasks
            if (str(self.naming.plain(task.actor)), task.method) == (step.component, step.action)
        ]
        yield from self._transitions(state, tasks)

    def is_quiescent(self, state: State) -> bool:
        """Whether no task can go on."""
        return self.meaning.is_final(state_of(state))

    def is_settled(self, state: State) -> bool:
        """Whether no task can go on."""
        return self.is_quiescent(state)

    def _transitions(self, state: State, tasks: list[Task]) -> list[Transition]:
        before = state_of(state)
        cells = dict(before.cells)
        found = [
            (task, result)
            for task in tasks
            if self.meaning.can_run(task)
            for result in self.meaning.results(cells, task)
            if result.ending is not Ending.BLOCKED
        ]
        found.sort(key=lambda pair: (self._order[str(self.naming.plain(pair[0].actor))], *self._key(*pair)))
        times: Counter[Step] = Counter()
        transitions = []
        for task, result in found:
            step = self.step(task, result)
            times[step] += 1
            if times[step] > 1:  # tasks that look the same and are not
                step = step._replace(choice=numbered_choice(step.choice, times[step]))
            transitions.append(self._transition(before, task, result, step))
        return transitions

    def _key(self, task: Task, result: StepResult) -> tuple[Any, ...]:
        """What steps of one actor are sorted by: no two have the same, so their order is the same in every process."""
        identity = "" if task.suspension is None else stable_text((task.suspension.identity, task.suspension.awaits))
        future = -1 if task.future is None else task.future.number
        choices = tuple(choice.taken for choice in result.choices)
        return task.method, stable_text(task.args), identity, future, task.segment, choices

    def step(self, task: Task, result: StepResult) -> Step:
        """A step by name and value."""
        chosen = [f"chose {choice.label}" for choice in result.choices if choice.options > 1]
        choice: str = "; ".join(chosen)
        if task.suspension is not None:
            at = last_position(task.suspension)
            named = f"resumed at await {at.number} of {at.function.rpartition('.')[-1]}"
            choice = ResumedChoice("; ".join([named, *chosen]), "; ".join([f"resumed at line {at.line}", *chosen]))
        return Step(str(self.naming.plain(task.actor)), task.method, self.arguments_of(task), choice)

    def arguments_of(self, task: Task) -> ArgumentText | None:
        """The arguments of a task as the message of its step; None if it has none."""
        return self.arguments(task) if task.args else None

    def arguments(self, task: Task) -> ArgumentText:
        """The arguments of a task."""
        values = tuple(readable_value(self.naming, each) for each in task.args)
        method = self.program.method(self.naming, task)
        return ArgumentText(arguments_text(self.naming, task.args), without_defaults(values, method.__defaults__ or ()))

    def _transition(self, before: ActorState, task: Task, result: StepResult, step: Step) -> Transition:
        after = self.meaning.after(before, task, result)
        component = self._components[step.component]
        suspension = task.suspension
        take = None
        if suspension is None:
            take = _mailbox(step.component, task.method)
        elif isinstance(suspension.awaits, Done):
            take = _results(step.component, task.method)
        action = Action(task.method, _elsewhere, take)
        sends = [
            (_mailbox(str(self.naming.plain(sent.actor)), sent.method), self.arguments_of(sent))
            for sent in result.sends
            if not is_barrier(sent)
        ]
        sends += self._woken(before, after)
        events = (*map(self.shown_event, result.events), *self._effects(result))
        outcome = Outcome(after, tuple(sends), events, choice=step.choice)
        return Transition(step, engine_state(after), events, component, action, outcome)

    def _effects(self, result: StepResult) -> list[Any]:
        """What else a step does, as events that no monitor sees."""
        printed = list(map(Printed, result.output)) if self._shows_output else []
        if result.ending is Ending.FAILED:
            text, file, line = result.result
            return [*printed, TaskFailed(f"{text.removeprefix('fails: ')} ({line_text(file, line)})")]
        effects: list[Any] = [
            *printed,
            *(TaskSent(str(self.naming.plain(sent.actor)), sent.method, self.arguments(sent)) for sent in result.sends),
        ]
        if result.ending is Ending.RETURNED and result.result is not None:
            effects.append(TaskDone(readable_value(self.naming, result.result)))
        return effects

    def _woken(self, before: ActorState, after: ActorState) -> list[tuple[str, Any]]:
        """A message for each task whose future became known."""
        waited, known = (Counter(self._ready(state)) for state in (before, after))
        return [
            (_results(str(self.naming.plain(actor)), method), message)
            for (actor, method, message), count in (known - waited).items()
            for _ in range(count)
        ]

    def _ready(self, state: ActorState) -> dict[tuple[Any, str, Any], int]:
        found: Counter[tuple[Any, str, Any]] = Counter()
        for task, count in state.tasks:
            if task.suspension is not None and isinstance(task.suspension.awaits, Done):
                found[task.actor, task.method, self.arguments_of(task)] += count
        return found

    def shown_event(self, event: Stored) -> Any:
        """An event with plain values."""

        def special(each: Any) -> Any:
            if isinstance(each, Symbol):
                return self.naming.plain(each)
            return str(self.naming.plain(each.actor)) if isinstance(each, Reference) else each

        return thaw(event, special)

    # Findings.

    def findings(self, state: State) -> tuple[Finding, ...]:
        """Failed tasks, reports of monitors, checks of every state; in a final state its checks and waiting tasks."""
        return self.findings_in(state_of(state), self.is_quiescent(state))

    def findings_in(self, state: ActorState, is_final: bool) -> tuple[Finding, ...]:
        """The findings, for callers that know whether the state is final."""
        results = [Finding(NO_TASK_ERRORS, self.failure_text(each)) for each in state.failures]
        results += self.reports(state)
        results += _checked(self.program.always, StateView(self.program, self.naming, state))
        if is_final:
            results += self.final_findings(state)
        return tuple(sorted(set(results)))

    def final_findings(self, state: ActorState) -> list[Finding]:
        """What is wrong with a final state."""
        results = _checked(self.program.final, StateView(self.program, self.naming, state))
        tasks = [task for task, _ in state.tasks]
        waiting = sorted({waiting_text(self.naming, task, tasks) for task in tasks if not is_barrier(task)})
        if waiting and self.program.deadlocks and not state.failures:
            results.append(Finding(NO_DEADLOCK, "; ".join(waiting)))
        return results

    def failure_text(self, failed: FailedTask) -> str:
        """A failed task as people read it."""
        _, _, _, (text, file, line) = failed
        return f"{task_text(self.naming, failed)} {printable_text(text)} ({line_text(file, line)})"

    def reports(self, state: ActorState) -> list[Finding]:
        """What monitors have reported."""
        names = {self.naming.name(monitor.name): monitor.name for monitor in self.program.monitors}
        return [
            Finding(names[at.actor], self._report_text(at.key[0]))
            for at, _ in state.cells
            if at.actor in names and at.field == "reports" and isinstance(at.key, tuple)
        ]

    def _report_text(self, stored: Stored) -> str:
        text, *values = self.shown_event(stored)
        shown = [each if isinstance(each, str) else stable_text(each) for each in values]
        return printable_text(text.format(*shown))


def _checked(checks: Sequence[FinalCheck], view: StateView) -> list[Finding]:
    results = []
    for check in checks:
        output = StepOutput()
        try:
            with interruptible(f"the check {check.__name__}"), output.redirected():
                message = check(view)
        except Exception as error:  # whatever the check raises
            what = str(error) if isinstance(error, SdnloomError) else f"raised {type(error).__name__}: {error}"
            raise ActorError(f"the check {check.__name__}: {what}{_place(error)}") from error
        if not isinstance(message, str | None):
            raise ActorError(
                f"the check {check.__name__} returned {stable_text(message)[:80]}; expected a text that says what is "
                "wrong, or None"
            )
        if message is not None:
            results.append(Finding(check.__name__, printable_text(message)))
    return results


def _place(error: Exception) -> str:
    """The line of the program's code in which the error was raised, if there is one."""
    found = raised_at(error)
    return f" ({line_text(*found)})" if found is not None else ""


def engine_state(state: ActorState) -> State:
    """The state as the engine passes it around."""
    return State((state,), (), ())


def state_of(state: State) -> ActorState:
    """The actors' part of a state, which is all of it."""
    return state.cores[0]  # type: ignore[return-value]


def _component(name: str, kind: type) -> Component:
    tasks = [each for each in dir(kind) if getattr(getattr(kind, each, None), "is_task", False)]
    return Component(name, None, tuple(Action(task, _elsewhere) for task in tasks))


def _elsewhere(core: Any, message: Any) -> Restart:
    raise AssertionError("a task is a step of the whole program; ActorSemantics runs it")


def _mailbox(actor: str, method: str) -> str:
    return f"{actor}.{method}"


def _results(actor: str, method: str) -> str:
    return f"{actor}.{method} resumes"
