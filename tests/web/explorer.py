"""An explorer for tests: its worker and its server run in threads of their own."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sdnloom.actors.load import load_program
from sdnloom.check.load import load_scenario
from sdnloom.check.run import Run
from sdnloom.web.explored_subject import Explored, ExploredNetwork, ExploredProgram
from sdnloom.web.server import TOKEN_HEADER, ExplorerServer
from sdnloom.web.session import SaveTrace, Session
from sdnloom.web.worker import Worker

EXAMPLES = Path(__file__).parents[2] / "examples"


def explored(name: str) -> Explored:
    """A scenario or a program of the examples."""
    file = EXAMPLES / name if not Path(name).is_absolute() else Path(name)
    if file.suffix == ".py":
        return ExploredProgram(load_program(file), shows_output=True)
    return ExploredNetwork(Run(load_scenario(file), ordered=True, show_output=True))


def no_save(*_: Any) -> None:
    raise AssertionError("nothing is saved")


def new_session(name: str, save: SaveTrace = no_save, folder: Path = Path()) -> Session:
    """A session of an example."""
    return Session(explored(name), save, folder)


@contextmanager
def running_server(name: str, save: SaveTrace = no_save, folder: Path = Path()) -> Iterator[ExplorerServer]:
    """A server; the program is made in the thread of its worker, to which its stacks belong."""
    worker = Worker()
    working = threading.Thread(target=worker.run, daemon=True)
    working.start()
    try:
        server = ExplorerServer(worker.call(lambda: new_session(name, save, folder)), worker)
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        serving.start()
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()
            serving.join()
    finally:
        worker.stop()
        working.join()


class Answer(dict[str, Any]):
    """The document of an answer, with its status, text and headers."""

    status: int
    text: str
    headers: dict[str, str]


def ask(server: ExplorerServer, method: str, path: str, body: Any = None, **headers: str | None) -> Answer:
    """An answer of the server. Headers are added to the usual ones, or replace them; None leaves one out."""
    given: dict[str, str | None] = {"Host": f"127.0.0.1:{server.port}", TOKEN_HEADER: server.token}
    if body is not None:
        given["Content-Type"] = "application/json"
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if body is not None and "Content-Length" not in given:
            given["Content-Length"] = str(len(data))
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data)
        response = connection.getresponse()
        text = response.read().decode()
        answer = Answer(json.loads(text) if response.headers.get_content_type() == "application/json" else {})
        answer.status, answer.text, answer.headers = response.status, text, dict(response.headers.items())
        return answer
    finally:
        connection.close()


def do(server: ExplorerServer, command: str, **given: Any) -> Answer:
    """The answer to a command, with the present serial unless another one is given."""
    return ask(server, "POST", f"/do/{command}", {"serial": server.session.serial, **given})
