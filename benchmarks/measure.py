"""One search of the ping system in a process of its own, so that its peak memory is its own.

`python -m benchmarks.measure ENGINE COUNT [ORDER]` prints one JSON object.
"""

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

from benchmarks.pings import pings
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search


@dataclass(frozen=True)
class Figures:
    """One measured search. CPU time and memory are those of the search's own process, compiled code loaded before."""

    states: int
    transitions: int
    depth: int
    cpu_seconds: float
    seconds: float
    peak_bytes: int
    bytes_per_state: float | None
    controller_runs: int


def measure(engine: str, count: int, order: str = "bfs") -> Figures:
    """Run a search in a new process."""
    command = [sys.executable, "-m", "benchmarks.measure", engine, str(count), order]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Figures(**json.loads(printed))


def main(engine: str, count: str, order: str = "bfs") -> None:
    name, _, threads = engine.partition("-")  # kernel-1 is one thread
    options = SearchOptions(engine=name, order=order, threads=int(threads or 0) or None)  # type: ignore[arg-type]
    search(pings(1), options)  # loads compiled code
    before = time.process_time()
    result = search(pings(int(count)), options)
    statistics = result.statistics
    print(
        json.dumps(
            {
                "states": statistics.states,
                "transitions": statistics.transitions,
                "depth": statistics.depth,
                "cpu_seconds": time.process_time() - before,
                "seconds": statistics.seconds,
                "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                "bytes_per_state": statistics.bytes_per_state,
                "controller_runs": statistics.evaluations["controller"],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
