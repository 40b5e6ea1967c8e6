"""`sdnloom minimise`: the fewest events of a trace that violate its property."""

from pathlib import Path

import click

from sdnloom.cli.counterexample.traced_path import traced_path
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.text_options import echo_report, text_options
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.options.trace_scenario import trace_scenario_option
from sdnloom.cli.progress import ProgressLine
from sdnloom.cli.trace_names import TRACE_SUFFIX
from sdnloom.cli.traces import save
from sdnloom.engine.counterexample.minimise import minimise
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.path import replay
from sdnloom.engine.result import STOPPING, Limits
from sdnloom.report.describe import counted
from sdnloom.report.minimise.result import MinimiseResult

MINIMISED_STATES = 100_000  # of the search of all orders of the inputs that are left


@click.command("minimise")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of the new trace (default: beside TRACE, with .minimal in its name).",
)
@trace_scenario_option
@click.option(
    "--same-message", is_flag=True, help="Keep the words of the violation, too: the same packet, the same switch."
)
@click.option(
    "--max-states",
    type=click.IntRange(0),
    default=MINIMISED_STATES,
    show_default=True,
    metavar="N",
    help="Search at most N states for a shorter order of the inputs that are left.",
)
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after so many seconds."
)
@format_option("minimise")
@text_options
def command(
    trace: Path,
    output: Path | None,
    scenario: Path | None,
    same_message: bool,
    max_states: int,
    time_limit: float | None,
    form: str,
) -> int:
    """Leave out every event of TRACE that its violation does not need, and write what is left as a trace.

    The property that is violated stays the same; what it says may change, because without earlier packets it may be
    about another one. Ctrl-C ends with the shortest trace so far.

    Exit code: 0 no single step can be left out, 2 bad input, 3 there was no time to try them all.
    """
    traced = traced_path(trace, scenario)
    watch, line = LimitWatch(Limits(seconds=time_limit), time_spent()), ProgressLine(None)

    def follow(steps: int, states: int) -> None:
        searched = f", {counted(states, 'state')} searched for a shorter order" if states else ""
        if watch.progress_due():
            line.follow(f"{counted(steps, 'step')} of {len(traced.transitions):,} left{searched}", watch.seconds)

    try:
        with watch.catching_interrupts(lambda: line.say_at_once(f"note: {STOPPING.text}")), watch.in_force():
            shorter = minimise(
                traced.memo,
                traced.trace.path,
                traced.found,
                lambda: watch.reason_to_stop() is not None,
                same_message=same_message,
                most_states=max_states,
                on_progress=follow,
            )
    finally:
        line.stop()
    transitions = tuple(replay(traced.plain, shorter.path))
    if shorter.found not in traced.plain.findings(transitions[-1].state if transitions else traced.plain.initial()):
        raise AssertionError("the minimised trace does not violate its property; this is a defect of sdnloom")
    stem = trace.name.removesuffix(TRACE_SUFFIX).removesuffix(".json")
    file = output or trace.with_name(f"{stem}.minimal{TRACE_SUFFIX}")
    save(traced.record(transitions, shorter.found), file)
    result = MinimiseResult(
        traced.names,
        (traced.found, len(traced.transitions)),
        shorter.found,
        transitions,
        shorter.minimal,
        shorter.shortest,
        shorter.states,
        file,
        traced.code_of(traced.plain.initial(), transitions),
    )
    echo_report("minimise", form, result)
    return 0 if shorter.minimal else 3
