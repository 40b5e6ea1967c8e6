"""The tree of executions of a small program: what can run at each point, and where conflicting steps are reordered.

Each leaf is one execution. A task has one number everywhere. Steps after which there is nothing new to see, no new task
and no branch, are drawn as one edge together with the step before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.actors.executions.count import ExecutionRun
from sdnloom.actors.executions.named_semantics import NamedSemantics, named_state
from sdnloom.actors.executions.named_state import NamedTask
from sdnloom.actors.program import Program
from sdnloom.actors.search.options import ReductionLevel
from sdnloom.actors.semantics import state_of
from sdnloom.actors.step_words import ArgumentText
from sdnloom.engine.executions.count import ExecutionCounter, SleepMove, SleepPoint
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits, SearchEvent
from sdnloom.engine.semantics import Finding, State, Transition
from sdnloom.errors import SdnloomError

MOST_EXECUTIONS = 200  # that a tree may have


@dataclass(frozen=True)
class TreeTask:
    """A task of the tree, with its number."""

    number: int
    actor: str
    method: str
    arguments: ArgumentText


@dataclass(frozen=True)
class WaitingTask:
    """A task in the mailboxes of a state; `is_new` if no state before has it."""

    number: int
    is_new: bool
    can_run: bool
    conflicts: bool  # with another task that can run now


@dataclass(frozen=True)
class TreeStep:
    """A step of an edge: the number of its task, and what it chose, as a text."""

    number: int
    choice: str


@dataclass(frozen=True)
class TreeBranch:
    """An edge of the tree: its steps, and the place of the node that it leads to."""

    steps: tuple[TreeStep, ...]
    to: int


@dataclass(frozen=True)
class ExecutionNode:
    """A state of the tree. A node without branches is the end of an execution.

    `events` are those of the steps of the edge that leads here.
    """

    tasks: tuple[WaitingTask, ...]
    branches: tuple[TreeBranch, ...] = ()
    events: tuple[Any, ...] = ()
    findings: tuple[Finding, ...] = ()  # at the end of an execution


@dataclass(frozen=True)
class ExecutionTree:
    """The tree; the first node is its root."""

    program: Program
    level: ReductionLevel
    tasks: tuple[TreeTask, ...]  # the one with number n is at place n - 1
    nodes: tuple[ExecutionNode, ...]

    @property
    def executions(self) -> int:
        """How many leaves it has."""
        return sum(not node.branches for node in self.nodes)


def execution_tree(
    program: Program,
    level: ReductionLevel = "entry",
    limits: Limits | None = None,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
    most: int = MOST_EXECUTIONS,
) -> ExecutionTree:
    """The tree of the program's executions, at the level `entry` where `context` is asked for.

    Raises SdnloomError if there are more than `most` executions, or if not all of them are found.
    """
    level = "entry" if level == "context" else level
    run = ExecutionRun(program, level, watch or LimitWatch(limits or Limits()), on_event or (lambda event: None), most)
    found = run.result()
    if found.incomplete is not None:
        raise SdnloomError(f"no tree of executions: {found.incomplete}")
    assert isinstance(run.counter, ExecutionCounter)
    return _Builder(program, level, run.semantics, run.counter).tree()


class _Open(NamedTuple):
    """A node to be built: its point, the tasks seen before, and the edge that leads to it."""

    place: int
    point: SleepPoint
    seen: frozenset[int]
    events: tuple[Any, ...] = ()


class _Builder:
    def __init__(
        self, program: Program, level: ReductionLevel, semantics: NamedSemantics, counter: ExecutionCounter
    ) -> None:
        self._program, self._level, self._semantics, self._counter = program, level, semantics, counter
        self._numbers: dict[Any, int] = {}
        self._tasks: list[TreeTask] = []
        self._nodes: list[ExecutionNode | None] = []

    def tree(self) -> ExecutionTree:
        """The whole tree, nodes before what they lead to."""
        pending = [_Open(self._place(), self._counter.initial, frozenset())]
        while pending:
            pending += reversed(self._built(pending.pop()))
        nodes = tuple(node for node in self._nodes if node is not None)
        return ExecutionTree(self._program, self._level, tuple(self._tasks), nodes)

    def _place(self) -> int:
        self._nodes.append(None)
        return len(self._nodes) - 1

    def _built(self, opened: _Open) -> list[_Open]:
        """Build a node; return those that it leads to."""
        place, point, seen, events = opened
        tasks = self._waiting(point.state, seen)
        seen |= {each.number for each in tasks}
        branches, following = [], []
        for move in self._moves(point):
            steps, reached, happened = self._edge(point.state, move, seen)
            branches.append(TreeBranch(steps, self._place()))
            following.append(_Open(branches[-1].to, reached, seen, happened))
        findings = () if branches else self._findings(point.state)
        self._nodes[place] = ExecutionNode(tasks, tuple(branches), events, findings)
        return following

    def _moves(self, point: SleepPoint) -> list[SleepMove]:
        return [move for move in self._counter.moves(point) if self._counter.executions_from(move.to)]

    def _edge(
        self, state: State, move: SleepMove, seen: frozenset[int]
    ) -> tuple[tuple[TreeStep, ...], SleepPoint, tuple[Any, ...]]:
        """The steps of an edge, the point that it leads to, and the events on the way."""
        steps, events = [self._step(state, move.transition)], [*self._events(move.transition)]
        while True:
            point = move.to
            moves = self._moves(point)
            if len(moves) != 1 or any(each.is_new for each in self._waiting(point.state, seen)):
                return tuple(steps), point, tuple(events)
            move = moves[0]
            steps.append(self._step(point.state, move.transition))
            events += self._events(move.transition)

    def _events(self, transition: Transition) -> list[Any]:
        return [self._semantics.plain.shown_event(event) for event in transition.events]

    def _step(self, state: State, transition: Transition) -> TreeStep:
        name = self._semantics.task_name(transition)
        task = next(each for each in named_state(state).tasks if each.name == name)
        chosen = [part for part in transition.step.choice.split("; ") if part.startswith("chose ")]
        return TreeStep(self._number(task), ", ".join(part.removeprefix("chose ") for part in chosen))

    def _waiting(self, state: State, seen: frozenset[int]) -> tuple[WaitingTask, ...]:
        """The tasks of a state, in the order of their numbers."""
        transitions = self._semantics.transitions(state)
        names = [self._semantics.task_name(each) for each in transitions]
        dependence = self._semantics.dependence
        footprints = [dependence.done(each) for each in transitions]
        conflicting = {
            name
            for name, one in zip(names, footprints, strict=True)
            for other_name, other in zip(names, footprints, strict=True)
            if name != other_name and dependence.conflict(one, other)
        }
        found = []
        for each in sorted(named_state(state).tasks, key=lambda each: each.name):
            number = self._number(each)
            found.append(WaitingTask(number, number not in seen, each.name in names, each.name in conflicting))
        return tuple(sorted(found, key=lambda each: each.number))

    def _number(self, one: NamedTask) -> int:
        arguments = self._semantics.plain.arguments(one.task)
        key = one.name, one.task.method, arguments.text
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers) + 1
            self._tasks.append(TreeTask(self._numbers[key], str(one.task.actor), one.task.method, arguments))
        return self._numbers[key]

    def _findings(self, state: State) -> tuple[Finding, ...]:
        plain = self._semantics.plain
        return plain.findings_in(state_of(self._semantics.without_names(state)), is_final=True)
