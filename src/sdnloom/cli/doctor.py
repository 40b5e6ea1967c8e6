"""`sdnloom doctor`: what this machine has of what sdnloom can use, and how to get the rest."""

import click

from sdnloom.cli.machine_parts import examine_machine
from sdnloom.cli.options.format_option import format_option
from sdnloom.report.formats import render


@click.command("doctor")
@format_option("doctor")
def command(form: str) -> int:
    """Say what is installed, what is missing on this machine, which command needs it, and how to get it.

    Nothing is changed, and no program is started but to ask for its version.

    Exit code: 0 what every check needs is there, 1 something of it is missing.
    """
    machine = examine_machine()
    click.echo(render("doctor", form, machine), nl=False)
    return 0 if machine.works else 1
