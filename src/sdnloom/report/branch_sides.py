"""Domains in force and branches that no packet takes, as lines of text and in JSON."""

from collections.abc import Sequence
from typing import Any

from sdnloom.inputs.branch_sides import FieldDomain, UnreachedBranch

_MOST_CONSTANTS = 4  # of one field, in a text; JSON has all


def domain_lines(domains: Sequence[FieldDomain]) -> list[str]:
    """The domains in force, one line for each field, with the first constants that it is compared with."""
    lines = []
    for each in domains:
        shown = ", ".join(f"{value} ({line})" for value, line in each.constants[:_MOST_CONSTANTS])
        more = len(each.constants) - _MOST_CONSTANTS
        compared = f"; compared with {shown}{f' and {more} more' if more > 0 else ''}" if shown else ""
        lines.append(f"domain of {each.field}: {each.values}{compared}")
    return lines


def domains_json(domains: Sequence[FieldDomain]) -> list[dict[str, Any]]:
    """The domains in force."""
    return [
        {
            "field": each.field,
            "values": each.values,
            "constants": [{"value": value, "line": line} for value, line in each.constants],
        }
        for each in domains
    ]


def unreached_json(unreached: Sequence[UnreachedBranch]) -> list[dict[str, Any]]:
    """Sides of branches that no packet of the domains takes."""
    return [
        {
            "file": each.file,
            "line": each.line,
            "condition": each.condition,
            "values": dict(each.values),
            "option": each.option or None,
            "silent": list(each.silent),
        }
        for each in unreached
    ]
