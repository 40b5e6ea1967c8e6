"""What remains of a partition when most variables have values: the few classes that are left, over the other ones."""

from collections.abc import Mapping

from sdnloom.crosscheck.overlap.class_index import ClassIndex, TreeNode
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, all_, not_
from sdnloom.symbolic.terms.node import Term
from sdnloom.symbolic.terms.substitute import substitute


def remaining_classes(index: ClassIndex, case: str, values: Mapping[str, int | Term]) -> list[tuple[Term, int]]:
    """Return the classes that inputs with these values may be in, each with what is left of its condition."""
    done: dict[Term, Term] = {}
    found: list[tuple[Term, int]] = []
    waiting: list[tuple[tuple[Term, ...], TreeNode]] = [((), index.tree(case))]
    while waiting:
        literals, node = waiting.pop()
        found += [(all_(*literals), number) for number in node.ends]
        for base, sides in node.tests.items():
            if base not in done:
                done[base] = substitute(base, values)
            for holds, side in enumerate(sides):
                literal = done[base] if holds else not_(done[base])
                if side is not None and literal is not FALSE:
                    waiting.append((literals if literal is TRUE else (*literals, literal), side))
    return [(condition, number) for condition, number in found if condition is not FALSE]
