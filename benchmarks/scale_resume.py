"""A search that is killed in the middle and resumed, against one that is not: CPU time, and what a checkpoint costs.

`python -m benchmarks.scale_resume PINGS FILE WRITE KILL` searches with a checkpoint, or goes on where that file was
written. It writes one when WRITE states are known, and ends itself with SIGKILL when KILL states are; 0 is never.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.measure import measure
from benchmarks.pings import pings
from benchmarks.report import Report
from sdnloom.engine.checkpoint.file import read_checkpoint
from sdnloom.engine.checkpoint.keeper import CheckpointKeeper, KeptSearch, SavedEngine
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search

WRITTEN_AT, KILLED_AT = 0.4, 0.6  # of the states
OPTIONS = SearchOptions(engine="kernel", order="bfs", reduce=False, threads=1)


@dataclass
class Figures:
    """One process: its times without the start of Python, and those of writing and of resuming within them."""

    states: int = 0
    transitions: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    writing: float = 0.0  # seconds of the last checkpoint that was written
    file_bytes: int = 0  # of that
    resuming: float = 0.0


class _Measuring(CheckpointKeeper):
    """Writes and dies when so many states are known, and says what it took."""

    def __init__(self, file: Path, write_at: int, kill_at: int) -> None:
        self.figures, self._write_at, self._kill_at = Figures(), write_at, kill_at
        self._began, self._cpu = time.monotonic(), time.process_time()
        super().__init__(file, saved=read_checkpoint(file) if file.exists() else None)

    def resume(self, search: KeptSearch, engine: SavedEngine) -> None:
        super().resume(search, engine)
        self.figures.resuming = time.monotonic() - self._began

    def at_boundary(self, search: KeptSearch) -> None:
        assert self._engine is not None
        if self._write_at and self._engine.count() >= self._write_at:
            self._write_at, self._due = 0, 0.0
        super().at_boundary(search)
        if self._kill_at and self._engine.count() >= self._kill_at:
            self.show(self._engine.count(), self._engine.transitions)
            os.kill(os.getpid(), signal.SIGKILL)

    def _write(self, search: KeptSearch, ended: str | None) -> None:
        before = time.monotonic()
        super()._write(search, ended)
        self.figures.writing = time.monotonic() - before
        self.figures.file_bytes = self.file.stat().st_size

    def show(self, states: int, transitions: int) -> None:
        """Print the figures so far."""
        found = self.figures
        found.states, found.transitions = states, transitions
        found.cpu_seconds, found.seconds = time.process_time() - self._cpu, time.monotonic() - self._began
        print(json.dumps(asdict(found)), flush=True)


def searched(count: int, file: Path, write_at: int = 0, kill_at: int = 0) -> Figures:
    """Search in a new process, which is killed if it is to be."""
    command = [sys.executable, "-m", "benchmarks.scale_resume", *map(str, (count, file, write_at, kill_at))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    assert done.returncode == (-signal.SIGKILL if kill_at else 0), done.returncode
    return Figures(**json.loads(done.stdout))


def add_to(report: Report, count: int, known: tuple[int, int]) -> None:
    """The table, and the floor that a resumed search has the known states and transitions."""
    table = report.table(
        f"A search that is killed (-9) and resumed, {count} pings, one thread",
        *("what", "states", "CPU s", "CPU of the first", "s", "s to write", "file MB", "s to resume"),
    )
    plain = measure("kernel", count)
    table.add("without a checkpoint", plain.states, plain.cpu_seconds, 1.0, plain.seconds, None, None, None)
    with tempfile.TemporaryDirectory() as name:
        whole = searched(count, Path(name) / "whole.ckpt")
        file = Path(name) / "killed.ckpt"
        killed = searched(count, file, int(WRITTEN_AT * known[0]), int(KILLED_AT * known[0]))
        resumed = searched(count, file)
    both = Figures(resumed.states, resumed.transitions, killed.cpu_seconds + resumed.cpu_seconds,
                   killed.seconds + resumed.seconds)  # fmt: skip
    for what, one in (
        ("with a checkpoint at the end", whole),
        (f"written at {WRITTEN_AT:.0%}, killed at {KILLED_AT:.0%}", killed),
        ("resumed", resumed),
        ("killed and resumed", both),
    ):
        megabytes = one.file_bytes / 1e6 or None
        share = one.cpu_seconds / plain.cpu_seconds
        table.add(
            what, one.states, one.cpu_seconds, share, one.seconds, one.writing or None, megabytes, one.resuming or None
        )
    exact = sum((one.states, one.transitions) == known for one in (plain, whole, resumed))
    report.floor(f"{count} pings: exact searches without a checkpoint, with one, and resumed", exact, "==", 3)


def main(count: str, file: str, write_at: str, kill_at: str) -> None:
    search(pings(1), OPTIONS)  # loads compiled code
    keeper = _Measuring(Path(file), int(write_at), int(kill_at))
    done = search(pings(int(count)), OPTIONS, checkpoint=keeper).statistics
    keeper.show(done.states, done.transitions)


if __name__ == "__main__":
    main(*sys.argv[1:])
