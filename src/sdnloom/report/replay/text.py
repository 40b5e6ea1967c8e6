"""A replayed trace as text: the outcome first, then where the steps of the trace led."""

from pathlib import Path

from sdnloom.engine.result import Counterexample, Incomplete, Result
from sdnloom.engine.trace import ReplayResult, Trace
from sdnloom.report.describe import Names, counted
from sdnloom.report.limit_hints import limit_options
from sdnloom.report.steps import StepCode, offered_text, steps_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle

CONFIRMED, DIVERGED, REPLAYED, GONE = "CONFIRMED", "DIVERGED", "REPLAYED", "GONE"
STILL_THERE, INCOMPLETE = "STILL THERE", "INCOMPLETE"
_MOST_OFFERED = 10  # steps that are possible instead of one that is not


def replay_outcome(trace: Trace, replayed: ReplayResult) -> str:
    """CONFIRMED: violated as recorded; REPLAYED: no property recorded.

    If neither, what the search of the trace's inputs found: STILL THERE, GONE or INCOMPLETE. Without a search DIVERGED:
    a step is not enabled; or GONE: it holds after the steps.
    """
    if replayed.diverged is None and trace.finding is None:
        return REPLAYED
    if replayed.diverged is None and replayed.confirmed:
        return CONFIRMED
    if replayed.search is not None:
        return _searched_outcome(replayed.search)
    return GONE if replayed.diverged is None else DIVERGED


def _searched_outcome(search: Result) -> str:
    if search.violations or search.witnesses:
        return STILL_THERE
    return INCOMPLETE if isinstance(search.verdict, Incomplete) else GONE


def found_again(replayed: ReplayResult) -> Counterexample | None:
    """What the search of the trace's inputs found, if it found the trace's violation or witness again."""
    found = () if replayed.search is None else (*replayed.search.violations, *replayed.search.witnesses)
    return next(iter(found), None)


def replay_text(
    trace: Trace,
    replayed: ReplayResult,
    names: Names,
    written: Path | None = None,
    code: StepCode = (),
    style: TextStyle = PLAIN_STYLE,
) -> str:
    """The outcome; then the steps, or if all orders of the inputs were searched, where those of the trace led.

    `written` is the file of the trace that the search found, `code` the functions that each step ran.
    """
    outcome = replay_outcome(trace, replayed)
    found = f" {trace.finding.property}: {trace.finding.message}" if trace.finding else ""
    if replayed.search is not None and trace.finding is not None:
        lines = _searched(outcome, trace, replayed, names, style)
        lines += [] if written is None else [f"written: {written}"]
        return "\n".join(lines) + "\n"
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
    lines = [style.verdict(first), *steps_text(replayed.transitions, names, style, code)]
    if replayed.now is not None and replayed.now != trace.finding:
        lines.append(f"  the property now says: {replayed.now.message}")
    if replayed.diverged is not None:
        lines.append(f"  next would be: {offered_text(replayed.diverged.step, names)}")
        lines += ["  enabled instead:", *_offered(replayed, names)]
    return "\n".join(lines) + "\n"


def _searched(outcome: str, trace: Trace, replayed: ReplayResult, names: Names, style: TextStyle) -> list[str]:
    """The outcome of a search, where the steps of the trace led, and the steps to what was found."""
    assert trace.finding is not None
    assert replayed.search is not None
    name, states = trace.finding.property, replayed.search.statistics.states
    again = found_again(replayed)
    if again is not None:
        first = f"{outcome} {name}: {again.message}"
    elif outcome == GONE and states:
        first = f"GONE {name}: no order of the trace's inputs leads to it any more ({_whole(states)})"
    elif outcome == GONE:
        first = f"GONE {name}: the events before the search do not lead to it any more"
    else:
        first = (
            f"INCOMPLETE {name}: no order of the trace's inputs leads to it so far ({counted(states, 'state')}), but "
            f"{replayed.search.incomplete}"
        )
    lines = [style.verdict(first), *_where(trace, replayed, names)]
    if outcome == INCOMPLETE:
        lines += [f"to see more, raise {option}" for option in limit_options(replayed.search.incomplete or "")]
    if again is not None:
        words = "the shortest way with the same inputs" if again.shortest else "a way with the same inputs"
        lines += ["", f"{words}, {counted(len(again.path), 'step')}:", *steps_text(again.transitions, names, style)]
    return lines


def _where(trace: Trace, replayed: ReplayResult, names: Names) -> list[str]:
    """How far the steps of the trace can be taken."""
    count, length = len(replayed.transitions), len(trace.path)
    if replayed.diverged is None:
        return [f"{_all(count)} of the trace can be taken, and the property holds after them"]
    could = "none" if count == 0 else "the first one" if count == 1 else f"the first {count}"
    return [
        f"of the trace's {counted(length, 'step')} {could} can be taken as recorded; step {count + 1} cannot:",
        f"    {offered_text(replayed.diverged.step, names)}",
        "  possible instead:",
        *_offered(replayed, names),
    ]


def _offered(replayed: ReplayResult, names: Names) -> list[str]:
    assert replayed.diverged is not None
    offered = replayed.diverged.offered
    lines = [f"    {offered_text(step, names)}" for step in offered[:_MOST_OFFERED]] or ["    nothing"]
    more = len(offered) - _MOST_OFFERED
    return [*lines, f"    and {counted(more, 'other step')}"] if more > 0 else lines


def _whole(states: int) -> str:
    return "the only state was searched" if states == 1 else f"all {counted(states, 'state')} were searched"


def _all(count: int) -> str:
    return "the only step" if count == 1 else f"all {counted(count, 'step')}"
