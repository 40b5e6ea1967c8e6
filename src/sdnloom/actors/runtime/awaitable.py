"""What a task can await: the result of a message, and a condition."""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.runtime.suspension import HeldInFrame
from sdnloom.actors.values import Done, Future

if TYPE_CHECKING:
    from sdnloom.actors.runtime.step_access import StepAccess

WAITS = "waits"


class FutureHandle:
    """A future as a program holds it: it can be awaited, stored and sent, and nothing else."""

    def __init__(self, run: "StepAccess", stored: Future | Done) -> None:
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

    def __init__(self, run: "StepAccess", condition: Callable[[], bool]) -> None:
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
