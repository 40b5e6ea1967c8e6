"""A minimised trace as text."""

import shlex

from sdnloom.report.describe import counted
from sdnloom.report.minimise.result import MinimiseResult
from sdnloom.report.steps import steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle

MINIMAL, INCOMPLETE = "MINIMAL", "INCOMPLETE"


def minimise_text(result: MinimiseResult, style: TextStyle = PLAIN_STYLE) -> str:
    """How many steps are left, whether more could go, and the steps."""
    before, length = result.recorded[1], len(result.transitions)
    first = MINIMAL if result.minimal else INCOMPLETE
    left_out = f"{before - length:,} of {counted(before, 'step')} left out" if length < before else "nothing left out"
    lines = [
        style.verdict(f"{first} {result.found.property}: {result.found.message}"),
        f"{counted(length, 'step')}, {left_out}; {_how_short(result)}:",
        *steps_text(result.transitions, result.names, style, result.code),
        "",
    ]
    if result.found.message != result.recorded[0].message:
        lines.append(f"the trace that was given says: {result.recorded[0].message}")
    file = shlex.quote(str(result.trace))
    lines += [f"replay: sdnloom replay {file}", f"which orderings matter: sdnloom explain {file}"]
    return "\n".join(lines) + "\n"


def _how_short(result: MinimiseResult) -> str:
    if not result.minimal:
        return "there was no time to try every step, so perhaps more can be left out"
    if result.shortest:
        states = counted(result.states, "state")
        return f"none can be left out, and no order of its inputs is shorter ({states} searched)"
    return "none can be left out"
