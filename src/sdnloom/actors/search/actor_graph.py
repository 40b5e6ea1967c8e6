"""The state space of a program of actors as the engine's Graph. States are numbers of canonical states."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sdnloom.actors.program import Naming, Program
from sdnloom.actors.search.canonical_form import CanonicalForm
from sdnloom.actors.search.equivariance import Asymmetry, changed_state
from sdnloom.actors.search.items import Items
from sdnloom.actors.search.locations import Locations
from sdnloom.actors.search.options import ReductionLevel
from sdnloom.actors.search.renamings import Renamings, orbit
from sdnloom.actors.search.step_memo import (
    Evaluation,
    EvaluationCheck,
    Reader,
    ReadValue,
    StepMemo,
    TaskSteps,
    unchecked,
)
from sdnloom.actors.search.stubborn_sets import StubbornTasks
from sdnloom.actors.search.successor import Cells, Successor
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.state import ActorState
from sdnloom.engine.graph import Graph
from sdnloom.engine.semantics import Finding
from sdnloom.engine.stable_text import stable_text
from sdnloom.engine.stop_points import check_limits

_MOST_IMAGES = 1_000  # of one state under renamings; if there are more, a sample is checked


class ActorGraph(Graph[int]):
    """Every step of every task. `check` is called for each new evaluation of a step."""

    def __init__(
        self,
        program: Program,
        naming: Naming,
        reduction: ReductionLevel = "none",
        check: EvaluationCheck = unchecked,
    ) -> None:
        self.program, self.naming = program, naming
        self.locations = Locations(program, naming)
        self.items = Items(program, naming, self.locations)
        self.form = CanonicalForm(self.items)
        self.memo = StepMemo(self.items, check)
        self._successor = Successor(self.items, self.form)
        self.semantics = ActorSemantics(program, naming)
        self._plain, self.renamings = ActorSemantics(program), Renamings(naming)
        self._states: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._findings: dict[int, tuple[Finding, ...]] = {}  # so that a second round makes no check again
        self._latest: tuple[int, Cells] = (-1, {})  # the state whose cells were asked for last
        self._steps: list[TaskSteps | None] = []
        self._pairs: dict[int, tuple[int, Evaluation]] = {}  # one object for all states: there are many of them
        self.pause: Callable[[], None] = check_limits  # called between steps
        self.sets = None if reduction == "none" else StubbornTasks(self.items, reduction)
        self.cycle_proviso = self.sets is not None
        self._chosen: dict[int, tuple[int, tuple[int, ...]]] = {}  # with the version of the summaries
        self._after: dict[int, tuple[int, ...]] = {}  # state and task -> the states after the task's step

    # States.

    def number(self, state: tuple[int, ...]) -> int:
        """The number of a canonical state."""
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self._states)
            self._states.append(state)
            self._steps.append(None)
        return number

    def encoded(self, state: ActorState) -> int:
        """The number of the canonical form of a state on values."""
        items = [self.items.cell(at, value) for at, value in state.cells]
        for task, count in state.tasks:
            items += [self.items.task(task)] * count
        items += [self.items.failure(failed) for failed in state.failures]
        return self.number(self._successor.settled(items))

    def state(self, number: int) -> ActorState:
        """The state of that number, on values."""
        return self._values(self._states[number])

    def _values(self, state: tuple[int, ...]) -> ActorState:
        cells, tasks, failures = [], Counter[Any](), []
        for item in state:
            value = self.items.value(item)
            if self.items.location[item] >= 0:
                cells.append(value)
            elif self.items.actor[item] is not None:
                tasks[value] += 1
            else:
                failures.append(value)
        return ActorState(frozenset(cells), frozenset(tasks.items()), frozenset(failures))

    def _cells(self, number: int) -> Cells:
        if number != self._latest[0]:
            location = self.items.location
            cells = {location[item]: item for item in self._states[number] if location[item] >= 0}
            self._latest = number, cells
        return self._latest[1]

    def _reader(self, cells: Cells) -> Reader:
        """What a location, or a query, holds."""
        is_query, field, covers = self.locations.is_query, self.locations.field, self.locations.covers

        def read(location: int) -> ReadValue:
            if not is_query[location]:
                return cells.get(location, -1)
            wanted = field[location]
            return tuple([item for at, item in cells.items() if field[at] == wanted and covers(location, at)])

        return read

    def steps(self, number: int) -> TaskSteps:
        """The tasks of a state and what they can do."""
        found = self._steps[number]
        if found is None:
            self.pause()
            read = self._reader(self._cells(number))
            actor, template = self.items.actor, self.items.template
            enabled: list[tuple[int, Evaluation]] = []
            blocked: list[tuple[int, Evaluation]] = []
            waiting: list[int] = []
            for task in dict.fromkeys(self._states[number]):
                if actor[task] is None:
                    continue
                if not template[task].can_run:
                    waiting.append(task)
                    continue
                evaluation = self.memo.evaluation(task, read)
                step = self._pairs.setdefault(evaluation.number, (task, evaluation))
                (enabled if evaluation.effects else blocked).append(step)
            if self.sets is not None:
                for task, evaluation in (*enabled, *blocked):
                    self.sets.summaries.learn(task, evaluation)
            found = self._steps[number] = TaskSteps(tuple(enabled), tuple(blocked), tuple(waiting))
        return found

    # The graph.

    def initial(self) -> Sequence[int]:
        """The initial state."""
        state = self.semantics.meaning.initial()
        for part in sorted([*state.cells, *(task for task, _ in state.tasks)], key=stable_text):
            self.items.of_value(part)  # so that items have the same numbers under every hash seed
        return [self.encoded(state)]

    def after(self, number: int, task: int, evaluation: Evaluation) -> tuple[int, ...]:
        """The states after a task's next step, one for each of its effects."""
        key = number << 32 | task
        found = self._after.get(key)
        if found is None:
            check_limits()
            state, cells = self._states[number], self._cells(number)
            found = self._after[key] = tuple(
                [self.number(self._successor.of(state, cells, task, effect)) for effect in evaluation.effects]
            )
        return found

    def chosen(self, state: int) -> Sequence[int]:
        """The places of the enabled tasks that are to be explored."""
        steps = self.steps(state)
        if self.sets is None or len(steps.enabled) < 2:
            return range(len(steps.enabled))
        version, found = self._chosen.get(state, (-1, ()))
        if version < self.sets.version_of(steps):
            found = self.sets.chosen(steps, self._cells(state))
            self._chosen[state] = self.sets.summaries.version, found
        return found

    def successors(self, state: int) -> Sequence[int]:
        """The states after each step that is to be explored."""
        enabled = self.steps(state).enabled
        return [after for place in self.chosen(state) for after in self.after(state, *enabled[place])]

    def is_reduced(self, state: int) -> bool:
        """Whether some task is not to be explored."""
        return len(self.chosen(state)) < len(self.steps(state).enabled)

    def remainder(self, state: int) -> Sequence[int]:
        """The states after the steps of the other tasks."""
        chosen, enabled = set(self.chosen(state)), self.steps(state).enabled
        return [
            after for place, step in enumerate(enabled) if place not in chosen for after in self.after(state, *step)
        ]

    def labelled(self, state: int) -> Sequence[tuple[Any, int]]:
        """Each step as (task, place of the effect) with the state after it."""
        return [
            ((task, place), after)
            for task, evaluation in self.steps(state).enabled
            for place, after in enumerate(self.after(state, task, evaluation))
        ]

    def is_final(self, state: int) -> bool:
        """Whether no task can take a step."""
        return not self.steps(state).enabled

    def findings(self, state: int) -> Sequence[Finding]:
        """What is wrong in the state. Individuals in texts are those of the canonical state."""
        final = self.is_final(state)
        if not (final or self.program.always or not self.items.findings.isdisjoint(self._states[state])):
            return ()
        if state not in self._findings:
            found = self.semantics.findings_in(self.state(state), final)
            if self.naming.groups and (self.program.always or (final and self.program.final)):
                self._check_findings(state, final, found)
            self._findings[state] = found
        return self._findings[state]

    def _check_findings(self, state: int, final: bool, found: Sequence[Finding]) -> None:
        """Raise Asymmetry if the checks of the program find something else with other names."""
        expected = {finding.property for finding in found}
        for plain in self._images(state):
            names = {finding.property for finding in self._plain.findings_in(plain, final)}
            if names != expected:
                name = min(names ^ expected)
                raise Asymmetry(f"{name} does not treat interchangeable actors alike")

    def _images(self, number: int) -> Iterator[ActorState]:
        """The states, with plain values, that differ from a state by a renaming; a sample if they are too many."""
        individual = self.items.of_member
        moves = []
        for exchange in self.renamings.exchanges():
            partner = {individual(*one): individual(*other) for one, other in exchange.items()}
            moves.append(partial(self._exchanged, partner))
        images = orbit(self._states[number], moves, _MOST_IMAGES)
        if images is not None:
            return (changed_state(self._values(each), self.naming.plain) for each in images)
        state = self.state(number)
        return (changed_state(state, change) for change in self.renamings.sample())

    def _exchanged(self, partner: Mapping[int, int], state: tuple[int, ...]) -> tuple[int, ...]:
        individuals, items = self.items.individuals, []
        for item in state:
            inside = individuals[item]
            changed = tuple([partner.get(each, each) for each in inside])
            items.append(item if changed == inside else self.items.renamed(item, changed))
        return tuple(sorted(items))
