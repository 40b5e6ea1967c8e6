"""`sdnloom check`: does some input, under some order of events, make a controller program break a property?"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sdnloom.check.discovery_table import changed, check_options, given_fields
from sdnloom.check.load import MEBIBYTE
from sdnloom.check.report import Report
from sdnloom.check.scenario import Scenario
from sdnloom.cli.apps import takes_scenario
from sdnloom.cli.format_option import format_option
from sdnloom.cli.progress import SearchProgress
from sdnloom.cli.strategies import with_strategies
from sdnloom.cli.traces import Recorded, check_folder, write_trace
from sdnloom.engine.result import Counterexample
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import TraceError
from sdnloom.inputs.clients import discovering_clients
from sdnloom.report.check.text import coverage_text
from sdnloom.report.formats import render
from sdnloom.strategies import STRATEGY_NAMES

EXIT = {"holds": 0, "violated": 1, "incomplete": 3}


@click.command("check")
@takes_scenario
@format_option("check")
@click.option("--all/--first", "find_all", default=None, help="Go on after a violation and report each distinct one.")
@click.option(
    "--engine", type=click.Choice(["auto", "loop", "kernel"]), help="Which engine searches; auto if not given."
)
@click.option("--order", type=click.Choice(["bfs", "dfs"]), help="Breadth first finds shortest counterexamples.")
@click.option("--reduce/--no-reduce", default=None, help="Leave out orders of events that make no difference.")
@click.option(
    "--strategy",
    metavar="NAMES",
    help=f"Explore only some orders of events: {', '.join(STRATEGY_NAMES)}; several with commas, applied in order.",
)
@click.option(
    "--same-flow",
    metavar="FILE:FUNCTION",
    help="Which packets belong together, for flow-ir: a function of two packets, or same_connection.",
)
@click.option(
    "--pkt-seq", metavar="LENGTH[,BURST]", help="Each client sends at most LENGTH packets, at most BURST unanswered."
)
@click.option("--seed", type=click.IntRange(0), help="The order in which equal steps are tried; 0 is the scenario's.")
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop after so many states.")
@click.option("--max-depth", type=click.IntRange(1), metavar="N", help="Look no further than so many steps.")
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after so many seconds."
)
@click.option("--memory-limit", type=click.IntRange(1), metavar="MIB", help="Stop when the process is this large.")
@click.option("--coverage", is_flag=True, help="Print which lines and branches of the program the search reached.")
@click.option(
    "--trace-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where traces of violations are written; the current directory if not given.",
)
@click.option("--discover", is_flag=True, help="Let clients send what the program tells apart, not what they are told.")
@click.option("--stack", "stacks", multiple=True, metavar="NAME", help="A protocol stack to discover; may be repeated.")
@click.option(
    "--field", "fields", multiple=True, metavar="NAME=VALUES", help="What a field of discovered packets may be."
)
@click.option("--no-trace", is_flag=True, help="Write no trace.")
@click.option("--print-scenario", is_flag=True, help="Print the scenario that --app and its options mean, and stop.")
def command(
    scenario: Scenario,
    form: str,
    find_all: bool | None,
    engine: str | None,
    order: str | None,
    reduce: bool | None,
    strategy: str | None,
    same_flow: str | None,
    pkt_seq: str | None,
    seed: int | None,
    max_states: int | None,
    max_depth: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    coverage: bool,
    trace_dir: Path,
    discover: bool,
    stacks: tuple[str, ...],
    fields: tuple[str, ...],
    no_trace: bool,
    print_scenario: bool,
) -> int:
    """Search all orders of events of SCENARIO for one that breaks a property.

    SCENARIO is a TOML file that names a controller program, a network and properties; for an os-ken or Ryu app, --app
    and a topology are enough. The program is your code: it runs in this process. Options given here win over those of
    the file's [search] table.

    Exit code: 0 all properties hold within the bounds, 1 one is violated, 2 bad input, 3 not everything was searched.
    """
    if print_scenario:
        return _print(scenario)
    given: dict[str, Any] = {"engine": engine, "order": order, "reduce": reduce, "find_all": find_all}
    limits: dict[str, Any] = {
        "states": max_states,
        "depth": max_depth,
        "seconds": time_limit,
        "memory": None if memory_limit is None else memory_limit * MEBIBYTE,
    }
    options = replace(
        scenario.options,
        **{name: value for name, value in given.items() if value is not None},
        limits=replace(scenario.options.limits, **{name: limit for name, limit in limits.items() if limit is not None}),
    )
    loaded = replace(scenario, options=options, seed=scenario.seed if seed is None else seed)
    loaded = with_strategies(loaded, strategy, same_flow, pkt_seq)
    if stacks or fields:
        if not discover and not any(discovering_clients(loaded.network)) and loaded.network.answers is None:
            option = "--stack" if stacks else "--field"
            raise click.UsageError(f"{option} is given, but nothing is discovered; expected --discover as well")
        loaded = replace(loaded, discovery=changed(loaded.discovery, stacks, given_fields(fields)))
        check_options(loaded.discovery, loaded.network.topology)
    if discover:
        loaded = loaded.discovering()
    if not no_trace:
        check_folder(trace_dir)
    progress = SearchProgress()
    try:
        report = loaded.check(progress, coverage)
    finally:
        progress.stop()
    traces = {} if no_trace else _traces(report, trace_dir)
    click.echo(render("check", form, report, traces), nl=False)
    if form != "text":
        for line in [line for one in report.coverage or () for line in coverage_text(one)]:
            click.echo(line, err=True)
    return EXIT[report.verdict]


def _print(scenario: Scenario) -> int:
    if scenario.text is None:
        raise click.UsageError(f"--print-scenario: {str(scenario.file)!r} is a scenario already; expected --app")
    click.echo(scenario.text, nl=False)
    return 0


def _traces(report: Report, folder: Path) -> dict[Counterexample, Path]:
    """Where the traces are. One that cannot be written is a warning: the search may have been long."""
    used: set[Path] = set()
    written = {}
    for one in report.violations:
        try:
            recorded = Recorded(
                report.scenario, report.fingerprints, one.transitions, Finding(one.property, one.message)
            )
            written[one] = write_trace(recorded, folder, used)
        except TraceError as error:
            click.echo(f"warning: {error}", err=True)
    return written
