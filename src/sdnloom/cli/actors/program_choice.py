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
    return LoadedProgram(program, log)


def refuse_options_of_scenarios(choice: ProgramChoice, known: Collection[str]) -> None:
    """Raise UsageError if an option was given that is not among the known ones: it would have no effect."""
    for option in _given_options():
        if option.name not in known:
            raise click.UsageError(f"{_flag(option)} is for scenarios and apps, but {choice} is a program of actors")


def refuse_options_of_actors(own: Collection[str]) -> None:
    """Raise UsageError if an option was given that only programs of actors have."""
    for option in _given_options():
        if option.name in own:
            raise click.UsageError(f"{_flag(option)} is for programs of actors; expected FILE.py or FILE.py:NAME")


def _given_options() -> list[click.Option]:
    context = click.get_current_context()
    return [
        each
        for each in context.command.params
        if isinstance(each, click.Option)
        and context.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE
    ]


def _flag(option: click.Option) -> str:
    return "/".join((*option.opts, *option.secondary_opts))
