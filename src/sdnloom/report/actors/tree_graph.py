"""The tree of executions for Graphviz and as a mermaid flowchart."""

from collections.abc import Callable

from sdnloom.actors.executions.tree import ExecutionTree
from sdnloom.report.actors.tree_words import TreeWords, is_violating, state_words
from sdnloom.report.graph_text import graphviz_html, mermaid_text

_RED = "#c0392b"


def tree_dot(tree: ExecutionTree) -> str:
    """A graph for Graphviz; tasks in conflict are underlined."""
    words = TreeWords(tree)
    lines = [
        "digraph executions {",
        f"  label=<{graphviz_html(words.title())}>;",
        '  node [shape=box, fontname="monospace"];',
    ]
    for place, node in enumerate(tree.nodes):
        rows = _rows(words, tree, place, graphviz_html)
        style = f', color="{_RED}", fontcolor="{_RED}"' if is_violating(node) else ""
        lines.append(f"  n{place} [label=<{'<br/>'.join(rows)}>{style}];")
    for place, node in enumerate(tree.nodes):
        lines += [f"  n{place} -> n{each.to} [label=<{graphviz_html(words.steps(each))}>];" for each in node.branches]
    return "\n".join([*lines, "}"]) + "\n"


def tree_mermaid(tree: ExecutionTree) -> str:
    """A mermaid flowchart; tasks in conflict are underlined."""
    words = TreeWords(tree)
    lines = ["flowchart TD"]
    for place in range(len(tree.nodes)):
        rows = _rows(words, tree, place, mermaid_text)
        lines.append(f'  n{place}["{"<br/>".join(rows)}"]')
    for place, node in enumerate(tree.nodes):
        lines += [f'  n{place} -->|"{mermaid_text(words.steps(each))}"| n{each.to}' for each in node.branches]
    lines += [f"  style n{place} stroke:{_RED}" for place, node in enumerate(tree.nodes) if is_violating(node)]
    return "\n".join(lines) + "\n"


def _rows(words: TreeWords, tree: ExecutionTree, place: int, escaped: Callable[[str], str]) -> list[str]:
    """The lines of a node; both formats read <u> as underlined."""
    node = tree.nodes[place]
    if not node.branches:
        return [escaped(line) for line in words.ending(place)]
    return [
        "".join(f"<u>{escaped(text)}</u>" if conflicts else escaped(text) for text, conflicts in line)
        for line in state_words(words, node)
    ]
