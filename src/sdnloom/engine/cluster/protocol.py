"""What a driver asks of workers and of what runs them. Arguments and results are numbers, texts and arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sdnloom.engine.cluster.notation import SpelledStates
from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.kernel.layout import Array
from sdnloom.errors import SdnloomError


class WorkerLost(SdnloomError):  # noqa: N818 (an event, not a mistake)
    """A worker does not answer any more."""

    def __init__(self, worker: int, reason: str) -> None:
        self.worker = worker
        super().__init__(f"worker {worker + 1} is lost: {reason}")


class WorkerPhase(NamedTuple):
    """How far a worker is: what has to be answered before it can go on, nothing if it is done."""

    questions: Array
    states: int  # that it has in its stretch of the level, or found new
    transitions: int
    resident: int  # bytes


class SavedWorker(NamedTuple):
    """A worker at the end of a level: the keys that it owns, its stretch, and where its states were found from."""

    keys: Array
    stretch: SpelledStates
    segments: Array  # first number, number of the first possible parent, count of some states
    parents: Array  # of one segment after the other


class FoundState(NamedTuple):
    """Something that a property reports in a state: number of the state and of the property, message, and the state.

    A property that fails has no message, but an error.
    """

    number: int
    prop: int
    message: str
    state: SpelledStates
    error: str | None = None


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker is told when it starts. `program` makes the program to search; it is sent as it is."""

    number: int
    workers: int
    threads: int
    program: "Callable[[], ClusterProgram]"


class ClusterBackend(Protocol):
    """Runs workers. What `call` returns stands for a result and may be the argument of another call."""

    workers: int

    def call(self, worker: int, method: str, *arguments: Any) -> Any:
        """Call a method of a worker; what stands for its result."""

    def parts(self, worker: int, method: str, *arguments: Any) -> list[Any]:
        """Call a method that has a result for each worker; what stands for each."""

    def results(self, called: Sequence[Any], pause: Callable[[], None]) -> list[Any]:
        """The results of calls; `pause` is called now and then, and ends the wait with what it raises.

        Raises WorkerLost if a worker does not answer, and the SdnloomError that a worker raised.
        """

    def replace(self, worker: int) -> None:
        """Start a lost worker again, as it was in the beginning."""

    def close(self) -> None:
        """End all workers."""
