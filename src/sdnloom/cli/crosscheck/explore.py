"""`sdnloom crosscheck explore`: phase 1, what one agent does with every input of a test."""

from collections.abc import Sequence
from pathlib import Path

import click

from sdnloom.cli.crosscheck.options import (
    CrosscheckOptionError,
    agents_at_work,
    chosen_tests,
    inputs_option,
    labelled_agent,
    new_folder,
    paths_option,
    seed_option,
    tests_option,
    time_option,
    version_option,
)
from sdnloom.cli.crosscheck.progress import CrosscheckProgress
from sdnloom.cli.options.format_option import format_option
from sdnloom.crosscheck.black_box import chosen_inputs, strict_partition, try_inputs
from sdnloom.crosscheck.exploration import ExploreOptions, explore_agent
from sdnloom.crosscheck.partition import INTERRUPTED
from sdnloom.crosscheck.partition_file import write_partition
from sdnloom.crosscheck.run import check_versions
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.report.crosscheck.partition_text import ExploredPartition
from sdnloom.report.formats import render


@click.command("explore")
@click.argument("agent")
@tests_option
@version_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Partition file; with several tests, or if it is a folder, the folder for one file of each test.",
)
@click.option("--classes", "every", is_flag=True, help="List the classes, with an example of each.")
@click.option(
    "--check-classes",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
    help="Run N further inputs of each class and check that the agent does the same.",
)
@paths_option
@inputs_option
@seed_option
@time_option
@format_option("crosscheck explore")
def command(
    agent: str,
    tests: tuple[str, ...],
    openflow: str | None,
    output: Path | None,
    every: bool,
    check_classes: int,
    max_paths: int,
    max_inputs: int,
    seed: int,
    time_limit: float | None,
    form: str,
) -> int:
    """Run AGENT on symbolic messages and write what it does with every input of each test to a partition file.

    The file has no code of the agent and can be given away: `sdnloom crosscheck compare` needs nothing else. A black
    box, such as a real switch, is tried on chosen inputs; its partition is never complete.

    Exit code: 0 every input is in a class, 2 bad input, 3 there may be other classes.
    """
    source, chosen = labelled_agent(agent).source, chosen_tests(tests, openflow)
    check_versions([source], chosen)
    files = _files(output, chosen)
    progress, explored = CrosscheckProgress(), list[ExploredPartition]()
    try:
        for number, test in enumerate(chosen):
            with agents_at_work(time_limit) as spent:
                share = None if time_limit is None else max(time_limit - spent, 0.0) / (len(chosen) - number)
                share = share if share is None or share < 1 else round(share, 1)  # reasons tell it
                if source.black_box:
                    inputs = list(chosen_inputs(test, [strict_partition(test, share, progress)], max_inputs, seed))
                    partition = try_inputs(source, test, inputs, share, progress)
                else:
                    options = ExploreOptions(seconds=share, paths=max_paths, check_classes=check_classes)
                    partition = explore_agent(source, test, options, progress)
            file = files[number] if files else None
            if file is not None:
                write_partition(partition, file)
            explored.append(ExploredPartition(partition, file))
            if any(INTERRUPTED in reason for reason in partition.reasons):
                break
    finally:
        progress.stop()
    rest = [test.name for test in chosen[len(explored) :]]
    click.echo(render("crosscheck explore", form, explored, rest, every), nl=False)
    return 0 if not rest and all(one.partition.complete for one in explored) else 3


def _files(output: Path | None, tests: Sequence[SwitchTest]) -> list[Path]:
    """The partition file of each test."""
    if output is None:
        return []
    if len(tests) == 1 and not output.is_dir():
        if not output.parent.is_dir():
            raise CrosscheckOptionError(f"{output}: the folder {output.parent} does not exist")
        return [output]
    if output.exists() and not output.is_dir():
        raise CrosscheckOptionError(f"{output}: {len(tests)} tests give as many files; expected a folder, found a file")
    return [new_folder(output) / f"{test.name}.jsonl" for test in tests]
