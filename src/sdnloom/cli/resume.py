"""`sdnloom resume`: go on with a search that `sdnloom check --checkpoint` has kept."""

from pathlib import Path

import click

from sdnloom.check.checkpoint.resumption import resumed_check
from sdnloom.check.checkpoint.run_checkpoint import RunCheckpoint
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.report import Report
from sdnloom.check.scenario import Scenario
from sdnloom.cli.options.export_option import export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.output_option import show_output_option
from sdnloom.cli.options.text_options import text_options
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.options.trace_options import no_trace_option, trace_dir_option
from sdnloom.cli.progress import SearchProgress
from sdnloom.cli.suite.judged_check import show_check
from sdnloom.cli.suite.subject import Subject
from sdnloom.cli.suite.subject_check import CheckRequest, check_loaded
from sdnloom.cli.traces import check_folder
from sdnloom.report.check.text import coverage_text


@click.command("resume")
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop after N states in all.")
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Stop after so many seconds from now on.",
)
@click.option("--memory-limit", type=click.IntRange(1), metavar="MIB", help="Stop when the process has this size.")
@click.option("--coverage", is_flag=True, help="Print which lines and branches of the program were reached.")
@show_output_option
@format_option("check")
@export_option
@trace_dir_option()
@no_trace_option
@text_options
def command(
    checkpoint: Path,
    max_states: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    coverage: bool,
    show_output: bool,
    form: str,
    exports: tuple[Path, ...],
    trace_dir: Path,
    no_trace: bool,
) -> int:
    """Go on with the search in CHECKPOINT, a file that `sdnloom check --checkpoint` has written, and keep it there.

    Scenario and options are those of the check; a limit that is given takes the place of the one that it had. The
    program is asked again what it was asked, and must answer the same: if it, the scenario, sdnloom or Python have
    changed, the checkpoint is refused.

    Output and exit code are those of `sdnloom check`. A search that has ended gives its report again.
    """
    limits = CheckOptions(max_states=max_states, time_limit=time_limit, memory_limit=memory_limit)
    folder = None if no_trace else trace_dir
    request = CheckRequest(limits, coverage=coverage, show_output=show_output, trace_dir=folder)
    if folder is not None:
        check_folder(folder)

    def loaded() -> tuple[Scenario, RunCheckpoint | None]:
        return resumed_check(checkpoint, limits)

    progress = SearchProgress()
    try:
        checked = check_loaded(Subject(str(checkpoint)), loaded, request, progress, time_spent)
    finally:
        progress.stop()
    code = show_check(checked, form, exports, {}, None)
    if form != "text" and isinstance(checked.report, Report):
        for line in [line for one in checked.report.coverage or () for line in coverage_text(one)]:
            click.echo(line, err=True)
    return code
