"""The class of a partition that an input is in, found down the tree of its branches instead of by trying every class.

Paths of one agent share their first branches, so the conditions of thousands of classes form a tree. Laws: `find` gives
the first class in the partition's order whose condition holds, as a scan of all classes does; a condition that does not
fit into a tree of two sides (a file that somebody else wrote) costs time and changes no answer.
"""

from collections.abc import Mapping

from sdnloom.crosscheck.output import AgentOutput, concrete_output
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Term


class TreeNode:
    """A place on the paths: the classes that end here, and for each condition asked here where its sides lead."""

    __slots__ = ("ends", "tests")

    def __init__(self) -> None:
        self.ends: list[int] = []
        self.tests: dict[Term, list[TreeNode | None]] = {}  # condition -> side where it is false, where it is true


def base_literal(literal: Term) -> tuple[Term, bool]:
    """Return the condition of a literal and its truth value."""
    return (literal.args[0], False) if literal.op == "not" else (literal, True)


def class_tree(classes: Mapping[int, BehaviourClass]) -> TreeNode:
    """Return the tree of the conditions of numbered classes."""
    root = TreeNode()
    for number, each in classes.items():
        node = root
        for literal in each.condition:
            base, holds = base_literal(literal)
            sides = node.tests.setdefault(base, [None, None])
            following = sides[holds]
            if following is None:
                following = sides[holds] = TreeNode()
            node = following
        node.ends.append(number)
    return root


class ClassIndex:
    """Looks up inputs in one partition."""

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self._trees: dict[str, TreeNode] = {}
        self._has_terms: dict[int, bool] = {}
        self._tried: dict[tuple[str, tuple[tuple[str, int], ...]], int] = {}
        by_case: dict[str, dict[int, BehaviourClass]] = {}
        for number, each in enumerate(partition.classes):
            if partition.kind == "inputs":
                self._tried.setdefault((each.case, tuple(sorted(each.witness.items()))), number)
            else:
                by_case.setdefault(each.case, {})[number] = each
        for case, classes in by_case.items():
            self._trees[case] = class_tree(classes)

    def tree(self, case: str) -> TreeNode:
        """Return the tree of a case's classes."""
        return self._trees.get(case) or TreeNode()

    def find(self, case: str, values: Mapping[str, int]) -> int | None:
        """Return the number of the class of an input; None if the partition does not say what the agent does."""
        if self.partition.kind == "inputs":
            return self._tried.get((case, tuple(sorted(values.items()))))
        best: int | None = None
        open_nodes = [self._trees[case]] if case in self._trees else []
        while open_nodes:
            node = open_nodes.pop()
            for number in node.ends:
                if best is None or number < best:
                    best = number
            for base, sides in node.tests.items():
                following = sides[bool(evaluate_term(base, values))]
                if following is not None:
                    open_nodes.append(following)
        return best

    def output(self, case: str, values: Mapping[str, int]) -> AgentOutput | None:
        """Return what the agent does with an input, without terms; None if the partition does not say."""
        number = self.find(case, values)
        return None if number is None else self.class_output(number, values)

    def class_output(self, number: int, values: Mapping[str, int]) -> AgentOutput:
        """Return what the agent does with an input of a class."""
        output = self.partition.classes[number].output
        if number not in self._has_terms:
            self._has_terms[number] = any(
                isinstance(value, Term) for step in output for event in step for _, value in event.fields
            )
        return concrete_output(output, values) if self._has_terms[number] else output
