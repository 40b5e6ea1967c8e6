"""Explored partitions as text: how many classes there are, whether they are all, and examples."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sdnloom.crosscheck.output import concrete_output
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.crosscheck.switch_test import Case
from sdnloom.inputs.condition_text import condition_text
from sdnloom.report.crosscheck.event_text import step_texts
from sdnloom.report.crosscheck.input_text import case_steps, input_line
from sdnloom.report.crosscheck.view import shortened_line
from sdnloom.report.describe import counted


@dataclass(frozen=True, slots=True)
class ExploredPartition:
    """A partition and the file that it was written to."""

    partition: Partition
    file: Path | None


def partitions_text(explored: Sequence[ExploredPartition], unexplored: Sequence[str], every: bool) -> str:
    """The whole report; `unexplored` are tests that were not reached."""
    lines: list[str] = []
    for one in explored:
        found = one.partition
        word = "COMPLETE" if found.complete else "INCOMPLETE"
        outputs = len({(each.case, each.output) for each in found.classes})
        lines.append(
            f"{word} {found.agent}, {found.test.name}: {counted(len(found.classes), 'class')} with "
            f"{counted(outputs, 'output')} in {counted(found.statistics.runs, 'run')}"
        )
        lines += [f"  not complete: {reason}" for reason in found.reasons]
        if found.statistics.checked:
            lines.append(f"  {counted(found.statistics.checked, 'further input')} of the classes checked")
        if every:
            for number, each in enumerate(found.classes, 1):
                lines += ["", *_class(number, each, found)]
            lines.append("")
        if one.file is not None:
            lines.append(f"  written to {one.file}")
    if unexplored:
        lines.append(f"INCOMPLETE not explored: {', '.join(unexplored)}")
    if not any(one.file for one in explored):
        lines.append("to compare it, write the partition to a file with -o FILE")
    return "\n".join(lines) + "\n"


def _class(number: int, one: BehaviourClass, partition: Partition) -> list[str]:
    case = partition.test.case(one.case)
    condition = shortened_line(_condition(one, case))
    lines = [
        f"  {number}. {f'case {one.case}: ' if len(partition.test.cases) > 1 else ''}{condition}",
        f"     for example {input_line(case, one.witness, partition.test.version)}",
    ]
    output = concrete_output(one.output, one.witness)
    for step, events in zip(case_steps(case, one.witness), output, strict=True):
        lines.append(f"     {step.title} -> {'; '.join(step_texts(events, partition.test.version))}")
    return lines


def _condition(one: BehaviourClass, case: Case) -> str:
    """The condition in the names of the example: the step is named if several have symbolic fields."""
    text = condition_text(one.condition) or "every input"
    steps = {variable.name.partition(".")[0] for variable in case.variables}
    return re.sub(rf"\b{steps.pop()}\.", "", text) if len(steps) == 1 else text
