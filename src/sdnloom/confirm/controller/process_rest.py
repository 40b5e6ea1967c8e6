"""Whether a process and its children are at rest: every thread sleeps, and none has run between two looks.

Why two looks are enough: every thread there is at the moment between the looks is in the second. One that slept at both
and did not run between them slept at that moment, and nobody had woken it, for a woken thread is runnable at once. So
at that moment no thread ran and none was about to. Threads that wake up now and then (a hub's timers, a virtual
machine's housekeeping) do not prevent it: a look takes less than a millisecond, and rest is found between two of their
turns.

What is not seen: something that the process waits for outside of itself and its children, such as another host.
"""

import contextlib
import os
import time
from typing import Final, NamedTuple, TypeAlias

from sdnloom.confirm.real_parts import RealPartError

_PROC: Final = "/proc"
_FILES: Final = ("stat", "schedstat", "children")  # a kernel may be built without the last one
_AWAKE: Final = frozenset("RDW")  # runs or is runnable, waits for a disk, is being woken
_FIRST_PAUSE: Final = 0.00005
_LONGEST_PAUSE: Final = 0.002
_MOST_OPEN: Final = 100  # threads whose files are kept open: a process may have few files
_LARGEST: Final = 4096

Look: TypeAlias = tuple[tuple[int, int, bytes], ...]
"""Process, thread and schedstat (time on a processor, time of waiting for one, turns) of every thread."""


class _Thread(NamedTuple):
    process: int
    thread: int
    stat: int  # descriptors of open files
    schedstat: int
    children: int = -1


class ProcessRest:
    """Looks at one process and its children. Only the thread that made it may use it; `close` closes its files."""

    def __init__(self, process_id: int) -> None:
        if not os.path.exists(f"{_PROC}/{os.getpid()}/schedstat"):
            raise RealPartError(
                f"{_PROC}/PID/schedstat: not found; expected Linux with it, which shows when a controller is at rest"
            )
        self._root = process_id
        self._open: dict[tuple[int, int], _Thread] = {}
        self.awake = ""  # the thread that did not sleep at the last look, for a message

    def at_rest(self) -> Look | None:
        """Look twice; return the look if the process was at rest in between, else None.

        Two equal results mean that no thread has run from one to the other. Of a process that has ended it is empty.
        """
        if len(self._open) > _MOST_OPEN:
            self.close()
        first = self._read(self._threads())
        if first is None:
            return None
        second = self._read(self._threads())  # listed again: a thread of the first look may have started others
        if second is not None and second != first:
            changed = sorted(set(second) ^ set(first))
            self.awake = self._name(*changed[0][:2])
        return first if first == second else None

    def wait(self, seconds: float) -> Look:
        """Wait for rest; raise RealPartError with the thread that runs if there is none in time."""
        deadline = time.monotonic() + seconds
        pause = _FIRST_PAUSE
        while (found := self.at_rest()) is None:
            if time.monotonic() > deadline:
                raise RealPartError(
                    f"the controller does not come to rest within {seconds:g} s: {self.awake} still runs; expected it "
                    "to wait for its switches (one that is always busy can be started "
                    "before, and named with --controller)"
                )
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        return found

    def close(self) -> None:
        """Close its files."""
        for each in self._open.values():
            _close(each)
        self._open.clear()

    def _read(self, threads: list[_Thread]) -> Look | None:
        found = []
        for each in threads:
            try:
                stat = os.pread(each.stat, _LARGEST, 0)
                schedstat = os.pread(each.schedstat, _LARGEST, 0)
            except OSError:  # it has ended
                continue
            if chr(stat[stat.rindex(b")") + 2]) in _AWAKE:
                self.awake = self._name(each.process, each.thread)
                return None
            found.append((each.process, each.thread, schedstat))
        return tuple(found)

    def _threads(self) -> list[_Thread]:
        """Return all threads of the process and its children, with open files."""
        found: dict[tuple[int, int], _Thread] = {}
        waiting = [self._root]
        while waiting:
            process = waiting.pop()
            try:
                names = os.listdir(f"{_PROC}/{process}/task")
            except OSError:
                continue
            for name in names:
                key = process, int(name)
                with contextlib.suppress(OSError):  # it has ended since
                    found[key], children = self._with_children(key)
                    waiting += children
        for key in self._open.keys() - found.keys():
            _close(self._open.pop(key))
        return list(found.values())

    def _with_children(self, key: tuple[int, int]) -> tuple[_Thread, list[int]]:
        if (known := self._open.get(key)) is not None:
            try:
                return known, _children(known)
            except OSError:  # that thread has ended, and another one has its number now
                _close(self._open.pop(key))
        opened = self._open[key] = _opened(*key)
        return opened, _children(opened)

    def _name(self, process: int, thread: int) -> str:
        try:
            with open(f"{_PROC}/{process}/task/{thread}/comm", encoding="utf-8", errors="replace") as file:
                return f"thread {thread} ({file.read().strip()}) of process {process}"
        except OSError:
            return f"thread {thread} of process {process}"


def _opened(process: int, thread: int) -> _Thread:
    folder = f"{_PROC}/{process}/task/{thread}"
    opened: list[int] = []
    try:
        for name in _FILES if os.path.exists(f"{folder}/{_FILES[-1]}") else _FILES[:-1]:
            opened += [os.open(f"{folder}/{name}", os.O_RDONLY | os.O_CLOEXEC)]
    except OSError:
        for each in opened:
            os.close(each)
        raise
    return _Thread(process, thread, *opened)


def _children(thread: _Thread) -> list[int]:
    """Return the processes that a thread has started; none if the kernel does not tell."""
    if thread.children < 0:
        os.pread(thread.stat, 1, 0)
        return []
    return list(map(int, os.pread(thread.children, _LARGEST, 0).split()))


def _close(thread: _Thread) -> None:
    for each in (thread.stat, thread.schedstat, thread.children):
        if each >= 0:
            os.close(each)
