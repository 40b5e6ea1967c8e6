"""The driver notices what tests of pages rely on."""

from pathlib import Path

from tests.browser.chromium import OpenPage


def test_keys_clicks_problems_and_requests_are_seen(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        "<!DOCTYPE html><title>keys:</title><button onclick='document.title += 1'>one</button>"
        "<script>document.addEventListener('keydown', pressed => { document.title += pressed.key });"
        "console.error('a problem'); fetch('/tmp/none').catch(() => 0); later();</script>"
    )
    page = open_page()
    page.open(file)
    page.press("j", "ArrowDown", "?")
    page.click("button")
    assert page.value("document.title") == "keys:jArrowDown?1"
    assert page.requests[0] == file.as_uri()
    assert "file:///tmp/none" in page.requests
    assert any(problem == "a problem" for problem in page.problems)
    assert any("later is not defined" in problem for problem in page.problems)
