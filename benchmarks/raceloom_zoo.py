"""RaceLoom's performance evaluation (section 5.4 of the thesis) on every connected graph of the Topology Zoo.

Two hosts sit at the ends of a longest shortest path. In scenario 1 one controller installs the tables from the first
host to the second, one switch after the other, again and again; in scenario 2 another does the same for the way back,
from its own end as in the thesis or from the same end. The thesis asks a property that is always true; here also
whether the hosts reach each other, which has races. Graphs come from the `topohub` package, or from GraphML files.
"""

import argparse
import gc
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import networkx as nx
import topohub

from benchmarks.report import Report
from sdnloom.netkat.syntax import DROP_ALL, Assign, Policy, Test, product_of, sum_of
from sdnloom.races import (
    Formula,
    ForwardingProperty,
    Inclusion,
    RaceModel,
    RaceOptions,
    RaceResult,
    RaceType,
    find_races,
)
from sdnloom.races.language.model import BigSwitch, ChannelMessage, ElementRole, InnerSwitch, TermComponent
from sdnloom.races.language.properties import property_for_all_types
from sdnloom.races.language.templates import NETWORK, hole
from sdnloom.races.language.terms import Definition, Send, VariableCall, sequence

DEPTH = 10
FIRST_HOST, SECOND_HOST = 0, 1
# Minutes that RaceLoom needs in scenario 2 at depth 10, by the number of switches on the path (figure 5.9).
PUBLISHED_MINUTES = {9: 8, 10: 42}


@dataclass(frozen=True)
class HostPath:
    """Switches in a row: the ports of switch k are `left[k]` and `right[k]`; the hosts are behind two more ports."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    first_host: int
    second_host: int

    @property
    def switches(self) -> int:
        return len(self.left)


@dataclass(frozen=True)
class Scenario:
    """How many controllers, and from which end the second starts."""

    name: str
    controllers: int
    reverse: bool = False


SCENARIOS = (
    Scenario("1: one controller", 1),
    Scenario("2: two, from both ends", 2, reverse=True),
    Scenario("2: two, from one end", 2),
)


def plain_path(switches: int) -> HostPath:
    """Return a path whose ports are numbered from one end to the other."""
    left = tuple(2 * place + 1 for place in range(switches))
    right = tuple(2 * place + 2 for place in range(switches))
    return HostPath(left, right, 0, 2 * switches + 1)


def longest_path(graph: nx.Graph) -> HostPath:
    """Return a longest shortest path of the graph; every edge has two ports of its own."""
    best: list[object] = []
    for node in graph:
        path = list(nx.single_source_shortest_path(graph, node).values())[-1]
        best = path if len(path) > len(best) else best
    port = {}
    for number, (one, other) in enumerate(graph.edges):
        port[one, other], port[other, one] = 2 * number, 2 * number + 1
    ends = 2 * graph.number_of_edges()
    hops = list(pairwise(best))
    return HostPath(
        (ends, *(port[other, one] for one, other in hops)),
        (*(port[one, other] for one, other in hops), ends + 1),
        ends + 2,
        ends + 3,
    )


def path_model(path: HostPath, scenario: Scenario) -> RaceModel:
    """Return the model of a scenario on a path; all tables drop at first."""
    order = range(path.switches)
    there = [_hop(SECOND_HOST, path.left[place], path.right[place]) for place in order]
    back = [_hop(FIRST_HOST, path.right[place], path.left[place]) for place in order]
    lefts, rights = (*path.left, path.second_host), (path.first_host, *path.right)
    links = [_hop(SECOND_HOST, rights[place + 1], lefts[place + 1]) for place in order]
    names = [f"UP{place}" for place in order]
    definitions = {"C0": _installer("C0", names, there)}
    updates = [[ChannelMessage(name, table)] for name, table in zip(names, there, strict=True)]
    if scenario.controllers == 2:
        links += [_hop(FIRST_HOST, lefts[place], rights[place]) for place in order]
        step = -1 if scenario.reverse else 1
        definitions["C1"] = _installer("C1", names[::step], back[::step])
        for place in order:
            updates[place].append(ChannelMessage(names[place], back[place]))
    switches = tuple(InnerSwitch(f"SW{place}", DROP_ALL, tuple(updates[place])) for place in order)
    controllers = [TermComponent(name, ElementRole.CONTROLLER, VariableCall(name)) for name in definitions]
    return RaceModel((BigSwitch("Net", switches, sum_of(links)), *controllers), definitions, f"path of {path.switches}")


def always_true() -> tuple[ForwardingProperty, ...]:
    """Return the thesis' property: nothing gets to a destination that does not exist."""
    return (property_for_all_types("constant", Formula((Inclusion(product_of([hole(NETWORK), Test("dst", 999)])),))),)


def reaching(path: HostPath) -> tuple[ForwardingProperty, ...]:
    """Return the properties that the hosts reach each other, one for each direction."""
    there = [Test("dst", SECOND_HOST), Test("port", path.left[0]), hole(NETWORK), Test("port", path.second_host)]
    back = [Test("dst", FIRST_HOST), Test("port", path.right[-1]), hole(NETWORK), Test("port", path.first_host)]
    return (
        property_for_all_types("first_reaches_second", Formula((Inclusion(product_of(there)),), negated=True)),
        property_for_all_types("second_reaches_first", Formula((Inclusion(product_of(back)),), negated=True)),
    )


def graphs(folder: Path | None) -> Iterator[tuple[str, nx.Graph]]:
    """Yield the connected graphs by name."""
    if folder is None:
        names = sorted(entry.name for entry in (files(topohub) / "data" / "topozoo").iterdir())
        found = [(name.removesuffix(".json"), _from_topohub(name.removesuffix(".json"))) for name in names]
    else:
        found = [(file.stem, nx.Graph(nx.read_graphml(file))) for file in sorted(folder.glob("*.graphml"))]
    for name, graph in found:
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        if graph.number_of_nodes() > 1 and nx.is_connected(graph):
            yield name, graph


@dataclass
class _Total:
    """What all graphs together took in one scenario, at one depth and under one property."""

    seconds: float = 0.0
    evaluations: int = 0
    states: int = 0
    races: int = 0
    proved: int = 0


def run(quick: bool, arguments: list[str]) -> Report:
    """Return the report. `--quick` leaves out paths of more than 12 switches."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks raceloom-zoo", description=__doc__)
    parser.add_argument("--graphml", type=Path, metavar="DIR", help="GraphML files to use instead of topohub's")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a plot of time against diameter")
    parsed = parser.parse_args(arguments)
    paths = [(name, longest_path(graph)) for name, graph in graphs(parsed.graphml)]
    if quick:
        paths = [(name, path) for name, path in paths if path.switches <= 12]
    report = Report("raceloom-zoo")
    totals: dict[tuple[str, int | None, str], _Total] = {}
    points: list[tuple[int, str, int | None, float]] = []
    wrong = 0
    ten = {}
    for _, path in paths:
        for scenario in SCENARIOS:
            model = path_model(path, scenario)
            for depth in (DEPTH, None):
                for question, properties in (("constant", always_true()), ("reaching", reaching(path))):
                    seconds, result = _timed(model, properties, depth)
                    total = totals.setdefault((scenario.name, depth, question), _Total())
                    total.seconds += seconds
                    total.evaluations += result.evaluations
                    total.states += result.states
                    total.races += sum(result.counts.values())
                    total.proved += result.proved
                    wrong += not _as_expected(path, scenario, depth, question, result)
                    if question == "reaching":
                        points.append((path.switches, scenario.name, depth, seconds))
                        if depth and scenario.reverse and path.switches in PUBLISHED_MINUTES:
                            ten[path.switches] = max(ten.get(path.switches, 0.0), seconds)
    rows = report.table(
        f"{len(paths)} connected graphs, longest path {max(path.switches for _, path in paths)} switches",
        "scenario", "depth", "property", "seconds", "states", "evaluations", "harmful races", "proved",
    )  # fmt: skip
    for (scenario_name, depth, question), total in totals.items():
        bound = "unbounded" if depth is None else depth
        states = total.states if total.states < 10**9 else f"{total.states:.2e}"
        rows.add(scenario_name, bound, question, total.seconds, states, total.evaluations, total.races, total.proved)
    published = report.table(
        "scenario 2 at depth 10, reaching", "switches", "RaceLoom, minutes on 64 cores", "ours, seconds", "ratio"
    )
    for switches, minutes in PUBLISHED_MINUTES.items():
        if switches in ten:
            published.add(switches, minutes, ten[switches], minutes * 60 / ten[switches])
    bounded = sum(total.seconds for (_, depth, _), total in totals.items() if depth)
    unbounded = sum(total.seconds for (_, depth, _), total in totals.items() if depth is None)
    report.floor("results that differ from what the path's length says", wrong, "==", 0)
    report.floor(f"seconds for all graphs at depth {DEPTH}", bounded, "<=", 10)
    if not quick:
        report.floor("seconds for all graphs, unbounded", unbounded, "<=", 60)
        if parsed.graphml:
            report.floor("connected graphs", len(paths), "==", 243)
    report.notes.append("Seconds of processor time on one core, traces of at most 10 races included.")
    report.notes.append("The constant property needs no search: no table that can be installed changes its value.")
    if parsed.plot:
        _plot(points, parsed.plot)
        report.notes.append(f"plot: {parsed.plot}")
    return report


def _hop(destination: int, source: int, target: int) -> Policy:
    return product_of([Test("dst", destination), Test("port", source), Assign("port", target)])


def _installer(name: str, channels: Sequence[str], tables: Sequence[Policy]) -> Definition:
    sends = [Send(channel, table) for channel, table in zip(channels, tables, strict=True)]
    return Definition(name, (), sequence(sends, VariableCall(name)))


def _from_topohub(name: str) -> nx.Graph:
    topology = topohub.get(f"topozoo/{name}")
    graph = nx.Graph()
    graph.add_nodes_from(node["id"] for node in topology["nodes"])
    graph.add_edges_from((edge["source"], edge["target"]) for edge in topology["edges"])
    return graph


def _timed(model: RaceModel, properties: tuple[ForwardingProperty, ...], depth: int | None) -> tuple[float, RaceResult]:
    # As `timeit` does: what one run leaves behind is not collected at the expense of the next.
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        result = find_races(model, properties, RaceOptions(depth=depth, max_races=10))
        return time.process_time() - started, result
    finally:
        gc.enable()


def _as_expected(path: HostPath, scenario: Scenario, depth: int | None, question: str, result: RaceResult) -> bool:
    """Return whether the counts are those that follow from the number n of switches.

    Reaching changes when the last table of a direction is installed or another replaces one of a complete direction:
    n + n + 1 updates for each direction, the 1 for a switch that had no table. Any update of one controller and one of
    the other can be the two that race.
    """
    counts = [result.counts[kind] for kind in RaceType]
    n = path.switches
    if question == "constant":
        return counts == [0, 0, 0] and result.proved
    if depth is not None:
        # A direction is complete after n updates; forwarding and the update that changes it come on top.
        return any(counts) == (n + 1 <= depth)
    if scenario.controllers == 1:
        return counts == [1, 0, 0] and result.proved
    return counts == [4 * n + 2, 2 * n * n, 0] and result.proved


def _plot(points: list[tuple[int, str, int | None, float]], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 3.8))
    for scenario in SCENARIOS:
        for depth, marker in ((DEPTH, "."), (None, "x")):
            chosen = [(n, 1000 * seconds) for n, name, at, seconds in points if (name, at) == (scenario.name, depth)]
            label = f"{scenario.name}, {'unbounded' if depth is None else f'depth {depth}'}"
            axes.plot(*zip(*sorted(chosen), strict=True), marker, label=label, markersize=4)
    axes.set(
        xlabel="switches on the longest path", ylabel="milliseconds", yscale="log", title="the hosts reach each other"
    )
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file, dpi=90)
    pyplot.close(figure)
