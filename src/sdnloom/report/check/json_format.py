"""A check's report as one JSON object."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdnloom.check.report import Report
from sdnloom.engine.result import Counterexample
from sdnloom.inputs.clients import discovering_clients
from sdnloom.inputs.statistics import answer_pools
from sdnloom.report.branch_sides import domains_json, unreached_json
from sdnloom.report.describe import Names
from sdnloom.report.json_text import json_text
from sdnloom.report.steps import transition_text

_SCHEMA = "sdnloom-check-1"


def report_json(report: Report, traces: Mapping[Counterexample, Path] | None = None) -> str:
    """The report as a JSON object; `traces` has the trace file of each violation."""
    traces = traces or {}
    statistics = report.result.statistics
    names = Names.of(report.scenario.network.topology)
    violations = [
        {
            "property": violation.property,
            "message": violation.message,
            "steps": len(violation.path),
            "shortest": violation.shortest,
            "path": [transition_text(transition, names) for transition in violation.transitions],
            "trace": _text(traces.get(violation)),
        }
        for violation in report.violations
    ]
    bounds = list(report.bounds)
    if report.result.incomplete is not None:
        bounds.append(f"searched in part: {report.result.incomplete}")
    values = {
        "schema": _SCHEMA,
        "verdict": report.verdict,
        "vacuous": list(report.vacuous),
        "property": report.violations[0].property if report.violations else None,
        "bounds": bounds,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "depth": statistics.depth,
        "seconds": round(statistics.seconds, 6),
        "handler_runs": report.handler_runs,
        "reduction": _reduction(report),
        "restarts": list(report.result.restarts),
        "discovery": _discovery(report),
        "output": [line._asdict() for line in report.output] if report.shows_output else None,
        "trace": violations[0]["trace"] if violations else None,
        "violations": violations,
    }
    return json_text(values)


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


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
