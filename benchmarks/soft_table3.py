"""SOFT's table 3: groups, inconsistencies and the time of phase 2, and root causes against the table of differences."""

import time
from collections.abc import Sequence

from benchmarks.report import Report
from benchmarks.soft import LIMIT, MORE_TESTS, TESTS, V13_TESTS, explored, source_of
from sdnloom.crosscheck.agents.compact.differences import CATEGORIES, DIFFERENCES, DIFFERENCES13, DifferenceRow
from sdnloom.crosscheck.comparison import CompareOptions, compare_partitions
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.overlap.groups import groups_of
from sdnloom.crosscheck.partition import Partition
from sdnloom.crosscheck.root_causes.cause import RootCause, causes_of_input
from sdnloom.crosscheck.run import crosscheck_agents
from sdnloom.crosscheck.test_document import load_test

MINUTE, HOUR = 60.0, 3600.0
# Test -> seconds of grouping and outputs for the Reference Switch and for Open vSwitch, seconds and inconsistencies.
PUBLISHED: dict[str, tuple[float, int, float, int, float, int]] = {
    "packet-out": (0.038, 6, 0.090, 10, 26, 14),
    "stats-request": (0.116, 8, 0.061, 9, 10, 7),
    "set-config": (0.141, 69, 0.43, 69, 236, 0),
    "eth-flow-mod": (8, 12, 23, 31, 23 * MINUTE, 58),
    "cs-flow-mods": (79, 4, 344 * MINUTE, 6, 28 * HOUR, 8),  # the paper stopped it: more than 28 hours, 8 or more
    "short-symb": (0.039, 9, 0.01, 7, 6, 4),
}
AGENTS = ("reference-like", "ovs-like")
QUICK = ("packet-out", "stats-request", "set-config", "concrete", "short-symb", "queue-config", "self-description")
OF_PAPER = 58 / 6  # reports of one test of the paper for each difference in it
TWICE = 2  # floor: root causes for each difference of the table


def run(quick: bool, arguments: list[str]) -> Report:
    """Compare the two agents; a quick run leaves out the FlowMods."""
    report = Report("soft-table3")
    names = QUICK if quick else (*TESTS, *MORE_TESTS)
    table = report.table(
        f"{' against '.join(AGENTS)}: phase 2 of each test",
        *("test", "s grouping", "groups", "s grouping", "groups", "s comparing", "inconsistencies"),
        *("paper s", "groups", "s", "groups", "s", "inconsistencies"),
    )
    for name in names:
        partitions = [explored(agent, load_test(name), LIMIT).partition for agent in AGENTS]
        cells: list[object] = []
        for partition in partitions:
            cells += _grouped(partition)
        before = time.process_time()
        found = compare_partitions(*partitions, CompareOptions(root_causes=False))
        cells += [time.process_time() - before, len(found.inconsistencies)]
        table.add(TESTS.get(name, name), *cells, *PUBLISHED.get(name, (None,) * 6))
        report.floor(f"{name}: the comparison is complete", int(found.complete), "==", 1)
    _root_causes(report, "OpenFlow 1.0", names, [row for row in DIFFERENCES if row.test in names])
    if not quick:
        _root_causes(report, "OpenFlow 1.3", V13_TESTS, DIFFERENCES13)
    report.notes.append(
        "A group is the set of classes with one output. Our outputs have more fields than the paper's, such as every "
        "octet of a frame, so there are more groups. The paper stopped CS FlowMods after 28 hours."
    )
    return report


def _grouped(partition: Partition) -> tuple[float, int]:
    before = time.process_time()
    count = sum(len(groups_of(partition, case.name)) for case in partition.test.cases)
    return time.process_time() - before, count


def _root_causes(report: Report, version: str, tests: Sequence[str], rows: Sequence[DifferenceRow]) -> None:
    sources = [source_of(agent) for agent in AGENTS]
    (comparison,) = crosscheck_agents(sources, list(map(load_test, tests))).comparisons
    causes = comparison.root_causes
    table = report.table(
        f"{version}: differences of the agents' table, and the root cause that reports each",
        "difference",
        "reported as",
    )
    found = {row.name: reported_by(row, causes) for row in rows}
    for row in rows:
        cause = found[row.name]
        table.add(f"{row.category}: {row.name}", cause.condition if cause else None)
    others = [cause for cause in causes if cause not in found.values()]
    if others:
        table = report.table(f"{version}: other root causes", "condition", "difference")
        for cause in others:
            table.add(cause.condition, cause.difference)
    count = len(comparison.inconsistencies)
    not_confirmed = sum(each.confirmed is not True for each in comparison.inconsistencies)
    report.floor(f"{version}: inconsistencies that a replay on both agents does not confirm", not_confirmed, "==", 0)
    report.floor(
        f"{version}: differences of the table that are not reported", sum(not each for each in found.values()), "==", 0
    )
    categories = {row.category for row in rows if found[row.name]}
    wanted = sum(category in {row.category for row in rows} for category in CATEGORIES)
    report.floor(
        f"{version}: categories of SOFT 5.1.2, and what a switch says of itself, that are reported",
        len(categories),
        "==",
        wanted,
    )
    report.floor(
        f"{version}: root causes ({count} inconsistencies, {len(rows)} differences)",
        len(causes),
        "<=",
        TWICE * len(rows),
    )
    ratio = len(causes) / len(rows)
    report.floor(f"{version}: root causes for each difference; reports of the paper for each", ratio, "<", OF_PAPER)


def reported_by(row: DifferenceRow, causes: Sequence[RootCause]) -> RootCause | None:
    """The root cause that explains what the agents do differently with the input of the row."""
    test = load_test(row.test)
    case = test.case(row.case)
    values = case.defaults() | dict(row.values)
    outputs = []
    for agent in AGENTS:
        with source_of(agent).open(test.version) as opened:
            outputs.append(run_case(opened, case, test.version, values))
    told = causes_of_input(causes, test, row.case, values, (outputs[0], outputs[1]))
    if row.test == "self-description":  # one input shows several rows
        told = tuple(cause for cause in told if row.name in {name.rpartition(".")[2] for name in cause.fields})
    return max(told, key=lambda cause: len(cause.fields), default=None)
