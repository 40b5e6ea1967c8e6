"""`sdnloom check` for a program of actors."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from sdnloom.actors.report import ActorReport
from sdnloom.actors.run import check_program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.cli.actors.program_choice import ProgramChoice, loaded_program, refuse_options_of_scenarios
from sdnloom.cli.actors.tree_file import check_tree_file, write_tree
from sdnloom.cli.options.exit_codes import EXIT_CODES
from sdnloom.cli.options.export_option import echo_exports
from sdnloom.cli.options.text_options import echo_report
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.progress import LOADS, SearchProgress
from sdnloom.cli.traces import TraceRecord, check_folder, write_traces
from sdnloom.engine.limits import LOADING, LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.report.view.of_actors import actors_view

OPTIONS_OF_ACTORS = ("level", "symmetry", "count", "tree")  # that only a program of actors has
# All that it has.
_KNOWN = {
    *("find_all", "order", "reduce", "max_states", "max_depth", "time_limit", "memory_limit"),
    *("form", "show_output", "exports", "trace_dir", "no_trace", *OPTIONS_OF_ACTORS),
}


@dataclass(frozen=True)
class CheckOutput:
    """Where the results of a check go."""

    form: str
    show_output: bool
    trace_dir: Path | None  # None to write no traces
    tree: Path | None = None  # the file for the tree of executions
    exports: tuple[Path, ...] = ()


def check_program_file(
    choice: ProgramChoice, given: dict[str, Any], counts: bool, limits: Limits, output: CheckOutput
) -> int:
    """Check the program of a file; `given` are fields of ActorOptions, None for those that were not given."""
    refuse_options_of_scenarios(choice, _KNOWN)
    watch, progress = LimitWatch(limits, time_spent()), SearchProgress()
    with progress.announcing(LOADS), watch.in_force(), watch.during(LOADING):
        program, log = loaded_program(choice)
    if output.trace_dir is not None:
        check_folder(output.trace_dir)
    if output.tree is not None:
        check_tree_file(output.tree)
    options = ActorOptions(**{name: value for name, value in given.items() if value is not None}, limits=limits)
    try:
        watch = LimitWatch(limits, time_spent())
        report = check_program(program, options, progress, watch, output.show_output, log, counts)
        code = _shown(report, output)
        if output.tree is not None:
            write_tree(program, options, progress, watch, output.tree)
    finally:
        progress.stop()
    return code


def reduction_level(reduce: bool | None, level: str | None) -> str | None:
    """The level of independence that the options ask for; None if they ask for none in particular."""
    if reduce is not None and level is not None and reduce == (level == "none"):
        flag = "--reduce" if reduce else "--no-reduce"
        raise click.UsageError(f"{flag} and --reduction {level} are given; expected one or the other")
    return "none" if reduce is False else level


def _shown(report: ActorReport, output: CheckOutput) -> int:
    record = partial(TraceRecord, report.program, report.fingerprints)
    traces = {} if output.trace_dir is None else write_traces(report.violations, record, output.trace_dir)
    echo_report("check FILE.py", output.form, report, traces)
    echo_exports(lambda: [actors_view(report, traces)], output.exports)
    return EXIT_CODES[report.verdict]
