"""The option `--format`, with the formats that are registered for the command."""

from collections.abc import Callable
from typing import Any

import click

from sdnloom.report.formats import FORMATS


def format_option(command: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a click command the option `--format` as parameter `form`."""
    names = list(FORMATS[command])
    return click.option(
        "--format",
        "form",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="Format of the report.",
    )
