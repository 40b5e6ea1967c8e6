"""One step of one task: the program's code runs until it returns, awaits or fails, and every access is recorded.

A suspended task is run again from its beginning with its log: accesses are answered from the log until it is used up,
and have no effect; only then does the step begin.
"""

import inspect
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdnloom.actors import line_limit
from sdnloom.actors.actor import ACTIVE, Actor, ActorError, running_actor
from sdnloom.actors.field_views import DictView, FieldView, ListView, SetView
from sdnloom.actors.line_limit import EndlessStepError, counted_lines, is_of_program, raised_at
from sdnloom.actors.step_output import WATCH, StepOutput
from sdnloom.actors.suspension import HeldInFrame, code_positions, identity
from sdnloom.actors.task import (
    ABSENT,
    CONDITION,
    Choice,
    Ending,
    Location,
    StepResult,
    Suspension,
    Task,
    TaskFailure,
)
from sdnloom.actors.values import (
    Done,
    Future,
    MutableValueError,
    Reference,
    Stored,
    Symbol,
    TaggedInt,
    TaggedStr,
    freeze,
    thaw,
)
from sdnloom.engine.stable_text import stable_text
from sdnloom.errors import SdnloomError

if TYPE_CHECKING:
    from sdnloom.actors.program import Naming, Program

MOST_CHOICES = 10_000  # alternatives of one step
WAITS = "waits"
_ADDRESS = re.compile("0x[0-9a-f]{6,}")
ReadState = Callable[[Location], Stored]


class FutureHandle:
    """A future as a program holds it: it can be awaited, stored and sent, and nothing else."""

    def __init__(self, run: "TaskRun", stored: Future | Done) -> None:
        self._run, self.stored = run, stored

    def __await__(self) -> Generator[Any, Any, Any]:
        if not self._run.replays or self._run.is_rebuilt:
            yield self  # always a scheduling point, so no step depends on whether a future is known yet
        return self._run.received()

    def __eq__(self, other: object) -> bool:
        raise ActorError("futures are compared; expected futures to be awaited, stored or sent only")

    def __hash__(self) -> int:
        raise ActorError("a future is put into a set or used as a key; expected it in a tuple or as a value")

    def __repr__(self) -> str:
        return "a future"

    def _refused(self, *args: Any) -> Any:
        raise ActorError("a future is used as if it were the result; await it first")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refused()

    __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __call__ = __int__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused


class Until(HeldInFrame):
    """The awaitable of a condition. In a log it is WAITS where the task waits, and None where the condition holds."""

    def __init__(self, run: "TaskRun", condition: Callable[[], bool]) -> None:
        self._run, self.condition = run, condition
        self.is_awaited = False

    def __await__(self) -> Generator[Any, Any, None]:
        self.is_awaited = True
        while self._run.replays and not self._run.is_rebuilt:
            if self._run.received() != WAITS:
                return
        if not self._run.is_rebuilt and self._run.holds(self.condition):
            self._run.note(None)
        else:
            self._run.note(WAITS)  # so that what the task did before it is replayed, and not done again
            yield self

    def held(self) -> Any:
        """The condition."""
        return self.condition


class TaskRun:
    """The step while it runs. Programs reach it through actors, field views and futures."""

    def __init__(
        self,
        program: "Program",
        naming: "Naming",
        task: Task,
        read_state: ReadState,
        choices: Sequence[int] = (),
        only_replays: bool = False,
    ) -> None:
        self.program, self._naming, self.task = program, naming, task
        self._only_replays = only_replays  # stop where the task was suspended
        self._read_state, self._given = read_state, choices
        suspension = task.suspension
        self._log: list[Stored] = list(suspension.log) if suspension is not None else []
        if only_replays:
            self._log.append(None)  # in the place of what comes next, which nothing may ask for
        elif suspension is not None and isinstance(suspension.awaits, Done):
            self._log.append(suspension.awaits.value)
        self._position = 0
        self._started = len(self._log)
        self._unlogged = 0  # depth of conditions and monitors: their reads are not in the log
        self._in_condition = False
        self._references: dict[Stored, Actor] = {}
        self._coroutines: list[Any] = []
        self._conditions: list[Until] = []
        self.reads: dict[Location, Stored] = {}
        self.writes: dict[Location, Stored] = {}
        self.sends: list[Task] = []
        self.events: list[Stored] = []
        self.choices: list[Choice] = []

    @property
    def naming(self) -> "Naming":
        """Which values are symbols."""
        return self._naming

    # The log.

    @property
    def replays(self) -> bool:
        """Whether the run is still in the part that happened before."""
        return self._position < len(self._log) and not self._unlogged

    @property
    def is_rebuilt(self) -> bool:
        """Whether the task is to be left where it was suspended, and has come there."""
        return self._only_replays and self._position == len(self._log) - 1

    def received(self) -> Any:
        """The next value of the log, as the program sees it."""
        self._position += 1
        return self.thaw(self._log[self._position - 1])

    def note(self, stored: Stored) -> None:
        """Add a value to the log."""
        if not self._unlogged:
            self._log.append(stored)
            self._position += 1

    # Values.

    def freeze(self, value: Any) -> Stored:
        """The stored form of a value."""
        return freeze(value, self._special)

    def _special(self, value: Any) -> Stored | None:
        match value:
            case FutureHandle():
                return value.stored
            case Actor():
                return Reference(self._naming.name(value._stored) if value._run is None else value._stored)
            case TaggedInt() | TaggedStr():
                return self._naming.symbol(value)
            case ListView() | SetView() | DictView():
                raise MutableValueError(
                    f"the field {value.location.field!r} itself, which can change; expected a copy, such as "
                    f"{'frozenset' if isinstance(value, SetView) else 'tuple'}(...)"
                )
        return None

    def thaw(self, stored: Stored) -> Any:
        """The value as the program sees it."""
        return thaw(stored, self._thaw_special)

    def _thaw_special(self, stored: Any) -> Any:
        match stored:
            case Symbol():
                return self._naming.value(stored)
            case Future() | Done():
                return FutureHandle(self, stored)
            case Reference():
                return self._reference(stored.actor)
        return stored

    def _reference(self, name: Stored) -> Actor:
        if name not in self._references:
            kind = self.program.kind(self._naming, name)
            self._references[name] = running_actor(kind, name, self, is_reference=True)
        return self._references[name]

    def declared_reference(self, actor: Actor) -> Actor:
        """An actor that was declared outside, as this step refers to it."""
        return self._reference(self._naming.name(actor._stored))

    # What programs do.

    def read(self, location: Location) -> Stored:
        """The stored value of a location; of a query, the entries as pairs, in the order of their stable text."""
        if self.replays:
            self._position += 1
            return self._log[self._position - 1]
        is_query = location.key is not None and not isinstance(location.key, tuple)
        found = self._entries(location) if is_query else self._value(location)
        self.note(found)
        return found

    def _value(self, location: Location) -> Stored:
        return self.writes[location] if location in self.writes else self._before(location)

    def _before(self, location: Location) -> Stored:
        if location not in self.reads:
            self.reads[location] = self._read_state(location)
        return self.reads[location]

    def _entries(self, location: Location) -> Stored:
        entries = dict(self._before(location))
        for written, value in self.writes.items():
            if written[:2] == location[:2] and isinstance(written.key, tuple):
                key = written.key[0]
                if location.key.covers(key):  # type: ignore[union-attr]
                    entries.pop(key, None)
                    if value is not ABSENT:
                        entries[key] = value
        return tuple(sorted(entries.items(), key=lambda entry: stable_text(self.thaw(entry[0]))))

    def write(self, location: Location, value: Stored) -> None:
        """Set a location at the end of the step."""
        self._refuse_in_condition(f"writes the field {location.field!r}")
        if not self.replays:
            self.writes[location] = value

    def get_field(self, actor: Stored, field: str) -> Any:
        """A field as the program sees it."""
        view = self.program.view(self._naming, actor, field)
        return self.thaw(self.read(Location(actor, field))) if view is None else view(self, actor, field)

    def set_field(self, actor: Stored, field: str, value: Any) -> None:
        """Set a field; a dict or a set entry by entry."""
        view = self.program.view(self._naming, actor, field)
        if view is None:
            self.write(Location(actor, field), self.freeze(value))
        elif view is ListView:
            self.write(Location(actor, field), self.freeze(tuple(value)))
        else:
            shown: Any = view(self, actor, field)
            kept = dict(value) if view is DictView else dict.fromkeys(value)
            for key in list(shown):
                if key not in kept:
                    shown.discard(key)
            for key, each in kept.items():
                if view is DictView:
                    shown[key] = each
                else:
                    shown.add(key)

    def send(self, actor: Stored, method: str, args: tuple[Any, ...]) -> FutureHandle:
        """Put a task into the mailbox of an actor."""
        self._refuse_in_condition("sends a message")
        if self._unlogged:
            raise ActorError("a monitor sends a message; expected it to look at events and its own fields only")
        if self.replays:
            return self.received()  # type: ignore[no-any-return]
        stored = []
        for number, value in enumerate(args, 1):
            try:
                stored.append(self.freeze(value))
            except MutableValueError as error:
                to = f"{self.thaw(actor)}.{method}"
                raise MutableValueError(f"argument {number} of the message {to}: {error}") from None
        future = Future(-len(self.sends) - 1)
        self.sends.append(Task(actor, method, tuple(stored), future=future))
        self.note(future)
        return FutureHandle(self, future)

    def inline(self, coroutine: Any) -> Any:
        """A coroutine of the actor itself, which the task has to await."""
        if self._unlogged:
            coroutine.close()
            raise ActorError(f"{coroutine.__qualname__} is called in a condition or monitor, which cannot await")
        self._coroutines.append(coroutine)
        return coroutine

    def until(self, condition: Callable[[], bool]) -> Until:
        """The awaitable of a condition."""
        if not callable(condition):
            raise ActorError(f"until() was given {condition!r}; expected a function, such as lambda: self.ready")
        self._conditions.append(Until(self, condition))
        return self._conditions[-1]

    def holds(self, condition: Callable[[], bool]) -> bool:
        """Whether a condition holds now."""
        self._in_condition = True
        try:
            with self._without_log():
                return bool(condition())
        finally:
            self._in_condition = False

    def _refuse_in_condition(self, what: str) -> None:
        if self._in_condition:
            raise ActorError(f"a condition that a task awaits {what}; expected it to read fields only")

    def choose(self, options: tuple[Any, ...]) -> Any:
        """The option that this run is to take."""
        self._refuse_in_condition("makes a choice")
        if not options:
            raise ActorError("choose() was given no options; expected at least one")
        if len(options) == 1 and isinstance(options[0], list | set | dict | range | FieldView):
            kind = type(options[0]).__name__
            raise ActorError(
                f"choose() was given one option, a {kind}; expected each option as an argument: choose(*...)"
            )
        if self.replays:
            return options[self.received()]
        number = len(self.choices)
        taken = self._given[number] if number < len(self._given) else 0
        self.choices.append(Choice(taken, len(options), stable_text(options[taken])))
        self.note(taken)
        return options[taken]

    def emit(self, event: Any) -> None:
        """Record an event and show it to the monitors."""
        self._refuse_in_condition("emits an event")
        if self.replays:
            return
        self.events.append(self.freeze(event))
        with self._without_log():
            for monitor in self.program.monitors:
                running_actor(type(monitor), monitor._stored, self, is_reference=False).on_event(event)  # type: ignore[attr-defined]

    @contextmanager
    def _without_log(self) -> Iterator[None]:
        self._unlogged += 1
        try:
            yield
        finally:
            self._unlogged -= 1

    # The run.

    def result(self) -> StepResult:
        """Run the step."""
        output = StepOutput(lambda: self.replays)
        with output.redirected():
            found = self._result()
        lines, watch = output.lines, WATCH.get()
        if watch is not None:
            watch.emitted |= bool(found.events)
        return replace(found, output=lines) if lines else found

    def _result(self) -> StepResult:
        task = self.task
        kind = self.program.kind(self._naming, task.actor)
        actor = running_actor(kind, task.actor, self, is_reference=False)
        active = ACTIVE.set(self)
        try:
            with counted_lines():
                coroutine = getattr(actor, task.method)(*[self.thaw(arg) for arg in task.args])
                awaited = coroutine.send(None)
        except StopIteration as returned:
            return self._returned(returned.value)
        except RecursionError:  # where depends on how deep the search is
            return self._failed("recursed too deeply")
        except EndlessStepError as error:
            lines = f"{line_limit.MOST_LINES:,} lines"
            return self._failed(f"ran {lines} of code without an await; does it never end?", error)
        except MutableValueError as error:
            return self._failed(f"has a mutable value: {error}", error)
        except BaseException as error:  # whatever the program raises
            if isinstance(error, KeyboardInterrupt) or _is_ours(error):
                raise
            return self._failed(_error_text(error), error)
        finally:
            ACTIVE.reset(active)
            self._close_others()
        try:
            return self._suspended(coroutine, awaited)
        finally:
            self._close(coroutine)
            self._close_others()

    def _returned(self, value: Any) -> StepResult:
        forgotten = self._forgotten()
        if forgotten is not None:
            return forgotten
        if not all(each.is_awaited for each in self._conditions):
            return self._failed("calls self.until(...) and does not await it")
        try:
            return self._with(Ending.RETURNED, self.freeze(value))
        except MutableValueError as error:
            return self._failed(f"returns a mutable value: {error}")

    def _suspended(self, coroutine: Any, awaited: Any) -> StepResult:
        positions = code_positions(coroutine)
        if not isinstance(awaited, FutureHandle | Until):
            where = next((each for each in reversed(positions) if is_of_program(each.file)), positions[0])
            kind = type(awaited).__qualname__
            text = f"awaits something else ({kind}); expected a future of a message, or self.until(...)"
            return self._with(Ending.FAILED, TaskFailure(text, where.file, where.line))
        before = self.task.suspension
        waits_on = isinstance(awaited, Until) and before is not None and before.awaits == CONDITION
        again = len(self._log) == self._started + 1  # nothing happened but that it waits again
        if waits_on and again and not self._only_replays:
            return StepResult(Ending.BLOCKED, tuple(self.reads.items()))
        log = tuple(self._log)
        found = identity(coroutine, self._special_in_frame)
        awaits = CONDITION if isinstance(awaited, Until) else awaited.stored
        if found is None:
            found = ("log", log)
        return self._with(Ending.SUSPENDED, Suspension(found, awaits, log, positions))

    def _special_in_frame(self, value: Any) -> Stored | None:
        match value:
            case TaskRun():
                return ("run",)
            case FieldView():
                return "field", value.location.actor, value.location.field
            case Actor() if not value._is_reference:
                return "self", value._stored
        return self._special(value)

    def _forgotten(self) -> StepResult | None:
        """The failure of a task that called a task of its own actor and did not await it."""
        for coroutine in self._coroutines[1:]:
            if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                code = coroutine.cr_code
                text = f"calls {code.co_qualname} and does not await it; use await, or self.later.{code.co_name}(...)"
                return self._with(Ending.FAILED, TaskFailure(text, *self._where(None)))
        return None

    def _with(self, ending: Ending, result: Any) -> StepResult:
        if ending is Ending.FAILED:
            return StepResult(ending, tuple(self.reads.items()), choices=tuple(self.choices), result=result)
        return StepResult(
            ending,
            tuple(self.reads.items()),
            tuple(self.writes.items()),
            tuple(self.sends),
            tuple(self.events),
            tuple(self.choices),
            result,
        )

    def _failed(self, text: str, error: BaseException | None = None) -> StepResult:
        shown = _ADDRESS.sub("0x...", text)  # addresses differ from run to run
        return self._with(Ending.FAILED, TaskFailure(shown, *self._where(error)))

    def _where(self, error: BaseException | None) -> tuple[str, int]:
        """The file and line of the program's code in which the error was raised; of the task if there is none."""
        found = None if error is None else raised_at(error)
        if found is None:
            kind = self.program.kind(self._naming, self.task.actor)
            code = inspect.unwrap(getattr(kind, self.task.method)).__code__
            found = code.co_filename, code.co_firstlineno
        return found

    def _close_others(self) -> None:
        """End the coroutines that were not awaited, without the warning of Python."""
        for coroutine in self._coroutines:
            if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()

    def _close(self, coroutine: Any) -> None:
        """End the coroutine; what it does while it ends has no effect."""
        result = self.writes, self.sends, self.events
        self.writes, self.sends, self.events = {}, [], []
        with suppress(BaseException):  # a `finally` of the program may fail when its task is put aside
            coroutine.close()
        self.writes, self.sends, self.events = result


def _is_ours(error: BaseException) -> bool:
    """Whether an error ends the step because sdnloom asked for that."""
    return not isinstance(error, Exception) and type(error).__module__.startswith("sdnloom.")


def _error_text(error: BaseException) -> str:
    if isinstance(error, SdnloomError):
        return f"fails: {error}"
    if isinstance(error, RuntimeError) and str(error) == "no running event loop":
        return "uses asyncio, which has no place in a task; expected await of a message or of self.until(...)"
    return f"raised {type(error).__name__}: {error}" if str(error) else f"raised {type(error).__name__}"


def run_task(program: "Program", naming: "Naming", task: Task, read_state: ReadState) -> list[StepResult]:
    """Every result of the task's next step: one for each combination of its choices.

    Each is computed twice, and a suspended task is rebuilt from its log. Raises ActorError if they differ: then the
    task depends on something outside of the program.
    """
    results: list[StepResult] = []
    pending: list[tuple[int, ...]] = [()]
    while pending:
        given = pending.pop()
        result, again = (TaskRun(program, naming, task, read_state, given).result() for _ in range(2))
        if not _agree(result, again) or not _rebuilds(program, naming, task, result):
            where = _place(program, naming, task)
            raise ActorError(
                f"{where} does something else when it runs again with the same values; expected a task that "
                "depends on its arguments and on fields of its actor alone: not on time, random numbers, "
                "global variables, files, addresses of objects, or variables that a condition changes"
            )
        results.append(result)
        taken = tuple(choice.taken for choice in result.choices)
        for position in range(len(result.choices) - 1, len(given) - 1, -1):
            others = range(result.choices[position].options - 1, 0, -1)
            pending += [(*taken[:position], other) for other in others]
        if len(results) + len(pending) > MOST_CHOICES:
            where = _place(program, naming, task)
            raise ActorError(
                f"{where} makes more than {MOST_CHOICES:,} choices in one step; expected fewer alternatives"
            )
    return results


def _agree(result: StepResult, again: StepResult) -> bool:
    """Whether two runs of a step did the same. Texts of failures may differ: they may name addresses of objects."""
    return result == again or result.ending is again.ending is Ending.FAILED


def _rebuilds(program: "Program", naming: "Naming", task: Task, result: StepResult) -> bool:
    """Whether the log of a task that was suspended leads to where it is suspended, without any effect."""
    if result.ending is not Ending.SUSPENDED:
        return True
    suspended = task._replace(suspension=result.result)
    again = TaskRun(program, naming, suspended, _not_read, only_replays=True).result()
    return (
        again.ending is Ending.SUSPENDED
        and again.result.rebuilds(result.result)
        and not (again.writes or again.sends or again.events)
    )


def _not_read(location: Location) -> Stored:
    raise AssertionError(f"{location} is read, and the log has no value for it")


def _place(program: "Program", naming: "Naming", task: Task) -> str:
    code = inspect.unwrap(getattr(program.kind(naming, task.actor), task.method)).__code__
    what = f"{program.display(naming, task.actor)}.{task.method}"
    return f"{what} ({code.co_filename}:{code.co_firstlineno})"
