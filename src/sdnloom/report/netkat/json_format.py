"""Answers about NetKAT policies as JSON; `schema` changes when a key changes its meaning."""

from typing import Any

from sdnloom.netkat.decide import Witness
from sdnloom.netkat.printer import to_text
from sdnloom.netkat.questions import PolicyComparison, PolicyFileCheck, Reachability
from sdnloom.netkat.syntax import Policy, fields_of
from sdnloom.report.json_text import json_text
from sdnloom.report.netkat.text import all_fields

_SCHEMA = 1
# Shared parts are written out wherever they occur: a text may be exponentially larger than its policy.
_MAX_LENGTH = 100_000


def claims_json(check: PolicyFileCheck) -> str:
    """The claims of a file with their decisions, its policies and lint warnings (key `remarks`)."""
    file = check.file
    return _answer(
        "netkat check",
        file=file.source,
        fields=all_fields(file),
        policies={
            name: {"fields": sorted(fields_of(policy)), "policy": _policy(policy)}
            for name, policy in file.policies.items()
        },
        claims=[
            {
                "line": decision.claim.position.line,
                "claim": decision.claim.text,
                "holds": decision.holds,
                "witness": _witness(decision.witness),
            }
            for decision in check.claims
        ],
        remarks=[
            {"line": warning.position.line, "column": warning.position.column, "message": warning.message}
            for warning in check.warnings
        ],
    )


def equivalence_json(comparison: PolicyComparison) -> str:
    """The question, the decision and the witness against it."""
    decision = comparison.decision
    return _answer(
        "netkat equiv", question=comparison.question, holds=bool(decision), witness=_witness(decision.witness)
    )


def reachability_json(reachability: Reachability) -> str:
    """Whether a packet gets there, which one, and the hops that change it."""
    return _answer(
        "netkat reach",
        never=reachability.never,
        reachable=reachability.witness is not None,
        witness=_witness(reachability.witness),
        hops=[{"rule": _policy(hop.rule), "in": dict(hop.before), "out": dict(hop.after)} for hop in reachability.hops],
    )


def _answer(command: str, **keys: Any) -> str:
    return json_text({"schema": _SCHEMA, "command": command, **keys})


def _witness(witness: Witness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    return {"in": dict(witness.before), "out": dict(witness.after), "side": witness.side}


def _policy(policy: Policy) -> str:
    return to_text(policy, limit=_MAX_LENGTH)
