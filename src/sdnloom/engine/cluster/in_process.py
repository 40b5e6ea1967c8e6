"""Workers in this process, one after the other; for tests, and to see what a cluster costs without one."""

from collections.abc import Callable, Sequence
from typing import Any

from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.cluster.protocol import WorkerSettings
from sdnloom.engine.cluster.worker import SearchWorker


class InProcessBackend:
    """Runs workers in this process: what stands for a result is the result."""

    def __init__(self, program: Callable[[], ClusterProgram], workers: int, threads: int = 1) -> None:
        self.workers = workers
        self._program, self._threads = program, threads
        self._members = [self._new(number) for number in range(workers)]

    def _new(self, number: int) -> SearchWorker:
        return SearchWorker(WorkerSettings(number, self.workers, self._threads, self._program))

    def call(self, worker: int, method: str, *arguments: Any) -> Any:
        """The result of a method of a worker."""
        return self._members[worker].call(method, *arguments)

    def parts(self, worker: int, method: str, *arguments: Any) -> list[Any]:
        """The results, one for each worker, of a method of a worker."""
        return list(self.call(worker, method, *arguments))

    def results(self, called: Sequence[Any], pause: Callable[[], None]) -> list[Any]:
        """The results of calls."""
        pause()
        return list(called)

    def replace(self, worker: int) -> None:
        """Begin a worker again."""
        self._members[worker] = self._new(worker)

    def close(self) -> None:
        """End all workers."""
        self._members.clear()
