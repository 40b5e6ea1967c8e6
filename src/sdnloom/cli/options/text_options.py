"""The options `--long` and `--color`: how text is printed."""

import os
import shutil
import sys
from collections.abc import Callable
from typing import Any

import click

from sdnloom.report.formats import render
from sdnloom.report.text_style import WIDTH, TextStyle

_LONG, _COLOUR = "sdnloom.long", "sdnloom.colour"  # in the context of the command


def _kept(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:
        context.meta[key] = value

    return keep


def text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options; `text_style` has what was asked for."""
    command = click.option(
        "--color/--no-color",
        default=None,
        expose_value=False,
        callback=_kept(_COLOUR),
        help="Print in colour (default: on a terminal, unless NO_COLOR is set).",
    )(command)
    return click.option(
        "--long",
        is_flag=True,
        expose_value=False,
        callback=_kept(_LONG),
        help="Print steps in full: nothing is shortened, and what was said before is said again.",
    )(command)


def text_style() -> TextStyle:
    """How the command that runs now prints text on standard output."""
    context = click.get_current_context(silent=True)
    meta = {} if context is None else context.meta
    terminal = sys.stdout.isatty()
    asked = meta.get(_COLOUR)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    colour = (terminal and not plain) if asked is None else bool(asked)
    width = shutil.get_terminal_size((WIDTH, 24)).columns if terminal else WIDTH
    return TextStyle(width, bool(meta.get(_LONG)), colour)


def echo_report(command: str, form: str, *result: Any) -> None:
    """Print a command's result in a format; text in the style that was asked for."""
    style = text_style()
    click.echo(render(command, form, *result, style=style), nl=False, color=style.colour)
