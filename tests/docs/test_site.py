"""The site: it builds without a warning, has every page of docs/, and asks no other host for anything."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.site_links import github_anchor, site_links

ROOT = Path(__file__).parents[2]
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text())


def pages(part: Any) -> Iterator[str]:
    """The files of a navigation."""
    if isinstance(part, str):
        yield part
    else:
        for each in part.values() if isinstance(part, dict) else part:
            yield from pages(each)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        timeout=120,
    )
    assert (build.returncode, build.stderr) == (0, "")
    return folder


def test_the_navigation_has_four_parts_and_every_page_once() -> None:
    assert [*(name for part in SETTINGS["nav"] for name in part)] == [
        "Start",
        "Tutorial",
        "How to",
        "Explanation",
        "Reference",
    ]
    listed = list(pages(SETTINGS["nav"]))
    assert len(listed) == len({*listed})
    assert {file.name for file in (ROOT / "docs").glob("*.md")} <= {*listed}


def test_each_page_of_the_navigation_is_built(site: Path) -> None:
    for page in pages(SETTINGS["nav"]):
        assert (site / page).with_suffix(".html").is_file(), page
    assert (site / "schemas" / "scenario.json").is_file()
    assert "sdnloom check" in (site / "reference" / "commands.html").read_text()


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text()
        loaded = re.findall(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?([^\"' >]+)", text)
        loaded += re.findall(r"<link\b[^>]*\bhref=[\"']?([^\"' >]+)", text)
        assert [each for each in loaded if "://" in each or each.startswith("//")] == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//", style.read_text()), style


def test_links_that_leave_docs_become_pages_or_paths() -> None:
    text = "[a](../ARCHITECTURE.md#layers) [`b`](../tests/README.md) [c](check.md#json) [d](../examples/x.py) [e](#f)"
    assert site_links(text, "docs/engine.md") == (
        "[a](architecture.md#layers) [`b`](tests.md) [c](check.md#json) d (`examples/x.py`) [e](#f)"
    )
    assert site_links("[a](docs/check.md) [b](https://example.org/x.md)", "README.md") == (
        "[a](check.md) [b](https://example.org/x.md)"
    )
    assert site_links("![picture](docs/viewer.png)", "README.md") == "![picture](viewer.png)"


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("`[[hosts]]`", "hosts"), ('shape = "tree"', "shape--tree"), ("In pytest and CI", "in-pytest-and-ci")],
)
def test_anchors_are_those_of_github(heading: str, anchor: str) -> None:
    assert github_anchor(heading) == anchor
