"""The file with the tree of executions: its format is that of its name."""

from collections.abc import Callable
from pathlib import Path

import click

from sdnloom.actors.executions.tree import ExecutionTree, execution_tree
from sdnloom.actors.program import Program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.cli.progress import SearchProgress
from sdnloom.engine.limits import LimitWatch
from sdnloom.errors import SdnloomError
from sdnloom.report.actors.tree_graph import tree_dot, tree_mermaid
from sdnloom.report.actors.tree_svg import tree_svg
from sdnloom.report.actors.tree_text import tree_text
from sdnloom.report.describe import counted

_FORMATS: dict[str, Callable[[ExecutionTree], str]] = {
    ".svg": tree_svg,
    ".txt": tree_text,
    ".dot": tree_dot,
    ".mmd": tree_mermaid,
}


def check_tree_file(file: Path) -> None:
    """Raise an error if no tree can be written there: before a long search, not after it."""
    if file.suffix not in _FORMATS:
        raise SdnloomError(f"--tree {file}: expected a name that ends with one of {', '.join(_FORMATS)}")
    if not file.absolute().parent.is_dir():
        raise SdnloomError(f"--tree {file}: expected a file in a folder that exists")


def write_tree(
    program: Program, options: ActorOptions, progress: SearchProgress, watch: LimitWatch, file: Path
) -> None:
    """Write the tree of a program's executions."""
    tree = execution_tree(program, options.reduction, on_event=progress, watch=watch)
    try:
        file.write_text(_FORMATS[file.suffix](tree), encoding="utf-8")
    except OSError as error:
        raise SdnloomError(f"--tree {file}: cannot write it: {error.strerror}") from error
    click.echo(f"tree of {counted(tree.executions, 'execution')}: {file}", err=True)
