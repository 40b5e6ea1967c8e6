"""What a step did inside of a program, as it is shown: the functions that ran, and the program's state."""

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sdnloom.check.step_details import TraceDetails
from sdnloom.engine.semantics import Transition
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.program import StateEntry
from sdnloom.network.value import ip4_text, mac_text
from sdnloom.platforms.code_runs import CodeRun
from sdnloom.report.describe import Names
from sdnloom.report.view.network_trace import NetworkPath, ProgramFacts
from sdnloom.report.view.result_view import CodeView, LaneState, StateLine

_ADDRESS = re.compile(r"(?<![\w.:])(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|\d{1,3}(?:\.\d{1,3}){3})(?![\w.:])")


def code_views(runs: Iterable[CodeRun]) -> tuple[CodeView, ...]:
    """Functions that ran, with their source."""
    return tuple(
        CodeView(_file_name(run.file), run.function, run.first, source, run.ran)
        for run in runs
        if (source := run.source())
    )


def program_lines(entries: Iterable[StateEntry], names: Names) -> LaneState:
    """The state of a program; the addresses of hosts are their names."""
    known = {mac_text(address): name for address, name in names.macs.items()}
    known |= {ip4_text(address): name for address, name in names.ips.items()}

    def named(text: str) -> str:
        return _ADDRESS.sub(lambda found: known.get(found[0], found[0]), text)

    return tuple(StateLine(each.attribute, named(f"{each.place} = {each.value}")) for each in entries)


def detailed_path(path: NetworkPath, details: TraceDetails) -> NetworkPath:
    """The path with the code that its steps ran and the states of its program."""
    names = Names.of(path.network.topology)
    code = [() if each is None else code_views(each.code) for each in details.steps]
    return replace(path, code=code, program_facts=_program_facts(details, path.transitions, names))


def _program_facts(details: TraceDetails, transitions: Iterable[Transition], names: Names) -> ProgramFacts:
    """The state of the program in each core of the controller that a path with these details leads to."""
    known = {
        transition.outcome.core: detail.state
        for transition, detail in zip(transitions, details.steps, strict=True)
        if detail is not None and transition.step.component == CONTROLLER
    }
    return lambda core: program_lines(known.get(core, details.initial), names)


def _file_name(file: Path) -> str:
    """A file as people name it: from the working folder if it is in it."""
    try:
        return str(file.relative_to(os.getcwd()))
    except ValueError:
        return str(file)
