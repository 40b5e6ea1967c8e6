"""The groups of a partition: its classes by what the agent does, each with one condition for all of its inputs.

SOFT writes a group as the disjunction of its path conditions. Paths share most of their branches, so here the
disjunction follows the tree of the branches: what several paths have in common is written once, and the term has about
as many nodes as the part of the tree that leads to the group.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.overlap.class_index import TreeNode, class_tree
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, all_, any_, not_
from sdnloom.symbolic.terms.node import Term


@dataclass(frozen=True, slots=True)
class OutputGroup:
    """Classes of one case with the same output, by their numbers in the partition."""

    output: AgentOutput
    classes: tuple[int, ...]


def groups_of(partition: Partition, case: str, per_path: bool = False) -> tuple[OutputGroup, ...]:
    """Return the groups of a case, in the order of their first classes; one for each class with `per_path`."""
    numbered = [(number, each) for number, each in enumerate(partition.classes) if each.case == case]
    if per_path:
        return tuple(OutputGroup(each.output, (number,)) for number, each in numbered)
    found: dict[AgentOutput, list[int]] = {}
    for number, each in numbered:
        found.setdefault(each.output, []).append(number)
    return tuple(OutputGroup(output, tuple(numbers)) for output, numbers in found.items())


def group_condition(classes: Sequence[BehaviourClass], numbers: Iterable[int]) -> Term:
    """Return the condition under which an input is in one of these classes."""
    return _condition(class_tree({number: classes[number] for number in numbers}))


def _condition(root: TreeNode) -> Term:
    """Return whether an input reaches an end of the tree, children before parents: paths may be long."""
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(side for sides in node.tests.values() for side in sides if side is not None)
    # A node with one way on is left to its parent: the literals of a chain become one conjunction.
    done: dict[TreeNode, tuple[tuple[Term, ...], Term]] = {}
    for node in reversed(order):
        ways = []
        for base, sides in node.tests.items():
            for holds, side in enumerate(sides):
                if side is not None:
                    literals, rest = done.pop(side)
                    ways.append(((base if holds else not_(base), *literals), rest))
        if node.ends:
            done[node] = (), TRUE
        elif len(ways) == 1:
            done[node] = ways[0]
        else:
            done[node] = (), any_(*(all_(*literals, rest) for literals, rest in ways)) if ways else FALSE
    literals, rest = done[root]
    return all_(*literals, rest)


def groups_by_class(groups: Sequence[OutputGroup]) -> Mapping[int, int]:
    """Return the number of the group of each class."""
    return {number: place for place, group in enumerate(groups) for number in group.classes}
