"""`sdnloom view`: a trace or a result as a page for the browser."""

from pathlib import Path

import click

from sdnloom.cli.options.open_option import no_open_option, open_in_browser
from sdnloom.cli.options.trace_scenario import trace_scenario_option
from sdnloom.cli.pages.orderings import with_orderings
from sdnloom.cli.result_file import views_of_file
from sdnloom.cli.trace_names import TRACE_SUFFIX
from sdnloom.report.exports import ExportError
from sdnloom.report.page.page import results_html

_STDOUT = "-"


@click.command("view")
@click.argument("result", type=click.Path(path_type=Path), metavar="TRACE|RESULT")
@click.option(
    "-o", "--output", metavar="FILE.html", help="Write the page to this file; - is stdout.  [beside the input]"
)
@no_open_option
@click.option(
    "--explain/--no-explain",
    default=True,
    help="Find the orderings of a trace that matter, in at most 10 seconds (see `sdnloom explain`).  [on]",
)
@trace_scenario_option
def command(result: Path, output: str | None, no_open: bool, explain: bool, scenario: Path | None) -> int:
    """Show a trace, or a result that `--export FILE.json` wrote, as a page in the browser.

    The page is one file that needs no network: a sequence diagram with a lane for each component, the messages, vector
    clocks and states of each step, a drawing of the network with the packets under way, and the source that ran.
    A trace is replayed, which runs the program of its scenario; nothing in a result is run.

    Exit code: 0, or 2 for bad input.
    """
    if output and Path(output).exists() and result.exists() and Path(output).samefile(result):
        raise ExportError(f"{output}: is the input; expected another file for the page")
    views = views_of_file(result, scenario)
    file = None if output == _STDOUT else Path(output) if output else _page_file(result)
    page = results_html([with_orderings(view, result, scenario) for view in views] if explain else views)
    if file is None:
        click.echo(page, nl=False)
        return 0
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise ExportError(f"{file}: cannot write the page: {error.strerror}; say where with -o FILE.html") from error
    click.echo(str(file))
    if not no_open and not open_in_browser(file.resolve().as_uri()):
        click.echo("no browser could be opened here: open the file in one", err=True)
    return 0


def _page_file(result: Path) -> Path:
    """The file beside a trace or result that has its name."""
    name = result.name.removesuffix(TRACE_SUFFIX).removesuffix(".json") or result.name
    return result.with_name(f"{name}.html")
