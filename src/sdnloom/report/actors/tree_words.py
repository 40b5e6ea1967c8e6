"""The words of a tree of executions, common to all its pictures."""

from collections.abc import Iterator
from typing import Any

from sdnloom.actors.executions.tree import ExecutionNode, ExecutionTree, TreeBranch, TreeTask
from sdnloom.actors.network.events import Revisited
from sdnloom.network.events import Dropped, Lost, Received
from sdnloom.network.openflow import Match
from sdnloom.report.actors.names import program_names
from sdnloom.report.actors.value_text import argument_words, plain_words
from sdnloom.report.describe import Names, counted

_LONGEST = 38  # characters of a task in a picture


class TreeWords:
    """The texts of one tree."""

    def __init__(self, tree: ExecutionTree) -> None:
        self._tree = tree
        self._names: Names = program_names(tree.program)
        self._events: dict[int, tuple[Any, ...]] = dict(_events_so_far(tree))
        leaves = [place for place, _, node in depth_first(tree) if not node.branches]
        self._executions = {place: number for number, place in enumerate(leaves, 1)}

    def title(self) -> str:
        """What the tree shows, and how many of its executions violate a property."""
        tree = self._tree
        violating = sum(bool(node.findings) for node in tree.nodes)
        name = f" of {tree.program.name}" if tree.program.name else ""
        found = f", {violating} with a violation" if violating else ""
        return f"{counted(tree.executions, 'execution')}{name}{found}; independence by {tree.level}"

    def legend(self) -> list[str]:
        """How to read the tree."""
        return [
            "A box is a state with the tasks in it: a task has its text where it appears first, then its number.",
            "Underlined tasks conflict, so both orders are tried; a task in parentheses cannot run yet.",
            "An edge has the numbers of the tasks that ran, in order.",
        ]

    def task(self, number: int) -> str:
        """A task with its number, and its actor, method and the arguments that matter most."""
        found = self._tree.tasks[number - 1]
        text = f"{number}: {found.actor}.{found.method}{self._brief_arguments(found)}"
        return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"

    def full_task(self, number: int) -> str:
        """A task with all its arguments."""
        found = self._tree.tasks[number - 1]
        return f"{number}: {found.actor}.{found.method}{argument_words(found.arguments, self._names, brief=False)}"

    def _brief_arguments(self, task: TreeTask) -> str:
        values = task.arguments.values
        if not values or not isinstance(values[0], Match):
            return argument_words(task.arguments, self._names)
        shown = [plain_words(each, self._names) for each in values[1:] if isinstance(each, tuple)]
        return f" {' '.join(shown)}"  # of a flow entry, its actions

    def steps(self, branch: TreeBranch) -> str:
        """The steps of an edge."""
        return ", ".join(f"{step.number} {step.choice}".rstrip() for step in branch.steps)

    def ending(self, place: int) -> list[str]:
        """What happened in the execution that ends in a node, beginning with its number."""
        node = self._tree.nodes[place]
        lines = [f"execution {self._executions[place]}"]
        lines += [words for event in self._events[place] if (words := _fate(event)) is not None]
        lines += [f"{self.task(each.number)} waits" for each in node.tasks]
        lines += sorted({f"violates {found.property}" for found in node.findings})
        return list(dict.fromkeys(lines))


def depth_first(tree: ExecutionTree) -> Iterator[tuple[int, int, ExecutionNode]]:
    """The nodes from left to right, each before those below it: place, depth and the node itself."""
    pending = [(0, 0)]
    while pending:
        place, depth = pending.pop()
        node = tree.nodes[place]
        yield place, depth, node
        pending += [(branch.to, depth + 1) for branch in reversed(node.branches)]


def state_words(words: TreeWords, node: ExecutionNode) -> list[list[tuple[str, bool]]]:
    """The tasks of a state, as lines of texts that are or are not in conflict.

    Tasks that were there before are on one line, by their numbers; each new one is on a line of its own.
    """
    known: list[tuple[str, bool]] = []
    for each in node.tasks:
        if not each.is_new:
            number = str(each.number) if each.can_run else f"({each.number})"
            known += [("  ", False)] * bool(known) + [(number, each.conflicts)]
    new = [
        [(words.task(each.number) if each.can_run else f"({words.task(each.number)})", each.conflicts)]
        for each in node.tasks
        if each.is_new
    ]
    return ([known] if known else []) + new or [[("no task", False)]]


def _events_so_far(tree: ExecutionTree) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """For each node the events on the way to it; nodes come before those that they lead to."""
    before: dict[int, tuple[Any, ...]] = {0: ()}
    for place, node in enumerate(tree.nodes):
        events = before[place] + node.events
        for branch in node.branches:
            before[branch.to] = events
        yield place, events


def _fate(event: Any) -> str | None:
    """What finally happens to a packet, if the event says so."""
    match event:
        case Received():
            return f"{event.packet.name} reaches {event.host}"  # type: ignore[attr-defined]
        case Dropped():
            return f"{event.packet.name} is dropped by {event.switch}"  # type: ignore[attr-defined]
        case Lost():
            return f"{event.packet.name} is lost ({event.reason})"  # type: ignore[attr-defined]
        case Revisited():
            return f"{event.packet.name} is at {event.switch} again: a loop"
    return None


def is_violating(node: ExecutionNode) -> bool:
    """Whether the execution that ends in a node violates a property."""
    return bool(node.findings)
