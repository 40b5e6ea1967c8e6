"""A search in a cluster, with the interface of the engines: it gives numbers of states their values."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sdnloom.engine import user_code
from sdnloom.engine.cluster.driver import CHECKPOINT_SECONDS, SMALL_LEVEL, ClusterDriver
from sdnloom.engine.cluster.in_process import InProcessBackend
from sdnloom.engine.cluster.notation import SpelledStates
from sdnloom.engine.cluster.protocol import ClusterBackend, FoundState
from sdnloom.engine.cluster.question_memo import AgreedAnswers
from sdnloom.engine.cluster.ray_backend import RayBackend, RayConnection
from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.memo import Memo
from sdnloom.engine.result import ClusterOptions, Limits
from sdnloom.engine.semantics import Finding, State
from sdnloom.engine.stop_points import LimitReached
from sdnloom.errors import SdnloomError

IN_PROCESS = "in process"
BYTES_PER_STATE = 16 / 0.8 + 8  # key in a set that is as full as it may be, and parent


class ClusterSearch:
    """One run over a system in several processes. The interface is that of LoopSearch."""

    def __init__(
        self,
        tables: Memo,
        backend: ClusterBackend,
        *,
        limits: Limits,
        watch: LimitWatch,
        on_finding: Callable[[Finding, int], bool],
        on_pause: Callable[[], None] = lambda: None,
        on_notice: Callable[[str], None] = lambda text: None,
        small_level: int = SMALL_LEVEL,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        self._tables, self._log = tables, on_finding
        self._answers = AgreedAnswers(tables)
        self._latest: tuple[int, State] | None = None  # the state of the latest finding
        self._driver = ClusterDriver(
            backend,
            self._answers,
            limits=limits,
            judges=bool(tables.system.properties),
            on_finding=self._note,
            on_pause=on_pause,
            reason_to_stop=watch.reason_to_stop,
            on_notice=on_notice,
            small_level=small_level,
            checkpoint_seconds=checkpoint_seconds,
        )
        self.stopped: str | None = None

    @property
    def transitions(self) -> int:
        """How many transitions were taken."""
        return self._driver.at.transitions

    @property
    def depth(self) -> int:
        """The greatest number of steps to a state."""
        return self._driver.depth

    @property
    def frontier(self) -> int:
        """How many states the present level has."""
        return self._driver.frontier

    def run(self) -> None:
        """Search until done or stopped."""
        try:
            self._driver.run()
            self.stopped = self._driver.stopped
        except LimitReached as reached:  # while user code was asked: the states that were counted are whole
            self.stopped = self._driver.stopped = reached.reason
        finally:
            self._driver.checkpoints.close()

    def count(self) -> int:
        """How many states there are."""
        return self._driver.at.count

    def values(self, number: int) -> list[State]:
        """The states from the initial one to this one."""
        spelled = self._driver.path(number)
        return [self._value(spelled, position) for position in range(len(spelled.rows))]

    def value(self, number: int) -> State:
        """The state of that number."""
        if self._latest is not None and self._latest[0] == number:
            return self._latest[1]
        return self.values(number)[-1]

    def memories(self) -> dict[str, list[Any]]:
        """The memories met, by property."""
        known = zip(self._tables.semantics.with_memory, self._tables.memories, strict=True)
        return {prop.name: list(table.values) for prop, table in known}

    def bytes_per_state(self) -> float:
        """Keys and parents of a state, on all machines."""
        return BYTES_PER_STATE

    def _note(self, found: FoundState) -> bool:
        prop = self._tables.system.properties[found.prop]
        self._latest = found.number, self._value(found.state, 0)
        return self._log(Finding(prop.name, found.message), found.number)

    def _value(self, spelled: SpelledStates, position: int) -> State:
        """A spelled state in plain values."""
        tables = self._tables
        contents: list[Any] = [None] * len(tables.system.channels)
        cores = []
        row = spelled.rows[position].tolist()
        for component, channels in enumerate(tables.inbox):
            numbers = iter(_spelled_place(spelled.places[component].tolist(), row[component], self._queues(channels)))
            cores.append(tables.cores[component].values[next(numbers)[0]])
            for channel in channels:
                inside = next(numbers)
                if self._is_queue(channel):
                    contents[channel] = self._queue(channel, inside)
                else:
                    contents[channel] = tables.contents[channel].values[inside[0]]
        memories = [
            table.values[int(numbers[place])]
            for table, numbers, place in zip(tables.memories, spelled.numbers, row[len(tables.inbox) :], strict=False)
        ]
        return State(tuple(cores), tuple(contents), tuple(memories))

    def _queues(self, channels: list[int]) -> list[bool]:
        return [self._is_queue(channel) for channel in channels]

    def _is_queue(self, channel: int) -> bool:
        return type(self._tables.system.channels[channel].discipline) is Fifo

    def _queue(self, channel: int, messages: list[int]) -> Any:
        """The content of a queue with these messages."""
        where = self._tables.system.channels[channel]
        content = where.discipline.empty
        for message in messages:
            ((_, content),) = user_code.push_message(where, content, self._tables.messages.values[message])
        return content


def new_backend(
    options: ClusterOptions, threads: int | None, late_explored: bool, on_notice: Callable[[str], None]
) -> ClusterBackend:
    """Start the workers."""
    if options.program is None:
        raise SdnloomError(
            "a cluster is given without a program; expected a function that each worker calls for its own"
        )
    program = partial(options.program, late_explored=late_explored)
    if options.address == IN_PROCESS:
        return InProcessBackend(program, options.workers or 2, threads or 1)
    connection = RayConnection(options.address, on_notice)
    try:
        return RayBackend(connection, program, options.workers, threads)
    except BaseException:
        connection.close()
        raise


def _spelled_place(numbers: list[int], place: int, queues: list[bool]) -> list[list[int]]:
    """The core, and what each channel holds, of one of several spelled places."""
    at = 0
    while True:
        parts, at = [[numbers[at]]], at + 1
        for is_queue in queues:
            length, first = (numbers[at], at + 1) if is_queue else (1, at)
            parts.append(numbers[first : first + length])
            at = first + length
        if not place:
            return parts
        place -= 1
