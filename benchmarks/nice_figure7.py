"""NICE's figure 7: how much of the state space strategies leave, against a full search, by the number of pings."""

import argparse
from dataclasses import replace
from pathlib import Path

from benchmarks.nice import EXAMPLES, run_once, strategies
from benchmarks.report import Report
from sdnloom import Scenario, load_scenario
from sdnloom.engine.result import SearchOptions
from sdnloom.network.hosts import Client, Replier

SHOWN = ("NO-DELAY", "UNUSUAL", "FLOW-IR")
PUBLISHED = {"NO-DELAY": "about 10 for over two pings", "UNUSUAL": "about 5 for over two pings", "FLOW-IR": "1"}
LEAST = {"NO-DELAY": 10, "UNUSUAL": 5}  # floors at the most pings


def pings(count: int) -> Scenario:
    """`count` concurrent pings through two switches with a MAC-learning controller for os-ken."""
    scenario = load_scenario(EXAMPLES / "mac_learning_osken/bug2.toml")
    hosts = (Client("A", to=("B",), sends=count, numbered=True), Replier("B", tells_apart=True))
    return replace(scenario, network=replace(scenario.network, hosts=hosts))


def run(quick: bool, arguments: list[str]) -> Report:
    """Search without properties; a quick run stops at 3 pings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks nice-figure7", description=__doc__)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write the figure")
    parsed = parser.parse_args(arguments)
    report = Report("nice-figure7")
    table = report.table(
        "Transitions, and how many times fewer than a full search",
        *("pings", "full search", *(head for name in SHOWN for head in (name, "times fewer"))),
    )
    factors: dict[str, list[tuple[int, float]]] = {name: [] for name in SHOWN}
    most = 3 if quick else 4
    for count in range(1, most + 1):
        full = run_once(pings(count), (), SearchOptions(reduce=False), check=False).transitions
        cells: list[object] = []
        for name in SHOWN:
            chosen = strategies(name, "mac_learning")
            transitions = run_once(pings(count), chosen, SearchOptions(reduce=False), check=False).transitions
            factors[name].append((count, full / transitions))
            cells += [transitions, full / transitions]
        table.add(count, full, *cells)
    for name, text in PUBLISHED.items():
        report.notes.append(f"The paper's {name}: {text}.")
    if not quick:
        for name, least in LEAST.items():
            report.floor(f"{name}, {most} pings: times fewer transitions", factors[name][-1][1], ">=", least)
    if parsed.plot:
        _plot(factors, parsed.plot)
        report.notes.append(f"plot: {parsed.plot}")
    return report


def _plot(factors: dict[str, list[tuple[int, float]]], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator

    figure, axes = pyplot.subplots(figsize=(6.4, 3.8))
    for (name, points), marker in zip(factors.items(), "os^", strict=True):
        axes.plot(*zip(*points, strict=True), marker=marker, label=name)
    axes.set(xlabel="pings at once", ylabel="times fewer transitions", yscale="log", title="against a full search")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=120, metadata={"Software": None})
