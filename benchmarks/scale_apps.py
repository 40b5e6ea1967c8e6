"""Ryu's own apps with one thread and two: what of a search is theirs cannot be shared among threads.

`python -m benchmarks.scale_apps SCENARIO THREADS` prints one JSON object. Needs the apps of ryu==4.34 (`make ryu`).
"""

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.measure import peak_bytes
from benchmarks.pings import pings
from benchmarks.report import Report
from sdnloom import load_scenario
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search

TOP = Path(__file__).parents[1]
RYU = TOP / ".cache" / "ryu-4.34"
SCENARIOS = ("stp_ring", "rest_router", "stp_budget")


@dataclass(frozen=True)
class Figures:
    """One check, compiled code loaded before; the search is a part of it."""

    verdict: str
    states: int
    transitions: int
    handler_runs: int
    cpu_seconds: float
    seconds: float
    search_seconds: float
    peak_bytes: int


def add_to(report: Report, quick: bool) -> None:
    """The table, and a floor for each scenario that results do not depend on threads."""
    if not RYU.is_dir():
        report.notes.append(f"{RYU}: not there, so no apps; `make ryu` fetches those of ryu==4.34")
        return
    table = report.table(
        "Whole searches of scenarios of examples/ryu",
        *("scenario", "threads", "states", "transitions", "handler runs", "CPU s", "s", "of it searching", "peak MB"),
    )
    for name in SCENARIOS[: 2 if quick else None]:
        found = {threads: measure(name, threads) for threads in (1, 2)}
        for threads, one in found.items():
            counts = (one.states, one.transitions, one.handler_runs)
            table.add(name, threads, *counts, one.cpu_seconds, one.seconds, one.search_seconds, one.peak_bytes / 1e6)
        results = {(one.verdict, one.states, one.transitions, one.handler_runs) for one in found.values()}
        report.floor(f"{name}: different results by threads", len(results), "==", 1)


def measure(name: str, threads: int) -> Figures:
    """Check a scenario in a new process."""
    command = [sys.executable, "-m", "benchmarks.scale_apps", name, str(threads)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=TOP).stdout
    return Figures(**json.loads(printed.splitlines()[-1]))


def main(name: str, threads: str) -> None:
    search(pings(1), SearchOptions(engine="kernel", threads=int(threads)))  # loads compiled code
    began, before = time.monotonic(), time.process_time()
    scenario = load_scenario(TOP / "examples" / "ryu" / f"{name}.toml")
    options = replace(scenario.options, engine="kernel", order="bfs", reduce=False, threads=int(threads))
    checked = replace(scenario, options=options).check()
    counts = checked.result.statistics
    figures = Figures(
        verdict=checked.verdict,
        states=counts.states,
        transitions=counts.transitions,
        handler_runs=checked.handler_runs,
        cpu_seconds=time.process_time() - before,
        seconds=time.monotonic() - began,
        search_seconds=counts.seconds,
        peak_bytes=peak_bytes(),
    )
    print(json.dumps(asdict(figures)))


if __name__ == "__main__":
    main(*sys.argv[1:])
