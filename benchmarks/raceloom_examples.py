"""The three examples of chapter 5 of the RaceLoom thesis: published races and times beside ours."""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import Report
from sdnloom.races import RaceMode, RaceOptions, RaceResult, RaceType, find_races, load_model, load_properties

EXAMPLES = Path(__file__).parent.parent / "examples" / "races"


@dataclass(frozen=True)
class Example:
    """An example with its published depth, counts by type of race, and seconds; `all_races` is what RaceLoom misses."""

    name: str
    depth: int
    counts: tuple[int, int, int]
    seconds: float
    all_races: tuple[int, int, int]


PUBLISHED = (
    Example("firewall", 10, (2, 0, 0), 2, (2, 0, 0)),
    Example("independent_controllers", 7, (16, 8, 0), 128, (16, 8, 0)),
    Example("hierarchy", 10, (4, 3, 1), 35, (4, 3, 2)),
)


def run(quick: bool, arguments: list[str]) -> Report:
    """Return the report; there is nothing smaller for `quick` to do."""
    argparse.ArgumentParser(prog="python -m benchmarks raceloom-examples", description=__doc__).parse_args(arguments)
    report = Report("raceloom-examples")
    rows = report.table(
        "best of three, in process, traces of all races included",
        "example", "mode", "depth", *(kind.value for kind in RaceType), "states", "evaluations", "ms",
        "RaceLoom, s", "ratio",
    )  # fmt: skip
    for example in PUBLISHED:
        for mode in RaceMode:
            for depth in (example.depth, None):
                seconds, result = _best(example, RaceOptions(mode=mode, depth=depth))
                counts = tuple(result.counts[kind] for kind in RaceType)
                bound = "unbounded" if depth is None else depth
                rows.add(
                    example.name, mode.value, bound, *counts, result.states, result.evaluations, 1000 * seconds,
                    example.seconds, example.seconds / seconds,
                )  # fmt: skip
                expected = example.counts if mode is RaceMode.RACELOOM else example.all_races
                what = f"{example.name}, {mode.value}, depth {bound}"
                report.floor(f"{what}: races of any type that are not as expected", counts != expected, "==", 0)
                report.floor(f"{what}: milliseconds", 1000 * seconds, "<", 100)
    return report


def _best(example: Example, options: RaceOptions) -> tuple[float, RaceResult]:
    model = load_model(EXAMPLES / f"{example.name}.json")
    properties = load_properties(EXAMPLES / f"{example.name}.properties.json")
    times = []
    for _ in range(3):
        started = time.perf_counter()
        result = find_races(model, properties, options)
        times.append(time.perf_counter() - started)
    return min(times), result
