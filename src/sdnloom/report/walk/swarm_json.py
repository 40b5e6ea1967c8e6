"""A swarm as one JSON object."""

import math
from typing import Any

from sdnloom.engine.swarm.member import MemberOutcome
from sdnloom.report.json_text import json_text
from sdnloom.report.steps import long_texts
from sdnloom.report.walk.swarm_result import SwarmWalk

_SCHEMA = "sdnloom-swarm-1"


def swarm_json(result: SwarmWalk) -> str:
    """The members, what they cover by estimate, and the violation with its shortened path."""
    swarm, violation = result.swarm, result.swarm.violation
    coverage, options = swarm.coverage, swarm.options
    values = {
        "schema": _SCHEMA,
        "verdict": swarm.verdict,
        "seed": options.seed,
        "states": swarm.states,
        "transitions": swarm.transitions,
        "stopped": swarm.stopped,
        "notes": list(swarm.notes),
        "bit_array": {"bytes": options.memory, "bits_per_state": options.bits_per_state},
        "estimate": {
            "different_states": round(coverage.found),
            "exact": coverage.exact,
            "sampled": coverage.sampled,
            "found_once": coverage.once,
            "found_twice": coverage.twice,
            "space": None if coverage.size is None else [round(each) for each in coverage.size],
            "share": coverage.share,
        },
        "members": [_member(each) for each in swarm.members],
        "violation": None
        if violation is None
        else {
            "property": violation.property,
            "message": violation.message,
            "steps": len(violation.transitions),
            "walked": swarm.walked,
            "member": swarm.members[-1].plan.number,
            "path": long_texts(violation.transitions, result.names, result.code),
            "trace": str(result.trace),
        },
    }
    return json_text(values)


def _member(outcome: MemberOutcome) -> dict[str, Any]:
    return {
        "number": outcome.plan.number,
        "depth_bound": outcome.plan.depth,
        "end": outcome.end,
        "states": outcome.states,
        "transitions": outcome.transitions,
        "depth": outcome.depth,
        "cut_at_depth_bound": outcome.cut,
        "bits_set": outcome.bits_set,
        "odds_of_confusion": outcome.odds,
        "expected_omissions": None if outcome.omitted == math.inf else outcome.omitted,
    }
