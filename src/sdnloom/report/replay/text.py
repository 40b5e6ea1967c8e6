"""A replayed trace as text."""

from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.report.describe import Names, counted
from sdnloom.report.steps import offered_text, steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle

CONFIRMED, DIVERGED, REPLAYED, GONE = "CONFIRMED", "DIVERGED", "REPLAYED", "GONE"


def replay_outcome(trace: Trace, replayed: ReplayResult) -> str:
    """CONFIRMED as recorded; DIVERGED: a step is not enabled; REPLAYED: no property recorded; GONE: it holds now."""
    if replayed.diverged is not None:
        return DIVERGED
    if trace.finding is None:
        return REPLAYED
    return CONFIRMED if replayed.confirmed else GONE


def replay_text(trace: Trace, replayed: ReplayResult, names: Names, style: TextStyle = PLAIN_STYLE) -> str:
    """The outcome, then one line per step."""
    outcome = replay_outcome(trace, replayed)
    found = f" {trace.finding.property}: {trace.finding.message}" if trace.finding else ""
    count = len(replayed.transitions)
    match outcome:
        case "GONE":
            first = f"GONE{found}: {_all(count)} can be taken, and the property is no longer violated"
        case "DIVERGED":
            first = f"DIVERGED{found}: {count} of {counted(len(trace.path), 'step')} can be taken"
        case "REPLAYED":
            first = f"REPLAYED {_all(count)} can be taken"
        case _:
            first = f"CONFIRMED{found}"
    lines = [style.verdict(first), *steps_text(replayed.transitions, names, style)]
    if replayed.now is not None and replayed.now != trace.finding:
        lines.append(f"  the property now says: {replayed.now.message}")
    if replayed.diverged is not None:
        lines.append(f"  next would be: {offered_text(replayed.diverged.step, names)}")
        lines.append("  enabled instead:")
        lines += [f"    {offered_text(step, names)}" for step in replayed.diverged.offered[:10]] or ["    nothing"]
    return "\n".join(lines) + "\n"


def _all(count: int) -> str:
    return "the only step" if count == 1 else f"all {counted(count, 'step')}"
