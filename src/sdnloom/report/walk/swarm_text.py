"""A swarm as text: the violation, or what was tried and how much of the space that is by estimate."""

import shlex
from collections import Counter

from sdnloom.engine.result import Counterexample
from sdnloom.engine.swarm.coverage import FEW_FOUND_TWICE, SwarmCoverage
from sdnloom.engine.swarm.result import SwarmResult
from sdnloom.report.describe import counted
from sdnloom.report.steps import steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle
from sdnloom.report.walk.swarm_result import SwarmWalk

_ENDS = {
    "exhausted": "had nothing new within the depth bound",
    "share": "stopped at --max-transitions",
    "violation": "found a violation",
    "stopped": "was stopped",
}


def swarm_text(result: SwarmWalk, style: TextStyle = PLAIN_STYLE) -> str:
    """The violation with its shortened path, or what was tried, with the estimates and their assumptions."""
    violation = result.swarm.violation
    lines = _unviolated(result.swarm) if violation is None else _violated(result, violation, style)
    lines += [f"note: {note}" for note in result.swarm.notes]
    lines[0] = style.verdict(lines[0])
    return "\n".join(lines) + "\n"


def _violated(result: SwarmWalk, violation: Counterexample, style: TextStyle) -> list[str]:
    left = "none" if violation.minimal else "some perhaps"
    swarm = result.swarm
    found_by = f"member {swarm.members[-1].plan.number} of the swarm had {swarm.walked}, seed {swarm.options.seed}"
    return [
        f"VIOLATED {violation.property}: {violation.message}",
        f"counterexample, {counted(len(violation.transitions), 'step')}, {left} can be left out ({found_by}):",
        *steps_text(violation.transitions, result.names, style, result.code),
        "",
        f"replay: sdnloom replay {shlex.quote(str(result.trace))}",
    ]


def _unviolated(swarm: SwarmResult) -> list[str]:
    done = counted(len(swarm.members), "member")
    lines = [f"INCOMPLETE no violation in a swarm of {done}, seed {swarm.options.seed}: a swarm proves nothing"]
    if swarm.stopped is not None:
        lines.append(f"stopped early: {swarm.stopped}")
    if not swarm.members:
        return lines
    deepest = max(each.depth for each in swarm.members)
    lines += [
        f"tried: {counted(swarm.transitions, 'transition')}, {counted(deepest, 'step')} deep; members counted "
        f"{counted(swarm.states, 'state')} in all",
        *(f"  {times:,} {_ENDS[end]}" for end, times in Counter(each.end for each in swarm.members).most_common()),
        *_coverage_lines(swarm.coverage),
        *_omission_lines(swarm),
        "to try more, raise --members, --max-transitions or --max-steps, or take another --seed",
    ]
    return lines


def _coverage_lines(coverage: SwarmCoverage) -> list[str]:
    kind = "" if coverage.exact else "about "
    lines = [f"different states found: {kind}{coverage.found:,.0f}"]
    if coverage.sampled:
        lines[0] += f", {percent(coverage.once / coverage.sampled)} of them by one member only"
    if coverage.size is None or coverage.share is None:
        lines.append("share of the space: no estimate, because no state was found by two members")
        return lines
    (low, high), (small, large) = coverage.share, coverage.size
    lines += [
        f"share of the space, two estimates: {percent(low)} of {large:,.0f} states, {percent(high)} of {small:,.0f}",
        "  they assume that members find states independently; states that are hard to reach make the space larger",
        "  and the share smaller",
    ]
    if coverage.is_poor:
        lines.append(f"  they are poor: fewer than {FEW_FOUND_TWICE} states of the sample were found by two members")
    return lines


def _omission_lines(swarm: SwarmResult) -> list[str]:
    worst = max(swarm.members, key=lambda each: each.share_omitted)
    size = swarm.options.memory / 2**20
    return [
        f"left out by a bit array of {size:,.4g} MiB, on average: {percent(worst.share_omitted)} of the states that "
        "its member met,",
        "  and what only these lead to; a new state was taken for a known one with probability at most "
        f"{max(each.odds for each in swarm.members):.2g}",
    ]


def percent(share: float) -> str:
    """A share in percent, never rounded to all or nothing."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if share < 0.0001:
        return "less than 0.01 %"
    if share > 0.9995:
        return "more than 99.9 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.1f} %"
