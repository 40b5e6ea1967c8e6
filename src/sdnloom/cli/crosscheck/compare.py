"""`sdnloom crosscheck compare`: phase 2, from partition files alone."""

from pathlib import Path

import click

from sdnloom.cli.crosscheck.options import agents_at_work, time_option
from sdnloom.cli.crosscheck.progress import CrosscheckProgress
from sdnloom.cli.crosscheck.report_files import (
    every_option,
    found_witnesses,
    pytest_option,
    shown_files,
    witnesses_option,
    write_expected_tests,
    write_witness_files,
)
from sdnloom.cli.options.baseline_option import baseline_options, opened_baseline, show_judged
from sdnloom.cli.options.export_option import echo_exports, export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.crosscheck.comparison import CompareOptions
from sdnloom.crosscheck.file_comparison import compare_files
from sdnloom.crosscheck.result import CROSSCHECK_EXIT_CODES
from sdnloom.report.baseline.findings import differences_of, known_differences, mark_findings
from sdnloom.report.crosscheck.view import CrosscheckView
from sdnloom.report.formats import render
from sdnloom.report.view.of_crosscheck import crosscheck_result_view


@click.command("compare")
@click.argument("first", type=click.Path(path_type=Path), metavar="A")
@click.argument("second", type=click.Path(path_type=Path), metavar="B")
@click.option("--per-path", is_flag=True, help="One inconsistency for each pair of paths, without grouping by output.")
@time_option
@every_option
@witnesses_option
@pytest_option
@click.option("--agent", metavar="AGENT", help="The agent that the pytest files run; it is expected to do what A did.")
@format_option("crosscheck compare")
@export_option
@baseline_options
def command(
    first: Path,
    second: Path,
    per_path: bool,
    time_limit: float | None,
    every: bool,
    witnesses: Path | None,
    pytest_dir: Path | None,
    agent: str | None,
    form: str,
    exports: tuple[Path, ...],
    baseline: Path | None,
    update_baseline: bool,
) -> int:
    """Compare two partition files, or two folders of them test by test, as `sdnloom crosscheck explore` writes them.

    Neither agent is needed, and nothing in the files is run. Files of an old and a new version of one agent make a
    regression test.

    Exit code: 0 no difference and everything was compared, 1 differences, 2 bad input, 3 no difference so far, but not
    everything was compared.
    """
    if (pytest_dir is None) != (agent is None):
        given, other = ("--agent", "--pytest-dir") if pytest_dir is None else ("--pytest-dir", "--agent")
        raise click.UsageError(f"{given} is given without {other}; expected both: partition files name no agent to run")
    known = opened_baseline(baseline, update_baseline)
    progress = CrosscheckProgress()
    try:
        with agents_at_work(time_limit) as spent:
            left = None if time_limit is None else max(time_limit - spent, 0.0)
            result = compare_files(first, second, CompareOptions(per_path=per_path), left, progress)
    finally:
        progress.stop()
    found = list(found_witnesses(result, every))
    files = {} if witnesses is None else write_witness_files(found, witnesses)
    if pytest_dir is not None and agent is not None:
        write_expected_tests(found, pytest_dir, agent)
    shown_files(witnesses=witnesses, pytest_files=pytest_dir)
    shown = CrosscheckView(every, files)
    code = show_judged(
        known,
        form,
        render("crosscheck compare", form, result, shown),
        lambda _: differences_of(result),
        result.complete,
        CROSSCHECK_EXIT_CODES[result.verdict],
    )
    flags = known_differences(result, known.judgements if known is not None else (), every)
    echo_exports(lambda: [mark_findings(crosscheck_result_view(result, shown), flags)], exports)
    return code
