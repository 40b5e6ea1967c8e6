"""Reports of the exceptions that apps do not catch, from wherever os-ken, eventlet or Python let them end.

What happens to an exception stays as it is: hooks look and pass it on. The places, each with one report:

- a handler, on eventlet's hub, or one that no `except Exception` catches: os-ken's event loop logs it and goes on;
- a receiver of messages: the connection ends, and on the native hub its thread waits before it passes the exception on;
- another thread of the hub, event loops among them: the hub logs it or, on the native hub, drops it silently;
- other threads of Python and timers of the native hub: `threading.excepthook`;
- other threads of eventlet: eventlet prints it;
- the main thread: `sys.excepthook`.
"""

import functools
import importlib
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, TypeAlias

from greenlet import GreenletExit
from os_ken.base import app_manager
from os_ken.base.app_manager import Datapath  # its own module cannot be imported first
from os_ken.lib import hub

ReportError: TypeAlias = Callable[[BaseException], None]


class _LoopLog:
    """os-ken's logger of event loops; `exception` is called for an exception of a handler."""

    def __init__(self, log: Any, report: ReportError) -> None:
        self._log, self._report = log, report

    def exception(self, *arguments: Any, **options: Any) -> None:
        """Report the exception that is handled now, and log it."""
        error = sys.exc_info()[1]
        if error is not None:
            self._report(error)
        self._log.exception(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)


def install_hooks(report: ReportError) -> None:
    """Install them. Nothing but os-ken's hub and manager may have been imported of os-ken before."""
    vars(app_manager)["LOG"] = _LoopLog(app_manager.LOG, report)
    names = ["spawn", "spawn_after"] if hub.HUB_TYPE == "eventlet" else ["spawn"]  # timers end in the hook of threads
    for name in names:
        vars(hub)[name] = _reporting_spawn(vars(hub)[name], name != "spawn", report)
    _hook_receivers(report)
    _hook_threads(report)
    if hub.HUB_TYPE == "eventlet":
        _hook_eventlet(report)


def _reporting_spawn(spawn: Callable[..., Any], delayed: bool, report: ReportError) -> Callable[..., Any]:
    """Return the hub's function; what it starts reports an exception that the hub would take.

    With `raise_error` the hub passes it on to where other hooks are; the native hub takes every `Exception` all the
    same.
    """

    @functools.wraps(spawn)
    def start(*arguments: Any, **options: Any) -> Any:
        if len(arguments) <= delayed:
            return spawn(*arguments, **options)
        first, function, rest = arguments[:delayed], arguments[delayed], arguments[delayed + 1 :]
        taken = _taken_with_raise_error() if options.get("raise_error") else BaseException
        return spawn(*first, _reporting_call(function, taken, report), *rest, **options)

    return start


def _taken_with_raise_error() -> type[BaseException] | tuple[type[BaseException], ...]:
    return () if hub.HUB_TYPE == "eventlet" else Exception


def _reporting_call(function: Callable[..., Any], taken: Any, report: ReportError) -> Callable[..., Any]:
    """Return a function that does the same and reports an exception that the hub takes."""

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except (GreenletExit, KeyboardInterrupt):
            raise
        except taken as error:
            if not _was_received(error):
                report(error)
            raise

    for name in ("__name__", "__qualname__", "__doc__"):  # threads are named after what they run
        if hasattr(function, name):
            setattr(call, name, getattr(function, name))
    return call


def _hook_receivers(report: ReportError) -> None:
    receive = Datapath._recv_loop

    def receive_messages(self: Any) -> None:
        try:
            receive(self)
        except (GreenletExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            report(error)
            raise

    Datapath._recv_loop = receive_messages


def _was_received(error: BaseException) -> bool:
    """Whether an exception comes from a receiver of messages: then it was reported there."""
    code = getattr(Datapath._recv_loop, "__code__", None)
    return any(frame.f_code is code for frame, _ in traceback.walk_tb(error.__traceback__))


def _hook_threads(report: ReportError) -> None:
    in_thread, in_main = threading.excepthook, sys.excepthook

    def thread_hook(arguments: Any) -> None:
        if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):  # that is no error
            report(arguments.exc_value)
        in_thread(arguments)

    def main_hook(kind: Any, error: BaseException, trace: Any) -> None:
        if not isinstance(error, KeyboardInterrupt):
            report(error)
        in_main(kind, error, trace)

    threading.excepthook, sys.excepthook = thread_hook, main_hook


def _hook_eventlet(report: ReportError) -> None:
    base = importlib.import_module("eventlet.hubs.hub").BaseHub
    for name in ("squelch_exception", "squelch_timer_exception"):
        squelch = getattr(base, name)

        def hook(self: Any, what: Any, exc_info: Any, squelch: Any = squelch) -> Any:
            report(exc_info[1])
            return squelch(self, what, exc_info)

        setattr(base, name, hook)
