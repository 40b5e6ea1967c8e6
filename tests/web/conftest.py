"""The browser of tests/browser."""

from tests.browser.conftest import chromium, open_page

__all__ = ["chromium", "open_page"]
