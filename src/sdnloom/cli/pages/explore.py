"""`sdnloom explore`: walk through a scenario or a program of actors in a browser."""

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from sdnloom.actors.fingerprint import actor_fingerprints
from sdnloom.actors.program import Program
from sdnloom.check.run import Run
from sdnloom.cli.actors.program_choice import loaded_program, program_choice, refuse_options_of_scenarios
from sdnloom.cli.options.apps import APP_GROUPS, chosen_scenario, describes_scenario
from sdnloom.cli.options.open_option import no_open_option, open_in_browser
from sdnloom.cli.options.option_groups import GroupedCommand
from sdnloom.cli.options.output_option import early_output, echo_output, show_output_option
from sdnloom.cli.traces import (
    MakeRecord,
    TraceRecord,
    check_same,
    check_same_program,
    echo_early_violation,
    program_of,
    save,
    scenario_of,
)
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.path import same_step
from sdnloom.engine.semantics import Finding, Transition
from sdnloom.engine.trace import load_trace
from sdnloom.web.explored_subject import Explored, ExploredNetwork, ExploredProgram
from sdnloom.web.server import ExplorerServer
from sdnloom.web.session import Session
from sdnloom.web.worker import Worker

EXPLORER_PORT = 8737  # so that an address that was shared leads to the explorer of whoever opens it


class _Exploration(NamedTuple):
    explored: Explored
    record: MakeRecord
    path: tuple[Transition, ...] = ()


@click.command("explore", cls=GroupedCommand, groups=APP_GROUPS)
@describes_scenario
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=EXPLORER_PORT,
    show_default=True,
    help="Port on loopback; 0 is any free one, and so is the default if it is taken.",
)
@no_open_option
@show_output_option
def command(scenario: Path | None, app_options: dict[str, Any], port: int, no_open: bool, show_output: bool) -> int:
    """Walk through SCENARIO step by step in a browser: what can happen, states, properties, source lines.

    SCENARIO is a scenario file, a program of actors (FILE.py or FILE.py:NAME) or a trace, whose steps are then taken.
    The page is served on this machine only, to whoever has the address that is printed. Ctrl-C ends it.
    """
    found = _exploration(scenario, app_options, show_output)
    worker = Worker()
    session = Session(found.explored, partial(_save, found.record), Path(), found.path)
    server = _server(session, worker, port)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    serving.start()
    try:
        click.echo(f"exploring {found.explored.name} at {server.address}")
        click.echo("Ctrl-C ends it", err=True)
        if not no_open and not open_in_browser(server.address):
            click.echo("no browser was found; open the address in one on this machine", err=True)
        worker.run()
    except KeyboardInterrupt:
        click.echo("ended", err=True)
    finally:
        server.shutdown()
        server.server_close()
    return 0


def _server(session: Session, worker: Worker, port: int) -> ExplorerServer:
    source = click.get_current_context().get_parameter_source("port")
    try:
        return ExplorerServer(session, worker, port)
    except OSError as error:
        if source is ParameterSource.DEFAULT:
            return ExplorerServer(session, worker)
        raise click.UsageError(f"port {port}: {error.strerror}; expected a free port, or 0 for any") from None


def _save(record: MakeRecord, transitions: Sequence[Transition], found: Finding | None, file: Path) -> None:
    save(record(transitions, found), file)


def _exploration(given: Path | None, app_options: dict[str, Any], show_output: bool) -> _Exploration:
    if given is not None and given.suffix == ".json":
        if any(value not in (None, (), False) for value in app_options.values()):
            raise click.UsageError(f"{given} is a trace, whose scenario is known; expected no option that changes it")
        return _traced(given, show_output)
    choice = program_choice(given)
    if choice is not None:
        refuse_options_of_scenarios(choice, {"port", "no_open", "show_output"})
        return _of_program(loaded_program(choice).program, show_output)
    run = Run(chosen_scenario(given, app_options).ready(), ordered=True, show_output=show_output)
    return _of_run(run, show_output)


def _of_program(program: Program, show_output: bool) -> _Exploration:
    return _Exploration(
        ExploredProgram(program, show_output), partial(TraceRecord, program, actor_fingerprints(program))
    )


def _of_run(run: Run, show_output: bool) -> _Exploration:
    echo_early_violation(run)
    if show_output:
        echo_output(early_output(run))
    return _Exploration(ExploredNetwork(run), partial(TraceRecord, run.scenario, run.fingerprints))


def _traced(file: Path, show_output: bool) -> _Exploration:
    """The scenario or program of a trace, and as many of its steps as can be taken."""
    trace = load_trace(file)
    choice = program_of(trace, file, None)
    if choice is not None:
        program = loaded_program(choice).program
        check_same_program(trace, file, choice, program)
        found = _of_program(program, show_output)
    else:
        run = Run(scenario_of(trace, file, None).with_inputs_of(trace.path), ordered=True, show_output=show_output)
        check_same(trace, file, run)
        found = _of_run(run, show_output)
    taken = _taken(found.explored, trace.path)
    if len(taken) < len(trace.path):
        click.echo(
            f"warning: {file}: step {len(taken) + 1} of {len(trace.path)} cannot be taken any more; shown are the "
            "steps before it",
            err=True,
        )
    return found._replace(path=taken)


def _taken(explored: Explored, path: Steps) -> tuple[Transition, ...]:
    semantics, taken = explored.semantics, list[Transition]()
    state = semantics.initial()
    for step in path.steps:
        chosen = next((each for each in semantics.named(state, step) if same_step(each.step, step)), None)
        if chosen is None:
            break
        taken.append(chosen)
        state = chosen.state
    return tuple(taken)
