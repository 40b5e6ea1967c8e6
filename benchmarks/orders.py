"""The search orders bfs, dfs and auto: what each finds, how soon and how short, and what dives cost a whole search.

Shallow defects need breadth, deep ones depth; auto has to find both, and a search without a defect must not suffer.
Options: --limit SECONDS (60) for one search, --only TEXT.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from benchmarks.pings import pings
from benchmarks.report import Floor, Report, Rows
from sdnloom import app_scenario, load_scenario
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.result import Limits, Result, SearchOptions, SearchOrder, Violated
from sdnloom.engine.search import search

EXAMPLES = Path(__file__).parents[1] / "examples"
LEARNING = EXAMPLES / "apps" / "learning_switch_fixed.py"
HOLDS = Property("holds", Needs.QUIESCENT, lambda memory, columns: None)
MOST_SLOWER = 2.0  # of a whole search with dives, over the same search without


@dataclass(frozen=True)
class Figures:
    """One search, with its CPU time."""

    result: Result
    seconds: float

    @property
    def steps(self) -> int | None:
        """The steps of the counterexample."""
        verdict = self.result.verdict
        return len(verdict.counterexample.path) if isinstance(verdict, Violated) else None


def scenario_with_sends(name: str, more: int) -> Any:
    """A scenario of the examples whose clients send more packets."""
    found = load_scenario(EXAMPLES / f"{name}.toml")
    hosts = tuple(
        replace(host, sends=host.sends + more) if getattr(host, "sends", 0) else host for host in found.network.hosts
    )
    return replace(found, network=replace(found.network, hosts=hosts))


# Name -> how to make the scenario, for those with a defect.
DEFECTS: dict[str, Callable[[], Any]] = {
    "BUG-II, 5 pings": lambda: scenario_with_sends("mac_learning/bug2", 3),
    "BUG-III, 5 pings": lambda: scenario_with_sends("mac_learning/bug3", 3),
    "BUG-XIII, 2 packets more": lambda: scenario_with_sends("traffic_engineering/bug13", 2),
    "flooding, ring,8": lambda: app_scenario(LEARNING, topology="ring,8"),
    "flooding, torus,3,3": lambda: app_scenario(LEARNING, topology="torus,3,3"),
    "flooding, torus,4,4": lambda: app_scenario(LEARNING, topology="torus,4,4"),
}


def measured(make: Callable[[], Any], order: SearchOrder, limits: Limits) -> Figures:
    """Check a scenario in an order."""
    scenario = make()
    scenario = replace(scenario, options=replace(scenario.options, order=order, reduce=False, limits=limits))
    before = time.process_time()
    return Figures(scenario.check().result, time.process_time() - before)


def run(quick: bool, arguments: list[str]) -> Report:
    """Measure every order on every scenario."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks orders", description=__doc__)
    parser.add_argument("--limit", type=float, default=20.0 if quick else 60.0)
    parser.add_argument("--only", default="")
    given = parser.parse_args(arguments)
    report = Report("orders")
    _defects(report, Limits(seconds=given.limit), [name for name in DEFECTS if given.only in name])
    if given.only in "pings":
        _whole(report, 4 if quick else 5)
    return report


def _defects(report: Report, limits: Limits, names: list[str]) -> None:
    table = Rows("defects", ("scenario", "order", "found", "CPU s", "states", "in dives", "steps"))
    for name in names:
        found = {order: measured(DEFECTS[name], order, limits) for order in get_args(SearchOrder)}
        for order, one in found.items():
            done = one.result.statistics
            table.add(name, order, one.steps is not None, one.seconds, done.states, done.dive_states, one.steps)
        if any(one.steps is not None for one in found.values()):
            report.floors.append(Floor(f"{name}: auto finds it", found["auto"].steps is not None, "==", True))
        known = [one.steps for one in found.values() if one.steps is not None]
        if found["auto"].steps is not None:
            report.floors.append(Floor(f"{name}: steps over the fewest", found["auto"].steps - min(known), "<=", 2))
    report.tables.append(table)


def _whole(report: Report, count: int) -> None:
    """A whole search without a violation: the same counts, and what the dives cost."""
    table = Rows("a whole search: pings", ("engine", "order", "CPU s", "states", "in dives"))
    engines: tuple[Literal["loop", "auto"], ...] = ("loop", "auto")
    orders: tuple[SearchOrder, ...] = ("bfs", "auto")
    search(pings(1), SearchOptions("kernel"))  # loads compiled code
    for engine in engines:
        times: dict[str, float] = {}
        sizes = set()
        for order in orders:
            before = time.process_time()
            done = search(pings(count, properties=(HOLDS,)), SearchOptions(engine, order, reduce=False)).statistics
            times[order] = time.process_time() - before
            sizes.add((done.states, done.transitions, done.depth))
            table.add(engine, order, times[order], done.states, done.dive_states)
        report.floors.append(Floor(f"{engine}: different counts of auto and bfs", len(sizes), "==", 1))
        report.floors.append(Floor(f"{engine}: time of auto over bfs", times["auto"] / times["bfs"], "<=", MOST_SLOWER))
    report.tables.append(table)
