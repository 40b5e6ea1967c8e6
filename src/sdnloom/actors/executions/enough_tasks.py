"""Which tasks of a state are enough to explore when executions are counted at the level of entries.

The stubborn sets of the search, on states with named tasks. They are persistent for the dependence of `step_cells`: as
long as no task of the set runs, no step conflicts with the next one of a task of the set. So every execution has, up to
swaps of steps that do not conflict, a first step in the set, and with sleep sets still exactly one order of each is
counted.

A search without symmetry learns what tasks may do, until nothing new is learned; by its law (search/stubborn_sets.py)
that covers every step of every execution, if the graph of states that it explores has no cycle. If there is one, the
count finds it and is refused. If there are too many states to learn from, all tasks are explored.
"""

from sdnloom.actors.executions.named_state import NamedMeaning, NamedState, NamedTask, only_names, without_name
from sdnloom.actors.executions.step_cells import BarrierCell, TaskFootprint, is_exact
from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.step_memo import BARRIER_SENT, CONTROL_CHANNEL, Evaluation
from sdnloom.actors.search.stubborn_sets import StubbornTasks
from sdnloom.actors.search.summaries import Summary
from sdnloom.actors.task import Location, StepResult, Task
from sdnloom.actors.values import Future
from sdnloom.engine.limits import LimitWatch

MOST_STATES = 30_000  # that a search learns from
_SHARE = 0.3  # of the time left


def learned_sets(program: Program, watch: LimitWatch, most: int = MOST_STATES) -> StubbornTasks | None:
    """What tasks may do, None if there are too many states to find out."""
    graph = ActorGraph(program, PLAIN, "entry")
    assert graph.sets is not None
    least = watch.left * (1 - _SHARE)
    while True:
        version = graph.sets.summaries.version
        found = set(graph.initial())
        pending = list(found)
        while pending:
            fresh = [each for each in graph.successors(pending.pop()) if each not in found]
            found.update(fresh)
            pending += dict.fromkeys(fresh)
            if len(found) > most or watch.left < least or watch.reason_to_stop() is not None:
                return None
        if graph.sets.summaries.version == version:
            return graph.sets


class EnoughTasks:
    """Chooses the tasks to explore in a state."""

    def __init__(self, meaning: NamedMeaning, sets: StubbornTasks) -> None:
        self._meaning, self._sets = meaning, sets
        self._items: dict[Task, int] = {}
        self._evaluations: dict[TaskFootprint, Evaluation] = {}
        self._conflicts: dict[tuple[TaskFootprint, int], bool] = {}
        self._conditions: dict[frozenset[Location], TaskFootprint] = {}

    def chosen(self, state: NamedState, enabled: dict[int, list[TaskFootprint]]) -> frozenset[int]:
        """The names of the tasks to explore; `enabled` has the footprints of the steps that each task can take."""
        if len(enabled) < 2:
            return frozenset(enabled)
        tasks = {each.name: each for each in state.tasks}
        summaries = {name: self._summary(each.task) for name, each in tasks.items()}
        best = frozenset(enabled)
        for start in sorted(enabled):
            inside, pending = {start}, [start]
            while pending and len(inside & enabled.keys()) < len(best):
                added = self._needed(state, tasks[pending.pop()], enabled, summaries) - inside
                inside |= added
                pending += sorted(added)
            if not pending and len(inside & enabled.keys()) < len(best):
                best = frozenset(inside & enabled.keys())
                if len(best) == 1:
                    break
        return best

    def _needed(
        self,
        state: NamedState,
        one: NamedTask,
        enabled: dict[int, list[TaskFootprint]],
        summaries: dict[int, Summary],
    ) -> set[int]:
        """The tasks that must be in a set with this one."""
        if one.name in enabled:
            steps = enabled[one.name]
        else:
            awaits = one.task.suspension.awaits if one.task.suspension is not None else None
            waits_for = self._meaning.waits_for(awaits.number) if isinstance(awaits, Future) else one.behind
            before = sorted(waits_for & summaries.keys())
            if before or isinstance(awaits, Future):
                return set(before[:1])  # without it, this one cannot go on; none: it never can
            steps = [self._evaluated(each) for each in self._meaning.results(state, one.task)]
        return {
            name
            for name, summary in summaries.items()
            if name != one.name and any(self._conflict(step, summary) for step in steps)
        }

    def _evaluated(self, blocked: StepResult) -> TaskFootprint:
        """The footprint of a condition that does not hold."""
        reads = frozenset(at.substituted(only_names) for at, _ in blocked.reads)
        if reads not in self._conditions:
            self._conditions[reads] = TaskFootprint(None, reads, frozenset())
        return self._conditions[reads]

    def _summary(self, task: Task) -> Summary:
        item = self._items.get(task)
        if item is None:
            item = self._items[task] = self._sets.items.task(task.substituted(without_name))
        return self._sets.summaries.of(item)

    def _conflict(self, step: TaskFootprint, summary: Summary) -> bool:
        key = step, summary.number
        if key not in self._conflicts:
            if step not in self._evaluations:
                self._evaluations[step] = self._evaluation(step)
            self._conflicts[key] = self._sets.conflict(self._evaluations[step], summary)
        return self._conflicts[key]

    def _evaluation(self, step: TaskFootprint) -> Evaluation:
        """The step as the search knows it; of what it reads, values do not matter at this level."""
        items, number = self._sets.items, self._sets.items.locations.number
        reads = [(number(at), -1 if is_exact(at) else ()) for at in step.locations_read]
        writes = [(number(at), items.cell(at, value)) for at, value in step.writes.items() if isinstance(at, Location)]
        reads += [(number(_channel(at)), -1) for at in step.reads if isinstance(at, BarrierCell)]
        writes += [(number(_channel(at)), BARRIER_SENT) for at in step.writes if isinstance(at, BarrierCell)]
        return Evaluation(-1, -1, tuple(reads), tuple(writes), ())


def _channel(cell: BarrierCell) -> Location:
    return Location(cell.of, CONTROL_CHANNEL)
