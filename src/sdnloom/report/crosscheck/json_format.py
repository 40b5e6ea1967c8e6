"""A crosscheck as one JSON object; docs/crosscheck.md describes its keys."""

from typing import Any, Final

from sdnloom.crosscheck.comparison import Comparison, Inconsistency, RootCause
from sdnloom.crosscheck.output_document import plain_output
from sdnloom.crosscheck.result import CrosscheckResult, PartitionSummary, pair_verdict
from sdnloom.report.crosscheck.input_text import changed_values
from sdnloom.report.crosscheck.view import PLAIN_VIEW, CrosscheckView, case_of, number_of_tests
from sdnloom.report.json_text import json_text

_SCHEMA: Final = "sdnloom-crosscheck-1"


def crosscheck_json(result: CrosscheckResult, view: CrosscheckView = PLAIN_VIEW) -> str:
    """The whole report: all inconsistencies, whatever the view."""
    numbered = list(enumerate(result.comparisons))
    values = {
        "schema": _SCHEMA,
        "verdict": result.verdict,
        "agents": list(result.agents),
        "tests": number_of_tests(result),
        "complete": result.complete,
        "root_causes": [
            _cause(cause, place, number, comparison, view)
            for number, comparison in numbered
            for place, cause in enumerate(comparison.root_causes)
        ],
        "inconsistencies": [
            _inconsistency(one, comparison) for _, comparison in numbered for one in comparison.inconsistencies
        ],
        "comparisons": [_comparison(comparison) for _, comparison in numbered],
        "per_test": [_partition(each) for each in result.partitions],
    }
    return json_text(values)


def _cause(cause: RootCause, place: int, number: int, comparison: Comparison, view: CrosscheckView) -> dict[str, Any]:
    file = view.witnesses.get((number, place))
    return {
        "agents": list(comparison.agents),
        "message": cause.message,
        "condition": cause.condition,
        "exact": cause.exact,
        "fields": list(cause.fields),
        "difference": cause.difference,
        **_found(cause, comparison),
        "confirmed": cause.confirmed,
        "inconsistencies": list(cause.inconsistencies),
        "witness_file": None if file is None else str(file),
    }


def _inconsistency(one: Inconsistency, comparison: Comparison) -> dict[str, Any]:
    return {
        "agents": list(comparison.agents),
        "condition": one.condition,
        **_found(one, comparison),
        "confirmed": one.confirmed,
    }


def _found(found: RootCause | Inconsistency, comparison: Comparison) -> dict[str, Any]:
    test, case = case_of(comparison, found)
    return {
        "test": test.name,
        "case": case.name,
        "witness": dict(found.witness),
        "differs_from_harmless": dict(changed_values(case, found.witness, test.version)),
        "outputs": [plain_output(output) for output in found.outputs],
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "agents": list(comparison.agents),
        "verdict": pair_verdict(comparison),
        "complete": comparison.complete,
        "reasons": list(comparison.reasons),
        "root_causes": len(comparison.root_causes),
        "inconsistencies": len(comparison.inconsistencies),
        "confirmed": sum(one.confirmed is True for one in comparison.inconsistencies),
    }


def _partition(one: PartitionSummary) -> dict[str, Any]:
    return {
        "test": one.test,
        "agent": one.agent,
        "kind": one.kind,
        "classes": one.classes,
        "complete": one.complete,
        "reasons": list(one.reasons),
        "runs": one.statistics.runs,
        "seconds": one.statistics.seconds,
        "solver_seconds": one.statistics.solver_seconds,
    }
