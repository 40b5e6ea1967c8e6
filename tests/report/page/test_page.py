"""The page as a file: nothing from outside, and data that cannot leave its block."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from sdnloom.report.page.page import SCRIPTS, data_block, page_script, results_html
from sdnloom.report.page.page_data import page_data
from tests.report.page.sample_views import HOSTILE, hostile_view, small_view


class _Elements(HTMLParser):
    """The elements of a page with their attributes, and the text in scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.found[-1] if self.found else ("", {})
        self.text.setdefault(f"{tag} {attributes.get('type', '')}".strip(), data)


PLAIN = [tag for tag, _ in _Elements(results_html([small_view()])).found]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_make_no_elements(text: str) -> None:
    page = results_html([hostile_view(text)])
    page.encode()
    parsed = _Elements(page)
    assert [tag for tag, _ in parsed.found] == PLAIN
    data = json.loads(parsed.text["script application/json"])
    assert data == json.loads(json.dumps(page_data([hostile_view(text)])))


def test_the_data_block_has_no_character_of_markup() -> None:
    block = data_block(HOSTILE)
    assert re.search(r"[<>&\u2028\u2029\x00-\x1f]|[^\x00-\x7f]", block) is None
    assert json.loads(block) == list(HOSTILE)


def test_the_policy_allows_the_two_blocks_of_the_page_and_nothing_else() -> None:
    parsed = _Elements(results_html([small_view()]))
    [policy] = [attributes["content"] for tag, attributes in parsed.found if "http-equiv" in attributes]
    hashes = [
        base64.b64encode(hashlib.sha256(parsed.text[block].encode()).digest()).decode() for block in ("script", "style")
    ]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    names = {name for _, attributes in parsed.found for name in attributes}
    assert names == {"lang", "charset", "http-equiv", "content", "name", "type", "id"}  # no src, href or handler


def test_the_scripts_write_no_markup_and_ask_for_nothing() -> None:
    script = page_script()
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|</script|<!--"
    assert re.findall(markup, script) == []
    assert (
        re.findall(r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import\(|localStorage|\bhref\b", script)
        == []
    )
    assert re.findall(r"https?://[^\"]*", script) == ["http://www.w3.org/2000/svg"]  # a name, never asked for
    assert len(SCRIPTS) == len(set(SCRIPTS))
