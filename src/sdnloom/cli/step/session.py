"""A session of `sdnloom step`: the commands that scenarios and programs of actors share."""

import shlex
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import click

from sdnloom.cli.options.text_options import text_style
from sdnloom.cli.step.prompt import line_reader
from sdnloom.cli.step.trail import Trail
from sdnloom.cli.traces import MakeRecord, save
from sdnloom.engine.model import Step
from sdnloom.engine.path import same_step
from sdnloom.engine.semantics import State, Transition
from sdnloom.engine.walk import Stepper
from sdnloom.errors import SdnloomError
from sdnloom.report.describe import Names, counted
from sdnloom.report.steps import StepCode, choices_text, last_step_text, offered_text, steps_text

SessionCommand = Callable[[str | None], object]  # it is given the rest of the line


class StepSession:
    """Reads commands from standard input, one per line, and runs them. A subclass adds `commands`.

    `help_text` describes all commands; `sometimes` are the names of properties that report what is desired. With a
    `trail`, the session goes through the steps of a trace.
    """

    help_text = ""
    most_steps = 100_000  # that `rest` takes

    def __init__(
        self,
        stepper: Stepper,
        names: Names,
        record: MakeRecord,
        sometimes: Collection[str] = (),
        trail: Trail | None = None,
    ) -> None:
        self.stepper, self.names, self.trail = stepper, names, trail
        self._record, self._sometimes = record, sometimes
        # The order matters: the first command that starts with the typed letters is run.
        self.commands: dict[str, SessionCommand] = {
            "back": self._back,
            "list": lambda _: self.show_choices(),
            **self.own_commands(),
            "next": self._next,
            "path": lambda _: self._path(),
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

    def path_code(self, initial: State, transitions: Sequence[Transition]) -> StepCode:
        """The functions that each step of a path ran; none if that is not known."""
        return ()

    def argument_words(self, command: str) -> list[str]:
        """The words that a command may be given, for completion."""
        return []

    def run(self) -> None:
        """List the enabled steps, and run commands until one of them or the end of the input ends the session."""
        self.show_choices()
        with line_reader(self._completions) as read:
            while (line := read()) is not None and self._execute(line.strip()):
                pass

    def _completions(self, start: str) -> list[str]:
        """What may come after the start of a line."""
        words = start.split()
        if not words:
            return [*self.commands, "quit"]
        command = self._meant(words[0])
        return self.argument_words(command) if command is not None and len(words) == 1 else []

    def _meant(self, word: str) -> str | None:
        return next((name for name in self.commands if name.startswith(word)), "help" if word == "?" else None)

    def _execute(self, line: str) -> bool:
        """Run one command; False to leave."""
        if not line:
            return True
        first, *rest = line.split(maxsplit=1)  # the rest may be the name of a file, with spaces
        argument = rest[0] if rest else None
        if first.isascii() and first.isdigit():
            self._take(line.split())
        elif "quit".startswith(first):
            return False
        else:
            meant = self._meant(first)
            if meant is None:
                click.echo(f"unknown command {first[:40]!r}; `help` lists the commands")
            else:
                self.commands[meant](argument)
        return True

    def show_choices(self) -> None:
        """List the enabled steps, after the findings of the properties and the next step of the trace."""
        for found in self.stepper.findings():
            word = "SEEN" if found.property in self._sometimes else "VIOLATED"
            echo_lines([text_style().verdict(f"{word} {found.property}: {found.message}")])
        enabled = self.stepper.enabled()
        shown = choices_text(self.stepper.transitions, enabled, self.names, text_style())
        echo_lines(shown or ["  nothing can happen any more"])
        if self.trail is not None:
            click.echo(self._on_trail(self.trail))

    def _on_trail(self, trail: Trail) -> str:
        taken = self.stepper.transitions
        left, step = trail.left_at(taken), trail.next_step(taken)
        if left is not None:
            return f"off the trace since step {left}; back leads to it again"
        if step is None:
            return f"this is the end of the trace ({counted(len(trail), 'step')})"
        number = self._number_of(step)
        place = f"step {len(taken) + 1} of the trace's {len(trail)}"
        if number is None:
            return f"{place} cannot be taken any more: {offered_text(step, self.names)}"
        return f"next is {place}: {number + 1}"

    def rest(self) -> None:
        """Take steps that must happen until none must."""
        before = len(self.stepper.path)
        if not self.stepper.rest(self.most_steps):
            click.echo("it does not come to rest")
        taken = len(self.stepper.path) - before
        click.echo(f"{counted(taken, 'step')}, now {before + taken} in all" if taken else "it rests")
        self.show_choices()

    def _take(self, numbers: list[str]) -> None:
        """Take steps by their numbers, each among those that are enabled then; a wrong one ends it."""
        taken = 0
        for text in numbers:
            count = len(self.stepper.enabled())
            if not (text.isascii() and text.isdigit()) or len(text) > 9 or not 1 <= int(text) <= count:
                known = f"a number from 1 to {count}" if count else "none: nothing can happen any more"
                click.echo(f"there is no step {text[:20]}; expected {known}")
                break
            self._take_one(int(text) - 1)
            taken += 1
        if taken:
            self.show_choices()

    def _take_one(self, number: int) -> None:
        before = self.stepper.state
        taken = self.stepper.take(number)
        code = self.path_code(before, [taken])
        echo_lines(last_step_text(self.stepper.transitions, self.names, text_style(), code))

    def _next(self, times: str | None) -> None:
        """Take the next steps of the trace."""
        if self.trail is None:
            click.echo("next: there is no trace; `sdnloom step TRACE` goes through one")
            return
        if times is not None and not (times.isascii() and times.isdigit() and 0 < len(times) < 6):
            click.echo(f"next {times[:20]!r}; expected a number")
            return
        for _ in range(int(times or 1)):
            number = self._number_of(self.trail.next_step(self.stepper.transitions))
            if number is None:
                break
            self._take_one(number)
        self.show_choices()

    def _number_of(self, step: Step | None) -> int | None:
        """The place of a step among those that are enabled."""
        if step is None:
            return None
        return next((place for place, each in enumerate(self.stepper.enabled()) if same_step(each.step, step)), None)

    def _path(self) -> None:
        taken = self.stepper.transitions
        code = self.path_code(self.stepper.semantics.initial(), taken)
        echo_lines(steps_text(taken, self.names, text_style(), code) or ["no steps yet"])

    def _back(self, times: str | None) -> None:
        if times is not None and not (times.isascii() and times.isdigit() and 0 < len(times) < 6):
            click.echo(f"back {times[:20]!r}; expected a number")
            return
        for _ in range(int(times or 1)):
            if not self.stepper.back():
                click.echo("this is the start")
                break
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
    """Print lines, in colour if that was asked for."""
    for line in lines:
        click.echo(line, color=text_style().colour)
