"""Steps of tasks, each evaluated once for every combination of values that it reads.

For each task there is a trie: a node is a read, its branches are the values read, a leaf is an Evaluation. Which
location a step reads next depends only on what it has read before, so a walk down the trie evaluates nothing. Where the
trie ends, the step is looked up in its normal frame; the code of the program runs only if that is new, too.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sdnloom.actors.actor import ActorError
from sdnloom.actors.program import is_barrier
from sdnloom.actors.runtime.task_run import run_task
from sdnloom.actors.search.equivariance import Asymmetry
from sdnloom.actors.search.items import BY_DEFAULT, Items
from sdnloom.actors.search.normal_frame import NormalFrame
from sdnloom.actors.state import failed_task
from sdnloom.actors.task import Ending, Location, StepResult, Task
from sdnloom.actors.values import Stored
from sdnloom.engine.stop_points import interruptible

CONTROL_CHANNEL = (
    "@control"  # the field, which no program has, that stands for the order of a switch's control messages
)
BARRIER_SENT = -2  # what the sender of a barrier writes there; no location holds it

ReadValue = int | tuple[int, ...]  # an item, BY_DEFAULT, or for a query the items that it covers
Reader = Callable[[int], ReadValue]  # of a location
EvaluationCheck = Callable[[Task, list[StepResult], dict[Location, Stored]], None]


def unchecked(task: Task, results: list[StepResult], reads: dict[Location, Stored]) -> None:
    """No check."""


@dataclass(frozen=True, slots=True)
class StepEffect:
    """What one result of a step does to a state."""

    writes: tuple[tuple[int, int], ...]  # locations and the items that they hold afterwards
    sends: tuple[int, ...]  # tasks
    goes_on: int  # the suspended task, -1 if it has ended
    failure: int  # -1 if it has not failed
    result: Stored


@dataclass(slots=True, eq=False)
class Evaluation:
    """The next step of a task after it has read certain values: its effects, one for each combination of choices.

    Reads and writes are those of all results together. If the task is blocked, there are no effects.
    """

    number: int
    normal: int  # the number of the evaluation of which this is a renaming
    reads: tuple[tuple[int, ReadValue], ...]
    writes: tuple[tuple[int, int], ...]
    effects: tuple[StepEffect, ...]


@dataclass(frozen=True, slots=True)
class TaskSteps:
    """The distinct tasks of a state: those that can take a step, those whose condition does not hold, and the rest."""

    enabled: tuple[tuple[int, Evaluation], ...]
    blocked: tuple[tuple[int, Evaluation], ...]
    waiting: tuple[int, ...]

    def tasks(self) -> list[int]:
        """All of them, in that order."""
        return [*(task for task, _ in self.enabled), *(task for task, _ in self.blocked), *self.waiting]


class _Node:
    __slots__ = ("location", "next")

    def __init__(self, location: int) -> None:
        self.location = location
        self.next: dict[ReadValue, _Node | Evaluation] = {}


class StepMemo:
    """The evaluations that a search has made. `check` is called for each time that the code of a step has run."""

    def __init__(self, items: Items, check: EvaluationCheck = unchecked) -> None:
        self._items, self._check = items, check
        self._roots: dict[int, _Node | Evaluation] = {}
        self._normal_roots: dict[int, _Node | Evaluation] = {}  # the same in normal frames
        self._count = 0
        self.evaluations: dict[str, int] = {}  # actor -> how often its code ran

    def evaluation(self, task: int, read: Reader) -> Evaluation:
        """The next step of a task that can run."""
        node = self._roots.get(task)
        while type(node) is _Node:
            node = node.next.get(read(node.location))
        return self._new(task, read) if node is None else node  # type: ignore[return-value]

    def _new(self, task: int, read: Reader) -> Evaluation:
        """The evaluation for values that the task has not read before; maybe it has read renamed ones."""
        frame = NormalFrame(self._items)
        inside = frame.item_inside(task)
        outer: dict[int, ReadValue] = {}  # what was read, in the order of the reads
        inner: dict[int, ReadValue] = {}

        def read_inside(location: int) -> ReadValue:
            if location not in inner:
                at = frame.location_outside(location)
                value = outer[at] = read(at)
                inner[location] = frame.items_inside(value) if isinstance(value, tuple) else frame.item_inside(value)
            return inner[location]

        node = self._normal_roots.get(inside)
        while type(node) is _Node:
            node = node.next.get(read_inside(node.location))
        if node is None:
            node = self._evaluated(inside, read_inside)
        assert isinstance(node, Evaluation)
        found = node if frame.is_same else self._outside(node, frame, outer)
        self._keep(self._roots, task, list(outer.items()), found)
        return found

    def _evaluated(self, number: int, read: Reader) -> Evaluation:
        """Run the code of a step."""
        items, task = self._items, self._items.value(number)
        seen: dict[int, ReadValue] = {}
        stored: dict[Location, Stored] = {}

        def read_state(location: Location) -> Stored:
            at = items.locations.number(location)
            if at not in seen:
                seen[at] = read(at)
                stored[location] = self._stored(at, seen[at])
            return stored[location]

        program, naming = items.program, items.naming
        actor = program.display(naming, task.actor)
        self.evaluations[actor] = self.evaluations.get(actor, 0) + 1
        try:
            with interruptible(f"{task.method} of {actor}"):
                results = run_task(program, naming, task, read_state)
        except ActorError as error:
            if naming.groups:  # the names in its log may be the reason
                raise Asymmetry(f"{actor}.{task.method} cannot be run with other names") from error
            raise
        self._check(task, results, stored)
        effects = tuple(self._effect(task, result) for result in results if result.ending is not Ending.BLOCKED)
        reads = dict(seen)
        writes = [write for effect in effects for write in effect.writes]
        for result in results:
            for sent in result.sends:
                if is_barrier(sent):
                    writes.append((self._channel(sent), BARRIER_SENT))
                elif program.is_control(naming, sent):
                    reads[self._channel(sent)] = BY_DEFAULT
        number_of_it = self._next()
        found = Evaluation(number_of_it, number_of_it, tuple(reads.items()), tuple(dict.fromkeys(writes)), effects)
        self._keep(self._normal_roots, number, list(seen.items()), found)
        return found

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _outside(self, inside: Evaluation, frame: NormalFrame, outer: dict[int, ReadValue]) -> Evaluation:
        """An evaluation in a normal frame as the state has it."""
        reads = [(frame.location_outside(at), value) for at, value in inside.reads]
        return Evaluation(
            self._next(),
            inside.normal,
            tuple((at, outer.get(at, value)) for at, value in reads),
            _writes_outside(inside.writes, frame),
            tuple(
                StepEffect(
                    _writes_outside(effect.writes, frame),
                    tuple(map(frame.item_outside, effect.sends)),
                    frame.item_outside(effect.goes_on),
                    frame.item_outside(effect.failure),
                    frame.value_outside(effect.result),
                )
                for effect in inside.effects
            ),
        )

    def _keep(
        self, roots: dict[int, _Node | Evaluation], task: int, reads: list[tuple[int, ReadValue]], found: Evaluation
    ) -> None:
        """Add an evaluation to the trie of a task."""
        if not reads:
            roots[task] = found
            return
        node = roots.setdefault(task, _Node(reads[0][0]))
        for place, (location, value) in enumerate(reads):
            if not isinstance(node, _Node) or node.location != location:
                raise self._reads_otherwise(task)
            following = found if place + 1 == len(reads) else _Node(reads[place + 1][0])
            node = node.next.setdefault(value, following)

    def _reads_otherwise(self, task: int) -> Exception:
        """What is wrong if a step that has read the same reads another location than before."""
        value, naming = self._items.value(task), self._items.naming
        what = f"{naming.plain(value.actor)}.{value.method}"
        if naming.groups:
            return Asymmetry(f"{what} reads other fields with other names")
        return ActorError(
            f"{what} reads other fields when it runs again with the same values; expected a task that depends on its "
            "arguments and on fields of its actor alone"
        )

    def _channel(self, sent: Task) -> int:
        return self._items.locations.number(Location(sent.actor, CONTROL_CHANNEL))

    def _stored(self, location: int, value: ReadValue) -> Stored:
        if isinstance(value, tuple):
            cells = [self._items.value(each) for each in value]
            return tuple((at.key[0], each) for at, each in cells)
        if value == BY_DEFAULT:
            return self._items.locations.default(location)
        return self._items.value(value)[1]

    def _effect(self, task: Task, result: StepResult) -> StepEffect:
        items = self._items
        if result.ending is Ending.FAILED:
            return StepEffect((), (), -1, items.failure(failed_task(task, result.result)), None)
        writes = tuple((items.locations.number(at), items.cell(at, value)) for at, value in result.writes)
        sends = tuple(items.task(sent) for sent in result.sends)
        if result.ending is Ending.SUSPENDED:
            return StepEffect(writes, sends, items.task(task._replace(suspension=result.result)), -1, None)
        return StepEffect(writes, sends, -1, -1, result.result)


def _writes_outside(writes: tuple[tuple[int, int], ...], frame: NormalFrame) -> tuple[tuple[int, int], ...]:
    return tuple([(frame.location_outside(at), frame.item_outside(item)) for at, item in writes])
