"""From canonical states that a search found to a path on the plain semantics.

The states of a search are canonical: from one to the next, individuals may change their names. The path is followed
with uncanonical states. If symmetry was used, those have symbols; the plain semantics is followed beside them.
"""

import itertools
from collections.abc import Iterator, Sequence

from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.equivariance import Asymmetry, changed_state
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.state import ActorState
from sdnloom.actors.task import Ending, Task
from sdnloom.engine.model import Step
from sdnloom.engine.path import Path
from sdnloom.engine.semantics import Finding, State, Transition
from sdnloom.engine.stable_text import stable_text


class RecordedSemantics(ActorSemantics):
    """The semantics with a memo of transitions and findings, for paths that are replayed again and again."""

    def __init__(self, semantics: ActorSemantics) -> None:
        super().__init__(semantics.program, semantics.naming)
        self._named: dict[tuple[State, str, str], list[Transition]] = {}
        self._found: dict[State, tuple[Finding, ...]] = {}

    def named(self, state: State, step: Step) -> Iterator[Transition]:
        """The transitions by the tasks that the step names."""
        key = state, step.component, step.action
        if key not in self._named:
            self._named[key] = list(super().named(state, step))
        return iter(self._named[key])

    def transitions(self, state: State) -> list[Transition]:
        """None. A path that does not replay lists what was possible instead; nobody reads that here."""
        return []

    def findings(self, state: State) -> tuple[Finding, ...]:
        """What is wrong in the state."""
        if state not in self._found:
            self._found[state] = super().findings(state)
        return self._found[state]


def path_along(graph: ActorGraph, route: Sequence[int], plain: RecordedSemantics) -> Path:
    """A path of the plain semantics that visits these canonical states one after the other."""
    meaning, naming = graph.semantics.meaning, graph.naming
    states = ActorGraph(plain.program, plain.naming)  # to compare states up to the numbers of futures
    state, shown = meaning.initial(), plain.initial()
    steps = []
    for before, after in itertools.pairwise(route):
        task, state = _step(graph, state, before, after)
        image = states.encoded(changed_state(state, naming.plain))
        named = plain.named(shown, Step(str(naming.plain(task.actor)), task.method))
        taken = next((each for each in named if states.encoded(state_of(each.state)) == image), None)
        if taken is None:
            raise Asymmetry(f"{naming.plain(task.actor)}.{task.method} leads elsewhere with other names")
        steps.append(taken.step)
        shown = taken.state
    return Path(tuple(steps))


def _step(graph: ActorGraph, state: ActorState, before: int, after: int) -> tuple[Task, ActorState]:
    """A step from an uncanonical state whose canonical form is `before` to one whose canonical form is `after`."""
    meaning = graph.semantics.meaning
    kinds = {_kind(graph.items.value(task)) for (task, _), reached in graph.labelled(before) if reached == after}
    cells = dict(state.cells)
    tasks = [task for task, _ in state.tasks if meaning.can_run(task) and _kind(task) in kinds]
    for task in sorted(tasks, key=stable_text):
        for result in meaning.results(cells, task):
            if result.ending is not Ending.BLOCKED:
                reached = meaning.after(state, task, result)
                if graph.encoded(reached) == after:
                    return task, reached
    raise AssertionError("a state that was found has no step to the next one; this is a defect of sdnloom")


def _kind(task: Task) -> tuple[str, object]:
    return task.method, task.suspension and task.suspension.positions
