"""Definition 2 of SDN-Actors: control messages sent after a barrier wait for those that were sent before it.

The mailbox is followed along paths of random programs, message by message in the order of sends, and compared with
what the semantics lets run: nothing too early, and nothing held back that need not wait. Each message has a number.
"""

import inspect
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Program, is_barrier
from sdnloom.actors.task import Ending, StepResult, Task
from sdnloom.actors.values import Done
from tests.actors.comparison import searched
from tests.actors.exhaustive import CachedMeaning


class Box(Actor):
    """A switch: some control tasks wait for a packet before they are done, some send another control message."""

    opened: set[int] = set()  # noqa: RUF012
    control = frozenset({"order"})

    async def barrier(self) -> None:
        pass

    async def order(self, number: int) -> None:
        if number % 4 == 1:
            await self.until(lambda: bool(self.opened))
        if number % 4 == 2:
            self.later.order(number + 101)

    async def packet(self, number: int) -> None:
        self.opened.add(number)


class Sender(Actor):
    """Sends what its script says: o(rder), p(acket), b(arrier), w(ait for the last barrier), s(tep: let others run)."""

    script: str = ""
    first: int = 0
    boxes: tuple[Box, ...] = ()

    async def go(self) -> None:
        number, waited = self.first, None
        for letter in self.script:
            number += 1
            box = self.boxes[number % len(self.boxes)]
            match letter:
                case "o":
                    box.order(number)
                case "p":
                    box.packet(number)
                case "b":
                    waited = box.barrier()
                case "w" if waited is not None:
                    await waited
                case "s":
                    await self.later.nothing()

    async def nothing(self) -> None:
        pass


def random_senders(seed: int) -> Program:
    rng = random.Random(seed)
    boxes = tuple(Box(f"box{n}") for n in range(rng.randint(1, 2)))
    senders = tuple(
        Sender(f"sender{n}", script="".join(rng.choices("oopbbws", k=rng.randint(3, 6))), first=20 * n, boxes=boxes)
        for n in range(rng.randint(1, 3))
    )
    return Program((*boxes, *senders), tuple(sender.go() for sender in senders), deadlocks=False)


@dataclass
class Mailbox:
    """What was sent to a switch: (kind, number) in order, and which control messages are done."""

    sent: list[tuple[str, int]] = field(default_factory=list)
    done: set[int] = field(default_factory=set)

    def may_run(self, place: int) -> bool:
        """Whether every control message before a barrier before this place is done."""
        barriers = [n for n in range(place) if self.sent[n][0] == "barrier"]
        before = self.sent[: barriers[-1]] if barriers else []
        return all(number in self.done for kind, number in before if kind == "order")


class Follower:
    """Follows one path."""

    def __init__(self, program: Program) -> None:
        self.meaning = CachedMeaning(program)
        self.state = self.meaning.initial()
        self.boxes = {actor.name: Mailbox() for actor in program.actors if isinstance(actor, Box)}
        self.waits: dict[str, tuple[str, int]] = {}  # sender -> the last barrier that it sent: switch and place
        self.held_back = self.overtook = self.awaited = 0

    def step(self, task: Task, result: StepResult, after: Any) -> None:
        if task.actor in self.boxes and task.method == "order" and result.ending is Ending.RETURNED:
            self.boxes[task.actor].done.add(task.args[0])
        for sent in result.sends:
            if sent.actor in self.boxes:
                box = self.boxes[sent.actor]
                box.sent.append((sent.method, sent.args[0] if sent.args else -1))
                if is_barrier(sent):
                    self.waits[task.actor] = sent.actor, len(box.sent) - 1
        self.state = after

    def check(self) -> None:
        """Exactly the messages may run that Definition 2 lets run; a barrier is done exactly if all before it is."""
        for name, box in self.boxes.items():
            waiting = {task.args[0]: task for task, _ in self.state.tasks if _is_new(task, name)}
            for place, (kind, number) in enumerate(box.sent):
                if kind == "barrier" or number not in waiting:
                    continue
                expected = kind == "packet" or box.may_run(place)
                assert self.meaning.can_run(waiting[number]) == expected, (kind, number, box)
                self.held_back += not expected
                self.overtook += kind == "packet" and not box.may_run(place)
        for task, _ in self.state.tasks:
            if task.method == "go" and task.suspension is not None and self._awaits_barrier(task):
                box, place = self.boxes[self.waits[task.actor][0]], self.waits[task.actor][1]
                assert isinstance(task.suspension.awaits, Done) == box.may_run(place + 1)
                self.awaited += 1

    def _awaits_barrier(self, task: Task) -> bool:
        assert task.suspension is not None
        lines, first = inspect.getsourcelines(Sender.go)
        return "await waited" in lines[task.suspension.positions[-1].line - first]


def _is_new(task: Task, name: str) -> bool:
    return task.actor == name and task.suspension is None and not is_barrier(task)


def follow(program: Program, rng: random.Random) -> Follower:
    path = Follower(program)
    path.check()
    while steps := sorted(
        path.meaning.steps(path.state), key=lambda step: (step[0].actor, step[0].method, step[0].args)
    ):
        path.step(*rng.choice(steps))
        path.check()
    return path


def test_messages_wait_for_barriers_as_definition_2_says_and_no_longer() -> None:
    paths = [follow(random_senders(seed), random.Random(path)) for seed in range(14) for path in range(3)]
    assert sum(path.held_back for path in paths) > 100
    assert sum(path.overtook for path in paths) > 10
    assert sum(path.awaited for path in paths) > 20


def post_at_once(self: Any, tasks: Any, task: Task) -> None:
    tasks[task] += 1


def post_all_behind(self: Any, tasks: Any, task: Task) -> None:
    barriers = [each.segment for each in tasks if each.actor == task.actor and is_barrier(each)]
    tasks[task._replace(segment=max(barriers, default=-1) + 1)] += 1


@pytest.mark.parametrize("post", [post_at_once, post_all_behind])
def test_other_rules_are_noticed(post: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CachedMeaning, "post", post)
    with pytest.raises(AssertionError):
        [follow(random_senders(seed), random.Random(0)) for seed in range(30)]


class Order(Actor):
    boxes: tuple[Box, ...] = ()

    async def go(self) -> None:
        (box,) = self.boxes
        box.order(4)
        first = box.barrier()
        box.order(8)
        second = box.barrier()
        await second
        await first


@pytest.mark.parametrize("level", ["none", "context"])
def test_two_barriers_of_one_task_leave_one_order(level: str) -> None:
    box = Box("box")
    found = searched(Program((box, order := Order("o", boxes=(box,))), (order.go(),)), level, False)
    assert (found.states, found.transitions, len(found.finals)) == (6, 5, 1)


def test_a_barrier_with_nothing_before_it_is_done_at_once() -> None:
    class Asks(Actor):
        box: Box

        async def go(self) -> None:
            await self.box.barrier()

    box = Box("box")
    program = Program((box, asks := Asks("a", box=box)), (asks.go(),))
    meaning = CachedMeaning(program)
    ((_, _, after),) = meaning.steps(meaning.initial())
    ((task, count),) = after.tasks
    assert task.suspension is not None
    assert (task.suspension.awaits, count) == (Done(None), 1)


def test_a_control_task_that_awaits_its_own_barrier_waits_for_ever() -> None:
    class Stuck(Box):
        control = frozenset({"order", "stuck"})

        async def stuck(self) -> None:
            await self.later.barrier()

    box = Stuck("box")
    meaning = CachedMeaning(Program((box,), (box.stuck(),)))
    ((_, _, after),) = meaning.steps(meaning.initial())
    assert meaning.steps(after) == []
    assert len(after.tasks) == 2


def test_a_control_task_that_fails_lets_the_barrier_pass() -> None:
    class Fails(Box):
        control = frozenset({"order", "fail"})

        async def fail(self) -> None:
            raise ValueError

        async def go(self) -> None:
            self.later.fail()
            await self.later.barrier()
            self.opened.add(1)

    box = Fails("box")
    meaning = CachedMeaning(Program((box,), (box.go(),)))
    state = meaning.initial()
    for _ in range(3):
        ((_, _, state),) = meaning.steps(state)
    assert (len(state.cells), len(state.tasks), len(state.failures)) == (1, 0, 1)
