"""A search with its visited states on disk beside the same search in memory: CPU time, peak memory, bytes on disk.

`python -m benchmarks.scale_disk COUNT [MEGABYTES]` searches the ping system and prints one JSON object.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from benchmarks.pings import KNOWN, pings
from benchmarks.report import Report
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.engine.search import search

MEGABYTES = {5: 215, 6: 400}  # a limit that is too small for the states
CALM = 3.0  # seconds of CPU time from which on a ratio says something


@dataclass(frozen=True)
class Figures:
    """One measured search in a process of its own, compiled code loaded before."""

    states: int
    transitions: int
    verdict: str
    cpu_seconds: float
    seconds: float
    peak_bytes: int
    disk_bytes: int


def run(quick: bool, arguments: list[str]) -> Report:
    """Compare, with one thread: 5 pings, and 6 unless `quick`."""
    report = Report("scale-disk")
    table = report.table(
        "Visited states on disk", "pings", "where", "limit MB", "states", "CPU s", "s", "peak MB", "disk MB"
    )
    for count in (5,) if quick else (5, 6):
        megabytes = MEGABYTES[count]
        runs = 3 if count == 5 else 1
        inside = _middle([_measured(count) for _ in range(runs)])
        outside = _middle([_measured(count, megabytes) for _ in range(runs)])
        for where, limit, one in (("memory", None, inside), ("disk", megabytes, outside)):
            table.add(
                *(count, where, limit, one.states, one.cpu_seconds, one.seconds),
                *(one.peak_bytes / 1e6, one.disk_bytes / 1e6),
            )
        exact = (outside.states, outside.transitions, outside.verdict) == (*KNOWN[count], "Holds")
        report.floor(f"{count} pings on disk: the right counts and verdict", int(exact), "==", 1)
        report.floor(f"{count} pings: bytes on disk", outside.disk_bytes, ">=", 1)
        report.floor(f"{count} pings: peak MB", outside.peak_bytes / 1e6, "<=", megabytes)
        ratio = outside.cpu_seconds / inside.cpu_seconds
        if inside.cpu_seconds >= CALM:
            report.floor(f"{count} pings: CPU time, times that in memory", ratio, "<=", 2.5)
        else:
            report.notes.append(f"{count} pings: {ratio:.2f} times the CPU time in memory; too short to be judged")
    return report


def _middle(figures: list[Figures]) -> Figures:
    median = statistics.median_low(one.cpu_seconds for one in figures)
    return next(one for one in figures if one.cpu_seconds == median)


def _measured(*arguments: int) -> Figures:
    command = [sys.executable, "-m", "benchmarks.scale_disk", *map(str, arguments)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Figures(**json.loads(printed))


def main(count: str, megabytes: str | None = None) -> None:
    search(pings(2), SearchOptions(engine="kernel", threads=1))  # loads compiled code
    with tempfile.TemporaryDirectory() as folder:
        options = SearchOptions(engine="kernel", threads=1)
        if megabytes is not None:
            limits = Limits(memory=int(megabytes) * 1_000_000)
            options = SearchOptions(disk=folder, limits=limits, threads=1)
        before = time.process_time()
        result = search(pings(int(count)), options)
        figures = Figures(
            result.statistics.states,
            result.statistics.transitions,
            type(result.verdict).__name__,
            time.process_time() - before,
            result.statistics.seconds,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            result.statistics.disk_bytes,
        )
    print(json.dumps(vars(figures)))


if __name__ == "__main__":
    main(*sys.argv[1:])
