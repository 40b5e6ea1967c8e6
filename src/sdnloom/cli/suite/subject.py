"""The subjects of a check: scenario files, programs of actors, and folders of scenarios."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from sdnloom.cli.actors.program_choice import ProgramChoice, program_choice
from sdnloom.scenario_file.document import ScenarioError, read_document
from sdnloom.scenario_file.fragment import FRAGMENT_SUFFIX

_MOST_NAMES = 3  # of files that are left out


class Subject(NamedTuple):
    """A scenario file or a program of actors; the scenario of an app has neither. The name is as a user writes it."""

    name: str
    file: Path | None = None
    program: ProgramChoice | None = None


def named_subjects(arguments: Sequence[Path]) -> list[Subject]:
    """What the arguments name, in their order, each once. A folder stands for the scenarios in it and below it."""
    found: dict[str, Subject] = {}
    for argument in arguments:
        program = program_choice(argument)
        if program is None and argument.is_dir():
            subjects = _subjects_in(argument)
            if not subjects:
                raise click.UsageError(
                    f"the folder {str(argument)!r} has no scenario; expected *.toml with a [program] table "
                    f"(*{FRAGMENT_SUFFIX} are fragments)"
                )
        else:
            subjects = [Subject(str(argument), None if program else argument, program)]
        for each in subjects:
            found.setdefault(os.path.normpath(each.name), each)
    return list(found.values())


def _subjects_in(folder: Path) -> list[Subject]:
    """The scenarios of a folder and of those in it, by name. Files without a [program] table are left out, with a note.

    A file that cannot be read is kept: its error is a result.
    """
    found, others = [], []
    for file in _toml_files(folder):
        try:
            is_scenario = "program" in read_document(file).entries
        except ScenarioError:
            is_scenario = True
        if is_scenario:
            found.append(Subject(str(file), file))
        else:
            others.append(str(file))
    if others:
        names = ", ".join(others[:_MOST_NAMES]) + (", ..." if len(others) > _MOST_NAMES else "")
        words = "is left out: it has" if len(others) == 1 else "are left out: they have"
        click.echo(f"note: {names} {words} no [program] table", err=True)
    return found


def _toml_files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(".toml") and not name.endswith(FRAGMENT_SUFFIX):
                yield Path(place, name)
