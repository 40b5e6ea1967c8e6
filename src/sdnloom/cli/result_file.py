"""Results of a file: a result document as it is, or a trace that is replayed."""

from pathlib import Path
from typing import Any, Final

import click

from sdnloom.actors.run import replay_program
from sdnloom.check.run import Run
from sdnloom.cli.actors.program_choice import loaded_program
from sdnloom.cli.replay_views import program_replay_view, scenario_replay_view
from sdnloom.cli.traces import check_same, check_same_program, program_of, scenario_of
from sdnloom.engine.trace import SCHEMA, Trace, load_trace
from sdnloom.errors import SdnloomError
from sdnloom.report.view.document import RESULT_SCHEMA
from sdnloom.report.view.document_reader import ResultFileError, bounded_bytes, json_value, views_of_document
from sdnloom.report.view.recorded_trace import recorded_view
from sdnloom.report.view.result_view import ResultView

_PRINTED: Final = "sdnloom-"  # how the schemas of --format json start


def views_of_file(file: Path, scenario: Path | None = None) -> tuple[ResultView, ...]:
    """The results of a result document or of a trace, which is replayed: that runs the program of its scenario.

    A trace whose steps cannot all be taken, or whose scenario is not there, is shown as it was recorded, with a
    warning. `scenario` says where it is, if it is not where the trace says.
    """
    document = json_value(bounded_bytes(file, "result or trace"), str(file))
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema == RESULT_SCHEMA:
        if scenario is not None:
            raise ResultFileError(f"{file}: is a result, which needs no scenario; expected a trace with --scenario")
        return views_of_document(document, str(file))
    if schema == SCHEMA:
        return (_trace_view(document, load_trace(file), file, scenario),)
    hint = ""
    if isinstance(schema, str) and schema.startswith(_PRINTED):
        hint = "; what --format json prints cannot be shown: write a result with --export FILE.json"
    shown = "missing" if schema is None else ascii(schema)[:80]
    raise ResultFileError(f"{file}: schema is {shown}; expected {RESULT_SCHEMA!r} or {SCHEMA!r}{hint}")


def _trace_view(document: dict[str, Any], recorded: Trace, file: Path, scenario: Path | None) -> ResultView:
    try:
        view, diverged = _replayed(recorded, file, scenario)
    except SdnloomError as error:
        if scenario is not None:
            raise
        click.echo(f"warning: {error}; shown as it was recorded, without states", err=True)
        return recorded_view(document, recorded, file, str(error))
    if diverged is None:
        return view
    click.echo(f"warning: {file}: {diverged}; shown as it was recorded, without states", err=True)
    return recorded_view(document, recorded, file, diverged)


def _replayed(recorded: Trace, file: Path, scenario: Path | None) -> tuple[ResultView, str | None]:
    """The view of the replayed trace, and where it diverges."""
    choice = program_of(recorded, file, scenario)
    if choice is not None:
        program, _ = loaded_program(choice)
        check_same_program(recorded, file, choice, program)
        replayed = replay_program(program, recorded)
        view = program_replay_view(program, recorded, replayed, file)
    else:
        loaded = scenario_of(recorded, file, scenario)
        run = Run(loaded.with_inputs_of(recorded.path), ordered=True)
        check_same(recorded, file, run)
        replayed = run.replay(recorded)
        view = scenario_replay_view(run, recorded, replayed, file)
    if replayed.diverged is None:
        return view, None
    return view, f"step {replayed.diverged.position + 1} of {len(recorded.path)} cannot be taken any more"
