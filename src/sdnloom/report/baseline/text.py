"""What a baseline says about a result: lines below a report, and a key of its JSON object."""

import json
from collections.abc import Sequence
from typing import Any

from sdnloom.report.baseline.known import FoundViolation, Judgement, KnownViolation
from sdnloom.report.json_text import json_text


def judgement_text(judgement: Judgement, baseline: str) -> list[str]:
    """How many violations are new, known and gone, and which."""
    counts = f"{len(judgement.new)} new, {len(judgement.known)} known, {len(judgement.gone)} no longer found"
    lines = [f"baseline {baseline}: {counts}"]
    for word, found in (("new", judgement.new), ("known", judgement.known)):
        lines += [f"  {word}: {each.property}: {each.message}" for each in found]
    lines += [
        f"  no longer found: {each.property}: {each.message} (remove it with --update-baseline)"
        for each in judgement.gone
    ]
    if not judgement.complete:
        lines.append("  not everything was searched, so there may be others")
    return lines


def judgement_json(judgement: Judgement | None) -> dict[str, Any] | None:
    """The value of the key `baseline`."""
    if judgement is None:
        return None
    groups: tuple[tuple[str, Sequence[FoundViolation | KnownViolation]], ...] = (
        ("new", judgement.new),
        ("known", judgement.known),
        ("gone", judgement.gone),
    )
    found: dict[str, Any] = {
        name: [{"property": each.property, "message": each.message} for each in group] for name, group in groups
    }
    return {"subject": judgement.subject, **found, "complete": judgement.complete}


def with_judgements(report: str, judgements: Sequence[Judgement]) -> str:
    """A report that is a JSON object, with the key `baseline`: what is said of each subject of the report."""
    return json_text({**json.loads(report), "baseline": [judgement_json(each) for each in judgements]})
