"""Explored partitions as one JSON object."""

from collections.abc import Sequence
from typing import Any, Final

from sdnloom.crosscheck.output import concrete_output
from sdnloom.crosscheck.output_document import plain_output
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.report.crosscheck.partition_text import ExploredPartition
from sdnloom.report.json_text import json_text
from sdnloom.symbolic.terms.text import term_text

_SCHEMA: Final = "sdnloom-crosscheck-explore-1"


def partitions_json(explored: Sequence[ExploredPartition], unexplored: Sequence[str], every: bool) -> str:
    """The whole report; classes only if all are wanted."""
    values = {
        "schema": _SCHEMA,
        "complete": not unexplored and all(one.partition.complete for one in explored),
        "unexplored": list(unexplored),
        "partitions": [_partition(one, every) for one in explored],
    }
    return json_text(values)


def _partition(one: ExploredPartition, every: bool) -> dict[str, Any]:
    found = one.partition
    values: dict[str, Any] = {
        "agent": found.agent,
        "test": found.test.name,
        "file": None if one.file is None else str(one.file),
        "complete": found.complete,
        "reasons": list(found.reasons),
        "classes": len(found.classes),
        "outputs": len({(each.case, each.output) for each in found.classes}),
        "runs": found.statistics.runs,
        "checked": found.statistics.checked,
        "seconds": found.statistics.seconds,
        "solver_seconds": found.statistics.solver_seconds,
    }
    if every:
        values["all_classes"] = [_class(each, found) for each in found.classes]
    return values


def _class(one: BehaviourClass, partition: Partition) -> dict[str, Any]:
    return {
        "case": one.case,
        "condition": [term_text(each) for each in one.condition],
        "witness": dict(one.witness),
        "output": plain_output(concrete_output(one.output, one.witness)),
    }
