"""Controllers that are not the scenario's program: one that a command starts, or one that already runs.

Any controller that listens for switches over TCP can be used, in any language. Its exceptions are not seen.
"""

import shlex
import shutil
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from sdnloom.confirm.controller.controller_process import ControllerProcess
from sdnloom.confirm.controller.listening_sockets import SOCKET_TABLES, listening_addresses, takes_loopback
from sdnloom.confirm.controller.process_controller import ProcessController
from sdnloom.confirm.controller.quiet_time import QUIET_SECONDS, NoProcess
from sdnloom.confirm.real_parts import RealController, RealPartError

START_SECONDS: Final = 60.0  # until a controller listens
_PAUSE: Final = 0.01
_PORT: Final = "{port}"
_WEB_PORT: Final = "{web_port}"
_UNSEEN: Final = "its exceptions are not seen"


class StartedController(NamedTuple):
    """A controller that accepts switches, its name in a result, and what a reader of the result must know."""

    controller: RealController
    name: str
    warnings: tuple[str, ...] = ()


def command_words(command: str) -> list[str]:
    """Divide a command into words as a shell does it; raise RealPartError if it can start no controller."""
    try:
        if "\0" in command:
            raise ValueError("it has a character of code 0")
        words = shlex.split(command)
    except ValueError as error:
        raise RealPartError(f"{_option(command)}: {error}; expected a command as in a shell") from None
    if not any(_PORT in word for word in words[1:]):
        raise RealPartError(
            f"{_option(command)}: has no {_PORT}; expected a command with {_PORT} in place of its OpenFlow port"
        )
    if shutil.which(words[0]) is None:
        raise RealPartError(
            f"{_option(command)}: {words[0]!r} is not found, or cannot be run; expected a program and its arguments"
        )
    return words


def start_by_command(command: str, seconds: float = START_SECONDS) -> StartedController:
    """Start a command, without a shell and in the current folder, and wait until it listens at the port for {port}."""
    words, option = command_words(command), _option(command)
    port, web = free_ports(2)
    has_web = any(_WEB_PORT in word for word in words)
    words = [word.replace(_PORT, str(port)).replace(_WEB_PORT, str(web)) for word in words]
    process = ControllerProcess(words, {}, working_folder=Path.cwd())
    try:
        warnings: list[str] = []
        for each in [port, web] if has_web else [port]:
            warnings += _wait_until_it_listens(process, each, option, seconds)
        controller = ProcessController(process, port, web if has_web else None, foreign=True)
    except BaseException:
        process.close()
        raise
    return StartedController(controller, f"{command} ({_UNSEEN})", tuple(warnings))


def use_running(address: str, quiet: float = QUIET_SECONDS) -> StartedController:
    """Use a controller that already runs, at an address such as "127.0.0.1:6653"; it goes on to run afterwards.

    A reaction ends when it has answered an echo request and nothing more came for `quiet` seconds.
    """
    host, _, number = address.rpartition(":")
    if host not in ("127.0.0.1", "localhost") or not number.isdecimal() or not 0 < int(number) < 1 << 16:
        raise RealPartError(f"--controller {address!r}: expected an address of this machine, such as 127.0.0.1:6653")
    port = int(number)
    if not any(map(takes_loopback, listening_addresses(port))):
        raise RealPartError(f"--controller {address!r}: nobody listens at that port; expected a controller that runs")
    controller = ProcessController(NoProcess(quiet), port, foreign=True)
    return StartedController(controller, f"at {address} ({_UNSEEN})", reachable_from_outside(port))


def _option(command: str) -> str:
    return f"--controller-command {command!r}"


def free_ports(count: int) -> list[int]:
    """Return ports of loopback that nobody uses now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _wait_until_it_listens(process: ControllerProcess, port: int, option: str, seconds: float) -> tuple[str, ...]:
    """Wait for it; return the warnings about its addresses."""
    deadline = time.monotonic() + seconds
    while not any(map(takes_loopback, addresses := listening_addresses(port))):
        if process.ended:
            raise RealPartError(f"{option}: it ended when it started: {process.end_of_log()}")
        if time.monotonic() > deadline:
            elsewhere = f" (but on {', '.join(map(str, addresses))})" if addresses else ""
            raise RealPartError(
                f"{option}: it does not listen on 127.0.0.1:{port} within {seconds:g} s{elsewhere}; "
                f"the end of its log: {process.end_of_log()}"
            )
        time.sleep(_PAUSE)
    return reachable_from_outside(port)


def reachable_from_outside(port: int, tables: Sequence[str] = SOCKET_TABLES) -> tuple[str, ...]:
    """Return a warning if other hosts can reach a port."""
    wide = sorted({str(each) for each in listening_addresses(port, tables) if not each.is_loopback})
    if not wide:
        return ()
    return (f"the controller listens on {', '.join(wide)} port {port}, so other hosts may reach it",)
