"""Options of commands that take traces on the real system."""

import math
from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from sdnloom.confirm.options import WAIT_SECONDS


def _number(context: click.Context, parameter: click.Parameter, value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter(f"{value} is not in the range x>=0.")
    return value


def confirm_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--wait` and `--controller-command`."""
    command = click.option(
        "--controller-command",
        metavar="COMMAND",
        help="Start this controller instead of the scenario's program; {port} in it stands for the OpenFlow port of "
        "127.0.0.1 to listen on, {web_port} for that of its REST interface.",
    )(command)
    return click.option(
        "--wait",
        type=click.FloatRange(0),
        callback=_number,
        default=WAIT_SECONDS,
        show_default=True,
        metavar="SECONDS",
        help="Wait at most so long for a timer of the app: its clock is the real one.",
    )(command)


def refuse_without_confirm() -> None:
    """Raise UsageError if an option was given that has no effect without `--confirm`."""
    context = click.get_current_context()
    for name in ("wait", "controller_command"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{flag} is given without --confirm; expected --confirm as well")
