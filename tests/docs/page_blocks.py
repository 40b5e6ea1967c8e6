"""Pages as people read them: their blocks of code in order, each with its language and the comment before it.

A block that cannot run has a comment in the line before it, `<!-- not run: REASON -->`; a block that is a file for the
commands after it has `<!-- file: NAME -->`, and a block that shows a change of one `<!-- change: NAME -->`.
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

    @property
    def change(self) -> str | None:
        """The name of the file that the block changes; None if it changes none."""
        return self.note.removeprefix("change: ") if self.note.startswith("change: ") else None

    def write(self, folder: Path) -> None:
        """Write the file that the block is, or change the file that it changes: minus lines become plus lines."""
        if self.file is not None:
            (folder / self.file).write_text(self.text)
        if self.change is not None:
            lines = self.text.splitlines(keepends=True)
            old, new = ("".join(line[1:] for line in lines if line[0] in (" ", sign)) for sign in "-+")
            text = (folder / self.change).read_text()
            assert text.count(old) == 1, f"{self.place}: {self.change} does not have these lines once"
            (folder / self.change).write_text(text.replace(old, new))


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
