"""`sdnloom replay`: take the steps of a trace again, and if they do not confirm it, search all orders of its inputs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from sdnloom.actors.fingerprint import actor_fingerprints
from sdnloom.actors.run import replay_program, search_orders_of
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.step_code import path_code
from sdnloom.check.run import Run
from sdnloom.cli.actors.program_choice import ProgramChoice, loaded_program
from sdnloom.cli.options.export_option import echo_exports, export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.output_option import early_output, echo_output, show_output_option
from sdnloom.cli.options.text_options import echo_report, text_options
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.options.trace_scenario import trace_scenario_option
from sdnloom.cli.progress import SearchProgress
from sdnloom.cli.replay_views import program_replay_view, scenario_replay_view
from sdnloom.cli.traces import TraceRecord, check_folder, check_same, check_same_program, program_of, save, scenario_of
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import CounterexampleFound, Finished, Limits, SearchEvent
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import ReplayResult, Trace, load_trace
from sdnloom.network.program import OutputLine
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import Names
from sdnloom.report.replay.text import CONFIRMED, DIVERGED, GONE, INCOMPLETE, STILL_THERE, found_again, replay_outcome
from sdnloom.report.steps import StepCode
from sdnloom.report.view.result_view import ResultView

SEARCH_SECONDS = 120.0  # for all orders of a trace's inputs, unless the user says otherwise
_EXIT = {CONFIRMED: 1, STILL_THERE: 1, DIVERGED: 3, INCOMPLETE: 3}
_EXIT_DESIRED = {GONE: 1, DIVERGED: 3, INCOMPLETE: 3}  # of a `sometimes` property, which is to be seen again


@dataclass(frozen=True)
class _SearchChoice:
    """Whether to search all orders of a trace's inputs, the limits, and the file for what is found."""

    wanted: bool
    limits: Limits
    output: Path | None

    def is_due(self, recorded: Trace, replayed: ReplayResult) -> bool:
        """Whether the replay leaves the question open."""
        return self.wanted and recorded.finding is not None and not replayed.confirmed


@dataclass(frozen=True)
class _Replayed:
    """A replay, what printing it needs, and the trace that its search found."""

    result: ReplayResult
    names: Names
    output: list[OutputLine]
    view: Callable[[], ResultView]
    desired: bool = False  # whether the trace is of a `sometimes` property
    written: Path | None = None
    code: StepCode = ()  # that each step ran


@click.command("replay")
@click.argument("trace", type=click.Path(path_type=Path))
@trace_scenario_option
@click.option(
    "--search/--no-search",
    default=True,
    help="If the steps do not confirm the trace, search all orders of its inputs (default), or leave it at that.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    default=SEARCH_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Stop the search after so many seconds.",
)
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop the search after N states.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write what the search finds as a trace to this file.",
)
@show_output_option
@format_option("replay")
@export_option
@text_options
def command(
    trace: Path,
    scenario: Path | None,
    search: bool,
    time_limit: float,
    max_states: int | None,
    output: Path | None,
    show_output: bool,
    form: str,
    exports: tuple[Path, ...],
) -> int:
    """Take the steps of TRACE again, one by one, and evaluate its property at the end.

    If a step cannot be taken any more, or the property holds after all of them, the program has changed: then all
    orders of the trace's own inputs are searched for a violation of its property. The inputs are what comes from
    outside: packets that hosts send, moves, calls, ticks, expiries and faults, each at most as often as in the trace.

    Exit code: 0 GONE: no order violates it, 1 CONFIRMED by the same steps or STILL THERE in another order, 2 bad input,
    3 INCOMPLETE: a limit ended the search. With --no-search 3 is DIVERGED: a step cannot be taken any more. For a
    `sometimes` property 0 and 1 change places.
    """
    recorded = load_trace(trace)
    if output is not None:
        check_folder(output.parent)
    chosen = _SearchChoice(search, Limits(states=max_states, seconds=time_limit), output)
    choice = program_of(recorded, trace, scenario)
    replayed = (
        _replay_scenario(recorded, trace, scenario, show_output, chosen)
        if choice is None
        else _replay_actors(recorded, trace, choice, show_output, chosen)
    )
    for warning in replayed.result.warnings:
        click.echo(f"warning: {warning}", err=True)
    if show_output and form == "text":
        echo_output(replayed.output)
    echo_report("replay", form, recorded, replayed.result, replayed.names, replayed.written, replayed.code)
    echo_exports(lambda: [replayed.view()], exports)
    exits = _EXIT_DESIRED if replayed.desired else _EXIT
    return exits.get(replay_outcome(recorded, replayed.result), 0)


def _replay_scenario(
    recorded: Trace, file: Path, given: Path | None, show_output: bool, chosen: _SearchChoice
) -> _Replayed:
    loaded = scenario_of(recorded, file, given).with_inputs_of(recorded.path)
    run = Run(loaded, ordered=True, show_output=show_output)
    check_same(recorded, file, run)
    result, written = run.replay(recorded), None
    if chosen.is_due(recorded, result):
        searching = Run(loaded, show_output=show_output)
        progress, watch = SearchProgress(), LimitWatch(chosen.limits, time_spent())
        try:
            found = searching.search_inputs_of(recorded, chosen.limits, _only_progress(progress), watch)
        finally:
            progress.stop()
        result = replace(result, search=found)
        written = _written(TraceRecord(loaded, searching.fingerprints, (), None), result, chosen.output)
    desired = {prop.name for prop in run.properties if prop.sometimes}
    of_desired = recorded.finding is not None and recorded.finding.property in desired
    view = partial(scenario_replay_view, run, recorded, result, file)
    names, code = Names.of(loaded.network.topology), run.code_of(result)
    return _Replayed(result, names, early_output(run), view, of_desired, written, code)


def _replay_actors(
    recorded: Trace, file: Path, choice: ProgramChoice, show_output: bool, chosen: _SearchChoice
) -> _Replayed:
    program, log = loaded_program(choice)
    check_same_program(recorded, file, choice, program)
    result, written = replay_program(program, recorded, show_output), None
    if chosen.is_due(recorded, result):
        progress, watch = SearchProgress(), LimitWatch(chosen.limits, time_spent())
        try:
            found = search_orders_of(program, recorded, chosen.limits, _only_progress(progress), watch)
        finally:
            progress.stop()
        result = replace(result, search=found)
        written = _written(TraceRecord(program, actor_fingerprints(program), (), None), result, chosen.output)
    view = partial(program_replay_view, program, recorded, result, file)
    semantics = ActorSemantics(program)
    code = path_code(semantics, semantics.initial(), result.transitions)
    return _Replayed(result, program_names(program), list(log.lines), view, written=written, code=code)


def _only_progress(progress: SearchProgress) -> Callable[[SearchEvent], None]:
    """Show how a search goes on, and not that it is over or what it found: the report says that."""
    return lambda event: None if isinstance(event, CounterexampleFound | Finished) else progress(event)


def _written(record: TraceRecord, replayed: ReplayResult, file: Path | None) -> Path | None:
    """Write what the search found, if it found something and there is a file for it."""
    again = found_again(replayed)
    if again is None or file is None:
        return None
    save(replace(record, transitions=again.transitions, found=Finding(again.property, again.message)), file)
    return file
