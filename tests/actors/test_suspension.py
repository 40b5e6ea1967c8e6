"""The identity of suspended tasks over the forms of Python: equal identity means equal behaviour from there on.

Each form is a task that is run along random values of fields. Two tables are kept: what each identity does next for
given reads, and which identity a history leads to.
"""

import asyncio
import functools
import itertools
import operator
import random
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from typing import Any

import pytest

from sdnloom.actors.actor import Actor, ActorError
from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.runtime import suspension
from sdnloom.actors.runtime.task_run import run_task
from sdnloom.actors.task import Ending, Location, StepResult, Task
from sdnloom.actors.values import Done, Future, substitute


@dataclass(frozen=True)
class Point:
    x: int
    y: int


class Plain:
    """An object that cannot be frozen."""

    def __init__(self, value: int) -> None:
        self.value = value


class Log(list):  # type: ignore[type-arg]
    """A list with more than its elements."""


class Forms(Actor):
    """Tasks in many forms. `self.answer()` is a message whose result, 0 or 1, the test gives."""

    x: int = 0
    y: int = 0
    out: tuple[Any, ...] = ()
    d: dict[Any, Any] = {}  # noqa: RUF012

    async def answer(self) -> int:
        return 0

    async def for_loop(self) -> None:
        total = 0
        for i in range(3):
            total += await self.later.answer() * i
        self.out = (total,)

    async def while_loop(self) -> None:
        while self.x == 0:
            await self.later.answer()
        self.out = (1,)

    async def nested_loops(self) -> None:
        got = []
        for i, c in enumerate("ab"):
            for j in (1, 2):
                got.append((i, c, j + await self.later.answer()))  # noqa: PERF401
        self.out = tuple(got)

    async def finally_block(self) -> None:
        got = []
        try:
            got.append(await self.later.answer())
            if self.x:
                raise ValueError(self.y)
            await self.until(lambda: self.x == 1)
        except ValueError as error:
            got.append(await self.later.answer() + error.args[0])
        finally:
            got.append(await self.later.answer())
        self.out = tuple(got)

    async def error_with_attributes(self) -> None:
        error = ValueError("same")
        error.code = self.x  # type: ignore[attr-defined]
        error.__cause__ = KeyError(self.y)
        await self.later.answer()
        self.out = (error.code, error.__cause__.args)  # type: ignore[attr-defined]

    async def handled_error(self) -> None:
        try:
            raise KeyError(self.x)
        except KeyError:
            await self.later.answer()
            try:
                raise
            except KeyError as error:
                self.out = error.args

    async def context(self) -> None:
        class Manager:
            def __init__(self, actor: "Forms", value: int) -> None:
                self.actor, self.value = actor, value

            async def __aenter__(self) -> int:
                return await self.actor.later.answer() + self.value

            async def __aexit__(self, *error: object) -> None:
                self.actor.out = (*self.actor.out, self.value)

        async with Manager(self, self.x) as entered:
            self.out = (entered, await self.later.answer())

    async def suppressing(self) -> None:
        from contextlib import suppress

        with suppress(KeyError):
            await self.later.answer()
            raise KeyError(self.x)
        self.out = (5,)

    async def async_generator(self) -> None:
        async def numbers(base: int) -> Any:
            for i in range(2):
                yield base + await self.later.answer() + i

        self.out = tuple([n async for n in numbers(self.x)])

    async def comprehension(self) -> None:
        self.out = tuple([await self.later.answer() + k for k in (self.x, 5) if k >= 0])

    async def generator(self) -> None:
        numbers = (n * 10 for n in (self.x, self.y, 7))
        first = next(numbers)
        await self.later.answer()
        self.out = (first, *numbers)

    async def two_generators(self) -> None:
        numbers = (1 for _ in range(2)) if self.x else (2 for _ in range(2))
        await self.later.answer()
        self.out = tuple(numbers)

    async def two_lambdas(self) -> None:
        function = (lambda: 1) if self.x else (lambda: 2)
        await self.later.answer()
        self.out = (function(),)

    async def keyword_default(self) -> None:
        value = self.x
        function = lambda *, k=value: k  # noqa: E731
        value = 0
        await self.later.answer()
        self.out = (function(), value)

    async def default(self) -> None:
        value = self.x
        function = lambda k=value: k  # noqa: E731
        value = 0
        await self.later.answer()
        self.out = (function(), value)

    async def function_attribute(self) -> None:
        def function() -> int:
            return function.value  # type: ignore[attr-defined,no-any-return]

        function.value = self.x  # type: ignore[attr-defined]
        await self.later.answer()
        self.out = (function(),)

    async def closure(self) -> None:
        count = self.x

        def increase() -> None:
            nonlocal count
            count += 1

        increase()
        await self.later.answer()
        increase()
        self.out = (count,)

    async def walrus(self) -> None:
        if (value := self.x) and (await self.later.answer()) == value:
            self.out = (value,)

    async def match_statement(self) -> None:
        match (self.x, self.y):
            case (0, other):
                await self.later.answer()
                self.out = ("zero", other)
            case (one, 1):
                await self.later.answer()
                self.out = (one,)
            case both:
                await self.later.answer()
                self.out = both

    async def helper(self, depth: int) -> int:
        if depth == 0:
            return self.x
        found = await self.later.answer()
        return found + await self.helper(depth - 1)

    async def awaits_later(self) -> None:
        found = self.helper(1)
        await self.later.answer()
        self.out = (await found,)

    async def recursion(self) -> None:
        self.out = (await self.helper(2),)

    async def deleted(self) -> None:
        first = second = self.x
        if first:
            del first
        else:
            del second
        await self.later.answer()
        self.out = ("first" in locals(), "second" in locals())

    async def operands(self) -> None:
        self.out = (self.x, self.y, await self.later.answer(), self.x + await self.later.answer())

    async def list_of_futures(self) -> None:
        futures = [self.later.answer(), self.later.answer()]
        if self.x:
            futures.reverse()
        self.out = tuple([await each for each in futures])

    async def aliases(self) -> None:
        one: list[int] = []
        other = one if self.x else []
        await self.later.answer()
        other.append(1)
        self.out = (len(one),)

    async def dict_order(self) -> None:
        found = dict.fromkeys((1, 2) if self.x else (2, 1))
        await self.later.answer()
        self.out = tuple(found)

    async def set_order(self) -> None:
        found = set((0, 8) if self.x else (8, 0))
        await self.later.answer()
        self.out = tuple(found)

    async def kinds_of_dict(self) -> None:
        found: Any = (defaultdict(int), {}, OrderedDict(), Counter())[self.x + 2 * self.y]
        await self.later.answer()
        try:
            self.out = (found["key"], type(found).__name__)
        except KeyError:
            self.out = (type(found).__name__,)

    async def kinds_of_list(self) -> None:
        found: Any = ([], Log(), deque(maxlen=1), deque())[self.x + 2 * self.y]
        await self.later.answer()
        found.append(1)
        found.append(2)
        self.out = (type(found).__name__, *found)

    async def live_dict_iterator(self) -> None:
        found = {1: 1, 2: 2}
        for value in (found if self.x else dict(found)).values():
            await self.later.answer()
            self.out = (*self.out, value)
            found[2] = 9

    async def changed_dict(self) -> None:
        found = {1: 1}
        try:
            for _ in found:
                if self.x:
                    found[2] = 1
                await self.later.answer()
        except RuntimeError:
            self.out = ("changed",)

    async def iterators(self) -> None:
        numbers = zip(map(str, (self.x, 1, 2)), reversed([self.y, 3, 4]), itertools.count(self.x), strict=False)
        first = next(numbers)
        await self.later.answer()
        self.out = (first, *numbers)

    async def bound(self) -> None:
        found: list[int] = []
        add = found.append if self.x else found.remove
        await self.later.answer()
        try:
            add(3)
        except ValueError:
            self.out = ("error",)
        self.out = (*self.out, *found)

    async def partials(self) -> None:
        function = functools.partial(operator.add, self.x)
        await self.later.answer()
        self.out = (function(1),)

    async def values(self) -> None:
        point = Point(self.x, self.y)
        await self.later.answer()
        self.out = (point,)

    async def objects(self) -> None:
        found = Plain(self.x)
        await self.later.answer()
        self.out = (found.value,)

    async def classes(self) -> None:
        value = self.x

        class Local:
            held = value

        value = 0
        await self.later.answer()
        self.out = (Local.held, value)

    async def condition(self) -> None:
        for wanted in (1, 0):
            await self.until(lambda: self.x == wanted)  # noqa: B023
            self.out = (*self.out, wanted)

    async def two_conditions(self) -> None:
        await self.until((lambda: self.x == 1) if self.y else (lambda: self.x == 0))
        self.out = (self.x,)

    async def condition_by_local(self) -> None:
        wanted = self.y
        await self.until(lambda: self.x == wanted)
        self.out = (self.x,)

    async def writes_before_a_condition(self) -> None:
        self.y = 1 - self.y
        await self.until(lambda: self.x == 1)
        self.out = (self.y,)

    async def writes_between_awaits(self) -> None:
        first, second = self.later.answer(), self.later.answer()
        await first
        self.y = 1 - self.y
        await second
        self.y = 1 - self.y
        await self.until(lambda: self.x == 1)
        self.out = (self.y,)

    async def choices(self) -> None:
        taken = self.choose(1, 2)
        await self.later.answer()
        self.out = (taken, self.choose("a", "b"))

    async def dict_field(self) -> None:
        entries = self.d
        entries[self.x] = self.y
        await self.later.answer()
        self.out = tuple(sorted(entries.items()))


FORMS = sorted(
    name for name, each in vars(Forms).items() if hasattr(each, "is_task") and name not in ("answer", "helper")
)
BY_LOG = {"async_generator", "classes", "context", "kinds_of_list", "objects", "suppressing"}  # in some suspension


class Course:
    """One task run to its end: each step with the reads that the course decides at random."""

    def __init__(self, form: str, rng: random.Random) -> None:
        self.actor = Forms("a")
        self.program = Program((self.actor,), ())
        self.form, self.rng = form, rng

    def read(self, cells: dict[Location, Any], location: Location) -> Any:
        if location.key is not None and not isinstance(location.key, tuple):
            return tuple((at.key[0], v) for at, v in cells.items() if at.field == location.field and at.key)
        return cells.get(location, self.program.default(PLAIN, location))

    def steps(self) -> Any:
        """(task, values of x and y, result) for each step, until the task has ended."""
        task = Task("a", self.form)
        cells: dict[Location, Any] = {}
        for number in range(30):
            for field in "xy":
                cells[Location("a", field)] = self.rng.randint(0, 1)
            before = dict(cells)
            results = run_task(self.program, PLAIN, task, functools.partial(self.read, before))
            result = self.rng.choice(results)
            yield task, before, result
            if result.ending is Ending.BLOCKED:
                continue
            if result.ending is not Ending.SUSPENDED:
                return
            cells.update(result.writes)
            suspended = self.known(result.result, number)
            task = task._replace(suspension=suspended)

    def known(self, suspension: Any, number: int) -> Any:
        """The suspension with numbers for its new futures and, for the one that is awaited, a result."""
        awaited, value = suspension.awaits, self.rng.randint(0, 1)

        def replaced(stored: Any) -> Any:
            if stored == awaited:
                return Done(value)
            is_new = isinstance(stored, Future) and stored.number < 0
            return Future(100 * (number + 1) - stored.number) if is_new else stored

        return suspension.substituted(replaced)


def shown(result: StepResult) -> Any:
    return result.ending, result.reads, result.writes, result.sends, result.choices, result.result


@pytest.mark.parametrize("form", FORMS)
def test_tasks_of_equal_identity_do_the_same(form: str) -> None:
    rng = random.Random(form)
    seen: dict[Any, Any] = {}
    ended = 0
    for _ in range(18):
        for task, cells, result in Course(form, rng).steps():
            situation = task, tuple(cells.items()), tuple(choice.taken for choice in result.choices)
            assert seen.setdefault(situation, shown(result)) == shown(result)
            assert result.ending is not Ending.FAILED, result
            ended += result.ending is Ending.RETURNED
    assert ended > 3


@pytest.mark.parametrize("form", FORMS)
def test_the_identity_is_the_frame_unless_it_holds_what_cannot_be_frozen(form: str) -> None:
    rng = random.Random(form)
    kinds = {
        result.result.identity[0]
        for _ in range(12)
        for _, _, result in Course(form, rng).steps()
        if result.ending is Ending.SUSPENDED
    }
    assert ("log" in kinds) == (form in BY_LOG | {"changed_dict"})


@pytest.mark.parametrize("form", FORMS)
def test_without_a_view_into_frames_logs_decide_the_same(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def finals() -> set[Any]:
        return {
            (task.method, tuple(cells.items()), result.writes)
            for seed in range(6)
            for task, cells, result in Course(form, random.Random(seed)).steps()
            if result.ending is Ending.RETURNED
        }

    by_frame = finals()
    monkeypatch.setattr(suspension, "_shows_all", lambda: False)
    assert finals() == by_frame


def test_this_python_shows_what_frames_hold() -> None:
    assert suspension._shows_all()


class Endless(Actor):
    x: int = 0

    async def turn(self) -> None:
        while True:
            await self.until(lambda: self.x == 0)
            self.x = 1
            await self.later.pause()
            self.x = 0

    async def pause(self) -> None:
        pass

    async def forgets(self) -> None:
        value = self.x
        value = 0
        await self.later.pause()
        self.x = value


def suspended(actor: Actor, task: Task, **fields: Any) -> Any:
    program = Program((actor,), ())
    results = run_task(program, PLAIN, task, lambda location: fields[location.field])
    assert [each.ending for each in results] == [Ending.SUSPENDED]
    return results[0].result


def done(found: Any) -> Any:
    return found.substituted(lambda each: Done(None) if isinstance(each, Future) else each)


def test_a_loop_comes_back_to_the_same_identity() -> None:
    actor, task = Endless("a"), Task("a", "turn")
    first = suspended(actor, task, x=0)
    second = suspended(actor, task._replace(suspension=done(first)), x=0)
    third = suspended(actor, task._replace(suspension=done(second)), x=0)
    assert substitute(first.identity, lambda each: 0) == substitute(third.identity, lambda each: 0)
    assert len(third.log) > len(first.log)


def test_values_that_are_forgotten_are_not_in_the_identity() -> None:
    actor, task = Endless("a"), Task("a", "forgets")
    assert suspended(actor, task, x=0) == suspended(actor, task, x=1)


def test_futures_with_equal_results_stay_two() -> None:
    class Asks(Actor):
        async def ask(self) -> tuple[int, int]:
            first, second = self.later.answer(), self.later.answer()
            return await first, await second

        async def answer(self) -> int:
            return 1

    actor, task = Asks("a"), Task("a", "ask")
    found = suspended(actor, task)
    assert found.awaits == Future(-1)
    found = suspended(actor, task._replace(suspension=done(found)))
    results = run_task(Program((actor,), ()), PLAIN, task._replace(suspension=done(found)), lambda location: None)
    assert [each.result for each in results] == [(None, None)]


class Impure(Actor):
    x: int = 0

    async def counts_in_a_condition(self) -> None:
        evaluated = 0

        def holds() -> bool:
            nonlocal evaluated
            evaluated += 1
            return True

        await self.until(holds)
        await self.later.nothing()
        self.x = evaluated

    async def waits_in_a_condition(self) -> None:
        seen: list[int] = []
        await self.until(lambda: bool(seen.append(1)) or self.x == 1)

    async def draws(self) -> None:
        self.x = random.randint(0, 1 << 60)

    async def fails_at_times(self) -> None:
        CALLS.append(1)
        if len(CALLS) % 2:
            raise ValueError

    async def nothing(self) -> None:
        pass

    async def sleeps(self) -> None:
        await asyncio.sleep(1)


CALLS: list[int] = []


@pytest.mark.parametrize("task", ["counts_in_a_condition", "waits_in_a_condition", "draws", "fails_at_times"])
def test_a_task_that_does_something_else_when_it_runs_again_is_refused(task: str) -> None:
    line = inspect_line(Impure, task)
    with pytest.raises(ActorError, match=rf"a\.{task} \(.*test_suspension\.py:{line}\) does something else"):
        run_task(Program((Impure("a"),), ()), PLAIN, Task("a", task), lambda location: 0)


def inspect_line(kind: type, task: str) -> int:
    return getattr(kind, task).__wrapped__.__code__.co_firstlineno  # type: ignore[no-any-return]
