"""`sdnloom export`: a result or a trace in the formats of other tools."""

from pathlib import Path

import click

from sdnloom.cli.options.export_option import check_exports, echo_exports
from sdnloom.cli.options.trace_scenario import trace_scenario_option
from sdnloom.cli.pages.orderings import with_orderings
from sdnloom.cli.result_file import views_of_file
from sdnloom.report.exports import EXPORTS

_FORMATS = "\n".join(f"  {suffix:<9}{form.title}" for suffix, form in EXPORTS.items())


@click.command(
    "export",
    epilog=f"\b\nFormats, told by the suffix of FILE:\n{_FORMATS}",
)
@click.argument("result", type=click.Path(path_type=Path), metavar="TRACE|RESULT")
@click.argument("files", type=click.Path(path_type=Path), metavar="FILE...", nargs=-1, required=True)
@trace_scenario_option
@click.option("--explain", is_flag=True, help="Also find the orderings of a trace that matter (see `sdnloom explain`).")
def command(result: Path, files: tuple[Path, ...], scenario: Path | None, explain: bool) -> int:
    """Write a trace, or a result that `--export FILE.json` wrote, to each FILE in the format of its suffix.

    A trace is replayed, which runs the program of its scenario; nothing in a result is run.

    Exit code: 0, or 2 for bad input.
    """
    check_exports(files)
    views = views_of_file(result, scenario)
    shown = [with_orderings(view, result, scenario) for view in views] if explain else views
    echo_exports(lambda: shown, files)
    return 0
