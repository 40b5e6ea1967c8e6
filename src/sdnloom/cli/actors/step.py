"""`sdnloom step` for a program of actors."""

from collections.abc import Callable, Sequence
from functools import partial

from sdnloom.actors.fingerprint import actor_fingerprints
from sdnloom.actors.program import Program
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.step_code import path_code
from sdnloom.cli.actors.program_choice import ProgramChoice, loaded_program, refuse_options_of_scenarios
from sdnloom.cli.options.output_option import echo_output
from sdnloom.cli.step.session import SessionCommand, StepSession, echo_lines
from sdnloom.cli.step.trail import Trail
from sdnloom.cli.traces import TraceRecord
from sdnloom.engine.semantics import State, Transition
from sdnloom.engine.walk import Stepper
from sdnloom.report.actors.names import program_names
from sdnloom.report.actors.state import fields_text, mailboxes_text
from sdnloom.report.steps import StepCode

_HELP = """\
  NUMBER ...         take that step, or several one after the other
  back [N]           undo the last step, or the last N
  next [N]           take the next step of the trace, or the next N
  list               list the enabled steps
  rest               take the first step each time, until nothing can happen any more
  fields [NAME]      show what the fields of the actors hold
  mailboxes [NAME]   show the tasks of the actors: new, suspended, and behind a barrier
  path               show the steps so far
  save FILE          write the steps so far as a trace
  help               show this
  quit               leave (so does the end of the input)
The first letter of a word is enough.
On a terminal, Tab completes words and the arrow keys recall lines."""


def step_program(
    choice: ProgramChoice,
    show_output: bool,
    trail: Trail | None = None,
    check: Callable[[Program], None] = lambda program: None,
) -> int:
    """Step through a program of actors, along the steps of a trace if there is one; `check` refuses another program."""
    refuse_options_of_scenarios(choice, {"show_output"})
    program, log = loaded_program(choice)
    check(program)
    if show_output:
        echo_output(log.lines)
    _ActorSession(program, show_output, trail).run()
    return 0


class _ActorSession(StepSession):
    help_text = _HELP
    most_steps = 1_000

    def __init__(self, program: Program, show_output: bool, trail: Trail | None = None) -> None:
        self.program = program
        record = partial(TraceRecord, program, actor_fingerprints(program))
        stepper = Stepper(ActorSemantics(program, shows_output=show_output))
        super().__init__(stepper, program_names(program), record, trail=trail)

    def own_commands(self) -> dict[str, SessionCommand]:
        """Commands that show actors."""
        return {"fields": self._fields, "mailboxes": self._mailboxes}

    def path_code(self, initial: State, transitions: Sequence[Transition]) -> StepCode:
        """The functions that each step ran."""
        return path_code(ActorSemantics(self.program), initial, transitions)

    def argument_words(self, command: str) -> list[str]:
        """Names of actors."""
        return [str(actor.name) for actor in self.program.actors] if command in ("fields", "mailboxes") else []

    def _fields(self, name: str | None) -> None:
        lines = fields_text(self.program, state_of(self.stepper.state), self.names, name)
        echo_lines(lines or [_no_actor(name)])

    def _mailboxes(self, name: str | None) -> None:
        lines = mailboxes_text(self.program, state_of(self.stepper.state), self.names, name)
        echo_lines(lines or (["no task is left"] if name is None else [_no_actor(name)]))


def _no_actor(name: str | None) -> str:
    return f"there is no actor {name!r}" if name is not None else "there is no actor"
