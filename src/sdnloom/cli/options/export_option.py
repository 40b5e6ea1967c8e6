"""The option `--export`: the result as files for other tools, beside what is printed."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from sdnloom.report.exports import EXPORTS, MOST_EXPORT_FILES, ExportError, export_format, write_exports
from sdnloom.report.view.result_view import ResultView


def check_exports(files: Sequence[Path]) -> None:
    """Raise ExportError if a file cannot be written or its suffix is none of ours: before a long search, not after."""
    for file in files:
        export_format(file)
        if file.is_dir():
            raise ExportError(f"{file}: is a folder; expected a file to write")
        there = file if file.exists() else next((one for one in file.absolute().parents if os.path.lexists(one)), file)
        if not os.access(there, os.W_OK) or not (file.exists() or there.is_dir()):
            raise ExportError(f"{file}: cannot be written; expected a file in a folder that can be written")


def _checked(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> tuple[Path, ...]:
    check_exports(value)
    return value


export_option = click.option(
    "--export",
    "exports",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=_checked,
    help=f"Also write the result to this file, in the format of its suffix: {', '.join(EXPORTS)}; may be repeated.",
)


def echo_exports(views: Callable[[], Sequence[ResultView]], files: Sequence[Path]) -> None:
    """Write the exports and say on stderr what was written; the views are made only if there is something to write."""
    if not files:
        return
    shown = views()
    for written in write_exports(shown, files):
        click.echo(f"exported: {written}", err=True)
    found = sum(len(view.findings) for view in shown)
    if found > MOST_EXPORT_FILES and any(export_format(file).file_per_finding for file in files):
        click.echo(f"note: {found} findings; the first {MOST_EXPORT_FILES} have files of their own", err=True)
