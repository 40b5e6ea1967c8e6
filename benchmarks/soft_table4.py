"""SOFT's table 4 and figure 4: coverage of the agents' code by each test, and by one to three symbolic messages."""

from typing import Any

from benchmarks.report import Report
from benchmarks.soft import LIMIT, MORE_TESTS, TESTS, AgentCoverage, coverage_of, explored
from sdnloom.crosscheck.partition import Partition
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.crosscheck.test_document import load_test, read_test

# Test -> instructions and branches in percent, of the Reference Switch and of Open vSwitch.
PUBLISHED: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "": ((12.21, 8.27), (19.03, 13.34)),
    "packet-out": ((26.23, 19.31), (25.68, 17.28)),
    "stats-request": ((30.27, 24.15), (24.31, 16.75)),
    "set-config": ((26.23, 19.31), (23.98, 16.16)),
    "eth-flow-mod": ((41.74, 34.65), (38.15, 25.49)),
    "flow-mod": ((42.65, 34.25), (38.24, 26.27)),
    "concrete": ((17.13, 11.42), (20.16, 13.62)),
    "short-symb": ((19.92, 13.39), (21.60, 14.34)),
}
CUMULATIVE = 75  # percent of the instructions, by all tests of the paper
AGENTS = ("reference-like", "ovs-like", "strict")
QUICK = ("packet-out", "stats-request", "set-config", "concrete", "short-symb")
SECONDS = 120.0  # for a sequence of figure 4


def run(quick: bool, arguments: list[str]) -> Report:
    """Cover each agent with each test; a quick run leaves out FlowMods and the third message."""
    report = Report("soft-table4")
    for place, agent in enumerate(AGENTS):
        if arguments and agent not in arguments:
            continue
        table = report.table(
            f"{agent}: lines and branches that a test reaches, in percent",
            *("test", "lines", "branches", "paper, instructions", "branches"),
        )
        found: dict[str, Partition | None] = {"": None}
        for name in QUICK if quick else (*TESTS, *MORE_TESTS):
            found[name] = explored(agent, load_test(name), LIMIT).partition
        shares: dict[str, AgentCoverage] = {}
        for name, partition in found.items():
            shares[name] = coverage_of(agent, [partition] if partition else [])
            published = PUBLISHED.get(name, ((None, None),) * 2)[place] if place < 2 else (None, None)
            label = TESTS.get(name, name) or "No Message"
            table.add(label, round(shares[name].line_share, 1), round(shares[name].branch_share, 1), *published)
        partitions = [each for each in found.values() if each is not None]
        of_soft = [each for each in partitions if each.test.name in TESTS]
        every = coverage_of(agent, of_soft)
        table.add("SOFT's tests", round(every.line_share, 1), round(every.branch_share, 1), CUMULATIVE, None)
        if not quick:
            most = coverage_of(agent, partitions)
            table.add("all tests", round(most.line_share, 1), round(most.branch_share, 1), None, None)
            if agent != "strict":
                report.floor(f"percent of lines of {agent} that all tests reach", most.line_share, ">=", CUMULATIVE)
        start = shares.pop("")
        least = min(shares.values(), key=lambda each: each.line_share)
        report.floor(f"each test reaches more of {agent} than its start", least.line_share, ">=", start.line_share)
    _figure4(report, 2 if quick else 3)
    report.notes.append(
        "Lines and branches of functions, as coverage.py counts them, when one input of each class is run on the agent "
        "as it is. reference-like and ovs-like share their code: what only one of them does is missed by the other. "
        "The code of strict is that of the network model's switch, which also serves OpenFlow 1.3. "
        "The paper counts instructions and branches of C."
    )
    return report


def sequence(count: int) -> SwitchTest:
    """A test with some symbolic FlowMods, then a probe: commands, priorities and outputs that can meet each other."""
    flow_mod: dict[str, Any] = {
        "message": "flow_mod",
        "command": {"max": 5},
        "priority": "symbolic",
        "flags": {"max": 3},
        "out_port": "symbolic",
        "match": {"wildcards": {"values": [0x3FFFFF, 0x3FFFFE]}, "in_port": "symbolic"},
        "actions": [{"action": "output", "port": "symbolic"}],
    }
    return read_test({"name": f"flow-mods-{count}", "step": [flow_mod] * count + [{"packet": "tcp"}]})


def _figure4(report: Report, most: int) -> None:
    table = report.table(
        "reference-like, figure 4: coverage by the number of symbolic FlowMods before a probe",
        *("messages", "s", "paths", "complete", "lines %", "branches %"),
    )
    shares: list[float] = []
    for count in range(1, most + 1):
        found = explored("reference-like", sequence(count), SECONDS)
        share = coverage_of("reference-like", [found.partition])
        shares.append(share.branch_share)
        complete = "yes" if found.partition.complete else "no"
        table.add(
            count,
            found.seconds,
            len(found.partition.classes),
            complete,
            round(share.line_share, 1),
            round(share.branch_share, 1),
        )
    report.floor("percent of branches that a second message adds", shares[1] - shares[0], ">=", 0)
    if most == 3:
        report.floor(
            "percent of branches that a third message adds", shares[2] - shares[1], "<=", shares[1] - shares[0]
        )
