"""The command `sdnloom step`, and its session for scenarios."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.cli.actors.program_choice import program_choice
from sdnloom.cli.actors.step import step_program
from sdnloom.cli.options.apps import APP_GROUPS, chosen_scenario, describes_scenario
from sdnloom.cli.options.option_groups import GroupedCommand
from sdnloom.cli.options.output_option import early_output, echo_output, show_output_option
from sdnloom.cli.options.text_options import text_options
from sdnloom.cli.step.session import SessionCommand, StepSession, echo_lines
from sdnloom.cli.step.trail import Trail
from sdnloom.cli.traces import (
    TraceRecord,
    check_same,
    check_same_program,
    echo_early_violation,
    program_of,
    scenario_of,
)
from sdnloom.engine.semantics import State, Transition
from sdnloom.engine.trace import Trace, load_trace
from sdnloom.engine.walk import Stepper
from sdnloom.network.controller_component import CONTROLLER, SETTLE_TICK
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.switch_component import SwitchState
from sdnloom.report.describe import Names, counted
from sdnloom.report.state.text import hosts_text, messages_text, tables_text
from sdnloom.report.steps import StepCode
from sdnloom.report.view.program_view import program_lines

_HELP = """\
  NUMBER ...      take that step, or several one after the other
  back [N]        undo the last step, or the last N
  next [N]        take the next step of the trace, or the next N
  list            list the enabled steps
  rest            take steps that must happen, the first each time, until none must
  tick [N]        let time pass to the program's next timer, N times, and rest each time
  app [NAME]      show the state of the program, or one attribute of it
  tables [NAME]   show the flow tables and buffers of the switches
  hosts [NAME]    show where the hosts are and what they know
  messages        show the messages in the channels
  path            show the steps so far
  save FILE       write the steps so far as a trace
  help            show this
  quit            leave (so does the end of the input)
The first letter of a word is enough; `h` is hosts.
On a terminal, Tab completes words and the arrow keys recall lines."""


@click.command("step", cls=GroupedCommand, groups=APP_GROUPS)
@describes_scenario
@show_output_option
@text_options
def command(scenario: Path | None, app_options: dict[str, Any], show_output: bool) -> int:
    """Step through SCENARIO by hand: list the enabled steps, take one, go back, look at tables, hosts and messages.

    Commands are read from standard input, one per line; `help` lists them. SCENARIO is a scenario file, a program of
    actors, FILE.py or FILE.py:NAME (then the session shows fields and mailboxes), or a trace: then `next` takes its
    steps, and one can leave it at any of them.
    """
    if scenario is not None and scenario.suffix == ".json":
        return _step_trace(scenario, app_options, show_output)
    choice = program_choice(scenario)
    if choice is not None:
        return step_program(choice, show_output)
    return _step_scenario(chosen_scenario(scenario, app_options).ready(), show_output)


def _step_trace(file: Path, app_options: dict[str, Any], show_output: bool) -> int:
    """Step through the scenario or the program of a trace, along its steps."""
    recorded = load_trace(file)
    if app_options:
        raise click.UsageError(f"{str(file)!r} is a trace, which has its scenario; expected no options beside it")
    choice = program_of(recorded, file, None)
    if choice is not None:
        check = partial(check_same_program, recorded, file, choice)
        return step_program(choice, show_output, Trail(recorded.path.steps), check)
    scenario = scenario_of(recorded, file, None).with_inputs_of(recorded.path)
    return _step_scenario(scenario, show_output, recorded, file)


def _step_scenario(scenario: Scenario, show_output: bool, trace: Trace | None = None, file: Path | None = None) -> int:
    run = Run(scenario, ordered=True, show_output=show_output)
    if trace is not None and file is not None:
        check_same(trace, file, run)
    session = _ScenarioSession(run, None if trace is None else Trail(trace.path.steps))
    echo_early_violation(run)
    if show_output:
        echo_output(early_output(run))
    session.run()
    return 0


class _ScenarioSession(StepSession):
    help_text = _HELP

    def __init__(self, run: Run, trail: Trail | None = None) -> None:
        names = Names.of(run.scenario.network.topology)
        sometimes = {prop.name for prop in run.properties if prop.sometimes}
        record = partial(TraceRecord, run.scenario, run.fingerprints)
        self._run, self._details = run, run.step_details()
        super().__init__(Stepper(run.system), names, record, sometimes, trail)

    def own_commands(self) -> dict[str, SessionCommand]:
        """Commands that show a network and its program."""
        return {
            "tables": self._tables,
            "hosts": self._hosts,
            "messages": lambda _: echo_lines(messages_text(self.stepper.semantics, self.stepper.state, self.names)),
            "app": self._app,
        }

    def last_commands(self) -> dict[str, SessionCommand]:
        """The command that lets time pass."""
        return {"tick": self._tick}

    def path_code(self, initial: State, transitions: Sequence[Transition]) -> StepCode:
        """The functions of the program that each step ran."""
        return self._run.path_code(initial, transitions)

    def argument_words(self, command: str) -> list[str]:
        """Names of switches or hosts, or attributes of the program."""
        kinds: dict[str, type] = {"tables": SwitchState, "hosts": HostCore}
        if command == "app":
            return list(dict.fromkeys(line.part for line in self._program_state()))
        components = zip(self.stepper.semantics.system.components, self.stepper.state.cores, strict=True)
        return [each.name for each, core in components if command in kinds and isinstance(core, kinds[command])]

    def _program_state(self) -> tuple[Any, ...]:
        number = self.stepper.semantics.index[CONTROLLER]
        return program_lines(self._details.state(self.stepper.state.cores[number]), self.names)

    def _app(self, name: str | None) -> None:
        lines = self._program_state()
        found = [line.text for line in lines if name in (None, line.part)]
        known = ", ".join(dict.fromkeys(line.part for line in lines))
        nothing = "the program shows no state" if not lines else f"there is no attribute {name!r}; expected {known}"
        echo_lines(found or [nothing])

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
