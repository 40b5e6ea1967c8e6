"""The explorer's server: on loopback only, for one user, who has its token.

A request is refused unless it names this server as its host (a page of another site may have a name that leads here),
comes from no other site, and has the token: in a cookie for the page and its files, in a header for commands. The token
comes with the address that is printed, and is not part of addresses that are shared. Commands are POST requests of
JSON, of a limited size, and are carried out one after the other.
"""

import hmac
import http.cookies
import json
import secrets
import sys
import traceback
import urllib.parse
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sdnloom import __version__
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.engine.stop_points import LimitReached
from sdnloom.errors import SdnloomError
from sdnloom.web.page import explorer_page, explorer_script, explorer_style
from sdnloom.web.session import CommandError, PageDocument, Session
from sdnloom.web.worker import Worker

LOOPBACK = "127.0.0.1"
MOST_REQUEST_BYTES = 1 << 20  # of a request
COMMAND_SECONDS = 60.0  # for a command other than a search
TOKEN_HEADER = "X-Sdnloom-Token"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class RefusedRequest(Exception):  # noqa: N818 (an answer, not an error of ours)
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class ExplorerServer(ThreadingHTTPServer):
    """Listens on loopback; port 0 is any free one."""

    daemon_threads = True

    def __init__(self, session: Session, worker: Worker, port: int = 0) -> None:
        self.session, self.worker = session, worker
        self.token = secrets.token_urlsafe(24)
        super().__init__((LOOPBACK, port), ExplorerRequest)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which a request may call this server."""
        return f"{LOOPBACK}:{self.port}", f"localhost:{self.port}"

    @property
    def address(self) -> str:
        """The address with the token, for the user alone."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"

    def is_token(self, text: str | None) -> bool:
        """Whether a text is the token; the time that it takes tells nothing."""
        return text is not None and hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that the other side has ended; it may do so at any moment."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    @property
    def cookie(self) -> str:
        """The name of the cookie: cookies are shared by all ports of a host."""
        return f"sdnloom-explorer-{self.port}"


class ExplorerRequest(BaseHTTPRequestHandler):
    """One request."""

    server: ExplorerServer
    server_version = f"sdnloom/{__version__}"
    sys_version = ""
    timeout = 60  # seconds in which a request must have come

    def do_GET(self) -> None:
        """Answer with the page or one of its files."""
        self._answering(self._get)

    def do_POST(self) -> None:
        """Carry out a command."""
        self._answering(self._post)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (a name of the library)
        """Say nothing: the terminal is the user's."""

    def _answering(self, answer: Callable[[], None]) -> None:
        try:
            self._check_origin()
            answer()
        except RefusedRequest as refused:
            self._send(refused.status, "text/plain", f"{refused.text}\n")

    def _check_origin(self) -> None:
        if self.headers.get_all("Host") not in [[each] for each in self.server.hosts]:
            raise RefusedRequest(HTTPStatus.FORBIDDEN, f"this server is {self.server.hosts[0]}, no other host")
        origins = [f"http://{each}" for each in self.server.hosts]
        if any(each not in origins for each in self.headers.get_all("Origin") or ()):
            raise RefusedRequest(HTTPStatus.FORBIDDEN, "requests of other sites are refused")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise RefusedRequest(HTTPStatus.FORBIDDEN, "requests of other sites are refused")

    def _get(self) -> None:
        try:
            parsed = urllib.parse.urlsplit(self.path)
        except ValueError:
            raise RefusedRequest(HTTPStatus.BAD_REQUEST, "expected a path") from None
        given = urllib.parse.parse_qs(parsed.query).get("token", [])
        if parsed.path == "/" and given:
            if len(given) != 1 or not self.server.is_token(given[0]):
                raise self._no_token()
            cookie = f"{self.server.cookie}={self.server.token}; Path=/; HttpOnly; SameSite=Strict"
            self._send(HTTPStatus.SEE_OTHER, "text/plain", "", {"Location": "/", "Set-Cookie": cookie})
            return
        if not self.server.is_token(self._cookie()):
            raise self._no_token()
        match parsed.path:
            case "/":
                self._send(
                    HTTPStatus.OK, "text/html", explorer_page(self.server.session.explored.name, self.server.token)
                )
            case "/explorer.js":
                self._send(HTTPStatus.OK, "text/javascript", explorer_script())
            case "/explorer.css":
                self._send(HTTPStatus.OK, "text/css", explorer_style())
            case _:
                raise RefusedRequest(HTTPStatus.NOT_FOUND, "there is nothing of that name")

    def _no_token(self) -> RefusedRequest:
        return RefusedRequest(
            HTTPStatus.FORBIDDEN,
            "the token is missing: open the address that `sdnloom explore` has printed, and then this one again",
        )

    def _cookie(self) -> str | None:
        try:
            found = http.cookies.SimpleCookie(self.headers.get("Cookie", "")).get(self.server.cookie)
        except http.cookies.CookieError:
            return None
        return None if found is None else found.value

    def _post(self) -> None:
        if not self.server.is_token(self.headers.get(TOKEN_HEADER)):
            raise self._no_token()
        given = self._body()
        command = self.path.removeprefix("/do/")
        if command == self.path or command not in EXPLORER_COMMANDS:
            raise RefusedRequest(HTTPStatus.NOT_FOUND, "there is no such command")
        try:
            answer = EXPLORER_COMMANDS[command](self.server, given)
        except SdnloomError as error:
            self._send_document(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": str(error)})
        except LimitReached as reached:
            self._send_document(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": f"this took too long: {reached.reason}"})
        except Exception as error:  # a defect: of ours, or of a property
            traceback.print_exc()
            self._send_document(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"{type(error).__name__}: {error}"})
        else:
            self._send_document(HTTPStatus.OK, answer)

    def _body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise RefusedRequest(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise RefusedRequest(HTTPStatus.LENGTH_REQUIRED, "expected the length of the request")
        if len(length) > 9 or int(length) > MOST_REQUEST_BYTES:
            self.close_connection = True
            raise RefusedRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {MOST_REQUEST_BYTES:,} bytes")
        try:
            given = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise RefusedRequest(HTTPStatus.BAD_REQUEST, "expected a JSON object")
        return given

    def _send_document(self, status: HTTPStatus, document: PageDocument) -> None:
        self._send(status, "application/json", json.dumps(document))

    def _send(self, status: HTTPStatus, kind: str, text: str, more: dict[str, str] | None = None) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in {**_HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ExplorerCommand = Callable[[ExplorerServer, dict[str, Any]], PageDocument]


def _number(given: dict[str, Any], name: str) -> int:
    value = given.get(name)
    if type(value) is not int:
        raise CommandError(f"{name} is missing; expected a whole number")
    return value


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise CommandError(f"{name} is missing; expected a text")
    return value


def _command(act: Callable[[Session, dict[str, Any]], PageDocument], changes: bool = True) -> ExplorerCommand:
    """A command that the worker carries out; one that changes the path must know the present one."""

    def carried_out(server: ExplorerServer, given: dict[str, Any]) -> PageDocument:
        session = server.session
        if session.searches:
            raise CommandError("a search is running; cancel it first")

        def limited() -> PageDocument:
            if changes and given.get("serial") != session.serial:
                return session.show(note="the path was changed in another window; this is the present one")
            with LimitWatch(Limits(seconds=COMMAND_SECONDS)).in_force():
                return act(session, given)

        return server.worker.call(limited)

    return carried_out


def _search(server: ExplorerServer, given: dict[str, Any]) -> PageDocument:
    """Begin a search. Its answer is there when `progress` says that it is over."""
    session = server.session
    position = None if given.get("position") is None else _number(given, "position")
    session.prepare_search()
    server.worker.begin(lambda: session.run_search(position))
    return session.progress()


EXPLORER_COMMANDS: dict[str, ExplorerCommand] = {
    "show": _command(lambda session, given: session.show(), changes=False),
    "look": _command(lambda session, given: session.look(_number(given, "position"))),
    "take": _command(lambda session, given: session.take(_number(given, "position"), _number(given, "number"))),
    "back": _command(lambda session, given: session.back(_number(given, "position"))),
    "random": _command(lambda session, given: session.random(_number(given, "position"))),
    "rest": _command(lambda session, given: session.rest(_number(given, "position"))),
    "open": _command(lambda session, given: session.open(_text(given, "address")), changes=False),
    "save": _command(lambda session, given: session.save(_text(given, "name"))),
    "search": _search,
    "progress": lambda server, given: server.session.progress(),
    "cancel": lambda server, given: server.session.cancel(),
}
