"""From canonical states that a search found to a path on the plain semantics.

The states of a search are canonical: from one to the next, individuals may change their names. The path is followed
with uncanonical states. If symmetry was used, those have symbols; the plain semantics is followed beside them.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence

from sdnloom.actors.program import Naming, Program
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.equivariance import Asymmetry, changed_state
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.state import ActorState, Meaning
from sdnloom.actors.task import Ending, Location, StepResult, Task
from sdnloom.actors.values import Stored
from sdnloom.engine.model import Step
from sdnloom.engine.path import Path
from sdnloom.engine.semantics import Finding, State, Transition
from sdnloom.engine.stable_text import stable_text


class RecordedMeaning(Meaning):
    """What tasks do, with a memo: a task that reads what it has read before is not run again."""

    def __init__(self, program: Program, naming: Naming) -> None:
        super().__init__(program, naming)
        self._known: dict[Task, list[tuple[dict[Location, Stored], list[StepResult]]]] = {}

    def results(self, cells: Mapping[Location, Stored], task: Task) -> list[StepResult]:
        """Every result of a task's next step."""
        known = self._known.setdefault(task, [])
        for reads, results in known:
            if all(self.value(cells, at) == value for at, value in reads.items()):
                return results
        results = super().results(cells, task)
        known.append((dict(read for result in results for read in result.reads), results))
        return results


class RecordedSemantics(ActorSemantics):
    """The semantics with memos, for paths that are replayed again and again."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.meaning = RecordedMeaning(program, self.naming)
        self._initial = super().initial()
        self._named: dict[tuple[State, str, str], list[Transition]] = {}
        self._found: dict[State, tuple[Finding, ...]] = {}

    def initial(self) -> State:
        """The state before any step."""
        return self._initial

    def named(self, state: State, step: Step) -> Iterator[Transition]:
        """The transitions by the tasks that the step names."""
        key = state, step.component, step.action
        if key not in self._named:
            self._named[key] = list(super().named(state, step))
        return iter(self._named[key])

    def findings(self, state: State) -> tuple[Finding, ...]:
        """What is wrong in the state."""
        if state not in self._found:
            self._found[state] = super().findings(state)
        return self._found[state]


class PathFinder:
    """Finds paths of the plain semantics along states of a graph."""

    def __init__(self, graph: ActorGraph, plain: RecordedSemantics) -> None:
        self._graph, self._plain = graph, plain
        self._meaning = RecordedMeaning(graph.program, graph.naming)
        self._states = ActorGraph(plain.program, plain.naming)  # to compare states up to the numbers of futures

    def along(self, route: Sequence[int]) -> Path:
        """A path that visits these canonical states one after the other. Raises Asymmetry if there is none."""
        state, shown = self._meaning.initial(), self._plain.initial()
        naming, states, steps = self._graph.naming, self._states, []
        for before, after in itertools.pairwise(route):
            task, state = self._step(state, before, after)
            image = states.encoded(changed_state(state, naming.plain))
            named = self._plain.named(shown, Step(str(naming.plain(task.actor)), task.method))
            taken = next((each for each in named if states.encoded(state_of(each.state)) == image), None)
            if taken is None:
                raise Asymmetry(f"{naming.plain(task.actor)}.{task.method} leads elsewhere with other names")
            steps.append(taken.step)
            shown = taken.state
        return Path(tuple(steps))

    def _step(self, state: ActorState, before: int, after: int) -> tuple[Task, ActorState]:
        """A step from an uncanonical state whose canonical form is `before` to one whose canonical form is `after`."""
        graph, meaning = self._graph, self._meaning
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
