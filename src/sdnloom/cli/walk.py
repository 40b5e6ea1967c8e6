"""`sdnloom walk`: random walks through a scenario that is too large to search."""

from dataclasses import replace
from pathlib import Path

import click

from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.cli.apps import APP_GROUPS, takes_scenario
from sdnloom.cli.format_option import format_option
from sdnloom.cli.option_groups import GroupedCommand
from sdnloom.cli.output_option import echo_early_output, show_output_option
from sdnloom.cli.traces import TraceRecord, check_folder, echo_early_violation, write_trace
from sdnloom.engine.path import minimise, replay
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.walk import random_walk
from sdnloom.report.formats import render
from sdnloom.report.walk.result import WalkResult, WalkViolation


@click.command("walk", cls=GroupedCommand, groups={**APP_GROUPS, "Walks": ("seed", "runs", "max_steps")})
@takes_scenario
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Walk n has the seed SEED + n - 1.")
@click.option("--runs", type=click.IntRange(1), default=100, show_default=True, help="Number of walks.")
@click.option("--max-steps", type=click.IntRange(1), default=1000, show_default=True, help="Length of a walk at most.")
@click.option(
    "--trace-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder for the trace of a violation (default: the current one).",
)
@show_output_option
@format_option("walk")
def command(
    scenario: Scenario, seed: int, runs: int, max_steps: int, trace_dir: Path, show_output: bool, form: str
) -> int:
    """Walk through SCENARIO at random until a property is violated or all walks are done.

    Steps that are not needed are removed from a violating walk. The same seed gives the same walks.

    Exit code: 1 a property is violated, 2 bad input, 3 none was violated: walks prove nothing, so there is no 0.
    """
    check_folder(trace_dir)
    prepared = Run(scenario.ready(), ordered=True, show_output=show_output)
    system = prepared.system
    echo_early_violation(prepared)
    result = WalkResult(scenario.network.topology, runs, 0, seed)
    for run in range(runs):
        walk = random_walk(system, seed + run, max_steps)
        result = replace(result, runs=run + 1, steps=result.steps + len(walk.path))
        if walk.findings:
            semantics, finding = Semantics(system), walk.findings[0]
            path = minimise(semantics, walk.path, finding).path
            transitions = tuple(replay(semantics, path))
            recorded = TraceRecord(prepared.scenario, prepared.fingerprints, transitions, finding)
            file = write_trace(recorded, trace_dir, set())
            result = replace(result, violation=WalkViolation(finding, transitions, len(walk.path), seed + run, file))
            break
    if show_output and form == "text":
        echo_early_output(prepared)
    click.echo(render("walk", form, result), nl=False)
    return 3 if result.violation is None else 1
