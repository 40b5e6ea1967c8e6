"""How a report is printed: its width, long or short steps, with or without colour."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import TextWrapper
from typing import Final

from sdnloom.engine.stable_text import printable_text

WIDTH: Final = 100  # columns of a text that is not for a terminal
_NARROWEST: Final = 60
_CODES: Final = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "dim": 2, "bold": 1}
# What a line that begins with the word is about -> its colours.
_VERDICTS: Final = {
    "VIOLATED": ("bold", "red"),
    "DIVERGED": ("bold", "yellow"),
    "STILL THERE": ("bold", "red"),
    "CONFIRMED": ("bold", "red"),
    "DIFFERENT": ("bold", "yellow"),
    "NOT POSSIBLE": ("bold", "yellow"),
    "AGREED": ("bold", "green"),
    "HOLDS": ("bold", "green"),
    "MINIMAL": ("bold", "red"),
    "EXPLAINED": ("bold", "red"),
    "GONE": ("bold", "green"),
    "VACUOUS": ("bold", "yellow"),
    "INCOMPLETE": ("bold", "yellow"),
    "NEVER SEEN": ("bold", "yellow"),
    "SEEN": ("green",),
}
_OWN_CODE: Final = re.compile(rf"(\033\[(?:0|{'|'.join(map(str, _CODES.values()))})m)")
_VERDICT: Final = re.compile(rf"({'|'.join(map(re.escape, _VERDICTS))})\b")


@dataclass(frozen=True)
class TextStyle:
    """Short steps are cut to `width` columns; `long` ones are whole. Law: without `colour` no control code is added."""

    width: int = WIDTH
    long: bool = False
    colour: bool = False

    @property
    def columns(self) -> int:
        """The width that is used: no terminal is too narrow for the shortest useful line."""
        return max(self.width, _NARROWEST)

    def paint(self, text: str, *colours: str) -> str:
        """The text in these colours, if there are colours."""
        if not self.colour or not colours or not text:
            return text
        codes = "".join(f"\033[{_CODES[each]}m" for each in colours)
        return f"{codes}{text}\033[0m"

    def verdict(self, line: str) -> str:
        """A line with the verdict at its start in colour; any other line as it is."""
        found = _VERDICT.match(line)
        return line if found is None else self.paint(found[1], *_VERDICTS[found[1]]) + line[found.end() :]


PLAIN_STYLE: Final = TextStyle()


def terminal_text(text: str, colour: bool) -> str:
    """Lines without what a terminal would obey or cannot show; with `colour`, the codes of `paint` stay."""
    return "".join(
        part if place % 2 else _visible(part) for place, part in enumerate(_OWN_CODE.split(text) if colour else [text])
    )


def _visible(text: str) -> str:
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(each if each in "\n\t" else printable_text(each) for each in text)


def fold_text(text: str, width: int) -> list[str]:
    """The text on at most two lines, broken after a space or comma; of a longer one the middle is left out."""
    if len(text) <= width:
        return [text]
    place = max(text.rfind(mark, width // 2, width) for mark in " ,") + 1 or width
    return [text[:place].rstrip(), cut(f"  {text[place:].lstrip()}", width)]


def cut(text: str, width: int) -> str:
    """The text or, if it is longer, its start and its end with "..." between them: both say what it is about."""
    if len(text) <= width:
        return text
    end = max((width - 3) * 2 // 5, 0)
    return f"{text[: max(width - 3 - end, 0)].rstrip()}...{text[len(text) - end :]}"[: max(width, 0)]


def list_lines(title: str, items: Sequence[str], style: TextStyle) -> list[str]:
    """Items under a title: on one line if they fit it, else on a line each, folded where one does not fit."""
    together = f"{title}: {'; '.join(items)}"
    if len(together) <= style.columns or not items:
        return [together] if items else []
    wrap = TextWrapper(
        style.columns, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [f"{title}:", *(line for item in items for line in ([f"  {item}"] if style.long else wrap.wrap(item)))]
