"""A check's report as text: the verdict and the smallest counterexample first, the replay command last.

It leaves out what differs from run to run (seconds, rates, the engine): the same scenario prints the same text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sdnloom.actors.report import ActorReport
from sdnloom.check.coverage import FileCoverage
from sdnloom.check.report import ReductionReport, Report
from sdnloom.check.scope import SentTraffic
from sdnloom.engine.result import Counterexample
from sdnloom.report.actors.text import actor_report_text
from sdnloom.report.branch_sides import domain_lines
from sdnloom.report.describe import Names, counted
from sdnloom.report.limit_hints import limit_hints
from sdnloom.report.output import output_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle, list_lines
from sdnloom.report.verdict import Confirmations, disk_text, dives_text, replay_commands, verdict_text

_MOST_HOSTS = 6  # that a line names


def report_text(
    report: Report | ActorReport,
    traces: Mapping[Counterexample, Path] | None = None,
    confirmations: Confirmations | None = None,
    style: TextStyle = PLAIN_STYLE,
) -> str:
    """The whole report, as `sdnloom check` prints it; `traces` has the trace file of each violation.

    `confirmations` has what became of violations on the real system.
    """
    if isinstance(report, ActorReport):
        return actor_report_text(report, traces, style)
    traces = traces or {}
    statistics = report.result.statistics
    lines = [
        *verdict_text(report, Names.of(report.scenario.network.topology), style, confirmations),
        *(limit_hints(report) if report.verdict == "incomplete" else ()),
        f"searched {counted(statistics.states, 'state')}, {counted(statistics.transitions, 'transition')}, "
        f"depth {statistics.depth}, {counted(report.handler_runs, 'handler run')}"
        f"{disk_text(report.result)}{dives_text(report.result)}",
        *list_lines("bounds", report.bounds or ("none",), style),
        *list_lines("tried", traffic_lines(report.traffic), style),
    ]
    if report.verdict == "holds":
        lines += list_lines("not tried", list(map(str, report.omissions)), style)
    if report.reduction is not None:
        lines += _reduction(report.reduction, report.result.choice)
    elif report.result.choice is not None:
        lines.append(f"reduction: none ({report.result.choice})")
    if report.discovery is not None:
        lines += domain_lines(report.discovery.domains)
        lines += [f"inputs may be missing: {gap}" for gap in report.discovery.gaps]
        lines += [f"unreached: {each}" for each in report.discovery.unreached]
    lines += [f"seen: {witness.property}: {witness.message}" for witness in report.result.witnesses]
    if not report.vacuous:
        lines += [_unseen(name, report.result.incomplete) for name in report.result.never]
    lines += [line for file in report.coverage or () for line in coverage_text(file)]
    lines += output_text(report.output) if report.shows_output else []
    lines += replay_commands(report, traces, ("view",) if confirmations else ("view", "confirm"))
    return "\n".join(lines) + "\n"


def traffic_lines(traffic: Sequence[SentTraffic]) -> list[str]:
    """What hosts send; hosts that send the same share a line."""
    alike: dict[str, list[str]] = {}
    for each in traffic:
        alike.setdefault(each.traffic.text, []).append(each.host)
    return [
        f"{hosts[0]} {text}" if len(hosts) == 1 else f"{_names(hosts)}: each {text}" for text, hosts in alike.items()
    ]


def _names(hosts: Sequence[str]) -> str:
    """The first names of many."""
    return ", ".join(hosts[:_MOST_HOSTS]) + (
        f" and {len(hosts) - _MOST_HOSTS} more" if len(hosts) > _MOST_HOSTS else ""
    )


def _reduction(reduction: ReductionReport, choice: str | None) -> list[str]:
    line = f"reduction: {', '.join(reduction.used)}{f' ({choice})' if choice else ''}"
    if reduction.refuted:
        line += f"; handlers of different switches are not independent: {'; '.join(reduction.refuted)}"
    return [line, *(f"  {conflict}" for conflict in reduction.conflicts)]


def _unseen(name: str, incomplete: str | None) -> str:
    if incomplete is not None:
        return f"not seen so far: {name}"
    return f"NEVER SEEN: {name} does not occur within the bounds"


def coverage_text(coverage: FileCoverage) -> list[str]:
    """Lines and branches of a file that the search reached, and those it missed."""
    branches = f", {coverage.reached_branches} of {coverage.branches} branches" if coverage.branches else ""
    lines = [f"coverage of {coverage.file.name}: {coverage.reached_lines} of {len(coverage.lines)} lines{branches}"]
    if coverage.missed_lines:
        lines.append(f"  lines never reached: {_ranges(coverage)}")
    if coverage.missed_branches:
        missed = dict.fromkeys(
            f"{line}->{to if to > 0 else 'exit'}"
            for line, to in coverage.missed_branches
            if line not in coverage.missed_lines
        )
        if missed:
            lines.append(f"  branches never taken: {', '.join(missed)}")
    return lines


def _ranges(coverage: FileCoverage) -> str:
    """Missed lines; 3-5 means all lines of code from 3 to 5."""
    groups: list[list[int]] = []
    previous = None
    for line in coverage.lines:
        if line in coverage.missed_lines:
            if previous in coverage.missed_lines and groups:
                groups[-1].append(line)
            else:
                groups.append([line])
        previous = line
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups)
