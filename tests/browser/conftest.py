"""One Chromium for all tests of a run, and pages that are closed after each test."""

import shutil
from collections.abc import Iterator

import pytest

from tests.browser.chromium import BrowserPage, Chromium, OpenPage


@pytest.fixture(scope="session")
def chromium(need_tool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    need_tool("chromium")
    with Chromium(shutil.which("chromium") or "", tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture
def open_page(chromium: Chromium) -> Iterator[OpenPage]:
    """A function that opens an empty page; its arguments are those of `Chromium.open_page`."""
    pages: list[BrowserPage] = []

    def opened(width: int = 1280, height: int = 800, *, dark: bool = False) -> BrowserPage:
        pages.append(chromium.open_page(width, height, dark=dark))
        return pages[-1]

    yield opened
    for page in pages:
        chromium.close_page(page)
