"""Shorter conditions for readers; the set of inputs stays the same."""

from collections.abc import Sequence
from typing import Final

from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import Term

_MAX_LITERALS: Final = 100  # the work grows with the square of their number


def essential(literals: Sequence[Term]) -> tuple[Term, ...]:
    """Return the literals that the others do not imply, as far as facts about single terms show."""
    if len(literals) > _MAX_LITERALS:
        return tuple(literals)
    kept = list(literals)
    for literal in literals:
        others = [other for other in kept if other is not literal]
        facts = Facts()
        for other in others:
            facts.learn(other, True)
        if facts.refutes(literal, False):
            kept = others
    return tuple(kept)
