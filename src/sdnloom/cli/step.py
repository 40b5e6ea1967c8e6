"""`sdnloom step`: step through a scenario or a program of actors by hand."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from sdnloom.check.run import Run
from sdnloom.cli.actors.program_choice import program_choice
from sdnloom.cli.actors.step import step_program
from sdnloom.cli.options.apps import APP_GROUPS, chosen_scenario, describes_scenario
from sdnloom.cli.options.option_groups import GroupedCommand
from sdnloom.cli.options.output_option import early_output, echo_output, show_output_option
from sdnloom.cli.options.text_options import text_options
from sdnloom.cli.step_session import SessionCommand, StepSession, echo_lines
from sdnloom.cli.traces import TraceRecord, echo_early_violation
from sdnloom.engine.walk import Stepper
from sdnloom.network.controller_component import CONTROLLER, SETTLE_TICK
from sdnloom.report.describe import Names, counted
from sdnloom.report.state.text import hosts_text, messages_text, tables_text

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
@describes_scenario
@show_output_option
@text_options
def command(scenario: Path | None, app_options: dict[str, Any], show_output: bool) -> int:
    """Step through SCENARIO by hand: list the enabled steps, take one, go back, look at tables, hosts and messages.

    Commands are read from standard input, one per line; `help` lists them. SCENARIO is a scenario file, or a program of
    actors, FILE.py or FILE.py:NAME; then the session shows fields and mailboxes.
    """
    choice = program_choice(scenario)
    if choice is not None:
        return step_program(choice, show_output)
    run = Run(chosen_scenario(scenario, app_options).ready(), ordered=True, show_output=show_output)
    session = _Session(run)
    echo_early_violation(run)
    if show_output:
        echo_output(early_output(run))
    session.run()
    return 0


class _Session(StepSession):
    help_text = _HELP

    def __init__(self, run: Run) -> None:
        names = Names.of(run.scenario.network.topology)
        sometimes = {prop.name for prop in run.properties if prop.sometimes}
        super().__init__(Stepper(run.system), names, partial(TraceRecord, run.scenario, run.fingerprints), sometimes)

    def own_commands(self) -> dict[str, SessionCommand]:
        """Commands that show a network."""
        return {
            "tables": self._tables,
            "hosts": self._hosts,
            "messages": lambda _: echo_lines(messages_text(self.stepper.semantics, self.stepper.state, self.names)),
        }

    def last_commands(self) -> dict[str, SessionCommand]:
        """The command that lets time pass."""
        return {"tick": self._tick}

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
        self.rest()

    def _tables(self, name: str | None) -> None:
        lines = tables_text(self.stepper.semantics, self.stepper.state, self.names, name)
        echo_lines(lines or [f"there is no switch {name!r}"])

    def _hosts(self, name: str | None) -> None:
        echo_lines(hosts_text(self.stepper.semantics, self.stepper.state, name) or [f"there is no host {name!r}"])
