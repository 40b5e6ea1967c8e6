"""The tree of executions as indented text."""

from sdnloom.actors.executions.tree import ExecutionTree
from sdnloom.report.actors.tree_words import TreeWords, depth_first, state_words


def tree_text(tree: ExecutionTree) -> str:
    """States and the tasks that run between them, in order; a plus begins one of several branches.

    Tasks in conflict have a star.
    """
    words = TreeWords(tree)
    edges = {branch.to: words.steps(branch) for node in tree.nodes for branch in node.branches}
    indents, begins_branch = {0: ""}, {0: False}
    lines = [words.title(), "a task with a star conflicts with another one; one in parentheses cannot run yet", ""]
    for place, _, node in depth_first(tree):
        indent = indents[place]
        if place:
            start = f"{indent[:-2]}+ " if begins_branch[place] else indent
            lines.append(f"{start}run {edges[place]}")
        shown = [_line(line) for line in state_words(words, node)] if node.branches else words.ending(place)
        lines.append(f"{indent}{'; '.join(shown)}")
        for branch in node.branches:
            begins_branch[branch.to] = len(node.branches) > 1
            indents[branch.to] = indent + "  " * begins_branch[branch.to]
    return "\n".join(lines) + "\n"


def _line(spans: list[tuple[str, bool]]) -> str:
    return "".join(f"{text}*" if conflicts else text for text, conflicts in spans)
