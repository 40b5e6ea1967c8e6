"""NICE's table 1: exhaustive search of the ping system, with canonical flow tables and without, beside the paper's."""

from benchmarks.pings import pings
from benchmarks.report import Report
from sdnloom.engine.result import Limits, SearchOptions
from sdnloom.engine.search import search

# Pings -> ((transitions, states, seconds) with canonical tables, the same without).
PUBLISHED = {
    2: ((530, 315, 1.1), (706, 432, 1.72)),
    3: ((14_762, 6_317, 37.24), (31_345, 13_940, 92.9)),
    4: ((356_469, 121_320, 17 * 60), (1_134_515, 399_919, 59 * 60)),
    5: ((7_816_517, 2_245_345, 8 * 3600), (33_134_573, 9_799_538, 57 * 3600)),
}


def run(quick: bool, arguments: list[str]) -> Report:
    """Count; a quick run stops at 5 pings."""
    report = Report("nice-table1")
    heads = ("pings", "transitions", "states", "s", "paper: transitions", "states", "s", "times faster")
    saved = report.table(
        "State-space reduction by canonical tables, rho = 1 - states / states without", "pings", "rho", "paper's rho"
    )
    search(pings(1), SearchOptions(engine="kernel"))  # loads compiled code
    states: dict[tuple[int, bool], int] = {}
    for canonical in (True, False):
        title = "Canonical flow tables" if canonical else "Flow tables in order of the last installation"
        table = report.table(title, *heads)
        for n in range(1, 6 if quick else 7):
            engine = "loop" if n <= 3 else "kernel"
            result = search(
                pings(n, canonical=canonical),
                SearchOptions(engine=engine, reduce=False, limits=Limits(states=60_000_000)),
            )
            statistics = result.statistics
            states[n, canonical] = statistics.states
            published = PUBLISHED.get(n, ((None,) * 3,) * 2)[0 if canonical else 1]
            seconds = published[2]
            faster = seconds / statistics.seconds if seconds else None
            if result.incomplete:
                report.notes.append(f"{n} pings, {title.lower()}: {result.incomplete}")
            table.add(n, statistics.transitions, statistics.states, statistics.seconds, *published, faster)
            if seconds and seconds >= 1:
                report.floor(f"{title}, {n} pings: times faster than published", faster or 0.0, ">=", 10)
    for n in sorted({n for n, _ in states}):
        paper = PUBLISHED.get(n)
        rho = 1 - states[n, True] / states[n, False]
        saved.add(n, rho, 1 - paper[0][1] / paper[1][1] if paper else None)
    report.notes.append(
        "The paper does not define its model to the last detail, so its counts are near ours and not equal; ours equal "
        "those of an independent Promela model exactly (python -m benchmarks spin)."
    )
    report.notes.append(
        "Without canonical tables ours differ only in the order of entries: buffers are numbered by the lowest free "
        "number in both. The paper's rho is larger; it does not say what else its plain switch remembers."
    )
    return report
