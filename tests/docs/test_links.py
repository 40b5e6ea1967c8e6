"""Links of the pages lead to files and headings that exist."""

import re
from pathlib import Path

import pytest

from tests.docs.page_blocks import PAGES, ROOT
from tools.site_links import github_anchor

OTHERS = [ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md", ROOT / "tests" / "README.md"]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {*map(github_anchor, headings)}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        assert not name.startswith("reference/"), f"{target} is only on the site: name it in words"
        file = page.parent / name if name else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target
