"""A search that chooses its reduction, against one without and one with: shipped scenarios, and a Ryu app on lines.

Each check runs in a process of its own, after the compiled code is loaded; CPU time counts. On a shipped scenario
choosing may cost a fifth more than the faster one. On a line where the reduced search alone takes half a second a
search has to grow first, and may cost a fifth more than without a reduction. Floors are for scenarios on which the
faster one takes half a second: below, a search is small and has no reduction. Options: --limit SECONDS (60) for one
check, --only TEXT.
"""

import argparse
import multiprocessing
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.pings import pings
from benchmarks.report import Report
from sdnloom import Scenario, app_scenario, load_scenario
from sdnloom.engine.result import ReduceOption, SearchOptions
from sdnloom.engine.search import search
from sdnloom.errors import SdnloomError

TOP = Path(__file__).parents[1]
RYU = TOP / ".cache" / "ryu-4.34"
SWITCH = RYU / "ryu" / "app" / "simple_switch_13.py"
# Topology -> options, for the app on lines; with known addresses hosts ask for none, and more packets are on the way.
LINES: dict[str, dict[str, object]] = {
    "linear,4": {},
    "linear,8": {},
    "linear,4, known addresses": {"no_arp": True, "profile": "reference"},
    "linear,8, known addresses": {"no_arp": True, "profile": "reference"},
}
GROWING = "linear,8, known addresses"
WAYS: dict[str, ReduceOption] = {"never": False, "always": True, "auto": "auto"}
MOST_SLOWER = 1.2  # times the CPU of the better one, on a shipped scenario
COUNTS_FROM = 0.5  # CPU seconds of the better one


class Measured(NamedTuple):
    """One check: its CPU time, and what it says; why there is none, if it cannot be made."""

    seconds: float
    verdict: str = ""
    transitions: int = 0
    choice: str | None = None
    at_limit: bool = False
    error: str = ""


def scenario_names() -> list[str]:
    """The shipped scenarios, each whole, and the app on lines."""
    examples = sorted(
        path
        for path in (TOP / "examples").rglob("*.toml")
        if not path.name.endswith(".part.toml") and "crosscheck" not in path.parts
    )
    return [*(str(path.relative_to(TOP)) for path in examples), *LINES]


def made(name: str) -> Scenario:
    """The scenario of that name."""
    if name not in LINES:
        return load_scenario(TOP / name)
    return app_scenario(SWITCH, topology=name.partition(", ")[0], path=[RYU], **LINES[name])  # type: ignore[arg-type]


def measured(name: str, way: ReduceOption, limit: float) -> Measured:
    """Check a scenario in one way."""
    try:
        scenario = made(name)
    except SdnloomError as error:
        return Measured(0.0, error=str(error))
    limits = replace(scenario.options.limits, seconds=limit)
    scenario = replace(scenario, options=replace(scenario.options, reduce=way, limits=limits))
    before = time.process_time()
    try:
        result = scenario.check().result
    except SdnloomError as error:
        return Measured(0.0, error=str(error))
    seconds = time.process_time() - before
    ended = result.incomplete is not None and "time limit" in result.incomplete
    return Measured(
        seconds, type(result.verdict).__name__, result.statistics.transitions, result.choice, ended and limit > 0
    )


def run(quick: bool, arguments: list[str]) -> Report:
    """Measure each scenario in the three ways."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks reduce-auto", description=__doc__)
    parser.add_argument("--limit", type=float, default=20.0 if quick else 60.0)
    parser.add_argument("--only", default="")
    given = parser.parse_args(arguments)
    report = Report("reduce-auto")
    table = report.table(
        "CPU seconds", "scenario", *WAYS, "auto over the better one", "verdict", "transitions", "choice"
    )
    search(pings(2), SearchOptions("kernel"))  # loads compiled code
    context = multiprocessing.get_context("fork")
    for name in [name for name in scenario_names() if given.only in name]:
        found = {}
        for way, option in WAYS.items():
            with context.Pool(1) as pool:
                found[way] = pool.apply(measured, (name, option, given.limit))
        auto, ended = found["auto"], [each for each in (found["never"], found["always"]) if _ended(each)]
        if auto.error or not ended:
            report.notes.append(f"{name}: {auto.error or 'neither way ends within the limit'}")
            continue
        better = min(each.seconds for each in ended)
        ratio = auto.seconds / better
        times = [None if each.error else each.seconds for each in found.values()]
        table.add(name, *times, ratio, auto.verdict, auto.transitions, auto.choice)
        if name == GROWING:
            report.floor(f"{name}: auto over never", auto.seconds / found["never"].seconds, "<=", MOST_SLOWER)
        elif better >= COUNTS_FROM:
            report.floor(f"{name}: auto over the better one", ratio, "<=", MOST_SLOWER)
    return report


def _ended(each: Measured) -> bool:
    return not each.error and not each.at_limit
