"""Random walks as text."""

import shlex

from sdnloom.report.describe import counted
from sdnloom.report.steps import steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle
from sdnloom.report.walk.result import WalkResult, WalkViolation


def walk_text(result: WalkResult, style: TextStyle = PLAIN_STYLE) -> str:
    """The violation with its minimised path, or how much was walked without one."""
    lines = _unviolated(result) if result.violation is None else _violated(result, result.violation, style)
    lines[0] = style.verdict(lines[0])
    return "\n".join(lines) + "\n"


def _violated(result: WalkResult, violation: WalkViolation, style: TextStyle) -> list[str]:
    left = "none" if violation.minimal else "some perhaps"
    return [
        f"VIOLATED {violation.finding.property}: {violation.finding.message}",
        f"counterexample, {counted(len(violation.transitions), 'step')}, {left} can be left out "
        f"(the walk had {violation.walked}, seed {violation.seed}):",
        *steps_text(violation.transitions, result.names, style, violation.code),
        "",
        f"replay: sdnloom replay {shlex.quote(str(violation.trace))}",
    ]


def _unviolated(result: WalkResult) -> list[str]:
    runs, seed = result.runs, result.seed
    seeds = f"seed {seed}" if runs == 1 else f"seeds {seed} to {seed + runs - 1}"
    return [
        f"INCOMPLETE no violation in {counted(runs, 'random walk')} with {counted(result.steps, 'step')} in all, "
        f"{seeds}",
        "to try more, raise --runs or --max-steps, or search everything with `sdnloom check`",
    ]
