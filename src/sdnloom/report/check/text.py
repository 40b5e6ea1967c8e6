"""A check's report as text: the verdict and the smallest counterexample first, the replay command last.

It leaves out what differs from run to run (seconds, rates, the engine): the same scenario prints the same text.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

from sdnloom.check.coverage import FileCoverage
from sdnloom.check.report import ReductionReport, Report
from sdnloom.engine.result import Counterexample, Incomplete
from sdnloom.report.describe import Names, counted
from sdnloom.report.steps import steps_text

# Start of the reason of an incomplete search -> the option that raises that limit.
_RAISE = {
    "the limit of": "--max-states",
    "the depth limit of": "--max-depth",
    "the time limit of": "--time-limit",
    "the memory limit of": "--memory-limit",
}


def report_text(report: Report, traces: Mapping[Counterexample, Path] | None = None) -> str:
    """The whole report; `traces` says where the trace of each violation was written."""
    traces = traces or {}
    lines = []
    statistics = report.result.statistics
    names = Names.of(report.scenario.network.topology)
    for number, one in enumerate(report.violations):
        if number:
            lines.append("")
        lines.append(f"VIOLATED {one.property}: {one.message}")
        lines.append(_length(one))
        lines += steps_text(one.transitions, names)
    if report.verdict == "holds":
        properties = ", ".join(report.checked) or "nothing"
        lines.append(f"HOLDS {properties}: no violation in an exhaustive search within the bounds below")
    if isinstance(report.result.verdict, Incomplete):
        lines.append(f"INCOMPLETE no violation so far, but {report.result.verdict.reason}")
        lines += _what_to_raise(report.result.verdict.reason)
    if lines[-1:] and report.violations:
        lines.append("")
    lines.append(
        f"searched {counted(statistics.states, 'state')}, {counted(statistics.transitions, 'transition')}, "
        f"depth {statistics.depth}, {counted(report.handler_runs, 'handler run')}"
    )
    lines.append(f"bounds: {'; '.join(report.bounds) or 'none'}")
    if report.reduction is not None:
        lines += _reduction(report.reduction)
    if report.discovery is not None:
        lines += [f"inputs may be missing: {gap}" for gap in report.discovery.gaps]
    if not statistics.transitions and report.verdict == "holds":
        lines.append("VACUOUS: nothing is ever sent, so every property holds trivially")
    lines += [f"seen: {one.property}: {one.message}" for one in report.result.witnesses]
    lines += [_unseen(name, report.result.incomplete) for name in report.result.never]
    if report.coverage is not None:
        lines += [line for one in report.coverage for line in coverage_text(one)]
    lines += [f"replay: sdnloom replay {shlex.quote(str(traces[one]))}" for one in report.violations if one in traces]
    return "\n".join(lines) + "\n"


def _reduction(reduction: ReductionReport) -> list[str]:
    line = f"reduction: {', '.join(reduction.used)}"
    if reduction.refuted:
        line += f"; handlers of different switches are not independent: {'; '.join(reduction.refuted)}"
    return [line, *(f"  {conflict}" for conflict in reduction.conflicts)]


def _unseen(name: str, incomplete: str | None) -> str:
    if incomplete is not None:
        return f"not seen so far: {name}"
    return f"NEVER SEEN: {name} does not occur within the bounds; the result may be vacuous"


def _length(one: Counterexample) -> str:
    steps = counted(len(one.path), "step")
    return f"shortest counterexample, {steps}:" if one.shortest else f"counterexample, {steps}, none can be left out:"


def _what_to_raise(reason: str) -> list[str]:
    return [f"to see more, raise {option}" for limit, option in _RAISE.items() if limit in reason]


def coverage_text(one: FileCoverage) -> list[str]:
    """Lines and branches of a file that the search reached, and those it missed."""
    branches = f", {one.reached_branches} of {one.branches} branches" if one.branches else ""
    lines = [f"coverage of {one.file.name}: {one.reached_lines} of {len(one.lines)} lines{branches}"]
    if one.missed_lines:
        lines.append(f"  lines never reached: {_ranges(one)}")
    if one.missed_branches:
        missed = dict.fromkeys(
            f"{line}->{to if to > 0 else 'exit'}" for line, to in one.missed_branches if line not in one.missed_lines
        )
        if missed:
            lines.append(f"  branches never taken: {', '.join(missed)}")
    return lines


def _ranges(one: FileCoverage) -> str:
    """Missed lines; 3-5 stands for all lines of code from 3 to 5."""
    groups: list[list[int]] = []
    previous = None
    for line in one.lines:
        if line in one.missed_lines:
            if previous in one.missed_lines and groups:
                groups[-1].append(line)
            else:
                groups.append([line])
        previous = line
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups)
