"""A session of `sdnloom step`: the commands that scenarios and programs of actors share."""

import shlex
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import click

from sdnloom.cli.options.text_options import text_style
from sdnloom.cli.traces import MakeRecord, save
from sdnloom.engine.walk import Stepper
from sdnloom.errors import SdnloomError
from sdnloom.report.describe import Names, counted
from sdnloom.report.steps import choices_text, last_step_text, steps_text

SessionCommand = Callable[[str | None], object]  # it is given the rest of the line


class StepSession:
    """Reads commands from standard input, one per line, and runs them. A subclass adds `commands`.

    `help_text` describes all commands; `sometimes` are the names of properties that report what is desired.
    """

    help_text = ""
    most_steps = 100_000  # that `rest` takes

    def __init__(self, stepper: Stepper, names: Names, record: MakeRecord, sometimes: Collection[str] = ()) -> None:
        self.stepper, self.names = stepper, names
        self._record, self._sometimes = record, sometimes
        # The order matters: the first command that starts with the typed letters is run.
        self.commands: dict[str, SessionCommand] = {
            "back": self._back,
            "list": lambda _: self.show_choices(),
            **self.own_commands(),
            "path": lambda _: echo_lines(
                steps_text(self.stepper.transitions, self.names, text_style()) or ["no steps yet"]
            ),
            "save": self._save,
            "rest": lambda _: self.rest(),
            **self.last_commands(),
            "help": lambda _: echo_lines(self.help_text.splitlines()),
        }

    def own_commands(self) -> dict[str, SessionCommand]:
        """Commands of this kind of session that come before the shared ones."""
        return {}

    def last_commands(self) -> dict[str, SessionCommand]:
        """Commands of this kind of session that come after the shared ones."""
        return {}

    def run(self) -> None:
        """List the enabled steps, and run commands until one of them or the end of the input ends the session."""
        self.show_choices()
        while True:
            if sys.stdin.isatty():
                click.echo("> ", nl=False)
            line = sys.stdin.readline()
            if not line or not self._execute(line.strip()):
                return

    def _execute(self, line: str) -> bool:
        """Run one command; False to leave."""
        if not line:
            return True
        first, *rest = line.split(maxsplit=1)  # the rest may be the name of a file, with spaces
        argument = rest[0] if rest else None
        if first.isascii() and first.isdigit():
            self._take(first)
        elif "quit".startswith(first):
            return False
        else:
            meant = next((name for name in self.commands if name.startswith(first)), "help" if first == "?" else None)
            if meant is None:
                click.echo(f"unknown command {first[:40]!r}; `help` lists the commands")
            else:
                self.commands[meant](argument)
        return True

    def show_choices(self) -> None:
        """List the enabled steps, after the findings of the properties."""
        for found in self.stepper.findings():
            word = "SEEN" if found.property in self._sometimes else "VIOLATED"
            click.echo(text_style().verdict(f"{word} {found.property}: {found.message}"))
        enabled = self.stepper.enabled()
        shown = choices_text(self.stepper.transitions, enabled, self.names, text_style())
        echo_lines(shown or ["  nothing can happen any more"])

    def rest(self) -> None:
        """Take steps that must happen until none must."""
        before = len(self.stepper.path)
        if not self.stepper.rest(self.most_steps):
            click.echo("it does not come to rest")
        taken = len(self.stepper.path) - before
        click.echo(f"{counted(taken, 'step')}, now {before + taken} in all" if taken else "it rests")
        self.show_choices()

    def _take(self, text: str) -> None:
        count = len(self.stepper.enabled())
        if len(text) > 9 or not 1 <= int(text) <= count:
            known = f"a number from 1 to {count}" if count else "none: nothing can happen any more"
            click.echo(f"there is no step {text[:20]}; expected {known}")
            return
        self.stepper.take(int(text) - 1)
        echo_lines(last_step_text(self.stepper.transitions, self.names, text_style()))
        self.show_choices()

    def _back(self, _: str | None) -> None:
        if not self.stepper.back():
            click.echo("this is the start")
        self.show_choices()

    def _save(self, file: str | None) -> None:
        if file is None:
            click.echo("save: expected the name of a file")
            return
        found = next(iter(self.stepper.findings()), None)
        try:
            save(self._record(self.stepper.transitions, found), Path(file))
        except SdnloomError as error:
            click.echo(str(error))
        else:
            click.echo(f"saved {counted(len(self.stepper.path), 'step')}; replay: sdnloom replay {shlex.quote(file)}")


def echo_lines(lines: Iterable[str]) -> None:
    """Print lines."""
    for line in lines:
        click.echo(line)
