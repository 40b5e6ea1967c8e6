"""Forked processes that do numbered tasks, and leave no process behind however they or their parent end.

A task is done by a function that the processes have inherited; only its number goes to a worker and only JSON comes
back. When the parent ends, by `kill -9` too, Linux kills its workers; elsewhere they notice it at their next look at
the pipe from it. Ctrl-C goes to the parent, which tells the workers to stop. When a worker dies, another one does its
task once more. Workers are forked before the parent has other threads.
"""

import ctypes
import json
import os
import select
import selectors
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NoReturn

from sdnloom.errors import SdnloomError

WorkerTask = Callable[[int, "WorkerLink"], dict[str, Any]]
ATTEMPTS = 2  # that a task gets, each time in another worker
_STOP = b"stop\n"
_PR_SET_PDEATHSIG = 1
_PATIENCE = 30.0  # seconds that workers have to end their tasks when they are told to stop
_LOOK = 0.1  # seconds between two looks of the parent at its limits


class WorkerError(RuntimeError):
    """A task ended with an exception that no user can cause; the message is the worker's traceback."""


def why_not_to_fork() -> str | None:
    """Why tasks have to be done in this process, None if they need not."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return "this platform cannot fork a process safely"
    if threading.active_count() > 1:
        return "this process has other threads, so it cannot be forked safely"
    return None


class WorkerLink:
    """What a task sees of the parent."""

    def __init__(self, commands: int, results: int) -> None:
        self._commands, self._results = commands, results
        self._sent = select.poll()
        self._sent.register(commands, select.POLLIN)

    def asked_to_stop(self) -> bool:
        """Whether the parent wants the task to end with what it has; without a parent this ends the process."""
        if not self._sent.poll(0):
            return False
        if not os.read(self._commands, len(_STOP)):
            os._exit(1)  # the parent has ended
        return True

    def tell(self, **values: Any) -> None:
        """Send values to the parent."""
        line = json.dumps(values).encode() + b"\n"
        while line:
            line = line[os.write(self._results, line) :]


@dataclass
class WorkerProcess:
    """A process as its parent sees it."""

    pid: int
    commands: int
    results: int
    task: int | None = None
    unread: bytes = b""


@dataclass(frozen=True)
class LostWorker:
    """A worker that died, how, and the task that it did."""

    pid: int
    status: int  # as waitpid gives it
    task: int | None

    @property
    def text(self) -> str:
        """How it ended."""
        if os.WIFSIGNALED(self.status):
            return f"signal {os.WTERMSIG(self.status)}"
        return f"exit code {os.waitstatus_to_exitcode(self.status)}"


@dataclass
class WorkerPool:
    """Workers for the tasks 1 to `tasks`. Use it as a context: at its end no worker is left."""

    task: WorkerTask
    tasks: int
    processes: int
    reason_to_stop: Callable[[], str | None] = lambda: None
    on_progress: Callable[[int, dict[str, Any]], None] = lambda task, values: None
    lost: list[LostWorker] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)  # tasks that were not done, because their workers died
    workers: list[WorkerProcess] = field(default_factory=list)

    def __enter__(self) -> "WorkerPool":
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            for _ in range(self.processes):
                self._fork()
        except BaseException:
            self._end_workers()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._end_workers()

    def results(self, is_last: Callable[[dict[str, Any]], bool]) -> dict[int, dict[str, Any]]:
        """What the tasks gave, by number. After a result that `is_last` no task with a greater number counts."""
        waiting = list(range(self.tasks, 0, -1))
        attempts = dict.fromkeys(waiting, 0)
        done: dict[int, dict[str, Any]] = {}
        last, stopping, patience = self.tasks, False, 0.0
        while True:
            if not stopping and self.reason_to_stop() is not None:
                stopping, patience = True, monotonic() + _PATIENCE
                for worker in self._busy():
                    _send(worker, _STOP)
            waiting = [] if stopping else [number for number in waiting if number <= last]
            for worker in self.workers:
                if worker.task is None and waiting:
                    worker.task = waiting.pop()
                    attempts[worker.task] += 1
                    _send(worker, b"%d\n" % worker.task)
            waited_for = any(worker.task is not None and worker.task <= last for worker in self.workers)
            if not waited_for and not (waiting and self.workers):
                self.failed += waiting
                break
            if stopping and monotonic() > patience:
                self.failed += [worker.task for worker in self._busy() if worker.task is not None]
                break
            for worker, told in self._told():
                number = worker.task
                if told is None:
                    self._bury(worker)
                    if number is not None and number <= last:
                        (waiting if attempts[number] < ATTEMPTS else self.failed).append(number)
                elif number is None:
                    continue
                elif "progress" in told:
                    self.on_progress(number, told["progress"])
                elif "error" in told:
                    done[number] = {"error": told["error"], "defect": told["defect"]}
                    worker.task, last = None, min(last, number)
                else:
                    done[number] = told["result"]
                    worker.task = None
                    if is_last(told["result"]):
                        last = min(last, number)
        self.failed = sorted(number for number in self.failed if number <= last and number not in done)
        found = {number: done[number] for number in sorted(done) if number <= last}
        for each in found.values():
            if "error" in each:
                raise WorkerError(each["error"]) if each["defect"] else SdnloomError(each["error"])
        return found

    def _busy(self) -> list[WorkerProcess]:
        return [worker for worker in self.workers if worker.task is not None]

    def _told(self) -> Iterator[tuple[WorkerProcess, dict[str, Any] | None]]:
        """What workers tell within a moment; None is the end of one."""
        with selectors.DefaultSelector() as ready:
            for worker in self.workers:
                ready.register(worker.results, selectors.EVENT_READ, worker)
            events = ready.select(_LOOK)
        for key, _ in events:
            worker = key.data
            more = os.read(worker.results, 1 << 20)
            if not more:
                yield worker, None
                continue
            *lines, worker.unread = (worker.unread + more).split(b"\n")
            for line in lines:
                yield worker, json.loads(line)

    def _fork(self) -> None:
        commands, to_worker = os.pipe()
        from_worker, results = os.pipe()
        parent = os.getpid()
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            pid = os.fork()  # eventlet warns of every fork; a worker uses nothing of it
        if pid == 0:
            try:
                inherited = [end for each in self.workers for end in (each.commands, each.results)]
                for end in (*inherited, to_worker, from_worker):
                    os.close(end)  # or the other workers would not see the end of the parent
                _prepare(parent)
                _serve(self.task, commands, results)
            finally:
                os._exit(1)
        os.close(commands)
        os.close(results)
        self.workers.append(WorkerProcess(pid, to_worker, from_worker))

    def _bury(self, worker: WorkerProcess) -> None:
        """Take away a worker that has ended."""
        self.workers.remove(worker)
        self.lost.append(LostWorker(worker.pid, _wait(worker), worker.task))

    def _end_workers(self) -> None:
        for worker in self.workers:
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)  # it has no child and no file
        while self.workers:
            _wait(self.workers.pop())


def _wait(worker: WorkerProcess) -> int:
    """The status of a worker that ends, when it has ended."""
    os.close(worker.commands)
    os.close(worker.results)
    try:
        return os.waitpid(worker.pid, 0)[1]
    except ChildProcessError:  # somebody else has waited for it
        return 0


def _send(worker: WorkerProcess, line: bytes) -> None:
    with suppress(BrokenPipeError):  # its end is noticed when it is read from
        os.write(worker.commands, line)


def _prepare(parent: int) -> None:
    """Make a forked process one that ends with its parent and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it has ended before that call


def _serve(task: WorkerTask, commands: int, results: int) -> NoReturn:
    """Do the tasks that the parent sends until it closes the pipe."""
    link = WorkerLink(commands, results)
    with os.fdopen(commands, "rb", buffering=0, closefd=False) as lines:
        while line := lines.readline():
            if line == _STOP:  # it came after the end of a task
                continue
            try:
                link.tell(result=task(int(line), link))
            except SdnloomError as error:
                link.tell(error=str(error), defect=False)
            except BaseException:
                link.tell(error=traceback.format_exc(), defect=True)
    os._exit(0)
