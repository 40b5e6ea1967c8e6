"""Large searches: threads, memory, resuming after a kill, and real apps; beside SPIN on one core and on two.

Options: --only PART (search, reduced, resume, apps), --huge (7 pings too: about 8 GB, some minutes).
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks import scale_apps, scale_resume, spin_runner
from benchmarks.measure import Figures, measure, median
from benchmarks.pings import KNOWN
from benchmarks.report import Report, Rows
from benchmarks.spin import MOST_MEMORY, MOST_TIME
from benchmarks.spin_runner import SpinFigures
from sdnloom.engine.limits import available_cores

MOST_OF_ONE_THREAD = 0.6  # the wall time of two threads
HEADS = ("what", "states", "transitions", "CPU s", "s", "M transitions/s", "peak MB", "of it before", "bytes/state")
PARTS = ("search", "reduced", "resume", "apps")


def run(quick: bool, arguments: list[str]) -> Report:
    """Measure; quick means fewer pings, once each, and no floors on time and memory."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale", description=__doc__)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--huge", action="store_true")
    given = parser.parse_args(arguments)
    report = Report("scale")
    pings, runs = (5, 1) if quick else (6, 3)
    measure("kernel", 1)  # compiles, where that was never done
    wanted = PARTS if given.only is None else (given.only,)
    with tempfile.TemporaryDirectory() as name:
        if "search" in wanted:
            _whole(report, Path(name), pings, runs, judge=not quick)
            if given.huge:
                _huge(report)
        if "reduced" in wanted:
            _reduced(report, Path(name), pings, runs)
    if "resume" in wanted:
        scale_resume.add_to(report, pings, KNOWN[pings])
    if "apps" in wanted:
        scale_apps.add_to(report, quick)
    report.notes.append(
        "Each search is a process of its own; its CPU time is that of all its threads, without the start of Python, "
        "and its peak is that of the whole process. `python -m benchmarks scale-disk` measures a visited set on disk, "
        "and `scale-cluster` several processes."
    )
    return report


def thread_counts() -> list[int]:
    """One, two and all cores."""
    return sorted({1, 2, available_cores()})


def _whole(report: Report, directory: Path, pings: int, runs: int, judge: bool) -> None:
    table = report.table(f"Whole search, {pings} pings, median of {runs}", *HEADS)
    spin = median([spin_runner.search(pings, "full", directory) for _ in range(runs)])
    _add(table, "SPIN, one core", spin)
    exact = [(spin.states, spin.transitions)]
    for variant in spin_runner.TWO_CORES:
        found = spin_runner.search(pings, variant, directory)
        _add(table, f"SPIN, {variant}", found)
        exact.append((found.states, found.transitions))
    ours = {threads: median([measure("kernel", pings, threads=threads) for _ in range(runs)])
            for threads in thread_counts()}  # fmt: skip
    for threads, figures in ours.items():
        _add(table, _threads(threads), figures)
        exact.append((figures.states, figures.transitions))
    wrong = sum(counts != KNOWN[pings] for counts in exact)
    report.floor(f"{pings} pings: searches without the exact states and transitions", wrong, "==", 0)
    report.notes.append(
        "SPIN on two cores: depth first with one table for both (-DNCORE=2), breadth first with whole states "
        "(-DBFS_PAR -DNO_HC). -DSEP_STATE has a table for each core, without exact counts, and fails on this model."
    )
    if not judge:
        return
    claim = f"{pings} pings:"
    report.floor(f"{claim} CPU of one thread over SPIN's", ours[1].cpu_seconds / spin.cpu_seconds, "<=", MOST_TIME)
    if available_cores() > 1:
        faster = ours[2].seconds / ours[1].seconds
        report.floor(f"{claim} wall time of two threads over one", faster, "<=", MOST_OF_ONE_THREAD)
    peak = max(ours[1].peak_bytes, ours[2].peak_bytes)
    report.floor(f"{claim} peak memory over SPIN's", peak / spin.peak_bytes, "<=", MOST_MEMORY)


def _huge(report: Report) -> None:
    """SPIN is not asked: it would take 30 GB, and prints counts of this size rounded."""
    table = report.table("Whole search, 7 pings", *HEADS)
    figures = measure("kernel", 7, threads=available_cores())
    _add(table, _threads(available_cores()), figures)
    wrong = (figures.states, figures.transitions) != KNOWN[7]
    report.floor("7 pings: searches without the exact states and transitions", wrong, "==", 0)


def _reduced(report: Report, directory: Path, pings: int, runs: int) -> None:
    """With an EVENT property. SPIN's reduction is another one, and checks no property."""
    table = report.table(f"Reduced search, {pings} pings, median of {runs}", *HEADS)
    _add(table, "SPIN, one core", median([spin_runner.search(pings, "reduced", directory) for _ in range(runs)]))
    counts = set()
    for threads in thread_counts():
        figures = median([measure("kernel", pings, threads=threads, reduce=True) for _ in range(runs)])
        _add(table, _threads(threads), figures)
        counts.add((figures.states, figures.transitions))
    report.floor(f"{pings} pings, reduced: different counts by threads", len(counts), "==", 1)


def _threads(count: int) -> str:
    return "one thread" if count == 1 else f"{count} threads"


def _add(table: Rows, what: str, found: Figures | SpinFigures) -> None:
    rate = found.transitions / max(found.cpu_seconds, 1e-3) / 1e6
    row = (what, found.states, found.transitions, found.cpu_seconds, found.seconds, rate, found.peak_bytes / 1e6)
    if isinstance(found, Figures):
        table.add(*row, found.start_bytes / 1e6, found.bytes_per_state)
    else:
        table.add(*row, None, None)
