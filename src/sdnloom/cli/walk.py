"""`sdnloom walk`: random walks through a scenario, for what is too large to search."""

from pathlib import Path

import click

from sdnloom.check.scenario import Scenario
from sdnloom.cli.apps import takes_scenario
from sdnloom.cli.traces import check_folder, write_trace
from sdnloom.engine.path import minimise
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.walk import random_walk
from sdnloom.report.walk.text import found_text, nothing_text


@click.command("walk")
@takes_scenario
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Walk n has the seed SEED + n - 1.")
@click.option("--runs", type=click.IntRange(1), default=100, show_default=True, help="How many walks.")
@click.option("--max-steps", type=click.IntRange(1), default=1000, show_default=True, help="Longest walk.")
@click.option(
    "--trace-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where the trace of a violation is written; the current directory if not given.",
)
def command(scenario: Scenario, seed: int, runs: int, max_steps: int, trace_dir: Path) -> int:
    """Walk through SCENARIO at random until a property is violated or all runs are done.

    The violating walk is made smaller before it is shown. The same seed gives the same walks.

    Exit code: 1 a property is violated, 2 bad input, 3 none was: walks prove nothing, so there is no 0.
    """
    check_folder(trace_dir)
    scenario = scenario.ready()
    system = scenario.system()
    names = scenario.network.topology
    steps = 0
    for run in range(runs):
        walk = random_walk(system, seed + run, max_steps)
        steps += len(walk.path)
        if walk.found:
            path = minimise(Semantics(system), walk.path, walk.found[0])
            file = write_trace(scenario, path, walk.found[0], trace_dir, set())
            click.echo(found_text(system, names, walk, path, seed + run, file), nl=False)
            return 1
    click.echo(nothing_text(runs, steps, seed), nl=False)
    return 3
