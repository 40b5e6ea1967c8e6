"""NICE's table 5: the whole state space of each application, by strategy and by how the program's state is kept.

The paper restores a state by replaying what led to it; "serialize" keeps the state instead, and "DPOR" leaves out
orders that make no difference. Here these are replay, snapshot and reduction.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.nice import EXAMPLES, STRATEGIES, Run, best_of, run_once, strategies
from benchmarks.report import Report
from sdnloom import Scenario, load_scenario
from sdnloom.check.program_factory import make_program
from sdnloom.engine.result import SearchOptions
from sdnloom.network.hosts import Client, Replier

WAYS = ("replay", "snapshot", "reduced")

# Strategy and way -> (transitions, seconds) of each application.
PUBLISHED = {
    ("PKT-SEQ", "replay"): ((356_469, 1739.42), (84_831, 486.88), (62_152, 541.32)),
    ("PKT-SEQ", "snapshot"): ((356_469, 1051.89), (84_831, 428.86), (62_152, 316.38)),
    ("PKT-SEQ", "reduced"): ((253_511, 1604.62), (9_206, 47.59), (14_549, 116.70)),
    ("NO-DELAY", "replay"): ((6_385, 19.87), (7_663, 22.76), (2_012, 12.17)),
    ("NO-DELAY", "snapshot"): ((6_385, 15.31), (7_663, 34.53), (2_012, 8.37)),
    ("NO-DELAY", "reduced"): ((4_962, 20.22), (2_841, 9.15), (834, 5.78)),
    ("FLOW-IR", "replay"): ((356_469, 1587.34), (8_636, 41.02), (32_352, 251.76)),
    ("FLOW-IR", "snapshot"): ((356_469, 1058.00), (8_636, 40.35), (32_352, 167.88)),
    ("FLOW-IR", "reduced"): ((253_511, 1468.23), (1_420, 6.24), (8_447, 62.28)),
    ("UNUSUAL", "replay"): ((67_816, 258.83), (4_716, 21.62), (3_544, 21.79)),
    ("UNUSUAL", "snapshot"): ((67_816, 186.69), (4_716, 22.20), (3_544, 17.22)),
    ("UNUSUAL", "reduced"): ((21_659, 111.93), (1_406, 8.11), (1_072, 6.12)),
}
FASTER = 10  # floor: times faster than the paper
REDUCED = {"load_balancer": 5, "traffic_engineering": 5}  # floors: times fewer transitions with reduction


def mac_learning() -> Scenario:
    """Four pings at once between two switches; each is told apart, as in the paper."""
    scenario = load_scenario(EXAMPLES / "mac_learning_osken/bug2.toml")
    hosts = (Client("A", to=("B",), sends=4, numbered=True), Replier("B", tells_apart=True))
    return replace(scenario, network=replace(scenario.network, hosts=hosts))


def load_balancer() -> Scenario:
    """One connection, of which the link may duplicate a packet, and a change of policy; about the paper's size."""
    return load_scenario(EXAMPLES / "load_balancer/bug9_duplicated_fixed.toml")


def small_load_balancer() -> Scenario:
    """One connection, of which the SYN may be repeated and a packet be lost; its reduction is judged as well."""
    return load_scenario(EXAMPLES / "load_balancer/bug9_fixed.toml")


def traffic_engineering() -> Scenario:
    """Two flows, and a load that may rise and drop."""
    return load_scenario(EXAMPLES / "traffic_engineering/two_flows.toml")


APPLICATIONS: dict[str, Callable[[], Scenario]] = {
    "mac_learning": mac_learning,
    "load_balancer": load_balancer,
    "traffic_engineering": traffic_engineering,
}


def replaying(scenario: Scenario) -> Scenario:
    """The scenario with a program that stores its first state only and replays all others."""
    program: Any = make_program(scenario.program)
    program._states._waiting = lambda: ("replay on request",)
    return replace(scenario, program=lambda: program)


def run(quick: bool, arguments: list[str]) -> Report:
    """Search every application in every way, without properties; a quick run times each search once."""
    report = Report("nice-table5")
    table = report.table(
        "Transitions of the whole search, and seconds; the paper's after them",
        "strategy",
        *(head for name in APPLICATIONS for head in (name, "s", "paper", "s")),
    )
    found: dict[tuple[str, str, str], Run] = {}
    for strategy in STRATEGIES:
        for way in WAYS:
            cells: list[object] = []
            for place, (name, make) in enumerate(APPLICATIONS.items()):
                result = found[strategy, way, name] = _search(name, make, strategy, way, 1 if quick else 3)
                cells += [result.transitions, result.seconds, *PUBLISHED[strategy, way][place]]
            table.add(f"{strategy} {way}", *cells)
    for place, name in enumerate(APPLICATIONS):
        ours = sum(result.seconds for (*_, application), result in found.items() if application == name)
        published = sum(row[place][1] for row in PUBLISHED.values())
        report.floor(f"{name}: times faster than the paper, all twelve rows together", published / ours, ">=", FASTER)
    for name in APPLICATIONS:
        plain, reduced = (found["PKT-SEQ", way, name].transitions for way in ("snapshot", "reduced"))
        if name in REDUCED:
            report.floor(f"{name}: times fewer transitions with reduction", plain / reduced, ">=", REDUCED[name])
    plain, reduced = (
        _search("load_balancer", small_load_balancer, "PKT-SEQ", way, 1).transitions for way in ("snapshot", "reduced")
    )
    report.floor(
        "load_balancer, a lost packet instead of a doubled one: times fewer transitions with reduction",
        plain / reduced,
        ">=",
        REDUCED["load_balancer"],
    )
    report.notes.append(
        "The applications are re-creations, so counts can be compared down a column but not with the paper's. Here a "
        "handler runs once for each state and message, which is why replaying costs little more than a snapshot."
    )
    return report


def _search(name: str, make: Callable[[], Scenario], strategy: str, way: str, times: int) -> Run:
    options = SearchOptions(reduce=way == "reduced")

    def once() -> Run:
        scenario = replaying(make()) if way == "replay" else make()
        return run_once(scenario, strategies(strategy, name), options, check=False)

    return best_of(times, once)
