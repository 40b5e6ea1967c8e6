"""The number of executions of a program, at four levels of independence.

none: every order of steps is an execution. actor: orders count as one if they differ by swaps of neighbouring steps
that touch different actors. entry: by swaps of steps that do not conflict: none writes a location that the other reads,
or writes with another value, and none is a cause of the other. context: also by swaps that lead to the same state where
they happen.

At every level each final state, and each report of a monitor, is that of some execution, and all orders that count as
one execution end in the same state. Tasks are told apart by who sent them: equal messages of two tasks are two
messages.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from sdnloom.actors.executions.enough_tasks import MOST_STATES, EnoughTasks, learned_sets
from sdnloom.actors.executions.named_semantics import NamedSemantics, named_state, step_identity
from sdnloom.actors.executions.step_cells import TaskFootprint
from sdnloom.actors.program import Program
from sdnloom.actors.search.options import ReductionLevel
from sdnloom.actors.semantics import state_of
from sdnloom.engine.executions.contexts import ContextCounter
from sdnloom.engine.executions.count import ExecutionCounter
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import STOPPING, Activity, Limits, SearchEvent
from sdnloom.engine.semantics import State, Transition
from sdnloom.engine.stop_points import LimitReached
from sdnloom.errors import SdnloomError

POINTS_FOR_EXECUTION = 20  # states that a count of at most so many executions may take, for each of them


@dataclass(frozen=True)
class ExecutionCount:
    """How many executions there are; at least so many if `incomplete` says why some may be missing.

    `violating` says in how many executions a property is violated, for those in which it is in some. Checks of every
    state are not among them. `final_states` are different states, without the names of tasks.
    """

    level: ReductionLevel
    count: int
    incomplete: str | None
    violating: Mapping[str, int]
    final_states: int
    points: int = field(compare=False)  # states that were stored, with what was known of the steps from there
    seconds: float = field(compare=False)

    @property
    def complete(self) -> bool:
        """Whether all executions are counted."""
        return self.incomplete is None


def count_executions(
    program: Program,
    level: ReductionLevel = "entry",
    limits: Limits | None = None,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
    reduced: bool = True,
) -> ExecutionCount:
    """Count the executions of a program. `watch` is that of the run that the count is part of, with its limits.

    A limit, Ctrl-C, or executions that need not end make the result incomplete. Unless `reduced`, every task is
    explored in every state, which is slower and shows the same.
    """
    if level not in get_args(ReductionLevel):
        raise SdnloomError(f"level is {level!r}; expected one of {', '.join(get_args(ReductionLevel))}")
    watch = watch or LimitWatch(limits or Limits())
    return ExecutionRun(program, level, watch, on_event or (lambda event: None), reduced=reduced).result()


class ExecutionRun:
    """One count; afterwards `counter` knows the executions.

    It ends early if there are more than `most`, or if it takes too many states to tell.
    """

    def __init__(
        self,
        program: Program,
        level: ReductionLevel,
        watch: LimitWatch,
        on_event: Callable[[SearchEvent], None],
        most: int | None = None,
        reduced: bool = True,
    ) -> None:
        self._level, self._watch, self._on_event, self._most = level, watch, on_event, most
        self._reduced = reduced
        self._began = watch.seconds
        self.semantics = NamedSemantics(program, level)
        self._tasks: EnoughTasks | None = None
        self.counter = self._counter()

    def _counter(self) -> ExecutionCounter | ContextCounter:
        semantics = self.semantics
        if self._level == "context":
            return ContextCounter(
                semantics,
                step_identity,
                self._watch,
                final_class=self._violated,
                essence=semantics.essence,
                pause=self._pause,
            )
        return ExecutionCounter(
            semantics,
            semantics.dependence,
            self._watch,
            final_class=self._violated,
            essence=semantics.essence,
            enough=self._enough,
            pause=self._pause,
        )

    def _enough(self, state: State, transitions: Sequence[Transition]) -> Sequence[Transition]:
        """The transitions that are enough to explore."""
        if self._tasks is None or len(transitions) < 2:
            return transitions
        steps: dict[int, list[TaskFootprint]] = {}
        for each in transitions:
            steps.setdefault(self.semantics.task_name(each), []).append(self.semantics.footprint(each))
        chosen = self._tasks.chosen(named_state(state), steps)
        return [each for each in transitions if self.semantics.task_name(each) in chosen]

    def _learn(self) -> None:
        if self._level == "entry" and self._reduced:
            states = MOST_STATES if self._most is None else self._most * POINTS_FOR_EXECUTION
            sets = learned_sets(self.semantics.plain.program, self._watch, states)
            self._tasks = None if sets is None else EnoughTasks(self.semantics.meaning, sets)

    def result(self) -> ExecutionCount:
        """Count, and return the result."""
        counter, reason = self.counter, None
        try:
            with self._watch.catching_interrupts(lambda: self._on_event(STOPPING)), self._watch.in_force():
                self._learn()
                counter.run()
        except LimitReached as reached:  # in a task that runs for long
            reason = reached.reason
        tally = counter.tally()
        if self._most is not None and tally.total() > self._most:
            reason = f"there are more than {self._most:,} at the level of {self._level}"
        violating: Counter[str] = Counter()
        for names, count in tally.items():
            violating.update(dict.fromkeys(names, count))  # type: ignore[call-overload]
        return ExecutionCount(
            self._level,
            tally.total(),
            reason or counter.incomplete,
            dict(sorted(violating.items())),
            len({self.semantics.without_names(state) for state in counter.final_states}),
            counter.points,
            self._watch.seconds - self._began,
        )

    def _violated(self, state: State) -> Hashable:
        """The properties that are violated in a final state."""
        plain = self.semantics.plain
        checked = [each.__name__ for each in plain.program.always]
        found = plain.findings_in(state_of(self.semantics.without_names(state)), is_final=True)
        return tuple(sorted({each.property for each in found if each.property not in checked}))

    def _pause(self) -> None:
        if self._most is not None:
            points = self._most * POINTS_FOR_EXECUTION
            if self.counter.points > points:
                raise LimitReached(f"to count them at the level of {self._level} takes more than {points:,} states")
            if self.counter.tally().total() > self._most:
                raise LimitReached("too many executions")
        if self._watch.progress_due():
            text = f"{self.counter.points:,} states, depth {self.counter.depth}"
            self._on_event(Activity("executions", text, self._watch.seconds - self._began))
