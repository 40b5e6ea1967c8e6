"""The explorer in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdnloom.web.server import ExplorerServer
from tests.browser.chromium import BrowserPage, OpenPage
from tests.web.explorer import running_server

# Markup that would change the title of the page, in every place in which an app or a scenario has a say.
ATTACK = "</script><script>document.title='owned'</script>\"><img src=x onerror=\"document.title='owned'\">"
_APP = """
class Markup:
    def __init__(self):
        self.table = {{}}

    def packet_in(self, net, switch, message):
        self.table[{attack!r}] = {attack!r}
        print({attack!r})
        raise ValueError({attack!r})
"""
_SCENARIO = """\
name = {attack}
properties = ["NoHandlerException"]
[program]
file = "markup.py"
[topology]
shape = "single"
hosts = 2
[[hosts]]
name = "h1"
kind = "client"
packets = [{{ kind = "udp", to = "h2", payload = {attack} }}]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ExplorerServer]:
    with running_server("load_balancer/bug7.toml") as made:
        yield made


def opened(open_page: OpenPage, server: ExplorerServer, width: int = 1280, fragment: str = "") -> BrowserPage:
    page = open_page(width, 800)
    page.open(server.address + fragment)
    page.wait_for("document.querySelector('.next h2')?.textContent")
    return page


def note(page: BrowserPage) -> str:
    return str(page.value("document.querySelector('.note').textContent"))


def steps(page: BrowserPage) -> str:
    return str(page.value("document.querySelector('.where').textContent"))


def test_a_counterexample_is_found_looked_at_and_shared(open_page: OpenPage, server: ExplorerServer) -> None:
    page = opened(open_page, server)
    assert steps(page) == "0 of 0"
    page.press("F")
    page.wait_for("document.querySelector('.note').textContent.startsWith('a violation after')")
    count = len(server.session._path)
    assert steps(page) == f"{count} of {count}"
    assert page.value("document.querySelector('.badge').textContent") == "VIOLATED"
    assert page.value("document.querySelector('.property.violated b').textContent") == "NoForgottenPackets"
    page.press("k")
    page.wait_for("document.querySelector('.next-step.taken')")
    assert steps(page) == f"{count - 1} of {count}"
    address = page.value("location.href")
    assert server.token not in address
    page.press("Home", "1")
    page.wait_for("document.querySelector('.where').textContent === '1 of 1'")
    page.value(f"location.hash = {json.dumps('#' + address.partition('#')[2])}")  # the page follows its address
    page.wait_for(f"document.querySelector('.where').textContent === '{count} of {count}'")
    other = opened(open_page, server, fragment="#" + address.partition("#")[2])
    assert steps(other) == f"{count} of {count}"
    assert not page.problems
    assert not other.problems
    assert all(each.startswith(f"http://127.0.0.1:{server.port}/") or each == "data:," for each in page.requests)


def test_steps_are_taken_by_click_and_key_and_dropped(open_page: OpenPage, server: ExplorerServer) -> None:
    page = opened(open_page, server, 400)
    page.press("Home", "1")
    page.wait_for("document.querySelector('.where').textContent === '1 of 1'")
    page.click(".next-step")
    page.wait_for("document.querySelector('.where').textContent === '2 of 2'")
    page.press("9")
    assert note(page) == "there is no step 9 here"
    page.press("u", "u")
    page.wait_for("document.querySelector('.where').textContent === '0 of 0'")
    assert page.value("document.documentElement.scrollWidth") <= 400
    assert page.value("[...document.querySelectorAll('button')].every((each) => each.innerText || each.ariaLabel)")
    assert not page.problems


def test_texts_of_an_app_cannot_inject_into_the_page(open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "markup.py").write_text(_APP.format(attack=ATTACK))
    (tmp_path / "markup.toml").write_text(_SCENARIO.format(attack=f"'''{ATTACK}'''"))
    with running_server(str(tmp_path / "markup.toml")) as server:
        page = opened(open_page, server)
        page.press("F")
        page.wait_for("document.querySelector('.property.violated')")
        text = page.value("document.body.innerText")
        assert "prints " in text  # what the handler has printed is an effect of the step
        assert "</script><script>document.title='owned'</script>" in text
        assert page.value("document.querySelectorAll('img, body script:not([src])').length") == 0
        assert "owned" not in str(page.value("document.title")).replace(ATTACK, "")
        page.press("Home", "End")
        page.value("[...document.querySelectorAll('.choice')].forEach((each) => each.click())")
        page.painted()
        assert page.value("document.querySelectorAll('img').length") == 0
        assert page.value("document.title").endswith("sdnloom explore")
        assert not page.problems


def test_a_page_of_another_site_can_neither_read_nor_change_anything(
    open_page: OpenPage, server: ExplorerServer, tmp_path: Path
) -> None:
    file = tmp_path / "evil.html"
    file.write_text("<!DOCTYPE html><title>evil</title>")
    page = opened(open_page, server)  # the cookie is there
    page.open(file)
    serial = server.session.serial
    answer = page.value(
        f"fetch('http://127.0.0.1:{server.port}/do/take', {{method: 'POST', mode: 'no-cors', credentials: 'include',"
        " body: JSON.stringify({position: 0, number: 0})}).then((found) => found.type + found.status, () => 'refused')"
    )
    assert answer in ("refused", "opaque0")
    assert server.session.serial == serial
