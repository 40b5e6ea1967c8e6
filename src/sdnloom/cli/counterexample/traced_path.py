"""The path of a trace, replayed on the scenario or program of actors that it belongs to."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from sdnloom.actors.causes import actor_senders
from sdnloom.actors.fingerprint import actor_fingerprints
from sdnloom.actors.network.switch import Switch
from sdnloom.actors.program import Program
from sdnloom.actors.search.path import RecordedSemantics
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.actors.step_code import path_code
from sdnloom.check.run import Run
from sdnloom.cli.actors.program_choice import loaded_program
from sdnloom.cli.traces import MakeRecord, TraceRecord, check_same, check_same_program, program_of, scenario_of
from sdnloom.engine.counterexample.message_routes import senders
from sdnloom.engine.counterexample.orderings import SendersOf
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.path import final_state
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.trace import Trace, TraceError, load_trace, replay_trace
from sdnloom.report.actors.names import program_names
from sdnloom.report.describe import Names
from sdnloom.report.explain.sentences import IsControl, is_control_message
from sdnloom.report.steps import StepCode


class TracedPath(NamedTuple):
    """A trace whose steps were taken again and violate its property.

    `plain` is the reference semantics, `memo` the same for many replays. `is_control` tells the steps in which a switch
    obeys the controller.
    """

    trace: Trace
    found: Finding
    transitions: tuple[Transition, ...]
    plain: Semantics
    memo: Semantics
    names: Names
    record: MakeRecord
    senders: SendersOf
    is_control: IsControl
    code_of: Callable[[State, Sequence[Transition]], StepCode]  # that the steps of a path ran


def traced_path(file: Path, scenario: Path | None) -> TracedPath:
    """Load and replay a trace. Raises TraceError unless its steps can be taken and violate its property."""
    trace = load_trace(file)
    choice = program_of(trace, file, scenario)
    if choice is not None:
        program = loaded_program(choice).program
        check_same_program(trace, file, choice, program)
        prints = actor_fingerprints(program)
        plain: Semantics = ActorSemantics(program)
        memo: Semantics = RecordedSemantics(program)
        names, record = program_names(program), partial(TraceRecord, program, prints)
        of: SendersOf = partial(actor_senders, program)
        control: IsControl = partial(is_control_task, program)
        code: Callable[[State, Sequence[Transition]], StepCode] = partial(path_code, ActorSemantics(program))
    else:
        loaded = scenario_of(trace, file, scenario)
        run = Run(loaded.with_inputs_of(trace.path), ordered=True)
        check_same(trace, file, run)
        system, prints = run.system_of(trace), run.fingerprints
        plain, memo = Semantics(system), MemoSemantics(Memo(system))
        names, record = Names.of(loaded.network.topology), partial(TraceRecord, run.scenario, prints)
        of, control, code = senders, is_control_message, run.path_code
    replayed = replay_trace(trace, plain, *prints)
    for warning in replayed.warnings:
        click.echo(f"warning: {warning}", err=True)
    if replayed.diverged is not None:
        count = len(replayed.transitions)
        raise TraceError(
            f"{file}: {count:,} of its {len(trace.path):,} steps can be taken now; expected a trace that "
            "`sdnloom replay` confirms"
        )
    there = plain.findings(final_state(plain, replayed.transitions))
    found = replayed.now if trace.finding is not None else next(iter(there), None)
    if found is None:
        raise TraceError(
            f"{file}: no property is violated after its steps; expected a trace that `sdnloom replay` confirms"
        )
    return TracedPath(trace, found, replayed.transitions, plain, memo, names, record, of, control, code)


def is_control_task(program: Program, transition: Transition) -> bool:
    """Whether a switch of a program of actors obeys the controller in this step."""
    actor = next((each for each in program.actors if each.name == transition.step.component), None)
    return isinstance(actor, Switch) and transition.step.action in actor.control
