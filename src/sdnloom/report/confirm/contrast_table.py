"""What differs in a step, side by side: columns that fit the width, with marks below the parts that differ.

Without colours a line of `^` marks them; with colours they are painted. Values are folded and never cut, but of long
ones the short form leaves out lines in which nothing differs.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, NamedTuple

from sdnloom.confirm.outcome import Contrast
from sdnloom.engine.stable_text import printable_text
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle

_INDENT: Final = "  "
_GAP: Final = 2
_HEADS: Final = ("", "expected", "observed")
_COLOURS: Final = ("green", "red")
_NOTHING: Final = "nothing"
_MOST_LINES: Final = 12  # of one value in the short form
_LEFT_OUT: Final = "..."
_OCTETS: Final = re.compile(r"(?:[0-9a-fA-F]{2}){8,}")
_TOKENS: Final = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE: Final = 0.4  # the share of two texts that is the same if marks help
_MOST_TOKENS: Final = 4000  # that are compared one by one

_Marks = tuple[bool, ...]  # for each character of a text, whether it differs


class _Line(NamedTuple):
    """A line of a cell, and its characters that differ."""

    text: str
    marks: _Marks


_EMPTY: Final = _Line("", ())


def contrast_table(contrasts: Sequence[Contrast], style: TextStyle = PLAIN_STYLE) -> list[str]:
    """A heading, and one row for each contrast."""
    rows = [_texts(each) for each in contrasts]
    room = style.columns - len(_INDENT) - 2 * _GAP
    widest = [max(len(row[column]) for row in (_HEADS, *rows)) for column in range(3)]
    names = widest[0] if sum(widest) <= room else min(widest[0], room // 3)
    widths = (names, *_shares(widest[1], widest[2], room - names))
    lines = _row([_cells(head, width) for head, width in zip(_HEADS, widths, strict=True)], widths, style)
    for what, expected, observed in rows:
        marks = _differing(expected, observed)
        values = [
            _folded(text, each, width)
            for text, each, width in zip((expected, observed), marks, widths[1:], strict=True)
        ]
        lines += _row([_cells(what, names), *_shortened(values, style)], widths, style)
    return lines


def _texts(contrast: Contrast) -> tuple[str, str, str]:
    """The cells of a row; octets without spaces get some, so that they can be folded and compared."""
    sides = [_OCTETS.sub(lambda found: bytes.fromhex(found[0]).hex(" "), text) for text in contrast[1:]]
    expected, observed = (printable_text(text) or _NOTHING for text in sides)
    return printable_text(contrast.what), expected, observed


def _shares(one: int, other: int, room: int) -> tuple[int, int]:
    """The widths of two columns: as much as they need, or half of the room for one that needs more than that."""
    half = room // 2
    if one + other <= room:
        return one, other
    if one <= half:
        return one, room - one
    return (room - other, other) if other <= half else (half, room - half)


def _differing(one: str, other: str) -> tuple[_Marks, _Marks]:
    """Which characters of two texts differ; none if most do, because marks below everything say nothing."""
    nowhere = (False,) * len(one), (False,) * len(other)
    tokens = [_TOKENS.findall(text) for text in (one, other)]
    if _NOTHING in (one, other) or max(map(len, tokens)) > _MOST_TOKENS:
        return nowhere
    same = _equal_tokens(tokens[0], tokens[1])
    alike = sum(len(token.strip()) for token, equal in zip(tokens[0], same[0], strict=True) if equal)
    if alike < max(len("".join(text.split())) for text in (one, other)) * _ALIKE:
        return nowhere
    first, second = (
        tuple(not equal for token, equal in zip(tokens[side], same[side], strict=True) for _ in token)
        for side in range(2)
    )
    return first, second


def _equal_tokens(one: Sequence[str], other: Sequence[str]) -> tuple[Sequence[bool], Sequence[bool]]:
    """Which tokens of two texts are the same: each with the one at its place, or if that finds more, moved ones."""
    found = [False] * len(one), [False] * len(other)
    for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        for side, start in zip(found, (block.a, block.b), strict=True):
            side[start : start + block.size] = [True] * block.size
    placed = [this == that for this, that in zip(one, other, strict=False)]
    if len(one) == len(other) and sum(placed) >= sum(found[0]):  # octets, where zeros are everywhere the same
        return placed, placed
    return found


def _cells(text: str, width: int) -> list[_Line]:
    return _folded(text, (False,) * len(text), width)


def _folded(text: str, marks: _Marks, width: int) -> list[_Line]:
    """The text on lines of at most that width, broken at spaces where there are some."""
    lines = []
    while len(text) > width:
        place = text.rfind(" ", width // 2, width + 1)
        end, begin = (place, place + 1) if place > 0 else (width, width)
        lines.append(_Line(text[:end], marks[:end]))
        text, marks = text[begin:], marks[begin:]
    return [*lines, _Line(text, marks)]


def _shortened(values: Sequence[Sequence[_Line]], style: TextStyle) -> list[list[_Line]]:
    """The lines of both values without those far from any mark, where a value is long."""
    height = max(map(len, values))
    if style.long or height <= _MOST_LINES:
        return [list(value) for value in values]
    marked = {number for value in values for number, line in enumerate(value) if any(line.marks)}
    near = {number + by for number in marked or {0} for by in (-1, 0, 1)} | {0}
    results: list[list[_Line]] = [[], []]
    for number in range(height):
        for value, result in zip(values, results, strict=True):
            line = value[number] if number < len(value) else _EMPTY
            if number in near:
                result.append(line)
            elif number - 1 in near:
                result.append(_Line(_LEFT_OUT, (False,) * len(_LEFT_OUT)))
    return results


def _row(cells: Sequence[Sequence[_Line]], widths: Sequence[int], style: TextStyle) -> list[str]:
    """The lines of a row: cells beside each other, and below a line with marks another one for them."""
    lines = []
    for number in range(max(map(len, cells))):
        parts = [cell[number] if number < len(cell) else _EMPTY for cell in cells]
        texts = [
            _painted(part, colour, style) + " " * (width - len(part.text))
            for part, width, colour in zip(parts, widths, ("", *_COLOURS), strict=True)
        ]
        lines.append((_INDENT + (" " * _GAP).join(texts)).rstrip())
        if any(any(part.marks) for part in parts) and not style.colour:
            marks = ["".join(" ^"[mark] for mark in part.marks) for part in parts]
            shown = (text.ljust(width) for text, width in zip(marks, widths, strict=True))
            lines.append((_INDENT + (" " * _GAP).join(shown)).rstrip())
    return lines


def _painted(line: _Line, colour: str, style: TextStyle) -> str:
    runs = groupby(zip(line.text, line.marks, strict=True), key=lambda each: each[1])
    texts = ((mark, "".join(character for character, _ in run)) for mark, run in runs)
    return "".join(style.paint(text, "bold", colour) if mark else text for mark, text in texts)
