"""The option `--show-output`: what the program prints and logs."""

from collections.abc import Iterable

import click

from sdnloom.check.run import Run
from sdnloom.network.program import OutputLine
from sdnloom.report.output import output_text

show_output_option = click.option(
    "--show-output", is_flag=True, help="Show what the program prints and logs: while it is loaded, and in each step."
)


def early_output(run: Run) -> list[OutputLine]:
    """What the program has printed outside of steps."""
    return [each for each in run.output if each.when != "run"]


def echo_output(lines: Iterable[OutputLine]) -> None:
    """Print what a program has printed."""
    for line in output_text(lines):
        click.echo(line)
