"""Differences of outputs with terms: the condition on the input under which two agents have a difference."""

from collections import Counter
from itertools import zip_longest

from sdnloom.crosscheck.output import FRAME, AgentEvent, AgentOutput
from sdnloom.crosscheck.overlap.output_terms import values_differ
from sdnloom.crosscheck.root_causes.difference import (
    PACKET_FIELDS,
    Difference,
    different_reactions,
    event_identity,
    event_pairs,
    field_pairs,
    hides_later,
    reaction,
    value_names,
    without_numbers,
)
from sdnloom.crosscheck.switch_test import Case
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, any_
from sdnloom.symbolic.terms.node import Term


def difference_term(
    first: AgentOutput, second: AgentOutput, wanted: Difference, case: Case, version: int
) -> Term | None:
    """Return the condition under which two outputs have this difference; None if it cannot be told as a term."""
    found = []
    for number, (mine, theirs) in enumerate(zip_longest(first, second, fillvalue=())):
        if _depends_on_input(mine, theirs):
            return None
        reactions = different_reactions(mine, theirs, version)
        if reactions is not None:
            if not wanted.field and reactions == wanted.reactions:
                return TRUE
            if hides_later(case, number, mine, theirs):
                break
        elif wanted.field and wanted.reactions[0] == reaction(mine, version):
            here = _field_term(mine, theirs, wanted.field)
            if here is None:
                return None
            found.append(here)
    return any_(*found)


def _depends_on_input(mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...]) -> bool:
    """Return whether the reaction does: an error whose type or code is a term, frames on ports that may be the same."""
    left, right = (Counter(map(event_identity, events)) for events in (mine, theirs))
    frames = [[port for kind, port in apart if kind == FRAME] for apart in (left - right, right - left)]
    if all(frames) and any(isinstance(port, Term) for port in frames[0] + frames[1]):
        return True
    return any(
        event.kind == "Error" and any(isinstance(event.values().get(name), Term) for name in ("type", "code"))
        for event in (*mine, *theirs)
    )


def _field_term(mine: tuple[AgentEvent, ...], theirs: tuple[AgentEvent, ...], wanted: str) -> Term | None:
    found = []
    for left, right in event_pairs(mine, theirs):
        for name, one, other in field_pairs(left, right):
            if (left.kind, name) in PACKET_FIELDS and wanted.startswith(
                f"{left.kind if left.kind == FRAME else f'{left.kind}.{name}'}."
            ):
                if isinstance(one, bytes) and isinstance(other, bytes):
                    found.append(_truth(one != other and wanted in value_names(left.kind, name, one, other)))
                elif one is not other:
                    return None
            elif f"{left.kind}.{without_numbers(name)}" == wanted:
                found.append(TRUE if one is None or other is None else values_differ(name, one, other))
    return any_(*found)


def _truth(value: bool) -> Term:
    return TRUE if value else FALSE
