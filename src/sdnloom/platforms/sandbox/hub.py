"""Deterministic replacement of os-ken's hub: threads run one at a time, when the owner of the hub schedules them.

A thread runs until it waits for something or ends. The owner decides which thread runs next and when a timer fires:
`runnable` and `due` return the alternatives, `run` and `fire` take one. Time stands still in between. A timer fires
only when no other is due earlier; timers due at the same time fire in any order.

Threads are greenlets. Generators cannot suspend a plain call such as `hub.sleep` deep inside a program. Operating
system threads would cost tens of microseconds a switch, need a trace function and a recursion limit each, and cannot be
discarded. os-ken depends on greenlet, so nothing more has to be installed.

Limits: a native thread can lose control anywhere, one of these only where it waits. A thread that has begun cannot be
copied (`parked` names them; `discard` ends them); one that has not begun, has ended, or waits for something that never
comes, is ordinary state.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import greenlet

from sdnloom.errors import SdnloomError
from sdnloom.platforms.capture.save_restore import Aspect, Aspects, CapturedAspect, Form
from sdnloom.platforms.sandbox.clock import SECOND, Clock, nanoseconds
from sdnloom.platforms.sandbox.threads import Effect, EscapedException, Flavour, HubError, HubThread, HubTimer, Phase

MAX_UNWINDS = 100
MAX_STUCK = 10_000
_DEAD: list[greenlet.greenlet] = []
_LISTS = ("threads", "ready", "timers")


class Hub(CapturedAspect):
    """All threads and timers of one program.

    Its state is the clock, the threads and the timers. The owner reads and clears `escaped` (exceptions of threads) and
    `refused` (requests for features that the hub does not have).
    """

    aspects: ClassVar[Aspects] = (
        Aspect("hub", Form.MAP, lambda each: each._save(), lambda each, saved: each._load(saved)),
    )

    def __init__(self, clock: Clock | None = None, flavour: Flavour = Flavour.NATIVE) -> None:
        self.clock, self.flavour = clock or Clock(), flavour
        self.threads: list[HubThread] = []  # all that have not ended
        self.ready: list[HubThread] = []  # in the order in which they became ready
        self.timers: list[HubTimer] = []
        self.current: HubThread | None = None
        self.escaped: list[EscapedException] = []
        self.refused: list[str] = []
        self._held: dict[int, greenlet.greenlet] = {}  # stacks of stored states, by id; `discard` leaves them alone
        self._stuck: list[greenlet.greenlet] = []  # never resumed, and kept: when one is freed, its `finally` runs

    # Called by a program.

    def spawn(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> HubThread:
        """Return a new thread that is ready to run."""
        thread = self._new(function, args, kwargs)
        self.ready.append(thread)
        return thread

    def spawn_after(self, seconds: float, function: Callable[..., Any], *args: Any, **kwargs: Any) -> HubThread:
        """Return a new thread that becomes ready when its timer fires."""
        thread = self._new(function, args, kwargs)
        thread.phase, thread.delayed = Phase.LATER, True
        self.timers.append(HubTimer(nanoseconds(max(seconds, 0)), thread))
        return thread

    def sleep(self, seconds: float = 0) -> None:
        """Let other threads run, and continue after a delay."""
        if seconds < 0:
            if self.flavour is Flavour.NATIVE:
                raise ValueError("sleep length must be non-negative")
            seconds = 0
        if seconds == 0:
            self.ready.append(self._here("sleep"))
            self._switch_away(Phase.READY)
        else:
            self.block([], seconds)

    def kill(self, thread: HubThread) -> None:
        """End a thread by raising GreenletExit where it waits, at once. On the native hub this does nothing."""
        if self.flavour is Flavour.NATIVE or thread.dead:
            return
        if thread is self.current:
            raise greenlet.GreenletExit
        self._throw(thread)

    def joinall(self, threads: Iterable[HubThread]) -> None:
        """Wait for the end of all threads."""
        for thread in threads:
            thread.wait()

    def getcurrent(self) -> HubThread | None:
        """Return the thread that runs; None outside of threads."""
        return self.current

    def patch(self, thread: bool = True) -> None:
        """Does nothing: the modules that a program sees are replaced from the start."""

    # Called by the owner of the hub.

    def runnable(self) -> tuple[HubThread, ...]:
        """Return the threads that can run now, in the order in which they became ready."""
        return tuple(self.ready)

    def due(self) -> tuple[HubTimer, ...]:
        """Return the timers that can fire next: those due first."""
        soonest = min((timer.left for timer in self.timers), default=0)
        return tuple(timer for timer in self.timers if timer.left == soonest)

    def next_deadline(self) -> float | None:
        """Return the seconds to the next timer."""
        due = self.due()
        return due[0].left / SECOND if due else None

    def parked(self) -> tuple[HubThread, ...]:
        """Return the threads that have begun and not ended, which no snapshot can hold."""
        return tuple(thread for thread in self.threads if thread.has_begun)

    def run(self, thread: HubThread) -> None:
        """Run a ready thread until it waits or ends."""
        if thread not in self.ready:
            raise HubError(f"{thread!r} cannot run; expected one of {list(self.ready)}")
        self.ready.remove(thread)
        self._resume(thread)

    def fire(self, timer: HubTimer) -> None:
        """Let time pass until a timer is due, and fire it; a thread that it wakes becomes ready but does not run."""
        if timer not in self.due():
            raise HubError(f"{timer!r} cannot fire; expected one of {list(self.due())}")
        self.clock.now += timer.left
        for other in self.timers:
            if other is not timer:
                other.left -= timer.left
        self.timers.remove(timer)
        if timer.expire is not None:
            timer.expire()
        elif timer.thread is not None:
            timer.thread.in_time = False
            self.make_ready(timer.thread)

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> HubThread:
        """Run a function as a thread, at once, until it waits or ends; return the thread."""
        thread = self.spawn(function, *args, **kwargs)
        self.run(thread)
        return thread

    def settle(self, limit: int = 10_000) -> int:
        """Run ready threads, first come first served, until none is left; return the number of turns."""
        for turns in range(limit):
            if not self.ready:
                return turns
            self.run(self.ready[0])
        raise HubError(
            f"threads still run after {limit} turns, {self.ready[0].label} among them; expected them to wait"
        )

    def discard(self) -> None:
        """End all threads that have begun, so that another state can be restored; those that are held only wait.

        Their `finally` clauses run now; otherwise they would run in the restored state, when they are collected.
        """
        self._end([thread for thread in self.parked() if id(thread._stack) not in self._held])

    def _end(self, threads: Iterable[HubThread]) -> None:
        for thread in threads:
            for _ in range(MAX_UNWINDS):
                if not thread.dead:
                    self._throw(thread)
            if not thread.dead:
                raise HubError(f"{thread.label} went on after {MAX_UNWINDS} orders to end; expected it to end")

    def stacks(self) -> list[Any]:
        """Return the stacks of the threads that have begun and not ended."""
        return [thread._stack for thread in self.parked()]

    def hold(self, stack: Any) -> None:
        """Keep a stack for a stored state: its thread may wait on while the program is in another state."""
        self._held[id(stack)] = stack

    # Called by the objects that threads wait for.

    def block(self, queue: list[HubThread], seconds: float | None = None) -> bool:
        """Wait in a queue until another thread wakes this one; False after the timeout."""
        thread = self._here("wait")
        if seconds is not None and seconds <= 0:
            return False
        timer = None if seconds is None else HubTimer(nanoseconds(max(seconds, 0)), thread)
        queue.append(thread)
        if timer is not None:
            self.timers.append(timer)
        thread.in_time = True
        try:
            self._switch_away(Phase.WAITING)
            return thread.in_time
        except BaseException:
            if thread not in queue:
                self.wake(queue)  # it was woken but leaves the item to another thread
            raise
        finally:
            if thread in queue:
                queue.remove(thread)
            if timer in self.timers:
                self.timers.remove(timer)

    def wait_for_ever(self, dead: bool = False) -> None:
        """Wait for something that never comes. Nothing can wake the thread, so what it would do next is no state.

        A thread that is dead is kept for the life of this process: freed, it could catch its end and go on.
        """
        thread = self._here("wait")
        if len(self._stuck) >= MAX_STUCK:
            self.block([])
        stack = self._leave_stuck(thread)
        if dead:
            _DEAD.append(stack)
        stack.parent.switch()

    def stop(self) -> None:
        """End all threads and timers. One that does not end when it is told to is left where it is."""
        try:
            self._end(self.parked())  # held or not: what it does about that is part of the state
        except HubError:
            for thread in self.parked():
                self._leave_stuck(thread)
        for left in (self.threads, self.ready, self.timers, self.escaped):
            left.clear()

    def _leave_stuck(self, thread: HubThread) -> greenlet.greenlet:
        stack, thread._stack = thread._stack, None
        assert stack is not None
        thread.phase = Phase.STUCK
        self._stuck.append(stack)
        return stack

    def wake(self, queue: list[HubThread]) -> None:
        """Make the longest waiting thread of a queue ready; one that has timed out no longer waits."""
        while queue:
            thread = queue.pop(0)
            if thread.phase is Phase.WAITING:
                self.make_ready(thread)
                return

    def make_ready(self, thread: HubThread) -> None:
        """Make a waiting thread ready."""
        if thread.phase in (Phase.WAITING, Phase.LATER):
            thread.phase = Phase.READY
            self.ready.append(thread)
            self.timers[:] = [each for each in self.timers if each.thread is not thread or each.expire is not None]

    def forget(self, thread: HubThread) -> None:
        """Drop a thread that has not begun, or has ended."""
        thread.phase = Phase.ENDED
        self.timers[:] = [timer for timer in self.timers if timer.thread is not thread]
        for threads in (self.threads, self.ready):
            if thread in threads:
                threads.remove(thread)
        while thread._joiners:
            self.wake(thread._joiners)

    def refuse(self, what: str) -> HubError:
        """Return the error for a missing feature, and record it in case the program catches the error."""
        self.refused.append(what)
        return HubError(f"{what} is not available to a program under test; expected one that does without it")

    def _save(self) -> dict[str, Any]:
        saved: dict[str, Any] = {"clock": self.clock}
        for name in _LISTS:
            for place, each in enumerate(getattr(self, name)):
                saved[f"{name}[{place}]"] = each
        return saved

    def _load(self, saved: dict[str, Any]) -> None:
        for name in _LISTS:
            getattr(self, name)[:] = [each for key, each in saved.items() if key.startswith(name)]

    def _new(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> HubThread:
        taken = {thread.number for thread in self.threads}
        number = next(each for each in range(1, len(taken) + 2) if each not in taken)
        thread = HubThread(self, number, function, args, kwargs)
        self.threads.append(thread)
        return thread

    def _here(self, what: str) -> HubThread:
        if self.current is None:
            while (stack := greenlet.getcurrent()).parent is not None:
                stack.parent.switch()  # its program is gone: it was told to end, caught that, and waits again
            raise HubError(f"{what} is called outside of a thread; expected a call from a thread of this hub")
        return self.current

    def _switch_away(self, phase: Phase) -> None:
        thread = self.current
        assert thread is not None
        assert thread._stack is not None
        thread.phase = phase
        thread._stack.parent.switch()
        if thread.pending is not None:
            error, thread.pending = thread.pending, None
            raise error

    def _resume(self, thread: HubThread) -> None:
        before, self.current, thread.phase = self.current, thread, Phase.RUNNING
        if thread._stack is None:
            thread._stack = greenlet.greenlet(self._live)
        thread._stack.parent = greenlet.getcurrent()
        try:
            thread._stack.switch(thread)
        finally:
            self.current = before
            if thread.dead:
                thread._stack = None

    def _live(self, thread: HubThread) -> None:
        function, args, kwargs = thread._call
        try:
            thread.result = function(*args, **kwargs)
        except (greenlet.GreenletExit, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt):  # from the user, not from the program
                raise
        except SdnloomError:
            raise
        except BaseException as error:
            thread.error = error
            of_python = thread.of_python or (thread.delayed and self.flavour is Flavour.NATIVE)
            if not isinstance(error, SystemExit) or not of_python:  # so a thread of Python may end
                self.escaped.append(EscapedException(thread.label, error, self._effect(thread, error)))
        finally:
            self.forget(thread)

    def _effect(self, thread: HubThread, error: BaseException) -> Effect:
        """The effect in os-ken: its native hub ends the thread silently on every Exception."""
        if self.flavour is Flavour.EVENTLET:
            return Effect.RAISED if thread.raise_error else Effect.LOGGED
        return Effect.SILENT if isinstance(error, Exception) and not thread.delayed else Effect.LOGGED

    def _throw(self, thread: HubThread) -> None:
        """Raise GreenletExit in a thread, where it waits."""
        if not thread.has_begun:
            self.forget(thread)
            return
        if thread.phase is Phase.RUNNING:
            raise HubError(f"{thread.label} is ended by a thread that it is ending itself; expected it to wait")
        if thread in self.ready:
            self.ready.remove(thread)
        thread.pending = greenlet.GreenletExit()
        self._resume(thread)
