"""A search in a cluster beside the kernel in one process, on the ping system: CPU time of all processes, and its parts.

`python -m benchmarks.scale_cluster WHERE COUNT WORKERS` runs one search and prints one JSON object. Loading and
starting are not counted: a search of one ping comes first.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import measure
from benchmarks.pings import KNOWN, pings
from benchmarks.report import Report
from sdnloom.engine.cluster.in_process import InProcessBackend
from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.cluster.ray_backend import RayBackend, RayConnection
from sdnloom.engine.cluster.search import ClusterSearch
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits

_PARTS = {
    "compute": ("begin", "expand", "answer", "keep", "number"),  # less user code
    "keys": ("keys", "claim"),
    "shuffle": ("give", "take"),
    "user code": ("user code",),
}
_TICKS = os.sysconf("SC_CLK_TCK")  # a second, in /proc


def run(quick: bool, arguments: list[str]) -> Report:
    """Compare at 5 pings, and at 6 unless the run is quick."""
    report = Report("scale-cluster")
    count, runs = (5, 1) if quick else (6, 3)
    measure("kernel", 1)
    alone = [measure("kernel", count) for _ in range(runs)]
    kernel = statistics.median(each.cpu_seconds for each in alone)
    table = report.table(
        f"{count} pings, CPU seconds of all processes, median of {runs}",
        *("where", "workers", "CPU s", "of the kernel", "s", *_PARTS, "driver", "Ray and the rest"),
    )
    table.add("kernel, one thread", 1, kernel, 1.0, statistics.median(each.seconds for each in alone))
    agree, ratio = 0, 0.0
    cases = (("process", 1), ("process", 2), ("ray", 1), ("ray", 2))
    for where, workers in cases:
        found = sorted((_measured(where, count, workers) for _ in range(runs)), key=lambda one: float(one["cpu"]))
        one = found[len(found) // 2]
        agree += (one["states"], one["transitions"]) == KNOWN[count]
        ratio = one["cpu"] / kernel
        parts = [one["parts"][part] for part in (*_PARTS, "driver", "rest")]
        table.add(where, workers, one["cpu"], ratio, one["seconds"], *parts)
    report.floor("searches with exactly the known states and transitions", agree, "==", len(cases))
    if not quick:
        report.floor("CPU of two workers of Ray, over that of the kernel on one thread", ratio, "<=", 2.0)
    return report


def _measured(where: str, count: int, workers: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale_cluster", where, str(count), str(workers)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return found


def _program(count: int) -> ClusterProgram:
    return ClusterProgram(pings(count))


def main(where: str, count: str, workers: str) -> None:
    connection = RayConnection("local") if where == "ray" else None

    def backend(pinged: int) -> Any:
        program: Callable[[], ClusterProgram] = partial(_program, pinged)
        if connection is None:
            return InProcessBackend(program, int(workers))
        return RayBackend(connection, program, int(workers), 1, close_connection=False)

    try:
        _searched(backend(2), 2)  # loads compiled code
        print(json.dumps(_searched(backend(int(count)), int(count))))
    finally:
        if connection is not None:
            connection.close()


def _searched(backend: Any, count: int) -> dict[str, Any]:
    limits = Limits()
    watch, tables = LimitWatch(limits), _program(count).memo()
    search = ClusterSearch(tables, backend, limits=limits, watch=watch, on_finding=lambda found, number: False)
    numbers = range(backend.workers)
    backend.results([backend.call(worker, "costs") for worker in numbers], lambda: None)  # they have started
    cpu, own, seconds = _cpu_of_all(), time.process_time(), time.monotonic()
    search.run()
    seconds, own, cpu = time.monotonic() - seconds, time.process_time() - own, _cpu_of_all() - cpu
    costs = backend.results([backend.call(worker, "costs") for worker in numbers], lambda: None)
    parts = {part: sum(each.get(name, 0.0) for each in costs for name in names) for part, names in _PARTS.items()}
    parts["compute"] -= parts["user code"]
    workers = sum(parts.values())
    parts["driver"] = own - workers if isinstance(backend, InProcessBackend) else own
    parts["rest"] = max(0.0, cpu - workers - parts["driver"])
    backend.close()
    return {"states": search.count(), "transitions": search.transitions, "cpu": cpu, "seconds": seconds, "parts": parts}


def _cpu_of_all() -> float:
    """The CPU seconds of this process, of those that it started, of those that these started, and so on."""
    parents: dict[int, int] = {}
    spent: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        process = int(path.parent.name)
        parents[process], spent[process] = int(fields[1]), (int(fields[11]) + int(fields[12])) / _TICKS
    mine = {int(Path("/proc/self").resolve().name)}
    while more := {process for process, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(spent[process] for process in mine)


if __name__ == "__main__":
    main(*sys.argv[1:])
