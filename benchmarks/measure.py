"""One search of the ping system in a process of its own, so that its peak memory is its own.

`python -m benchmarks.measure` takes what is to be searched as one JSON object and prints one.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

from benchmarks.pings import at_most_received, pings
from benchmarks.spin_runner import SpinFigures
from sdnloom.engine.model import System
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search


@dataclass(frozen=True)
class Subject:
    """A search of the ping system; with `reduce`, one with a property that a reduction preserves."""

    engine: str
    count: int
    order: str = "bfs"
    threads: int = 1
    reduce: bool = False

    def system(self) -> System:
        """What is searched."""
        return pings(self.count, properties=(at_most_received(self.count),) if self.reduce else ())

    def options(self) -> SearchOptions:
        """How it is searched."""
        return SearchOptions(
            engine=self.engine,  # type: ignore[arg-type]
            order=self.order,  # type: ignore[arg-type]
            reduce=self.reduce,
            threads=self.threads,
        )


@dataclass(frozen=True)
class Figures:
    """One measured search. CPU time and memory are those of the search's own process, compiled code loaded before."""

    states: int
    transitions: int
    depth: int
    cpu_seconds: float
    seconds: float
    peak_bytes: int
    start_bytes: int  # the peak before the search: Python, its libraries and compiled code
    bytes_per_state: float | None
    controller_runs: int


Measured = TypeVar("Measured", Figures, SpinFigures)


def median(figures: list[Measured]) -> Measured:
    """The search with the median CPU time, with the medians of wall time and peak memory."""
    middle = sorted(figures, key=lambda one: one.cpu_seconds)[len(figures) // 2]
    return replace(
        middle,
        seconds=statistics.median(one.seconds for one in figures),
        peak_bytes=int(statistics.median(one.peak_bytes for one in figures)),
    )


def measure(engine: str, count: int, order: str = "bfs", threads: int = 1, reduce: bool = False) -> Figures:
    """Run a search in a new process."""
    subject = json.dumps(asdict(Subject(engine, count, order, threads, reduce)))
    command = [sys.executable, "-m", "benchmarks.measure", subject]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Figures(**json.loads(printed))


def peak_bytes() -> int:
    """The peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(given: str) -> None:
    subject = Subject(**json.loads(given))
    search(pings(1), subject.options())  # loads compiled code
    start, before = peak_bytes(), time.process_time()
    done = search(subject.system(), subject.options()).statistics
    figures = Figures(
        states=done.states,
        transitions=done.transitions,
        depth=done.depth,
        cpu_seconds=time.process_time() - before,
        seconds=done.seconds,
        peak_bytes=peak_bytes(),
        start_bytes=start,
        bytes_per_state=done.bytes_per_state,
        controller_runs=done.evaluations["controller"],
    )
    print(json.dumps(asdict(figures)))


if __name__ == "__main__":
    main(sys.argv[1])
