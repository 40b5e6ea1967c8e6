"""The process of a controller: started in a temporary folder, watched by its reports and its log, ended by process id.

It listens on loopback only. If sdnloom is killed, Linux ends it, and it sees the end of its standard input. Everything
that it starts inherits the variable SDNLOOM_CONTROLLER, by which what is left of it is found and ended: by `close`, or
if sdnloom is killed by the keeper of the folder.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import sdnloom
from sdnloom.confirm.real_parts import RealPartError
from sdnloom.network.program import ControllerCommand
from sdnloom.switches.daemons import ending_text, ending_with_parent, last_line
from sdnloom.switches.temporary_folder import TemporaryFolder

REPORT: Final = "SDNLOOM_REPORT"  # the variable with the number of the file descriptor for reports
MARK: Final = "SDNLOOM_CONTROLLER"  # the variable with the folder, which everything that the process starts inherits
_START_SECONDS: Final = 60.0
_END_SECONDS: Final = 2.0
_PAUSE: Final = 0.005
_LOG: Final = "controller.log"
_LINES: Final = 5
_LARGEST_LINE: Final = 1 << 24


class ControllerProcess:
    """A running process. Law: after `close` it and all that it started have ended, and its folder is gone.

    Make it in a thread that lives longer: Linux ends the process with it.
    """

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        first_line: str | None = None,
        working_folder: Path | None = None,
    ) -> None:
        """Start it; it works in the temporary folder unless another one is given."""
        self._folder = TemporaryFolder("sdnloom-controller-", MARK)
        self.folder = self._folder.path
        self._reports, theirs = os.pipe()
        os.set_blocking(self._reports, False)
        self._data = bytearray()
        self._early: list[dict[str, Any]] = []
        self._is_closed = False
        self._process: subprocess.Popen[bytes] | None = None
        try:
            with (self.folder / _LOG).open("wb") as log:
                self._process = subprocess.Popen(
                    [*ending_with_parent(), *words],
                    env={**os.environ, **environment, REPORT: str(theirs), MARK: str(self.folder)},
                    cwd=working_folder or self.folder,
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    pass_fds=(theirs,),
                    start_new_session=True,
                )
            if first_line is not None:
                self.write_line(first_line)
        except FileNotFoundError as error:
            self.close()
            raise RealPartError(f"{error.filename}: not found; expected a program that can be run") from None
        except PermissionError as error:
            self.close()
            raise RealPartError(f"{error.filename}: not allowed to run it; expected a program") from None
        except BaseException:
            self.close()
            raise
        finally:
            os.close(theirs)

    @property
    def process_id(self) -> int:
        """The id of the process."""
        assert self._process is not None
        return self._process.pid

    @property
    def report_file(self) -> int:
        """The file descriptor that becomes readable when there are reports; -1 when there are no more."""
        return self._reports

    @property
    def ended(self) -> str:
        """How the process ended, with the last line of its log; "" while it runs."""
        assert self._process is not None
        code = self._process.poll()
        if code is None:
            return ""
        return f"{ending_text(code)}: {last_line(self.log) or 'it wrote no log'}"

    @property
    def log(self) -> str:
        """What the process has printed and logged so far."""
        try:
            return (self.folder / _LOG).read_text(errors="replace")
        except OSError:
            return ""

    def write_line(self, text: str) -> None:
        """Write a line to its standard input; a process that does not read is an error, one that has ended is not."""
        assert self._process is not None
        assert self._process.stdin is not None
        file = self._process.stdin.fileno()
        os.set_blocking(file, False)
        data = memoryview(text.encode() + b"\n")
        deadline = time.monotonic() + _START_SECONDS
        with contextlib.suppress(BrokenPipeError):
            while data:
                if select.select([], [file], [], max(0.0, deadline - time.monotonic()))[1]:
                    data = data[os.write(file, data) :]
                elif time.monotonic() > deadline:
                    raise RealPartError(f"the controller reads nothing for {_START_SECONDS:g} s; expected it to")

    def reports(self) -> list[dict[str, Any]]:
        """Return the reports that arrived since the last call, without waiting."""
        while self._reports >= 0:
            try:
                data = os.read(self._reports, 1 << 16)
            except BlockingIOError:
                break
            self._data += data
            if not data or len(self._data) > _LARGEST_LINE:
                os.close(self._reports)
                self._reports = -1
        *lines, rest = bytes(self._data).split(b"\n")
        self._data = bytearray(rest)
        early, self._early = self._early, []
        return early + [_report(line) for line in lines if line]

    def ports_report(self) -> dict[str, Any]:
        """Wait for the report that the process listens; RealPartError with its log if it ends before."""
        deadline = time.monotonic() + _START_SECONDS
        early: list[dict[str, Any]] = []  # exceptions of threads that have started already
        while not any("listening" in each for each in early):
            if self.ended:
                how = self.ended.partition(":")[0]
                raise RealPartError(f"the controller ended when it started ({how}): {self.end_of_log()}")
            if time.monotonic() > deadline:
                raise RealPartError(
                    f"the controller does not listen within {_START_SECONDS:g} s; the end of its log: "
                    f"{self.end_of_log()}"
                )
            select.select([self._reports] if self._reports >= 0 else [], [], [], _PAUSE)
            early += self.reports()
        first = next(each for each in early if "listening" in each)
        self._early = [each for each in early if each is not first]
        return first

    def end_of_log(self) -> str:
        """The last lines of what it has printed and logged."""
        lines = [line.rstrip() for line in self.log.splitlines() if line.strip()][-_LINES:]
        return "\n  ".join(["", *lines]) if len(lines) > 1 else "".join(lines) or "it wrote no log"

    def close(self) -> None:
        """End the process and everything that it has started, and remove its folder; once is enough."""
        if self._is_closed:
            return
        process = self._process
        if process is not None:
            process.terminate()  # first, so that it can clean up; at the end of its standard input it is killed
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_END_SECONDS)
            process.kill()
            process.wait()
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
        _end_marked(f"{MARK}={self.folder}".encode())
        if self._reports >= 0:
            os.close(self._reports)
            self._reports = -1
        self._folder.close()
        self._is_closed = True


def run_command(command: ControllerCommand) -> ControllerProcess:
    """Start the module of a command with this Python, and give it its document."""
    words = [sys.executable, "-m", command.module]
    seed = os.environ.get("PYTHONHASHSEED", "0")  # without one, the order of sets would change from run to run
    environment = {"PYTHONHASHSEED": seed, "PYTHONUNBUFFERED": "1", "PYTHONPATH": _python_path(), **command.environment}
    return ControllerProcess(words, environment, json.dumps(command.document, default=str))


def _python_path() -> str:
    """Return a search path on which the process finds this very sdnloom."""
    assert sdnloom.__file__ is not None
    folder = str(Path(sdnloom.__file__).parents[1])
    before = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    if folder in before or Path(folder).name in ("site-packages", "dist-packages"):
        return os.pathsep.join(before)
    return os.pathsep.join([folder, *before])


def _report(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RealPartError(f"the controller reports {line[:100]!r}; expected a line with a JSON object")
    return found


def _end_marked(mark: bytes) -> None:
    """Kill the processes whose environment has a variable; until there are none, for they may start others."""
    deadline = time.monotonic() + _END_SECONDS
    while (found := [each for each in _processes() if _has_variable(each, mark)]) and time.monotonic() < deadline:
        for each in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        time.sleep(_PAUSE)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != os.getpid()]


def _has_variable(process: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or belongs to somebody else
        return False
