"""A program of actors on the command line: FILE.py or FILE.py:NAME."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import click
from click.core import ParameterSource

from sdnloom.actors.load import PROGRAM, load_program
from sdnloom.actors.program import Program
from sdnloom.platforms.process.output_log import OutputLog


class ProgramChoice(NamedTuple):
    """A Python file, and the name that the program has in it."""

    file: Path
    name: str = PROGRAM

    def __str__(self) -> str:
        return self.file.as_posix() + ("" if self.name == PROGRAM else f":{self.name}")


class LoadedProgram(NamedTuple):
    """A program, and what its file printed while it was loaded; what its tasks print is added."""

    program: Program
    log: OutputLog


def program_choice(given: Path | None) -> ProgramChoice | None:
    """The program that an argument names; None if it names something else, such as a scenario."""
    found = re.fullmatch(r"(.*\.py)(?::([^:/]*))?", str(given or ""), re.DOTALL)
    return None if found is None else ProgramChoice(Path(found[1]), PROGRAM if found[2] is None else found[2])


def loaded_program(choice: ProgramChoice) -> LoadedProgram:
    """The program; what its file prints is kept, because results go to the same stream."""
    log = OutputLog()
    with log.redirected():
        program = load_program(choice.file, choice.name)
    log.take_recent()
    log.when = "run"
    return LoadedProgram(program, log)


def refuse_options(what: str, known: Collection[str], others: str) -> None:
    """Raise UsageError if an option was given that is not among the known ones: it would have no effect."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and isinstance(parameter, click.Option) and parameter.name not in known:
            raise click.UsageError(f"{parameter.opts[0]} is given, but {what}; it is an option for {others}")
