"""The option `--show-output`: what the program prints and logs."""

import click

from sdnloom.check.run import Run
from sdnloom.report.output import output_text

show_output_option = click.option(
    "--show-output", is_flag=True, help="Show what the program prints and logs: while it is loaded, and in each step."
)


def echo_early_output(run: Run) -> None:
    """Print what the program has printed outside of steps."""
    for line in output_text(each for each in run.output if each.when != "run"):
        click.echo(line)
