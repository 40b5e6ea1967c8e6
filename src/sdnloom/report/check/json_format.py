"""A check's report as one JSON object."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdnloom.check.coverage import FileCoverage
from sdnloom.check.report import Report
from sdnloom.engine.result import Counterexample
from sdnloom.inputs.clients import discovering_clients
from sdnloom.inputs.statistics import answer_pools
from sdnloom.report.branch_sides import domains_json, unreached_json
from sdnloom.report.describe import Names
from sdnloom.report.verdict import Confirmations, check_json


def report_json(
    report: Report,
    traces: Mapping[Counterexample, Path] | None = None,
    confirmations: Confirmations | None = None,
) -> str:
    """The report as a JSON object; `traces` has the trace file of each violation.

    `confirmations` has what became of violations on the real system.
    """
    on_disk = report.result.statistics.disk_bytes
    own = {
        "handler_runs": report.handler_runs,
        **({"disk_bytes": on_disk} if on_disk else {}),
        "reduction": _reduction(report),
        "reduction_choice": report.result.choice,
        "restarts": list(report.result.restarts),
        "discovery": _discovery(report),
        "sometimes": _sometimes(report),
        "traffic": [{"host": each.host, **each.traffic._asdict()} for each in report.traffic],
        "not_tried": [each._asdict() for each in report.omissions],
        "coverage": None if report.coverage is None else [_coverage(each) for each in report.coverage],
        "output": [line._asdict() for line in report.output] if report.shows_output else None,
    }
    return check_json(report, Names.of(report.scenario.network.topology), traces or {}, own, confirmations)


def _sometimes(report: Report) -> list[dict[str, Any]]:
    """The properties that say what should be possible: whether each was seen, and how."""
    seen = {witness.property: witness.message for witness in report.result.witnesses}
    names = [prop.name for prop in report.properties if prop.sometimes]
    return [{"property": name, "seen": name in seen, "message": seen.get(name)} for name in names]


def _coverage(coverage: FileCoverage) -> dict[str, Any]:
    return {
        "file": str(coverage.file),
        "lines": len(coverage.lines),
        "reached_lines": coverage.reached_lines,
        "missed_lines": list(coverage.missed_lines),
        "branches": coverage.branches,
        "reached_branches": coverage.reached_branches,
        "missed_branches": [list(each) for each in coverage.missed_branches],
    }


def _reduction(report: Report) -> dict[str, Any] | None:
    found = report.reduction
    if found is None:
        return None
    conflicts = [
        {
            "actions": [list(conflict.first), list(conflict.second)],
            "cells": list(conflict.cells),
            "channels": list(conflict.channels),
            "properties": list(conflict.properties),
            "seen": conflict.seen,
        }
        for conflict in found.conflicts
    ]
    return {"used": list(found.used), "refuted": list(found.refuted), "conflicts": conflicts}


def _discovery(report: Report) -> dict[str, Any] | None:
    found = report.discovery
    if found is None:
        return None
    return {
        "rounds": [
            {
                "packets": round_.packets,
                "answers": round_.answers,
                "states": round_.states,
                "transitions": round_.transitions,
                "questions": round_.questions,
            }
            for round_ in found.rounds
        ],
        "packets": {
            f"{host.spec.name} at {port}": [label for label, _ in pool]
            for host in discovering_clients(found.network)
            for port, pool in host.client.pools
        },
        "classes": {"program": found.classes.program, "tables": found.classes.tables},
        "answers": {switch: list(pool) for switch, pool in answer_pools(found.network).items()},
        "complete": not found.gaps and found.result.incomplete is None,
        "gaps": list(found.gaps),
        "domains": domains_json(found.domains),
        "unreached": unreached_json(found.unreached),
    }
