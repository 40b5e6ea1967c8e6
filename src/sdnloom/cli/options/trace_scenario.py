"""The option `--scenario` of commands that read traces."""

from pathlib import Path

import click

trace_scenario_option = click.option(
    "--scenario",
    type=click.Path(path_type=Path),
    help="Scenario file, or FILE.py[:NAME] of a program of actors, if it is not where the trace says.",
)
