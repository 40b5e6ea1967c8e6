"""SOFT's table 5: what concrete fields save, and what a symbolic probe costs, in time, paths and coverage."""

from typing import Any

from benchmarks.report import Report
from benchmarks.soft import LIMIT, coverage_of, explored
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.crosscheck.test_document import read_test

ACTION: dict[str, Any] = {"action": "symbolic"}
OUTPUT: dict[str, Any] = {"action": "output", "port": "symbolic"}
PROBE: dict[str, Any] = {"packet": "tcp"}
MINUTE, HOUR = 60, 3600
# Row -> seconds, paths and coverage in the paper, for the Reference Switch.
PUBLISHED: dict[str, tuple[int, int, float]] = {
    "Fully Symbolic": (31 * HOUR, 226_224, 42.93),
    "Concrete Match": (12 * MINUTE, 2634, 40.60),
    "Concrete Action": (193 * MINUTE, 30_396, 37.32),
    "Concrete Probe": (48 * MINUTE, 9216, 41.6),
    "Symbolic Probe": (172 * MINUTE, 33_168, 43.9),
}
AGENT = "reference-like"


def tests(quick: bool) -> dict[str, SwitchTest]:
    """The rows of the table; a quick run has one action and one output instead of two of each."""
    count = 1 if quick else 2
    both = [ACTION] * count + [OUTPUT] * count
    flow_mod = {"message": "flow_mod", "rest": "symbolic"}
    ethernet = {
        "message": "flow_mod",
        "match": dict.fromkeys(("in_port", "dl_src", "dl_dst", "dl_vlan", "dl_vlan_pcp", "dl_type"), "symbolic"),
        "actions": [ACTION, OUTPUT],
    }
    ethernet["match"] |= {"wildcards": {"default": 0x3FFFFF}}  # type: ignore[operator]
    frame = {"packet": "ethernet", "payload": "00" * 46}
    fields = {"ethernet": {"dst": "symbolic", "src": "symbolic", "type": "symbolic"}}
    steps: dict[str, list[dict[str, Any]]] = {
        "Fully Symbolic": [{**flow_mod, "actions": both}, PROBE],
        "Concrete Match": [{**flow_mod, "match": {"wildcards": 0x3FFFFF, **_zeros()}, "actions": both}, PROBE],
        "Concrete Action": [{**flow_mod, "actions": [{"action": "output"}]}, PROBE],
        "Concrete Probe": [ethernet, frame],
        "Symbolic Probe": [ethernet, {**frame, **fields}],
    }
    return {name: read_test({"name": name.replace(" ", "-"), "step": each}) for name, each in steps.items()}


def _zeros() -> dict[str, int]:
    names = "in_port dl_src dl_dst dl_vlan dl_vlan_pcp dl_type nw_tos nw_proto nw_src nw_dst tp_src tp_dst"
    return dict.fromkeys(names.split(), 0)


def run(quick: bool, arguments: list[str]) -> Report:
    """Explore each variant in one run, so that ratios are of one machine and one moment."""
    report = Report("soft-table5")
    table = report.table(
        f"{AGENT}: effects of concretising",
        *("test", "s", "paths", "lines %", "branches %", "complete", "paper s", "paths", "coverage %"),
    )
    seconds, paths, lines = {}, {}, {}
    for name, test in tests(quick).items():
        found = explored(AGENT, test, LIMIT)
        share = coverage_of(AGENT, [found.partition])
        seconds[name], paths[name], lines[name] = found.seconds, len(found.partition.classes), share.line_share
        complete = "yes" if found.partition.complete else "no"
        shares = round(share.line_share, 1), round(share.branch_share, 1)
        table.add(name, found.seconds, paths[name], *shares, complete, *PUBLISHED[name])
        report.floor(f"{name} is complete", int(found.partition.complete), "==", 1)
    ratios = report.table(
        "Ratios", "of", "seconds", "paths", "lines, difference in %", "paper s", "paths", "difference"
    )
    pairs = (
        ("Fully Symbolic", "Concrete Match"),
        ("Fully Symbolic", "Concrete Action"),
        ("Symbolic Probe", "Concrete Probe"),
    )
    for one, other in pairs:
        paper = [PUBLISHED[one][at] / PUBLISHED[other][at] for at in (0, 1)]
        ratios.add(
            f"{one} / {other}",
            round(seconds[one] / seconds[other], 1),
            round(paths[one] / paths[other], 1),
            round(lines[one] - lines[other], 1),
            *(round(each, 1) for each in paper),
            round(PUBLISHED[one][2] - PUBLISHED[other][2], 1),
        )
        report.floor(f"paths, {one} by {other}", paths[one] / paths[other], ">=", 1)
    report.notes.append(
        "Our agents evaluate a match as one predicate, so a concrete match saves few paths; in the paper it saves most "
        "of them. Actions and a symbolic probe multiply paths in both."
    )
    return report
