"""What the explorer's server answers, and what it refuses."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdnloom.web.server import MOST_REQUEST_BYTES, TOKEN_HEADER, ExplorerServer
from tests.web.explorer import ask, do, running_server


@pytest.fixture(scope="module")
def server() -> Iterator[ExplorerServer]:
    with running_server("mac_learning/bug1.toml") as made:
        yield made


def _cookie(server: ExplorerServer) -> str:
    return f"{server.cookie}={server.token}"


def test_it_listens_on_loopback_only(server: ExplorerServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        with socket.socket() as tried:
            assert tried.connect_ex((address, server.port)) != 0


def test_the_printed_address_gives_a_cookie_and_leads_to_the_page(server: ExplorerServer) -> None:
    path = server.address.removeprefix(f"http://127.0.0.1:{server.port}")
    first = ask(server, "GET", path, X_Sdnloom_Token=None)
    assert (first.status, first.headers["Location"]) == (303, "/")
    assert first.headers["Set-Cookie"] == f"{_cookie(server)}; Path=/; HttpOnly; SameSite=Strict"
    page = ask(server, "GET", "/", X_Sdnloom_Token=None, Cookie=_cookie(server))
    assert page.status == 200
    assert server.token in page.text
    assert "explorer.js" in page.text


@pytest.mark.parametrize("path", ["/", "/explorer.js", "/explorer.css"])
def test_every_answer_forbids_other_scripts_frames_and_guesses_of_its_type(server: ExplorerServer, path: str) -> None:
    answer = ask(server, "GET", path, Cookie=_cookie(server))
    assert answer.status == 200
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert not any(name.startswith("Access-Control") for name in answer.headers)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Cookie": None}, 403),
        ({"Cookie": "sdnloom-explorer-1=x"}, 403),
        ({"Cookie": "\x01=;;"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": None}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Host": "localhost:{port}"}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Sec_Fetch_Site": "same-origin"}, 200),
        ({"Sec_Fetch_Site": "none"}, 200),
    ],
)
def test_requests_of_others_are_refused(server: ExplorerServer, headers: dict[str, str | None], status: int) -> None:
    given = {name: value and value.replace("{port}", str(server.port)) for name, value in headers.items()}
    answer = ask(server, "GET", "/", **{"Cookie": _cookie(server), **given})
    assert answer.status == status
    assert (server.token in answer.text) == (status == 200)


@pytest.mark.parametrize("token", [None, "", "x", "%FF"])
def test_commands_need_the_token_in_their_header(server: ExplorerServer, token: str | None) -> None:
    answer = ask(server, "POST", "/do/show", {}, **{TOKEN_HEADER: token, "Cookie": _cookie(server)})
    assert answer.status == 403
    assert ask(server, "GET", f"/?token={token or ''}x", Cookie=None).status == 403


def test_what_changes_something_is_no_get_request(server: ExplorerServer) -> None:
    assert ask(server, "GET", "/do/show", Cookie=_cookie(server)).status == 404
    assert ask(server, "PUT", "/do/show", {}).status == 501
    assert ask(server, "OPTIONS", "/do/show").status == 501


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/do/nothing", {}, {}, 404),
        ("/do/__init__", {}, {}, 404),
        ("/show", {}, {}, 404),
        ("/do/show", b"{", {}, 400),
        ("/do/show", b"[1]", {}, 400),
        ("/do/show", b"[" * 100_000, {}, 400),
        ("/do/show", b"\xff\xfe", {}, 400),
        ("/do/show", {}, {"Content_Type": "text/plain"}, 415),
        ("/do/show", b"{}", {"Content_Length": str(MOST_REQUEST_BYTES + 1)}, 413),
        ("/do/show", b"{}", {"Content_Length": "9" * 5000}, 413),
        ("/do/show", b"{}", {"Content_Length": "-1"}, 411),
        ("/do/show", b"{}", {"Content_Length": "x"}, 411),
    ],
)
def test_bad_requests_are_refused(
    server: ExplorerServer, path: str, body: object, headers: dict[str, str], status: int
) -> None:
    assert ask(server, "POST", path, body, **headers).status == status


def test_a_path_that_is_none_is_refused(server: ExplorerServer) -> None:
    assert ask(server, "GET", "http://[::1", Cookie=_cookie(server)).status == 400


def test_a_window_that_is_closed_says_nothing_on_the_terminal(
    server: ExplorerServer, capsys: pytest.CaptureFixture[str]
) -> None:
    for error in (BrokenPipeError(), ConnectionResetError(), TimeoutError()):
        try:
            raise error
        except OSError:
            server.handle_error(None, ("127.0.0.1", 1))
    assert capsys.readouterr().err == ""
    try:
        raise KeyError("a defect")
    except KeyError:
        server.handle_error(None, ("127.0.0.1", 1))
    assert "a defect" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "given", "error"),
    [
        ("take", {}, "position is missing"),
        ("take", {"position": 0, "number": True}, "number is missing"),
        ("take", {"position": 0, "number": 99}, "there is no step 100 here; expected a number from 1 to 2"),
        ("take", {"position": 0, "number": -1}, "there is no step 0 here"),
        ("look", {"position": 7}, "there is no position 7; expected one from 0 to 0"),
        ("look", {"position": -1}, "there is no position -1"),
        ("open", {"address": "!"}, "goes wrong at character 1"),
        ("open", {"address": 1}, "address is missing; expected a text"),
        ("save", {"name": "../x"}, "expected the name of a file, without a folder"),
        ("save", {"name": "/etc/x"}, "expected the name of a file, without a folder"),
        ("save", {"name": ".x"}, "expected the name of a file, without a folder"),
        ("save", {"name": "a\0b"}, "expected the name of a file, without a folder"),
    ],
)
def test_commands_say_what_is_wrong(server: ExplorerServer, command: str, given: dict[str, object], error: str) -> None:
    answer = do(server, command, **given)
    assert answer.status == 422
    assert error in answer["error"]


def test_a_window_that_was_overtaken_gets_the_present_path(server: ExplorerServer) -> None:
    before = do(server, "show")
    after = do(server, "take", position=0, number=0)
    late = do(server, "take", position=0, number=1, serial=before["serial"])
    assert late["note"] == "the path was changed in another window; this is the present one"
    assert late["address"] == after["address"]
    assert do(server, "back", position=1)["address"] == ""


def test_a_path_is_saved_once_and_only_as_a_new_file(tmp_path: Path) -> None:
    saved: list[tuple[int, str]] = []

    def save(transitions, found, file: Path) -> None:
        saved.append((len(transitions), file.name))
        file.write_text("")

    with running_server("mac_learning/bug1.toml", save, tmp_path) as made:
        do(made, "take", position=0, number=0)
        answer = do(made, "save", name="mine")
        assert answer["note"] == "saved 1 step; replay: sdnloom replay mine.sdnloom-trace.json"
        assert "is there already" in do(made, "save", name="mine.sdnloom-trace.json")["error"]
    assert saved == [(1, "mine.sdnloom-trace.json")]
