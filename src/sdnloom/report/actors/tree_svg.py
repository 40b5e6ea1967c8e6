"""The tree of executions as an SVG picture that needs nothing else: no script, no style sheet, no font of its own."""

from dataclasses import dataclass
from xml.sax.saxutils import escape

from sdnloom.actors.executions.tree import ExecutionTree
from sdnloom.report.actors.tree_words import TreeWords, is_violating, state_words

_CHARACTER, _LINE = 7.2, 16  # of a monospace font of 12 pixels
_PADDING, _GAP, _DROP, _MARGIN = 7, 18, 46, 16
_STYLES = {"state": ("#ffffff", "#5b6770"), "end": ("#eaf2f8", "#34678a"), "violation": ("#fdecea", "#c0392b")}


@dataclass
class _Box:
    """A node as it is drawn: spans of text by line, its size, and the middle of its upper side."""

    lines: list[list[tuple[str, bool]]]  # (text, underlined)
    tips: list[str]
    style: str
    width: float = 0
    height: float = 0
    span: float = 0  # the width of everything below it
    x: float = 0
    y: float = 0


def tree_svg(tree: ExecutionTree) -> str:
    """The picture."""
    words = TreeWords(tree)
    boxes = [_box(words, tree, place) for place in range(len(tree.nodes))]
    _spread(tree, boxes)
    head = [words.title()]
    top = _MARGIN + _LINE * len(head) + _LINE
    _place(tree, boxes, top)
    legend = words.legend()
    text_width = max(len(line) for line in (*head, *legend)) * _CHARACTER
    width = max(boxes[0].span, text_width) + 2 * _MARGIN
    bottom = max(box.y + box.height for box in boxes) + 2 * _LINE
    height = bottom + _LINE * len(legend) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="monospace" font-size="12">',
        f"<title>{escape(words.title())}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *_texts(head, _MARGIN, _MARGIN + _LINE, "#1f2933", "bold"),
        *_edges(tree, words, boxes),
        *(part for box in boxes for part in _drawn(box)),
        *_texts(legend, _MARGIN, bottom, "#5b6770"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _box(words: TreeWords, tree: ExecutionTree, place: int) -> _Box:
    node = tree.nodes[place]
    lines: list[list[tuple[str, bool]]]
    if node.branches:
        lines, tips, style = state_words(words, node), [words.full_task(e.number) for e in node.tasks], "state"
    else:
        lines, style = [[(line, False)] for line in words.ending(place)], "violation" if is_violating(node) else "end"
        tips = [f"{found.property}: {found.message}" for found in node.findings]
    length = max(sum(len(text) for text, _ in line) for line in lines)
    width, height = length * _CHARACTER + 2 * _PADDING, len(lines) * _LINE + _PADDING
    return _Box(lines, tips, style, width, height)


def _spread(tree: ExecutionTree, boxes: list[_Box]) -> None:
    """The width of each node with all below it; a node comes before those that it leads to."""
    for place in range(len(boxes) - 1, -1, -1):
        below = [boxes[branch.to].span for branch in tree.nodes[place].branches]
        boxes[place].span = max(boxes[place].width, sum(below) + _GAP * (len(below) - 1))


def _place(tree: ExecutionTree, boxes: list[_Box], top: float) -> None:
    left = [0.0] * len(boxes)
    boxes[0].x, boxes[0].y, left[0] = _MARGIN + boxes[0].span / 2, top, _MARGIN
    for place, node in enumerate(tree.nodes):
        box, branches = boxes[place], [branch.to for branch in node.branches]
        taken = sum(boxes[each].span for each in branches) + _GAP * (len(branches) - 1)
        start = left[place] + (box.span - taken) / 2
        for each in branches:
            boxes[each].x, boxes[each].y = start + boxes[each].span / 2, box.y + box.height + _DROP
            left[each] = start
            start += boxes[each].span + _GAP


def _edges(tree: ExecutionTree, words: TreeWords, boxes: list[_Box]) -> list[str]:
    parts = []
    for place, node in enumerate(tree.nodes):
        box = boxes[place]
        bottom = box.y + box.height
        for branch in node.branches:
            to = boxes[branch.to]
            turn = bottom + _DROP / 3
            line = f"M{box.x:.1f},{bottom:.1f} V{turn:.1f} H{to.x:.1f} V{to.y:.1f}"
            parts.append(f'<path d="{line}" fill="none" stroke="#5b6770"/>')
            parts += _texts([words.steps(branch)], to.x + 5, to.y - 9, "#1a5fb4", "bold")
    return parts


def _drawn(box: _Box) -> list[str]:
    fill, stroke = _STYLES[box.style]
    left = box.x - box.width / 2
    parts = ["<g>", f"<title>{escape(chr(10).join(box.tips))}</title>"] if box.tips else ["<g>"]
    parts.append(
        f'<rect x="{left:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="4" fill="{fill}" '
        f'stroke="{stroke}"/>'
    )
    for number, line in enumerate(box.lines, 1):
        spans = "".join(
            f'<tspan text-decoration="underline" font-weight="bold">{escape(text)}</tspan>' if marked else escape(text)
            for text, marked in line
        )
        y = box.y + number * _LINE - 2
        parts.append(f'<text x="{left + _PADDING:.1f}" y="{y:.1f}" fill="#1f2933" xml:space="preserve">{spans}</text>')
    return [*parts, "</g>"]


def _texts(lines: list[str], x: float, y: float, colour: str, weight: str = "normal") -> list[str]:
    return [
        f'<text x="{x:.1f}" y="{y + number * _LINE:.1f}" fill="{colour}" font-weight="{weight}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    ]
