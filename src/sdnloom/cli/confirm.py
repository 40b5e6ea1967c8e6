"""`sdnloom confirm`: take the steps of a trace on a real controller and a real Open vSwitch, and compare."""

from collections.abc import Callable
from pathlib import Path

import click

from sdnloom.api.confirm import traced_confirmation
from sdnloom.cli.options.confirm_options import confirm_options
from sdnloom.cli.options.exit_codes import CONFIRM_EXIT_CODES
from sdnloom.cli.options.export_option import echo_exports, export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.text_options import echo_report, text_options, text_style
from sdnloom.cli.options.trace_scenario import trace_scenario_option
from sdnloom.cli.progress import ConfirmationProgress
from sdnloom.cli.replay_views import scenario_replay_view
from sdnloom.cli.traces import check_folder
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import ConfirmOutcome, ObservedStep
from sdnloom.report.confirm.observed_words import LiveSteps
from sdnloom.report.confirm.view_facts import confirmed_view
from sdnloom.report.describe import Names, counted
from sdnloom.report.text_style import terminal_text


@click.command("confirm")
@click.argument("trace", type=click.Path(path_type=Path))
@trace_scenario_option
@click.option(
    "--switch",
    type=click.Choice(["openvswitch"]),
    default="openvswitch",
    show_default=True,
    help="The real switch that stands for each switch of the scenario.",
)
@confirm_options
@click.option(
    "--controller",
    metavar="ADDRESS",
    help="Use the controller that already runs at this address, such as 127.0.0.1:6653, and goes on to run.",
)
@click.option("--show", is_flag=True, help="Show each step as it is taken, with what was observed, and when.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the observed run into this folder: a capture for each connection and link, and a trace.",
)
@format_option("confirm")
@export_option
@text_options
def command(
    trace: Path,
    scenario: Path | None,
    switch: str,
    wait: float,
    controller_command: str | None,
    controller: str | None,
    show: bool,
    record: Path | None,
    form: str,
    exports: tuple[Path, ...],
) -> int:
    """Take the steps of TRACE on a real controller and a real Open vSwitch, and compare each with the model.

    The program of the scenario runs in a process of its own, as it would without sdnloom, and each switch is a bridge
    of one Open vSwitch; both end with the command. sdnloom holds every message and frame between them until the step of
    the trace that receives it. Hosts and links are the model's.

    Exit code: 0 AGREED: all steps went as recorded, and the trace has no property, 1 CONFIRMED: what was observed
    violates the property, 2 bad input, 3 NOT POSSIBLE: a step cannot be enforced from outside, 4 DIFFERENT: a step went
    otherwise. The witness of a `sometimes` property that is CONFIRMED has 0.
    """
    if record is not None:
        check_folder(record)
    prepared = traced_confirmation(trace, scenario)
    options = ConfirmOptions(switch, wait, controller_command, controller)
    progress = ConfirmationProgress(len(prepared.trace.path))
    try:
        with progress.announcing("starting Open vSwitch and the controller"):
            following = _shown(prepared.names, form, progress) if show else progress
            confirmed = prepared.confirm(options, following)
    finally:
        progress.stop()
    for warning in confirmed.warnings:
        click.echo(f"warning: {warning}", err=True)
    if show and form == "text":
        click.echo()
    echo_report("confirm", form, confirmed, prepared.names, prepared.code, not show)
    echo_exports(
        lambda: [
            confirmed_view(scenario_replay_view(prepared.run, prepared.trace, prepared.replayed, trace), confirmed)
        ],
        exports,
    )
    if record is not None:
        written = prepared.write_observed(confirmed, record)
        click.echo(f"recorded: {counted(len(written), 'file')} in {record}", err=True)
    if confirmed.outcome is ConfirmOutcome.CONFIRMED and prepared.desired:
        return 0
    return CONFIRM_EXIT_CODES[confirmed.outcome]


def _shown(names: Names, form: str, progress: ConfirmationProgress) -> Callable[[ObservedStep], None]:
    """Print each step: with the report, or on stderr where that is no text."""
    style = text_style()
    live = LiveSteps(names, style)

    def show(step: ObservedStep) -> None:
        progress.stop()  # what was announced
        click.echo(terminal_text("\n".join(live.lines(step)), style.colour), err=form != "text", color=style.colour)

    return show
