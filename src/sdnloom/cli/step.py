"""`sdnloom step`: step through a scenario by hand."""

import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.cli.apps import APP_GROUPS, takes_scenario
from sdnloom.cli.option_groups import GroupedCommand
from sdnloom.cli.output_option import echo_early_output, show_output_option
from sdnloom.cli.traces import TraceRecord, echo_early_violation, save
from sdnloom.engine.walk import Stepper
from sdnloom.errors import SdnloomError
from sdnloom.network.controller_component import CONTROLLER, SETTLE_TICK
from sdnloom.report.describe import Names, counted
from sdnloom.report.state.text import hosts_text, messages_text, tables_text
from sdnloom.report.steps import steps_text, transition_text

_HELP = """\
  NUMBER          take that step
  back            undo the last step
  list            list the enabled steps
  rest            take steps that must happen, the first each time, until none must
  tick [N]        let time pass to the program's next timer, N times, and rest each time
  tables [NAME]   show the flow tables and buffers of the switches
  hosts [NAME]    show where the hosts are and what they know
  messages        show the messages in the channels
  path            show the steps so far
  save FILE       write the steps so far as a trace
  help            show this
  quit            leave (so does the end of the input)
The first letter of a word is enough; `h` is hosts."""


@click.command("step", cls=GroupedCommand, groups=APP_GROUPS)
@takes_scenario
@show_output_option
def command(scenario: Scenario, show_output: bool) -> int:
    """Step through SCENARIO by hand: list the enabled steps, take one, go back, look at tables, hosts and messages.

    Commands are read from standard input, one per line; `help` lists them.
    """
    run = Run(scenario.ready(), ordered=True, show_output=show_output)
    session = _Session(run)
    echo_early_violation(run)
    if show_output:
        echo_early_output(run)
    session.show_choices()
    while True:
        if sys.stdin.isatty():
            click.echo("> ", nl=False)
        line = sys.stdin.readline()
        if not line or not session.execute(line.strip()):
            return 0


class _Session:
    def __init__(self, run: Run) -> None:
        self.run = run
        self.stepper = Stepper(run.system)
        self.names = Names.of(run.scenario.network.topology)
        # The order matters: the first command that starts with the typed letters is run.
        self.commands: dict[str, Callable[[str | None], object]] = {
            "back": self._back,
            "list": lambda _: self.show_choices(),
            "tables": self._tables,
            "hosts": self._hosts,
            "messages": lambda _: _echo(messages_text(self.stepper.semantics, self.stepper.state, self.names)),
            "path": lambda _: _echo(steps_text(self.stepper.transitions, self.names) or ["no steps yet"]),
            "save": self._save,
            "rest": lambda _: self._rest(),
            "tick": self._tick,
            "help": lambda _: _echo(_HELP.splitlines()),
        }

    def execute(self, line: str) -> bool:
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
        sometimes = {prop.name for prop in self.run.properties if prop.sometimes}
        for found in self.stepper.findings():
            word = "SEEN" if found.property in sometimes else "VIOLATED"
            click.echo(f"{word} {found.property}: {found.message}")
        enabled = self.stepper.enabled()
        _echo(steps_text(enabled, self.names) or ["  nothing can happen any more"])

    def _take(self, text: str) -> None:
        count = len(self.stepper.enabled())
        if len(text) > 9 or not 1 <= int(text) <= count:
            known = f"a number from 1 to {count}" if count else "none: nothing can happen any more"
            click.echo(f"there is no step {text[:20]}; expected {known}")
            return
        taken = self.stepper.take(int(text) - 1)
        click.echo(f"step {len(self.stepper.path)}: {transition_text(taken, self.names)}")
        self.show_choices()

    def _back(self, _: str | None) -> None:
        if not self.stepper.back():
            click.echo("this is the start")
        self.show_choices()

    def _rest(self) -> None:
        before = len(self.stepper.path)
        if not self.stepper.rest():
            click.echo("it does not come to rest")
        taken = len(self.stepper.path) - before
        click.echo(f"{counted(taken, 'step')}, now {before + taken} in all" if taken else "it rests")
        self.show_choices()

    def _tick(self, times: str | None) -> None:
        if times is not None and not (times.isascii() and times.isdigit() and len(times) < 6):
            click.echo(f"tick {times[:20]!r}; expected a number")
            return
        self.stepper.rest()
        for number in range(int(times or 1)):
            if not any(self.stepper.take_first(CONTROLLER, action) for action in ("tick", SETTLE_TICK)):
                click.echo(f"time has passed {counted(number, 'time')}; it cannot pass any more")
                break
            self.stepper.rest()
        self._rest()

    def _tables(self, name: str | None) -> None:
        lines = tables_text(self.stepper.semantics, self.stepper.state, self.names, name)
        _echo(lines or [f"there is no switch {name!r}"])

    def _hosts(self, name: str | None) -> None:
        _echo(hosts_text(self.stepper.semantics, self.stepper.state, name) or [f"there is no host {name!r}"])

    def _save(self, file: str | None) -> None:
        if file is None:
            click.echo("save: expected the name of a file")
            return
        found = next(iter(self.stepper.findings()), None)
        try:
            recorded = TraceRecord(self.run.scenario, self.run.fingerprints, self.stepper.transitions, found)
            save(recorded, Path(file))
        except SdnloomError as error:
            click.echo(str(error))
        else:
            click.echo(f"saved {counted(len(self.stepper.path), 'step')}; replay: sdnloom replay {shlex.quote(file)}")


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
