"""`sdnloom explain`: which orderings of a trace matter, and what would remove it."""

from pathlib import Path

import click

from sdnloom.cli.counterexample.traced_path import traced_path
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.text_options import echo_report, text_options
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.options.trace_scenario import trace_scenario_option
from sdnloom.cli.progress import ProgressLine
from sdnloom.engine.counterexample.explanation import EXPLAINED_STATES, explain_path
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import STOPPING, Limits
from sdnloom.report.describe import counted


@click.command("explain")
@click.argument("trace", type=click.Path(path_type=Path))
@trace_scenario_option
@click.option(
    "--max-states",
    type=click.IntRange(0),
    default=EXPLAINED_STATES,
    show_default=True,
    metavar="N",
    help="Search at most N states for each ordering that matters; 0 searches nothing.",
)
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after so many seconds."
)
@format_option("explain")
@text_options
def command(trace: Path, scenario: Path | None, max_states: int, time_limit: float | None, form: str) -> int:
    """Say which orderings of the steps of TRACE matter, and which of them, enforced, would remove it.

    Two steps of one component that could come in the other order are tried in that order. If the property then holds,
    all orders of the trace's inputs are searched with the other order enforced. Use `sdnloom minimise` on a long trace
    first.

    Exit code: 0 everything was tried, 2 bad input, 3 there was no time for all of it.
    """
    traced = traced_path(trace, scenario)
    watch, line = LimitWatch(Limits(seconds=time_limit), time_spent()), ProgressLine(None)

    def follow(what: str, states: int) -> None:
        if watch.progress_due():
            line.follow(f"{what}: {counted(states, 'state')}", watch.seconds)

    try:
        with watch.catching_interrupts(lambda: line.say_at_once(f"note: {STOPPING.text}")), watch.in_force():
            explanation = explain_path(
                traced.memo,
                traced.transitions,
                traced.found,
                senders_of=traced.senders,
                most_states=max_states,
                out_of_time=lambda: watch.reason_to_stop() is not None,
                on_progress=follow,
            )
    finally:
        line.stop()
    code = traced.code_of(traced.plain.initial(), traced.transitions)
    echo_report("explain", form, explanation, traced.names, traced.is_control, code)
    return 3 if explanation.stopped else 0
