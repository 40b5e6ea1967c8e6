"""The surroundings of a program as libraries see them: all names of real modules that are rebound while it runs."""

import sys
from collections.abc import Callable, Mapping
from logging import Logger
from types import ModuleType
from typing import Any

from sdnloom.platforms.process.inert_selectors import selector_names
from sdnloom.platforms.process.inert_sockets import socket_names
from sdnloom.platforms.process.library_names import (
    asyncio_names,
    eventlet_names,
    executor_names,
    multiprocessing_names,
    numpy_names,
)
from sdnloom.platforms.process.output_log import (
    AppLogger,
    OutputHandler,
    OutputLog,
    OutputStream,
    is_enabled_for,
    record_factory,
)
from sdnloom.platforms.process.process import Process
from sdnloom.platforms.process.process_names import OS_NAMES, logging_names, other_names, signal_names, sys_names
from sdnloom.platforms.process.real_modules import RealModules
from sdnloom.platforms.sandbox import fake_threading
from sdnloom.platforms.sandbox.clock import Draws
from sdnloom.platforms.sandbox.fake_modules import changed_names

_VIRTUAL = ("time", "datetime", "random", "uuid", "secrets", "threading", "queue")


def surroundings(
    process: Process,
    draws: Draws,
    log: OutputLog,
    modules: Mapping[str, ModuleType],
    arguments: list[str],
) -> RealModules:
    """Return the rebound names; `modules` are the virtual modules of the program, by name."""
    hub, sockets = process.hub, socket_names(process)
    virtual: dict[str, dict[str, Any]] = {name: changed_names(modules[name], sys.modules[name]) for name in _VIRTUAL}
    virtual["threading"]["_counter"] = lambda: process.next_number("thread", 1)  # in names of threads of libraries
    given: dict[str, Mapping[str, Any]] = {
        **virtual,
        "_thread": fake_threading.low_level_names(hub),
        "os": {name: vars(modules["os"])[name] for name in OS_NAMES},
        "signal": signal_names(process),
        "sys": {
            **sys_names(process, arguments),
            "stdout": OutputStream(log, "stdout"),
            "stderr": OutputStream(log, "stderr"),
        },
        "socket": sockets,
        **selector_names(process, sockets["socket"]),
    }
    sources: dict[str, Callable[[ModuleType], Mapping[str, Any]]] = {
        **{name: lambda module, names=names: names for name, names in given.items()},  # type: ignore[misc]
        **other_names(process),
        **asyncio_names(hub),
        **eventlet_names(hub, sockets),
        **multiprocessing_names(process, vars(modules["threading"]), vars(modules["queue"])["Queue"]),
        **executor_names(process),
        **numpy_names(draws),
    }
    found = RealModules(sources, fake_threading.real_thread_methods(hub))
    for space, names in logging_names(OutputHandler(log), AppLogger, record_factory(hub.clock)):
        for name, value in names.items():
            found.name(space, name, value)
    found.method(Logger, "isEnabledFor", is_enabled_for)
    return found
