"""One step of one task: the program's code runs until it returns, awaits or fails."""

import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from sdnloom.actors.actor import ACTIVE, Actor, ActorError, running_actor
from sdnloom.actors.field_views import FieldView
from sdnloom.actors.runtime.awaitable import FutureHandle, Until
from sdnloom.actors.runtime.line_limit import EndlessStepError, counted_lines, is_of_program, raised_at
from sdnloom.actors.runtime.step_access import ReadState, StepAccess
from sdnloom.actors.runtime.step_output import WATCH, StepOutput
from sdnloom.actors.runtime.suspension import code_positions, identity
from sdnloom.actors.task import CONDITION, Ending, Location, StepResult, Suspension, Task, TaskFailure
from sdnloom.actors.values import MutableValueError, Stored
from sdnloom.errors import SdnloomError

if TYPE_CHECKING:
    from sdnloom.actors.program import Naming, Program

MOST_CHOICES = 10_000  # alternatives of one step
_ADDRESS = re.compile("0x[0-9a-f]{6,}")


class TaskRun(StepAccess):
    """A run of a task's next step; `result` runs it. `record` is told of each line, where a subclass defines it."""

    record: Callable[[FrameType], object] | None = None

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
            with counted_lines(self.record):
                coroutine = getattr(actor, task.method)(*[self.thaw(arg) for arg in task.args])
                awaited = coroutine.send(None)
        except StopIteration as returned:
            return self._returned(returned.value)
        except RecursionError:  # where depends on how deep the search is
            return self._failed("recursed too deeply")
        except EndlessStepError as error:
            return self._failed(f"ran {error} without an await; does it never end?", error)
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
            case StepAccess():
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
            code = self.program.method(self._naming, self.task).__code__
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
    code = program.method(naming, task).__code__
    what = f"{program.display(naming, task.actor)}.{task.method}"
    return f"{what} ({code.co_filename}:{code.co_firstlineno})"
