"""The options `--trace-dir` and `--no-trace`: where traces of violations are written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def trace_dir_option(holds: str = "traces of violations") -> Callable[[Any], Any]:
    """The option for the folder that holds this."""
    return click.option(
        "--trace-dir",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(),
        help=f"Folder for {holds} (default: the current one).",
    )


no_trace_option = click.option("--no-trace", is_flag=True, help="Write no traces.")
