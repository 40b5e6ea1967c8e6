"""`sdnloom crosscheck run`: both phases for two or more agents."""

from pathlib import Path

import click

from sdnloom.cli.crosscheck.options import (
    agents_at_work,
    check_labels,
    chosen_tests,
    inputs_option,
    labelled_agent,
    paths_option,
    seed_option,
    tests_option,
    time_option,
    version_option,
)
from sdnloom.cli.crosscheck.progress import CrosscheckProgress
from sdnloom.cli.crosscheck.report_files import (
    every_option,
    found_witnesses,
    pytest_option,
    shown_files,
    witnesses_option,
    write_captures,
    write_pair_tests,
    write_witness_files,
)
from sdnloom.cli.options.baseline_option import baseline_options, opened_baseline, show_judged
from sdnloom.cli.options.export_option import echo_exports, export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.option_groups import GroupedCommand
from sdnloom.crosscheck.comparison import CompareOptions
from sdnloom.crosscheck.exploration import ExploreOptions
from sdnloom.crosscheck.result import CROSSCHECK_EXIT_CODES, CrosscheckOptions
from sdnloom.crosscheck.run import crosscheck_agents
from sdnloom.report.baseline.findings import differences_of, known_differences, mark_findings
from sdnloom.report.crosscheck.view import CrosscheckView
from sdnloom.report.formats import render
from sdnloom.report.view.of_crosscheck import crosscheck_result_view

RUN_GROUPS = {
    "Tests": ("tests", "openflow"),
    "Limits": ("time_limit", "max_paths", "max_inputs", "seed"),
    "Report": ("form", "exports", "every", "per_path"),
    "Known differences": ("baseline", "update_baseline"),
    "Files": ("witnesses", "pytest_dir", "pcap_dir"),
}


@click.command("run", cls=GroupedCommand, groups=RUN_GROUPS)
@click.argument("agents", nargs=-1, required=True, metavar="AGENT AGENT...")
@tests_option
@version_option
@paths_option
@inputs_option
@seed_option
@time_option
@click.option("--per-path", is_flag=True, help="One inconsistency for each pair of paths, without grouping by output.")
@every_option
@witnesses_option
@pytest_option
@click.option(
    "--pcap-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the exchange of each root cause with each agent as a capture for Wireshark.",
)
@format_option("crosscheck run")
@export_option
@baseline_options
def command(
    agents: tuple[str, ...],
    tests: tuple[str, ...],
    openflow: str | None,
    max_paths: int,
    max_inputs: int,
    seed: int,
    time_limit: float | None,
    per_path: bool,
    every: bool,
    witnesses: Path | None,
    pytest_dir: Path | None,
    pcap_dir: Path | None,
    form: str,
    exports: tuple[Path, ...],
    baseline: Path | None,
    update_baseline: bool,
) -> int:
    """Explore two or more agents with tests, compare each pair, and replay every difference on both.

    A black box, such as a real switch, is tried on chosen inputs instead of explored. With LABEL=AGENT, reports have
    the label instead of the agent's name.

    Exit code: 0 no difference and everything was compared, 1 differences, 2 bad input, 3 no difference so far, but not
    everything was compared.
    """
    if len(agents) < 2:
        raise click.UsageError("one agent is given; expected two or more to compare")
    named = [labelled_agent(agent) for agent in agents]
    check_labels(named)
    chosen = chosen_tests(tests, openflow)
    known = opened_baseline(baseline, update_baseline)
    progress = CrosscheckProgress()
    try:
        with agents_at_work(time_limit) as spent:
            means = ExploreOptions(paths=max_paths), CompareOptions(per_path=per_path)
            options = CrosscheckOptions(*means, time_limit, max_inputs, seed, spent)
            result = crosscheck_agents([each.source for each in named], chosen, options, progress)
    finally:
        progress.stop()
    given = {each.source.name: each.given for each in named}
    found = list(found_witnesses(result, every))
    files = {} if witnesses is None else write_witness_files(found, witnesses)
    if pytest_dir is not None:
        write_pair_tests(found, pytest_dir, given)
    if pcap_dir is not None:
        write_captures(found, pcap_dir, {each.source.name: each.source for each in named})
    shown_files(witnesses=witnesses, pytest_files=pytest_dir, captures=pcap_dir)
    shown = CrosscheckView(every, files, given)
    code = show_judged(
        known,
        form,
        render("crosscheck run", form, result, shown),
        lambda _: differences_of(result),
        result.complete,
        CROSSCHECK_EXIT_CODES[result.verdict],
    )
    flags = known_differences(result, known.judgements if known is not None else (), every)
    echo_exports(lambda: [mark_findings(crosscheck_result_view(result, shown), flags)], exports)
    return code
