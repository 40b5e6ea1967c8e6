"""Pages as people read them: their blocks of code in order, each with its language and the comment before it.

A block that cannot run has a comment in the line before it, `<!-- not run: REASON -->`; a block that is a file for the
commands after it has `<!-- file: NAME -->`.
"""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(
    r"(?:^<!-- (?P<note>.*?) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A block of a page."""

    page: Path
    line: int
    language: str
    text: str
    note: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def not_run(self) -> str | None:
        """Why the block is not run; None if it is."""
        return self.note.removeprefix("not run: ") if self.note.startswith("not run: ") else None

    @property
    def file(self) -> str | None:
        """The name of the file that the block is; None if it is none."""
        return self.note.removeprefix("file: ") if self.note.startswith("file: ") else None


def blocks_of(page: Path) -> list[Block]:
    """All fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = []
    for each in _BLOCK.finditer(text):
        inner = re.sub(rf"^{each['indent']}", "", each["text"], flags=re.MULTILINE)
        line = text.count("\n", 0, each.start("language")) + 1
        found.append(Block(page, line, each["language"], inner, each["note"] or ""))
    return found


def blocks(page: Path, language: str) -> list[str]:
    """The texts of the blocks in one language."""
    return [each.text for each in blocks_of(page) if each.language == language]


ALL_BLOCKS = [block for page in PAGES for block in blocks_of(page)]
