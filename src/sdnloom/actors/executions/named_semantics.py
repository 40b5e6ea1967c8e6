"""The steps of a program with named tasks, with the interface that the engine counts executions on."""

from collections.abc import Iterator
from functools import lru_cache

from sdnloom.actors.executions.named_state import Essence, NamedMeaning, NamedState, only_names
from sdnloom.actors.executions.step_cells import ActorDependence, TaskFootprint
from sdnloom.actors.program import Program
from sdnloom.actors.search.options import ReductionLevel
from sdnloom.actors.semantics import ActorSemantics, engine_state
from sdnloom.actors.task import Choice, StepResult, Task
from sdnloom.engine.model import Action, Outcome, Step
from sdnloom.engine.semantics import Semantics, State, Transition

_REMEMBERED = 1 << 14  # recent states whose transitions are kept


class NamedSemantics(Semantics):
    """The transitions of a program; `State.cores` has one element, the NamedState.

    The one cell that an outcome writes is the footprint of the step; the one that it reads is what tells the step from
    the others: the name of the task, how many steps it has taken before, and its choices.
    """

    def __init__(self, program: Program, level: ReductionLevel) -> None:
        self.plain = ActorSemantics(program)
        super().__init__(self.plain.system)
        self.meaning = NamedMeaning(program, history=level != "context")
        self.dependence = ActorDependence(self.meaning, level)
        self._actions = {
            (component.name, action.name): (component, action)
            for component in self.system.components
            for action in component.actions
        }
        self._steps: dict[tuple[Task, tuple[Choice, ...]], Step] = {}
        self._of_method = lru_cache(_REMEMBERED)(self._transitions)

    def initial(self) -> State:
        """The state before any step."""
        return State((self.meaning.initial(),), (), ())

    def transitions(self, state: State) -> list[Transition]:
        """Every transition, in the order of actors and methods, older tasks first."""
        return [
            transition
            for key in sorted({(each.task.actor, each.task.method) for each in named_state(state).tasks})
            for transition in self._of_method(state, *key)
        ]

    def instances(self, state: State, number: int, action: Action) -> Iterator[Transition]:
        """The transitions by tasks of one method of an actor."""
        yield from self._of_method(state, self.system.components[number].name, action.name)

    def is_quiescent(self, state: State) -> bool:
        """Whether no task can go on."""
        return not self.transitions(state)

    def _transitions(self, state: State, actor: str, method: str) -> list[Transition]:
        found = []
        known = set()
        before = named_state(state)
        component, action = self._actions[actor, method]
        for one, result in self.meaning.enabled(before, actor, method):
            after, sent = self.meaning.after(before, one, result)
            footprint = self.dependence.footprint(one, result, sent)
            step = self._step(one.task, result)
            if (step, footprint, after) in known:
                continue  # a choice between equal options
            known.add((step, footprint, after))
            identity = one.name, one.steps, tuple(choice.taken for choice in result.choices)
            outcome = Outcome(after, (), result.events, frozenset({identity}), frozenset({footprint}))
            found.append(Transition(step, State((after,), (), ()), result.events, component, action, outcome))
        return found

    def _step(self, task: Task, result: StepResult) -> Step:
        """The step by name and value; whether a future among the values is known makes no difference."""
        key = task, result.choices
        if key not in self._steps:
            self._steps[key] = self.plain.step(task.substituted(only_names), result)
        return self._steps[key]

    def footprint(self, transition: Transition) -> TaskFootprint:
        """What a step reads and writes."""
        return self.dependence.done(transition)

    def task_name(self, transition: Transition) -> int:
        """The name of the task that takes a step."""
        return step_identity(transition)[0]

    def without_names(self, state: State) -> State:
        """The state as ActorSemantics has it."""
        return engine_state(self.meaning.without_names(named_state(state)))

    def essence(self, state: State) -> Essence:
        """What decides how a state goes on: all but the names."""
        return Essence(self.meaning, named_state(state))


def step_identity(transition: Transition) -> tuple[int, int, tuple[int, ...]]:
    """What tells a step from the others, in whatever order they come."""
    assert transition.outcome.reads is not None
    return next(iter(transition.outcome.reads))  # type: ignore[return-value]


def named_state(state: State) -> NamedState:
    """The actors' part of a state, which is all of it."""
    return state.cores[0]  # type: ignore[return-value]
