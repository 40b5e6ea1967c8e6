"""`sdnloom replay`: take the steps of a trace again and confirm its finding."""

from pathlib import Path

import click

from sdnloom.actors.run import replay_program
from sdnloom.check.run import Run
from sdnloom.cli.actors.program_choice import loaded_program
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.output_option import early_output, echo_output, show_output_option
from sdnloom.cli.options.text_options import echo_report, text_options
from sdnloom.cli.traces import check_same, check_same_program, program_of, scenario_of
from sdnloom.engine.trace import load_trace
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import Names
from sdnloom.report.replay.text import CONFIRMED, DIVERGED, replay_outcome

_EXIT = {CONFIRMED: 1, DIVERGED: 3}


@click.command("replay")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--scenario",
    type=click.Path(path_type=Path),
    help="Scenario file, or FILE.py[:NAME] of a program of actors, if it is not where the trace says.",
)
@show_output_option
@format_option("replay")
@text_options
def command(trace: Path, scenario: Path | None, show_output: bool, form: str) -> int:
    """Take the steps of TRACE again, one by one, and evaluate its property at the end.

    Exit code: 0 all steps can be taken and the property holds after them (or a `sometimes` property is witnessed
    again), 1 it is violated as in the trace, 2 bad input, 3 a step cannot be taken any more: the program has changed.
    """
    recorded = load_trace(trace)
    choice = program_of(recorded, trace, scenario)
    if choice is not None:
        program, log = loaded_program(choice)
        check_same_program(recorded, trace, choice, program)
        replayed = replay_program(program, recorded, show_output)
        names, output, desired = program_names(program), list(log.lines), []
    else:
        loaded = scenario_of(recorded, trace, scenario)
        run = Run(loaded.with_inputs_of(recorded.path), ordered=True, show_output=show_output)
        check_same(recorded, trace, run)
        replayed = run.replay(recorded)
        names, output = Names.of(loaded.network.topology), early_output(run)
        desired = [prop.name for prop in run.properties if prop.sometimes]
    for warning in replayed.warnings:
        click.echo(f"warning: {warning}", err=True)
    if show_output and form == "text":
        echo_output(output)
    echo_report("replay", form, recorded, replayed, names)
    outcome = replay_outcome(recorded, replayed)
    if outcome == CONFIRMED and recorded.finding is not None and recorded.finding.property in desired:
        return 0
    return _EXIT.get(outcome, 0)
