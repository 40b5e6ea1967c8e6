"""Writes traces, and finds the scenario or the program of actors of a trace."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import click

from sdnloom.actors.causes import actor_causes
from sdnloom.actors.fingerprint import actor_fingerprints
from sdnloom.actors.program import Program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.check.checkpoint.scenario_source import DISCOVER, DISCOVER_ONLY, scenario_source, seen_from_folder
from sdnloom.check.load import load_scenario, read_scenario
from sdnloom.check.options.app_options import COMMAND_LINE
from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.cli.actors.program_choice import ProgramChoice, program_choice
from sdnloom.cli.trace_names import free_trace_file
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.result import Counterexample
from sdnloom.engine.semantics import Finding, Transition
from sdnloom.engine.trace import Fingerprints, Trace, TraceError, save_trace
from sdnloom.scenario_file.document import ScenarioError, shown

PROGRAM_SOURCE = "program"  # the entry of a trace of a program of actors


@dataclass(frozen=True)
class TraceRecord:
    """Transitions to be written as a trace, with their finding and the scenario or program that they belong to."""

    traced: Scenario | Program
    fingerprints: Fingerprints
    transitions: Sequence[Transition]
    found: Finding | None


MakeRecord: TypeAlias = Callable[[Sequence[Transition], Finding | None], TraceRecord]  # of one scenario or program


def write_trace(recorded: TraceRecord, folder: Path, used: set[Path], label: str = "") -> Path:
    """Write a trace into the folder under a name that no other trace of this run has, and return the file.

    Without a label its name is that of the scenario or program and the property. A trace of another scenario is not
    overwritten (`trace_names`).
    """
    name, found = recorded.traced.name, recorded.found
    label = label or (f"{name}.{found.property}" if found else name)
    make_trace_folder(folder)
    file = free_trace_file(folder, label, _folder_name(recorded.traced), _source(recorded.traced, folder), used)
    try:
        save(recorded, file)
    except TraceError:
        if file.is_file() and not file.stat().st_size:
            file.unlink()  # it was made to take the name
        raise
    return file


def _folder_name(traced: Scenario | Program) -> str:
    """The name of the folder in which a scenario or program is; "" for one that has no file."""
    if isinstance(traced, Program):
        return "" if traced.origin is None else traced.origin.file.absolute().parent.name
    return "" if traced.file is None else traced.file.absolute().parent.name


def write_traces(violations: Iterable[Counterexample], record: MakeRecord, folder: Path) -> dict[Counterexample, Path]:
    """Where the traces are. One that cannot be written is a warning: the search may have been long."""
    used: set[Path] = set()
    written = {}
    for one in violations:
        try:
            recorded = record(one.transitions, Finding(one.property, one.message))
            written[one] = write_trace(recorded, folder, used)
        except TraceError as error:
            click.echo(f"warning: {error}", err=True)
    return written


def check_folder(folder: Path) -> None:
    """Raise TraceError if no trace can be written into the folder: before a long search, not after it."""
    there = next((each for each in (folder, *folder.absolute().parents) if os.path.exists(each)), folder)
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise TraceError(f"{folder}: cannot write traces there; expected a folder that can be written")


def save(recorded: TraceRecord, file: Path) -> None:
    """Write a trace. It names the file that it belongs to relative to its own, so that both can be moved together."""
    make_trace_folder(file.parent)
    traced = recorded.traced
    source = _source(traced, file.parent)
    path = Steps(tuple(transition.step for transition in recorded.transitions))
    causes = actor_causes(traced, recorded.transitions) if isinstance(traced, Program) else None
    save_trace(file, Trace(path, recorded.found, *recorded.fingerprints, source), recorded.transitions, causes)


def make_trace_folder(folder: Path) -> None:
    """Make the folder, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TraceError(f"{folder}: cannot make the folder for traces: {error.strerror}") from error


def _source(traced: Scenario | Program, folder: Path) -> dict[str, str]:
    """Where a scenario or program is, as a trace in the folder says it."""
    return _program_source(traced, folder) if isinstance(traced, Program) else scenario_source(traced, folder)


def _program_source(program: Program, folder: Path) -> dict[str, str]:
    if program.origin is None:
        return {}
    return {
        PROGRAM_SOURCE: str(ProgramChoice(Path(seen_from_folder(folder, program.origin.file)), program.origin.name))
    }


def scenario_of(trace: Trace, file: Path, given: Path | None) -> Scenario:
    """The scenario of a trace: the given file, the file that the trace names, or the document in the trace."""
    found = _scenario_of(trace, file, given)
    clients = trace.source.get("clients")
    return found.discovering(clients == DISCOVER_ONLY) if clients in (DISCOVER, DISCOVER_ONLY) else found


def program_of(trace: Trace, file: Path, given: Path | None) -> ProgramChoice | None:
    """The program of actors of a trace: the given one, or that which the trace names; None if it has a scenario."""
    if given is not None:
        return program_choice(given)
    if PROGRAM_SOURCE not in trace.source:
        return None
    named = program_choice(Path(trace.source[PROGRAM_SOURCE]))
    if named is None:
        wrong = shown(trace.source[PROGRAM_SOURCE])
        raise TraceError(f"{file}: its program is {wrong}; expected a Python file, or FILE.py:NAME")
    found = Path(os.path.normpath(file.parent / named.file))
    if not os.path.isfile(found):
        raise TraceError(f"{file}: its program {shown(str(found))} is not there; say where it is with --scenario FILE")
    return named._replace(file=found)


def echo_early_violation(run: Run) -> None:
    """Say that the steps are those before the search, where a property is violated there."""
    if run.early is not None:
        name = run.early.found.property
        click.echo(f"note: {name} is violated before the search, so the steps are those before it", err=True)


def check_same(trace: Trace, file: Path, run: Run) -> None:
    """Raise TraceError if the trace in the file is of another scenario, or of a property that the scenario has not."""
    scenario = run.scenario
    if trace.scenario != run.fingerprints.scenario:
        raise TraceError(
            f"{file}: recorded with another scenario than {str(scenario.file or scenario.name)!r}; expected one of the "
            "same network and properties (after a change of the scenario, check it anew)"
        )
    _check_property(trace, file, [prop.name for prop in run.properties])


def check_same_program(trace: Trace, file: Path, choice: ProgramChoice, program: Program) -> None:
    """Raise TraceError if the trace in the file is of another program of actors, or of a property that it has not."""
    if trace.scenario != actor_fingerprints(program).scenario:
        raise TraceError(
            f"{file}: recorded with another program than {str(choice)!r}; expected one with the same actors, messages "
            "at the start and properties (after a change of these, check it anew)"
        )
    _check_property(trace, file, ActorSemantics(program).property_names)


def _check_property(trace: Trace, file: Path, names: Sequence[str]) -> None:
    if trace.finding is not None and trace.finding.property not in names:
        raise TraceError(f"{file}: property is {shown(trace.finding.property)}; expected one of {', '.join(names)}")


def _scenario_of(trace: Trace, file: Path, given: Path | None) -> Scenario:
    if given is None and "document" in trace.source:
        folder = Path(os.path.normpath(file.parent / trace.source.get("folder", ".")))
        if not os.path.isdir(folder):
            raise TraceError(f"{file}: its folder {shown(str(folder))} is not there; expected that of its app")
        try:
            return read_scenario(trace.source["document"], folder / COMMAND_LINE, build=False)
        except ScenarioError as error:
            raise TraceError(f"{file}: its scenario: {error}") from error
    return load_scenario(given or _named(trace, file), build=False)


def _named(trace: Trace, file: Path) -> Path:
    named = trace.source.get("scenario")
    if not named:
        raise TraceError(f"{file}: names no scenario; expected one, or --scenario FILE")
    found = Path(os.path.normpath(file.parent / named))
    if not os.path.isfile(found):
        raise TraceError(f"{file}: its scenario {shown(str(found))} is not there; say where it is with --scenario FILE")
    return found
