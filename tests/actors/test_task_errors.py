"""What goes wrong in a task is reported with actor, task and line; bad programs with what was expected."""

import asyncio
import inspect
import random
import time
from dataclasses import dataclass
from typing import Any

import pytest

from sdnloom.actors.actor import Actor, ActorError
from sdnloom.actors.program import Monitor, Program
from sdnloom.actors.runtime import line_limit
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.engine.semantics import Finding


class Other(Actor):
    secret: int = 1
    log: list[int] = []  # noqa: RUF012

    async def answer(self) -> int:
        return 1

    async def needs_two(self, first: int, second: int) -> None:
        pass

    async def keyword(self, *, only: int = 1) -> None:
        pass

    async def never(self) -> None:
        await self.until(lambda: self.secret == 2)  # waits

    def ordinary(self) -> int:
        return self.secret


class Outside(Actor):
    async def answer(self) -> int:
        return 1


@dataclass(frozen=True)
class Hidden:
    inside: list[int]


other = Other("other")
outside = Outside("outside")


class Bad(Actor):
    """Tasks that fail. The line that is to be named ends with the comment `here`."""

    x: int = 0
    d: dict[Any, Any] = {}  # noqa: RUF012
    s: set[Any] = set()  # noqa: RUF012
    l: list[Any] = []  # noqa: E741,RUF012
    friend: Actor = other

    async def raises(self) -> None:
        raise KeyError("gone")  # here

    async def fails(self) -> None:
        raise ValueError("no")  # inner

    async def raises_in_a_call(self) -> None:
        self.x = 1
        await self.inner()

    async def inner(self) -> None:
        await self.friend.answer()  # type: ignore[attr-defined]
        {}["a"]  # here

    async def raises_in_a_condition(self) -> None:
        await self.until(lambda: self.d["a"])  # here

    async def never_ends(self) -> None:
        while True:
            self.x = 1 - self.x

    async def waits_busily(self) -> None:
        while self.x == 0:
            pass

    async def sends_for_ever(self) -> None:
        while True:
            self.later.answers()  # here

    async def never_ends_on_one_line(self) -> None:
        while True: pass  # here # noqa: E701 # fmt: skip

    async def never_ends_after_an_await(self) -> None:
        await self.friend.answer()  # type: ignore[attr-defined]
        while True:
            pass

    async def never_ends_in_a_generator(self) -> None:
        any(False for _ in iter(int, 1))  # here

    async def recurses(self) -> None:  # here
        await self.recurses()

    async def sends_a_list(self) -> None:
        self.later.takes([1])  # here

    async def sends_a_nested_dict(self) -> None:
        self.later.takes((1, ({},)))  # here

    async def sends_a_hidden_list(self) -> None:
        self.later.takes(Hidden([1]))  # here

    async def sends_a_field(self) -> None:
        self.later.takes(self.l)  # here

    async def sends_an_object(self) -> None:
        self.later.takes(object())  # here

    async def takes(self, value: Any) -> None:
        pass

    async def returns_a_set(self) -> Any:  # here
        return {1}

    async def stores_a_list(self) -> None:
        self.x = [1]  # type: ignore[assignment] # here

    async def stores_a_list_in_a_dict(self) -> None:
        self.d[1] = [1]  # here

    async def adds_a_future_to_a_set(self) -> None:
        self.s.add(self.later.answers())  # here

    async def has_a_future_as_key(self) -> None:
        self.d[(1, self.later.answers())] = 1  # here

    async def compares_futures(self) -> None:
        self.x = self.later.answers() == self.later.answers()  # here

    async def answers(self) -> int:
        return 1

    async def forgets_to_await(self) -> None:  # here
        self.answers()

    async def forgets_and_waits(self) -> None:  # here
        self.answers()
        await self.later.answers()

    async def reads_another(self) -> None:
        self.x = self.friend.secret  # type: ignore[attr-defined] # here

    async def writes_another(self) -> None:
        self.friend.secret = 2  # type: ignore[attr-defined] # here

    async def reads_a_declared_actor(self) -> None:
        self.x = other.secret  # here

    async def writes_a_declared_actor(self) -> None:
        other.secret = 5  # here

    async def changes_a_declared_actor(self) -> None:
        other.log.append(5)  # here

    async def makes_an_actor(self) -> None:
        Other("new")  # here

    async def calls_another(self) -> None:
        self.x = self.friend.ordinary()  # type: ignore[attr-defined]

    async def unknown_field(self) -> None:
        self.z = 1  # here

    async def reads_an_unknown_field(self) -> None:
        self.x = self.z  # here

    async def unknown_task(self) -> None:
        self.friend.nothing()  # type: ignore[attr-defined] # here

    async def sends_to_an_outsider(self) -> None:
        outside.answer()  # here

    async def too_few_arguments(self) -> None:
        other.needs_two(1)  # type: ignore[call-arg] # here

    async def keyword_argument(self) -> None:
        other.keyword(only=2)  # here

    async def sleeps(self) -> None:
        await asyncio.sleep(1)  # here

    async def yields_to_asyncio(self) -> None:
        await asyncio.sleep(0)  # here

    async def exits(self) -> None:
        raise SystemExit(3)  # here

    async def asks_a_future(self) -> None:
        if self.later.answers():  # here
            self.x = 1

    async def adds_a_future(self) -> None:
        self.x = 1 + self.later.answers()  # here

    async def reads_a_future(self) -> None:
        self.x = self.later.answers().value  # here

    async def forgets_until(self) -> None:  # here
        self.until(lambda: self.x == 1)

    async def chooses_a_list(self) -> None:
        self.x = self.choose([1, 2])  # here

    async def awaits_a_number(self) -> None:
        await 1  # type: ignore[misc] # here

    async def awaits_a_value(self) -> None:
        await self.until(self.x == 0)  # type: ignore[arg-type] # here

    async def condition_writes(self) -> None:
        await self.until(lambda: self.d.discard(1) is None)  # type: ignore[attr-defined] # here

    async def condition_sets_a_field(self) -> None:
        await self.until(lambda: setattr(self, "x", 1) is None)  # here

    async def condition_sends(self) -> None:
        await self.until(lambda: self.later.answers() is not None)  # here

    async def condition_chooses(self) -> None:
        await self.until(lambda: self.choose(True, False))  # here

    async def condition_emits(self) -> None:
        await self.until(lambda: self.emit(1) is None)  # here

    async def condition_calls_a_task(self) -> None:
        await self.until(lambda: self.answers())  # type: ignore[arg-type,return-value] # here

    async def chooses_nothing(self) -> None:
        self.choose()  # here

    async def emits_a_list(self) -> None:
        self.emit([1])  # here

    async def catches_everything(self) -> None:
        while True:
            try:
                self.x = 1 - self.x
            except Exception:
                self.x = 2


TEXTS = {
    "raises": "raised KeyError: 'gone'",
    "raises_in_a_call": "raised KeyError: 'a'",
    "raises_in_a_condition": "raised KeyError: 'a'",
    "never_ends": "ran 500 reads, writes and messages without an await; does it never end?",
    "waits_busily": "ran 500 reads, writes and messages without an await; does it never end?",
    "sends_for_ever": "ran 500 reads, writes and messages without an await; does it never end?",
    "never_ends_on_one_line": "without an await; does it never end?",
    "never_ends_after_an_await": "without an await; does it never end?",
    "never_ends_in_a_generator": "without an await; does it never end?",
    "recurses": "recursed too deeply",
    "sends_a_list": "argument 1 of the message bad.takes: [1] is a list; expected a value that cannot change",
    "sends_a_nested_dict": "argument 1 of the message bad.takes: {} is a dict",
    "sends_a_hidden_list": "argument 1 of the message bad.takes: [1] is a list",
    "sends_a_field": "the field 'l' itself, which can change; expected a copy",
    "sends_an_object": "is a object; expected a value that cannot change",
    "returns_a_set": "returns a mutable value: {1} is a set",
    "stores_a_list": "has a mutable value: [1] is a list",
    "stores_a_list_in_a_dict": "has a mutable value: [1] is a list",
    "adds_a_future_to_a_set": "a key of the field 's' has a future in it",
    "has_a_future_as_key": "a key of the field 'd' has a future in it",
    "compares_futures": "futures are compared",
    "forgets_to_await": "calls Bad.answers and does not await it",
    "forgets_and_waits": "calls Bad.answers and does not await it",
    "reads_another": "reads the field 'secret' of the actor other; fields are private",
    "writes_another": "writes the field 'secret' of the actor other; fields are private",
    "reads_a_declared_actor": "reads the field 'secret' of the actor other; fields are private",
    "writes_a_declared_actor": "writes the field 'secret' of the actor other; fields are private",
    "changes_a_declared_actor": "reads the field 'log' of the actor other; fields are private",
    "makes_an_actor": "makes the actor 'new'; expected all actors to be made before the program runs",
    "unknown_field": "has no field 'z'",
    "reads_an_unknown_field": "Bad 'bad' has no field or task 'z'",
    "unknown_task": "Other 'other' has no task 'nothing'; expected one of: answer",
    "sends_to_an_outsider": "'outside', which is not in the program",
    "too_few_arguments": "missing a required argument: 'second'",
    "keyword_argument": "keyword-only parameters",
    "sleeps": "uses asyncio, which has no place in a task",
    "yields_to_asyncio": "awaits something else (NoneType); expected a future of a message",
    "exits": "raised SystemExit: 3",
    "asks_a_future": "a future is used as if it were the result; await it first",
    "adds_a_future": "a future is used as if it were the result; await it first",
    "reads_a_future": "a future is used as if it were the result; await it first",
    "forgets_until": "calls self.until(...) and does not await it",
    "chooses_a_list": "choose() was given one option, a list; expected each option as an argument",
    "awaits_a_number": "object int can't be used in 'await' expression",
    "awaits_a_value": "until() was given True; expected a function",
    "condition_writes": "a condition that a task awaits writes the field 'd'",
    "condition_sets_a_field": "a condition that a task awaits writes the field 'x'",
    "condition_sends": "a condition that a task awaits sends a message",
    "condition_chooses": "a condition that a task awaits makes a choice",
    "condition_emits": "a condition that a task awaits emits an event",
    "condition_calls_a_task": "Bad.answers is called in a condition or monitor, which cannot await",
    "chooses_nothing": "choose() was given no options",
    "emits_a_list": "has a mutable value: [1] is a list",
    "catches_everything": "without an await; does it never end?",
}


def lines_of(task: str) -> range:
    lines, first = inspect.getsourcelines(getattr(Bad, task).__wrapped__)
    return range(first, first + len(lines))


def line_of(task: str, mark: str = "# here", kind: type = Bad) -> int | None:
    names = {"raises_in_a_call": "inner"}
    lines, first = inspect.getsourcelines(getattr(kind, names.get(task, task)).__wrapped__)
    return next((first + number for number, line in enumerate(lines) if mark in line), None)


@pytest.fixture(autouse=True)
def fewer_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_limit, "MOST_LINES", 2000)
    monkeypatch.setattr(line_limit, "MOST_ACCESSES", 500)


def findings(program: Program) -> set[Finding]:
    found = search_program(program, ActorOptions(find_all=True))
    return {Finding(each.property, each.message) for each in found.result.violations}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of coroutines that recursed
@pytest.mark.parametrize("task", TEXTS)
def test_a_task_that_fails_is_reported_with_actor_task_and_line(task: str) -> None:
    bad = Bad("bad")
    found = findings(Program((bad, other), (getattr(bad, task)(),)))
    assert len(found) == 1
    name, message = found.pop()
    assert (name, message.split(" ")[0]) == ("NoTaskErrors", f"bad.{task}()")
    assert "raised a" not in message
    assert TEXTS[task] in message
    file, line = message.removesuffix(")").split("(")[-1].split(":")
    assert file == "test_task_errors.py"
    assert int(line) in ([marked] if (marked := line_of(task)) else lines_of(task))


def test_a_task_that_only_fails_in_one_order_is_found() -> None:
    class Fragile(Actor):
        ready: bool = False

        async def prepare(self) -> None:
            self.ready = True

        async def use(self) -> None:
            if not self.ready:
                raise ValueError("not ready")

    actor = Fragile("f")
    assert {each.property for each in findings(Program((actor,), (actor.prepare(), actor.use())))} == {"NoTaskErrors"}


def test_what_a_failed_task_did_is_undone() -> None:
    class Half(Actor):
        x: int = 0

        async def go(self) -> None:
            self.x = 1
            self.later.more()
            raise ValueError

        async def more(self) -> None:
            self.x = 2

    actor = Half("h")
    found = search_program(Program((actor,), (actor.go(),)), ActorOptions(find_all=True))
    assert [(len(state.cells), len(state.tasks), len(state.failures)) for state in found.finals] == [(0, 0, 1)]


class Waits(Actor):
    peer: Any = None
    x: int = 0

    async def for_a_future(self) -> None:
        await other.never()  # here

    async def for_each_other(self) -> None:
        await self.peer.back(self.later)  # here

    async def back(self, to: Any) -> None:
        await to.closed()  # here

    async def closed(self) -> None:
        await self.until(lambda: self.x == 1)  # here


def waits(text: str, line: int | None) -> str:
    return f"{text} waits at test_task_errors.py:{line}"


def test_a_deadlock_names_every_task_that_waits_and_its_line() -> None:
    one, two = Waits("one"), Waits("two")
    one.peer = two
    (found,) = findings(Program((one, two, other), (one.for_each_other(),)))
    assert found.property == "NoDeadlock"
    for text in ("one.closed()", "two.back(one)", "one.for_each_other()"):
        task = text.split(".")[1].split("(")[0]
        assert waits(text, line_of(task, kind=Waits)) in found.message


def test_a_deadlock_of_a_future_names_what_is_awaited_too() -> None:
    one = Waits("one")
    (found,) = findings(Program((one, other), (one.for_a_future(),)))
    assert waits("one.for_a_future()", line_of("for_a_future", kind=Waits)) in found.message
    assert waits("other.never()", line_of("never", "# waits", Other)) in found.message


def test_deadlocks_may_be_allowed() -> None:
    one = Waits("one")
    assert findings(Program((one, other), (one.for_a_future(),), deadlocks=False)) == set()


class Impure(Actor):
    x: float = 0

    async def random_number(self) -> None:
        self.x = random.random()

    async def clock(self) -> None:
        self.x = time.perf_counter_ns()

    async def global_variable(self) -> None:
        COUNTS.append(1)
        self.x = len(COUNTS)

    async def after_an_await(self) -> None:
        await other.answer()
        COUNTS.append(1)
        await self.until(lambda: self.x != len(COUNTS))

    async def names_an_address(self) -> None:
        self.x = id(object())


COUNTS: list[int] = []


@pytest.mark.parametrize("task", ["random_number", "clock", "global_variable"])
def test_a_task_that_depends_on_the_outside_is_refused(task: str) -> None:
    actor = Impure("i")
    with pytest.raises(ActorError, match=rf"i\.{task} \(.*test_task_errors.py:\d+\) does something else"):
        findings(Program((actor,), (getattr(actor, task)(),)))


class Emits(Actor):
    async def go(self) -> None:
        self.emit("event")  # emitted


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (lambda self, event: self.missing, "has no field or task 'missing'"),
        (lambda self, event: other.answer(), "a monitor sends a message"),
        (lambda self, event: self.report("{}", [1]), "is a list"),
    ],
)
def test_an_error_in_a_monitor_is_an_error_of_the_task_that_emits(body: Any, text: str) -> None:
    class Watch(Monitor):
        def on_event(self, event: Any) -> None:
            body(self, event)

    actor = Emits("e")
    found = findings(Program((actor, other), (actor.go(),), monitors=(Watch("w"),)))
    assert {(each.property, text in each.message, each.message.split(" ")[0]) for each in found} == {
        ("NoTaskErrors", True, "e.go()")
    }


def test_an_error_in_a_final_check_names_the_check_and_its_line() -> None:
    def check(view: Any) -> None:
        view["e"].missing  # noqa: B018

    def other_check(view: Any) -> None:
        raise KeyError(3)

    actor = Emits("e")
    with pytest.raises(ActorError, match="has no field 'missing'"):
        findings(Program((actor,), (actor.go(),), final=(check,)))
    with pytest.raises(ActorError, match=r"check other_check: raised KeyError: 3 \(.*test_task_errors.py:\d+\)"):
        findings(Program((actor,), (actor.go(),), final=(other_check,)))


class Alone(Actor):
    async def barrier(self) -> None:
        pass


class Misspelled(Actor):
    control = frozenset({"instal"})

    async def install(self) -> None:
        pass


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Bad(""), "name ''; expected a non-empty text"),
        (lambda: Bad("b", y=1), "has no field 'y'; expected one of: x, d, s, l, friend"),
        (lambda: Program((Bad("b"), Bad("b")), ()), "two actors of the program have the name 'b'"),
        (lambda: Program((Bad("b"),), (other.answer(),)), "start has a message for 'other'"),
        (lambda: Program((Bad("b"),), (1,)), "start has 1; expected calls of"),
        (lambda: Program((1,), ()), "actors has 1; expected actors"),
        (lambda: findings(Program((Bad("b", x=[[]]), other), ())), "field 'x' of 'b': "),
        (
            lambda: findings(Program((b := Bad("b"), other), (b.takes([1]),))),
            "message b.takes at the start: [1] is a list",
        ),
        (lambda: Program((Alone("a"),), ()), "Alone has a task 'barrier' and no control tasks"),
        (lambda: Program((Misspelled("a"),), ()), "Misspelled.control has 'instal'; expected names of"),
        (lambda: type("Named", (Actor,), {"name": 1}), "has a field 'name'; expected another name"),
    ],
)
def test_a_program_that_cannot_be_used_is_refused(make: Any, text: str) -> None:
    with pytest.raises(ActorError) as caught:
        make()
    assert text in str(caught.value)
