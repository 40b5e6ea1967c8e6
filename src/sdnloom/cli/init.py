"""`sdnloom init`: write a first scenario file for an app, or a small example to begin with."""

import shlex
from pathlib import Path

import click

from sdnloom.check.starter.example_app import EXAMPLE_APP, EXAMPLE_NAME, EXAMPLE_TOPOLOGY
from sdnloom.check.starter.program_kind import program_kind
from sdnloom.check.starter.starter_scenario import starter_scenario
from sdnloom.cli.actors.program_choice import ProgramChoice, loaded_program
from sdnloom.scenario_file.program import names_file


@click.command("init")
@click.argument("app", required=False)
@click.option(
    "--topology",
    "--topo",
    metavar="SHAPE",
    help=f"Topology in Mininet's notation, or a file (default: linear,2; for the example {EXAMPLE_TOPOLOGY}).",
)
@click.option(
    "--path", multiple=True, metavar="FOLDER", help="Folder in which modules are searched first; may be repeated."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Scenario file to write (default: the app's name with .toml, in the current folder).",
)
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
def command(app: str | None, topology: str | None, path: tuple[str, ...], output: Path | None, force: bool) -> int:
    """Write a commented scenario file for APP, which `sdnloom check` can run at once.

    APP is a Python file: an os-ken or Ryu app, an app for NOX, or a class in plain Python; or the name of a module with
    an os-ken or Ryu app. It is loaded and started as `sdnloom check` does it, so that the file fits what it has:
    OpenFlow version, REST routes, timers, links that it asks for. Further settings are there as comments. Without APP,
    a small app with a defect is written too.

    Exit code: 0, or 2 for bad input, such as a file that is no app.
    """
    if app is None:
        return _example(topology or EXAMPLE_TOPOLOGY, output or Path(f"{EXAMPLE_NAME}.toml"), force)
    kind = program_kind(Path(app))
    if kind.platform == "actors":
        choice = ProgramChoice(Path(app))
        loaded_program(choice)
        click.echo(f"{choice} is a program of actors: it needs no scenario file\nnext: sdnloom check {choice}")
        return 0
    name = Path(app).stem if names_file(app) else app.rpartition(".")[2]
    _write_scenario(app, topology or "linear,2", path, output or Path(f"{name}.toml"), force)
    return 0


def _example(topology: str, target: Path, force: bool) -> int:
    """Write the example app beside its scenario."""
    file = target.parent / f"{EXAMPLE_NAME}.py"
    _refuse_existing(target, force)
    _write(file, EXAMPLE_APP, force)
    click.echo(f"wrote {file}: a learning switch with a defect")
    _write_scenario(str(file), topology, (), target, force)
    return 0


def _write_scenario(app: str, topology: str, path: tuple[str, ...], target: Path, force: bool) -> None:
    _refuse_existing(target, force)
    made = starter_scenario(app, program_kind(Path(app)), topology, target, path)
    _write(target, made.text, force)
    click.echo(f"wrote {target}: a scenario for the {made.facts}, topology {topology}")
    click.echo(f"next: sdnloom check {shlex.quote(str(target))}")


def _refuse_existing(file: Path, force: bool) -> None:
    if not file.parent.is_dir():
        raise click.UsageError(f"cannot write {str(file)!r}: there is no folder {str(file.parent)!r}")
    if file.exists() and not force:
        raise click.UsageError(f"{str(file)!r} exists; expected another name (-o FILE), or --force to overwrite it")


def _write(file: Path, text: str, force: bool) -> None:
    _refuse_existing(file, force)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {str(file)!r}: {error.strerror}") from error
