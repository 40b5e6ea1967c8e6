"""Names of real modules by which a program acts on its process: `os`, `signal`, `sys`, `atexit`, `gc`, `logging` ...

Each function returns the values of these names for one `Process`, by module. Where a program uses what a real process
gets from the system (other processes, commands), it gets what a system without them gives, and that is noted.
"""

import errno
import io
import logging
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from sdnloom.platforms.process.output_log import RootLevel
from sdnloom.platforms.process.process import PARENT, PID, NoCommandError, Process
from sdnloom.platforms.sandbox.clock import Draws

# Names of `os` that libraries use too; the others are rare, and only a program's own modules see them changed.
OS_NAMES = (
    *("kill", "killpg", "_exit", "abort", "fork", "system", "popen", "chdir", "environ", "putenv", "unsetenv"),
    *("getpid", "getppid", "urandom"),
)
_NOT_FOUND = 127  # the exit code of a shell that knows no such command
_USERS = ("setuid", "setgid", "seteuid", "setegid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups")
_GROUPS = ("initgroups", "setsid", "setpgid", "setpgrp", "setpriority", "sched_setaffinity")
_EXEC = tuple(f"exec{each}" for each in ("v", "ve", "vp", "vpe", "l", "le", "lp", "lpe"))
_SPAWN = (*(f"spawn{each}" for each in ("v", "ve", "vp", "vpe", "l", "le", "lp", "lpe")), "posix_spawn", "posix_spawnp")


def nothing(*args: Any, **kwargs: Any) -> None:
    """Do nothing."""


def end_thread(code: Any = None) -> None:
    """`exit` and `quit` of a program; the real ones also close the standard input."""
    raise SystemExit(code)


def os_module(process: Process, draws: Draws, environment: Mapping[str, str]) -> ModuleType:
    """Return the module `os` for the own modules of a program, with environment variables added."""
    names = os_names(process, draws)
    names["environ"].update(environment)
    made = ModuleType("os", os.__doc__)
    vars(made).update({**vars(os), **names})
    return made


def os_names(process: Process, draws: Draws) -> dict[str, Any]:
    """Return names of `os`."""

    def kill(pid: int, number: int) -> None:
        if pid in (PID, 0, -PID):
            process.deliver(number, f"os.kill(os.getpid(), {_signal_name(number)})") if number else None
        else:
            process.note(f"the app's signal to process {pid} ({process.place()}) finds no process")
            raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))

    def system(command: Any) -> int:
        _note_command(process, command)
        return _NOT_FOUND << 8

    def popen(command: Any, mode: str = "r", buffering: int = -1) -> Any:
        _note_command(process, command)
        return CommandOutput()

    def fork() -> int:
        process.note(f"the app's fork ({process.place()}) fails: a program under test starts no process")
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def spawn(*args: Any, **kwargs: Any) -> int:
        raise _no_command(process, args[1] if args and isinstance(args[0], int) else args[:1] and args[0])

    def umask(mask: int) -> int:
        before, masks[0] = masks[0], mask
        return before

    masks = [0o022]
    process.variables.update(os.environ._data)  # type: ignore[attr-defined]
    found: dict[str, Any] = {
        "kill": kill,
        "killpg": lambda group, number: kill(group, number),
        "_exit": lambda status: process.finish(f"os._exit({status})"),
        "abort": lambda: process.finish("os.abort()"),
        "fork": fork,
        "forkpty": fork,
        "system": system,
        "popen": popen,
        "chdir": process.move_to,
        "fchdir": process.move_to,
        "umask": umask,
        "putenv": nothing,
        "unsetenv": nothing,
        "getpid": lambda: PID,
        "getppid": lambda: PARENT,
        "getpgrp": lambda: PID,
        "getpgid": lambda pid: PID,
        "nice": lambda increment: 0,
        "urandom": lambda size: draws.getrandbits(8 * size).to_bytes(size, "big"),
        "environ": os._Environ(  # a copy: its changes do not reach the real one
            process.variables,
            os.environ.encodekey,
            os.environ.decodekey,
            os.environ.encodevalue,
            os.environ.decodevalue,
        ),
        "environb": os._Environ(  # the same variables
            process.variables,
            os.environb.encodekey,
            os.environb.decodekey,
            os.environb.encodevalue,
            os.environb.decodevalue,
        ),
        **{name: _ending(process, f"os.{name}") for name in _EXEC},
        **dict.fromkeys(_SPAWN, spawn),
        **dict.fromkeys((*_USERS, *_GROUPS), nothing),
    }
    return {name: each for name, each in found.items() if hasattr(os, name)}


def _ending(process: Process, how: str) -> Callable[..., None]:
    return lambda *args, **kwargs: process.finish(how)


def _signal_name(number: int) -> str:
    try:
        return f"signal.{signal.Signals(number).name}"
    except ValueError:
        return str(number)


def signal_names(process: Process) -> dict[str, Any]:
    """Return names of `signal`."""

    def raise_signal(number: int) -> None:
        process.deliver(number, f"signal.raise_signal({_signal_name(number)})")

    def set_timer(which: int, seconds: float, interval: float = 0) -> tuple[float, float]:
        return process.set_alarm(seconds, interval), 0.0

    def wait_for_ever(*args: Any) -> None:
        process.hub.block([])  # for a signal, which another thread may send

    found: dict[str, Any] = {
        "signal": process.handle_signal,
        "getsignal": process.handler_of,
        "alarm": lambda seconds: round(process.set_alarm(seconds)),
        "setitimer": set_timer,
        "getitimer": lambda which: (process.alarm_left(), 0.0),
        "raise_signal": raise_signal,
        "pthread_kill": lambda thread, number: raise_signal(number),
        "pthread_sigmask": lambda how, mask: set(),
        "siginterrupt": nothing,
        "set_wakeup_fd": lambda fd, **options: -1,
        "pause": wait_for_ever,
        "sigwait": wait_for_ever,
    }
    return {name: each for name, each in found.items() if hasattr(signal, name)}


def sys_names(process: Process, arguments: list[str]) -> dict[str, Any]:
    """Return names of `sys`; the streams are those of an output log."""

    return {
        "setrecursionlimit": process.limit_recursion,
        **dict.fromkeys(("setswitchinterval", "settrace", "setprofile", "set_int_max_str_digits"), nothing),
        "stdin": io.StringIO(),
        "argv": arguments,
        "excepthook": sys.excepthook,
        "unraisablehook": sys.unraisablehook,
        "breakpointhook": sys.breakpointhook,
        "displayhook": sys.displayhook,
    }


def logging_names(
    handler: logging.Handler, kind: type[logging.Logger], make_record: Any
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the namespaces of logging with their names: the program has a root logger's state of its own.

    Loggers that it makes, of this kind, are its own too; those of libraries, made before, are shared. `make_record`
    makes log records.
    """
    root, manager = logging.root, logging.Logger.manager
    return [
        (
            vars(root),
            {"handlers": [handler], "level": RootLevel(root.level), "filters": [], "disabled": False, "_cache": {}},
        ),
        (vars(manager), {"loggerDict": dict(manager.loggerDict), "_disable": 0, "loggerClass": kind}),
        (
            vars(logging),
            {
                "_handlers": logging._handlers.copy(),  # type: ignore[attr-defined]
                "_handlerList": logging._handlerList.copy(),  # type: ignore[attr-defined]
                "_loggerClass": logging.Logger,
                "_logRecordFactory": make_record,
                "lastResort": None,
                "raiseExceptions": True,
                "shutdown": nothing,
            },
        ),
    ]


def other_names(process: Process) -> dict[str, Callable[[ModuleType], Mapping[str, Any]]]:
    """Return the names of modules that a program may import or not, by module: functions of the module."""

    def register(function: Any, *args: Any, **kwargs: Any) -> Any:
        return function  # a real process calls it when the main thread ends, which no scenario does

    def silent(*names: str) -> Callable[[ModuleType], Mapping[str, Any]]:
        return lambda module: {name: nothing for name in names if hasattr(module, name)}

    return {
        "atexit": lambda module: {
            "register": register,
            **dict.fromkeys(("unregister", "_clear", "_run_exitfuncs"), nothing),
        },
        "gc": silent("disable", "enable", "freeze", "unfreeze", "set_threshold", "set_debug"),
        "faulthandler": silent(
            *("enable", "disable", "register", "unregister", "dump_traceback_later", "cancel_dump_traceback_later")
        ),
        "resource": silent("setrlimit"),
        "locale": silent("setlocale"),
        "warnings": lambda module: {"filters": list(warnings.filters), "showwarning": warnings.showwarning},
        "subprocess": lambda module: {"Popen": _command_class(process)},
    }


# Commands of the system.


def _note_command(process: Process, command: Any) -> None:
    words = command if isinstance(command, str | bytes) else " ".join(map(_text, command))
    process.note(f"the app's command '{_text(words)}' ({process.place()}) fails as if it were not installed")


def _text(word: Any) -> str:
    return word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word)


def _no_command(process: Process, command: Any) -> NoCommandError:
    _note_command(process, command)
    first = command if isinstance(command, str | bytes | os.PathLike) else next(iter(command or ("",)))
    return NoCommandError(errno.ENOENT, os.strerror(errno.ENOENT), first)


class FailedCommand:
    """A command of a shell that knows none: it has ended with exit code 127 and has written nothing."""

    def __init__(self, args: Any, stdin: Any, stdout: Any, stderr: Any, text: bool) -> None:
        self.args, self.pid, self.returncode = args, PID + 1, _NOT_FOUND
        self._kind: Any = io.StringIO if text else io.BytesIO
        self.stdin, self.stdout, self.stderr = (
            self._kind() if each == subprocess.PIPE else None for each in (stdin, stdout, stderr)
        )

    def communicate(self, given: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Return what it wrote."""
        return tuple(None if each is None else each.getvalue() for each in (self.stdout, self.stderr))  # type: ignore[return-value]

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code."""
        return self.returncode

    poll = wait

    def terminate(self) -> None:
        """Do nothing: it has ended."""

    kill = terminate

    def send_signal(self, number: int) -> None:
        """Do nothing: it has ended."""

    def __enter__(self) -> "FailedCommand":
        return self

    def __exit__(self, *trouble: object) -> None:
        return None


class CommandOutput(io.StringIO):
    """What `os.popen` returns for such a command: nothing to read, and the exit code when it is closed."""

    def close(self) -> int:  # type: ignore[override]
        """Return the exit code as `os.popen` does."""
        super().close()
        return _NOT_FOUND << 8


def _command_class(process: Process) -> type:
    def new(cls: type, args: Any, *rest: Any, **options: Any) -> Any:
        if not options.get("shell"):
            raise _no_command(process, args)
        _note_command(process, args)
        text = any(options.get(each) for each in ("text", "universal_newlines", "encoding", "errors"))
        return FailedCommand(args, options.get("stdin"), options.get("stdout"), options.get("stderr"), text)

    return type("Popen", (), {"__new__": new, "__module__": __name__, "__doc__": FailedCommand.__doc__})
