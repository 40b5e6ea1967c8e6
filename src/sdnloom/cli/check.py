"""`sdnloom check`: search the orders of events of a scenario for one that violates a property."""

from pathlib import Path
from typing import Any, get_args

import click

from sdnloom.actors.search.options import ReductionLevel
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.report import Report
from sdnloom.cli.actors.check import KNOWN_TO_ACTORS, OPTIONS_OF_ACTORS, reduction_level
from sdnloom.cli.actors.program_choice import refuse_options_of_actors, refuse_options_of_scenarios
from sdnloom.cli.options.apps import APP_GROUPS, chosen_document, chosen_scenario, describes_scenarios
from sdnloom.cli.options.baseline_option import BASELINE_OPTIONS, baseline_options, opened_baseline
from sdnloom.cli.options.confirm_options import confirm_options, refuse_without_confirm
from sdnloom.cli.options.export_option import echo_exports, export_option
from sdnloom.cli.options.format_option import format_option
from sdnloom.cli.options.option_groups import GroupedCommand
from sdnloom.cli.options.output_option import show_output_option
from sdnloom.cli.options.text_options import echo_report, text_options, text_style
from sdnloom.cli.options.thread_count import ThreadCount
from sdnloom.cli.options.time_spent import time_spent
from sdnloom.cli.options.trace_options import no_trace_option, trace_dir_option
from sdnloom.cli.progress import SearchProgress
from sdnloom.cli.suite.judged_check import judged_suite, show_check
from sdnloom.cli.suite.subject import Subject, named_subjects
from sdnloom.cli.suite.subject_check import CheckRequest, check_subject
from sdnloom.cli.suite.suite_run import run_suite
from sdnloom.confirm.controller.foreign_controller import command_words
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.engine.result import SearchOrder
from sdnloom.report.check.text import coverage_text
from sdnloom.scenario_file.toml_text import toml_text
from sdnloom.strategies import STRATEGY_NAMES
from sdnloom.switches.vswitch_processes import need_open_vswitch

CHECK_GROUPS = {
    **APP_GROUPS,
    "Search": ("find_all", "order", "engine", "threads", "seed"),
    "Several processes": ("cluster", "workers"),
    "Limits": ("max_states", "max_depth", "time_limit", "memory_limit"),
    "Disk and checkpoints": ("disk", "checkpoint"),
    "Reduction and strategies": ("reduce", "reduce_auto", "explain", "strategy", "same_flow", "pkt_seq"),
    "Discovery": ("discover", "discover_only", "stacks", "fields"),
    "Programs of actors": OPTIONS_OF_ACTORS,
    "Output": (
        *("form", "long", "color", "coverage", "show_output", "exports", "trace_dir", "no_trace", "print_scenario"),
    ),
    "Real system": ("confirm", "wait", "controller_command"),
    "Suites and CI": ("jobs", *BASELINE_OPTIONS),
}


@click.command("check", cls=GroupedCommand, groups=CHECK_GROUPS)
@describes_scenarios
@format_option("check")
@click.option("--all/--first", "find_all", default=None, help="Report every distinct violation, or stop at the first.")
@click.option("--engine", type=click.Choice(["auto", "loop", "kernel"]), help="Search engine (default: auto).")
@click.option(
    "--order",
    type=click.Choice(get_args(SearchOrder)),
    help="Breadth first (bfs) finds shortest counterexamples, depth first (dfs) deep ones; auto, the default, is "
    "breadth first with dives into the depth when the search is long.",
)
@click.option(
    "--reduce/--no-reduce",
    default=None,
    help="Explore one of several orders that lead to the same result, or all orders.",
)
@click.option(
    "--reduce-auto",
    is_flag=True,
    help="Begin without a reduction, and take one if the search grows and that makes it shorter (default).",
)
@click.option(
    "--explain-reduction",
    "explain",
    is_flag=True,
    help="Reduce, and list which actions conflict and the cells and channels that make them.",
)
@click.option(
    "--strategy",
    metavar="NAMES",
    help=f"Heuristics that leave out orders of events, with commas: {', '.join(STRATEGY_NAMES)}.",
)
@click.option(
    "--same-flow",
    metavar="FILE:FUNCTION",
    help="For flow-ir: function that tells whether two packets belong together, or same_connection.",
)
@click.option(
    "--pkt-seq", metavar="LENGTH[,BURST]", help="Each client sends at most LENGTH packets, at most BURST unanswered."
)
@click.option("--seed", type=click.IntRange(0), help="Permute the order in which equal steps are tried (default: 0).")
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop after N states.")
@click.option("--max-depth", type=click.IntRange(1), metavar="N", help="Search at most N steps deep.")
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after so many seconds."
)
@click.option(
    "--memory-limit",
    type=click.IntRange(1),
    metavar="MIB",
    help="Stop when the process has this size, or go on with files (--disk).",
)
@click.option(
    "--threads", type=ThreadCount(), metavar="N", help="Threads of the kernel engine (default: one for each core)."
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep the search in this file, every minute and at its end; `sdnloom resume FILE` goes on.",
)
@click.option(
    "--disk",
    metavar="FOLDER",
    help="When the memory is full (--memory-limit, or 80 % of the machine's), go on with files in this folder.",
)
@click.option(
    "--discover",
    is_flag=True,
    help="Also send packets, and let switches report statistics, that are found by symbolic execution.",
)
@click.option("--discover-only", is_flag=True, help="The same, and clients send no packets that they are told.")
@click.option(
    "--stack",
    "stacks",
    multiple=True,
    metavar="NAME",
    help="Protocol stack of discovered packets, or default for the usual ones; may be repeated.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values that a field of discovered packets, or a counter, may have; may be repeated.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Search with workers on the machines of the Ray cluster at this address, or on this machine: local.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="Number of workers (default: one for each machine of the cluster, two if they are local).",
)
@click.option("--coverage", is_flag=True, help="Print which lines and branches of the program were reached.")
@show_output_option
@export_option
@trace_dir_option()
@no_trace_option
@click.option(
    "--reduction",
    "level",
    type=click.Choice(get_args(ReductionLevel)),
    help="When steps of tasks are independent: never, if they touch different actors, if different entries of fields, "
    "or also if both orders lead to the same state (default: context).",
)
@click.option(
    "--symmetry/--no-symmetry",
    default=None,
    help="Treat states alike that differ by a renaming of interchangeable actors (default), or tell them apart.",
)
@click.option(
    "--count",
    type=click.Choice(["executions"]),
    help="Also count the executions: orders that differ in more than independent steps.",
)
@click.option(
    "--tree",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the tree of executions of a small program to this file: .svg, .txt, .dot (Graphviz) or .mmd (mermaid).",
)
@click.option(
    "--confirm",
    is_flag=True,
    help="Take what was found on a real controller and a real Open vSwitch, step by step (see `sdnloom confirm`).",
)
@confirm_options
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Of a suite, check N scenarios at once, each in a process of its own.",
)
@click.option(
    "--print-scenario",
    is_flag=True,
    help="Print the scenario of file and options as one file for the current folder, and stop; options of the machine, "
    "such as --threads, are not in it.",
)
@baseline_options
@text_options
def command(
    scenarios: tuple[Path, ...],
    app_options: dict[str, Any],
    form: str,
    find_all: bool | None,
    engine: Any,
    order: str | None,
    reduce: bool | None,
    reduce_auto: bool,
    explain: bool,
    strategy: str | None,
    same_flow: str | None,
    pkt_seq: str | None,
    seed: int | None,
    max_states: int | None,
    max_depth: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    threads: int | None,
    checkpoint: Path | None,
    disk: str | None,
    cluster: str | None,
    workers: int | None,
    coverage: bool,
    show_output: bool,
    exports: tuple[Path, ...],
    trace_dir: Path,
    discover: bool,
    discover_only: bool,
    stacks: tuple[str, ...],
    fields: tuple[str, ...],
    no_trace: bool,
    print_scenario: bool,
    confirm: bool,
    wait: float,
    controller_command: str | None,
    jobs: int,
    baseline: Path | None,
    update_baseline: bool,
    level: str | None,
    symmetry: bool | None,
    count: str | None,
    tree: Path | None,
) -> int:
    """Search all orders of events of each SCENARIO for one that violates a property.

    SCENARIO is a TOML file that names a controller program, a network and properties; for an os-ken or Ryu app, --app
    and a topology are enough. FILE.py or FILE.py:NAME is a program of actors. The program is your code: it runs in this
    process.

    Options vary a scenario file. One that names one thing replaces what the file says of it: the app, the topology, the
    properties, what a host sends (--ping) or where it moves, a budget of faults, the [search] table's keys. --external,
    --setup, --path, --env and --config add to the file's.

    Several scenarios and programs, or a folder (all *.toml scenarios in it), are a suite: each is checked, with the
    same options and limits, and a table of all comes last.

    A program of actors takes the options under "Programs of actors", and of the others --all, --order, --reduce,
    the limits and those about output and traces.

    Exit code: 0 all properties hold within the bounds, 1 one is violated, 2 bad input, 3 not everything was searched
    or too little happened (VACUOUS), 4 the real system did something else than the model (--confirm). Of a suite: 2 if
    some subject is bad input, else 4, else 1 if a property is violated, else 3 if not everything was searched.
    """
    if discover and discover_only:
        raise click.UsageError("--discover and --discover-only are given; expected one or the other")
    if reduce_auto and reduce is not None:
        raise click.UsageError(
            f"--reduce-auto and --{'' if reduce else 'no-'}reduce are given; expected one or the other"
        )
    if not confirm:
        refuse_without_confirm()
    known = opened_baseline(baseline, update_baseline)
    options = CheckOptions(
        find_all=True if known is not None and find_all is None else find_all,
        engine=engine,
        order=order,
        reduce="auto" if reduce_auto else reduce,
        explain=explain,
        strategy=strategy,
        same_flow=same_flow,
        pkt_seq=pkt_seq,
        seed=seed,
        max_states=max_states,
        max_depth=max_depth,
        time_limit=time_limit,
        memory_limit=memory_limit,
        threads=threads,
        disk=disk,
        discover="only" if discover_only else discover,
        stacks=stacks,
        fields=fields,
        cluster=cluster,
        workers=workers,
    )
    subjects = _subjects(scenarios, tree, print_scenario, checkpoint)
    if print_scenario:
        document = chosen_document(subjects[0].file, app_options)
        options.over(chosen_scenario(subjects[0].file, app_options))  # so that mistakes are not printed
        click.echo(toml_text(options.in_document(document)), nl=False)
        return 0
    request = CheckRequest(
        options,
        app_options,
        {"reduction": reduction_level(reduce, level), "symmetry": symmetry},
        count is not None,
        coverage,
        show_output,
        None if no_trace else trace_dir,
        tree,
        ConfirmOptions(wait=wait, controller_command=controller_command) if confirm else None,
        checkpoint,
    )
    if confirm:
        need_open_vswitch()  # before a long search, not after it
        if controller_command is not None:
            command_words(controller_command)
    if len(scenarios) > 1 or (scenarios and scenarios[0].is_dir()):
        result = run_suite(subjects, request, jobs, text_style(), views=bool(exports))
        if known is not None:
            result = judged_suite(result, subjects, app_options, known)
        echo_report("check FOLDER", form, result)
        echo_exports(result.views, exports)
        return result.exit_code
    checked = check_subject(subjects[0], request, SearchProgress(), time_spent)
    code = show_check(checked, form, exports, app_options, known)
    if form != "text" and isinstance(checked.report, Report):
        for line in [line for one in checked.report.coverage or () for line in coverage_text(one)]:
            click.echo(line, err=True)
    return code


def _subjects(
    arguments: tuple[Path, ...], tree: Path | None, print_scenario: bool, checkpoint: Path | None
) -> list[Subject]:
    """What is to be checked; raises UsageError for options that do not go with it."""
    subjects = named_subjects(arguments) if arguments else [Subject("the app")]
    several = f"{len(subjects)} subjects are given; expected one" if len(subjects) > 1 else ""
    flags = {"--tree": tree is not None, "--print-scenario": print_scenario, "--checkpoint": checkpoint is not None}
    for flag, given in flags.items():
        if given and several:
            raise click.UsageError(f"{flag}: {several}")
    programs = [each.program for each in subjects if each.program is not None]
    if programs:
        refuse_options_of_scenarios(programs[0], KNOWN_TO_ACTORS)
    else:
        refuse_options_of_actors(OPTIONS_OF_ACTORS)
    return subjects
