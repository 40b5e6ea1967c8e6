"""Processes of a real switch: started in a temporary directory of their own, and ended by process id.

Every path that they use is in the directory. They do not get the terminal's Ctrl-C, because they are ended in order
afterwards; if this process is killed, Linux ends them.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from sdnloom.switches.errors import RealSwitchError, SwitchEndedError
from sdnloom.switches.temporary_folder import TemporaryFolder

_SECONDS: Final = 20.0
_PAUSE: Final = 0.005
_LOOK_SECONDS: Final = 0.5


class Daemons:
    """Some processes with one directory. Law: after `close` none of them runs and the directory is gone."""

    def __init__(self, prefix: str, environment: Callable[[Path], dict[str, str]]) -> None:
        self._folder = TemporaryFolder(prefix)
        self.directory = self._folder.path
        self._environment = {**os.environ, "PATH": _search_path(), **environment(self.directory)}
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *words: str) -> None:
        """Start a process that runs until `close`; it writes its log to NAME.log in the directory."""
        self._started[name] = subprocess.Popen(
            [*ending_with_parent(), *words],
            env=self._environment,
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def run(self, *words: str) -> str:
        """Run a process to its end and return what it printed; raise SwitchEndedError if one that it needs ends."""
        self.check()
        process = subprocess.Popen(
            [*ending_with_parent(), *words],
            env=self._environment,
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                printed, errors = self._output(process, words[0])
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            self.check()
            reason = last_line(errors) or f"exit code {process.returncode}"
            raise RealSwitchError(f"{words[0]} failed: {reason}")
        return printed

    def _output(self, process: subprocess.Popen[str], name: str) -> tuple[str, str]:
        deadline = time.monotonic() + _SECONDS
        while True:
            try:
                return process.communicate(timeout=_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                self.check()
                if time.monotonic() > deadline:
                    raise RealSwitchError(f"{name} does not end within {_SECONDS:g} s") from None

    @property
    def process_ids(self) -> dict[str, int]:
        """The process id of each started process by name."""
        return {name: process.pid for name, process in self._started.items()}

    def check(self) -> None:
        """Raise SwitchEndedError with the last line of its log if a process has ended."""
        for name, process in self._started.items():
            if process.poll() is not None:
                raise SwitchEndedError(f"{name} ended ({ending_text(process.returncode)}): {self._log(name)}")

    def wait_for_end(self, seconds: float) -> None:
        """Give a process that is about to end the time to do so; raise SwitchEndedError if one did."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.check()
            time.sleep(_PAUSE)
        self.check()

    def close(self) -> None:
        """End all processes, by id, the last one first, and remove the directory."""
        running = [process for process in reversed(self._started.values()) if process.poll() is None]
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._folder.close()

    def _log(self, name: str) -> str:
        try:
            text = (self.directory / f"{name}.log").read_text(errors="replace")
        except OSError:
            return "it wrote no log"
        return last_line(text) or "its log is empty"


def need_programs(names: Sequence[str], package: str) -> None:
    """Raise RealSwitchError if a program is not installed."""
    missing = [name for name in names if shutil.which(name, path=_search_path()) is None]
    if missing:
        text = ", ".join(missing)
        raise RealSwitchError(
            f"{text}: not installed; install the package {package} (apt-get install {package}; it need not run as a "
            "service)"
        )


def _search_path() -> str:
    """Return where programs are searched: Debian keeps daemons in a folder that only root has on its path."""
    return os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))


def ending_text(code: int) -> str:
    """Return how a process ended, by the return code that `subprocess` has for it."""
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def last_line(text: str) -> str:
    """Return the last line of a log; "" if it is empty."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def ending_with_parent() -> list[str]:
    """Return the words before a command that let Linux end it when the thread that starts it ends, however that is.

    A function that runs in the new process could do the same, but Python then forks, which eventlet warns of.
    """
    setpriv = shutil.which("setpriv", path=_search_path())
    return [setpriv, "--pdeathsig", "TERM"] if setpriv else []
