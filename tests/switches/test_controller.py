"""The controller of a switch on a socket, against switches of a few lines that behave in unusual ways."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sdnloom.switches import controller as module
from sdnloom.switches.controller import SwitchController
from sdnloom.switches.endpoint import unix_endpoint
from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError, SwitchSilentError
from sdnloom.switches.reset_messages import header

ANSWERS = {2: 3, 18: 19}  # echo and barrier


def requests(connection: socket.socket) -> Iterator[tuple[int, int, bytes]]:
    data = b""
    while more := connection.recv(4096):
        data += more
        while len(data) >= 8:
            _, kind, length, xid = struct.unpack_from("!BBHI", data)
            yield kind, xid, data[8:length]
            data = data[length:]


@contextmanager
def switch(path: Path, serve: Callable[[socket.socket], None]) -> Iterator[SwitchController]:
    """Run a switch that serves one connection after the other in a thread, and yield its controller."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def run() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                serve(connection)

    thread = threading.Thread(target=run)
    thread.start()
    connected = SwitchController(unix_endpoint(str(path)), 1)
    try:
        yield connected
    finally:
        connected.close()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_echo_requests_of_the_switch_are_answered_and_not_given(tmp_path: Path) -> None:
    answered: list[tuple[int, bytes]] = []

    def serve(connection: socket.socket) -> None:
        connection.sendall(header(1, 0) + header(1, 2, b"alive?", xid=99))
        for kind, xid, body in requests(connection):
            if kind == 3:
                answered.append((xid, body))
            elif kind in ANSWERS:
                connection.sendall(header(1, 2, b"still?", xid=77) + header(1, ANSWERS[kind], body, xid))

    with switch(tmp_path / "s", serve) as controller:
        assert controller.connect() == [header(1, 0)]
        assert controller.exchange(header(1, 2, b"x", xid=5)) == [header(1, 3, b"x", xid=5)]
    assert answered[0] == (99, b"alive?")
    assert set(answered[1:]) == {(77, b"still?")}


def test_a_switch_that_waits_for_our_hello_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ANSWER_SECONDS", 0.05)

    def serve(connection: socket.socket) -> None:
        for kind, xid, body in requests(connection):
            connection.sendall(header(1, ANSWERS.get(kind, 0), body, xid))

    with switch(tmp_path / "s", serve) as controller:
        assert controller.connect() == []
        assert controller.exchange(header(1, 0, xid=1)) == [header(1, 0, xid=1)]


def test_a_switch_that_sends_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_SECONDS", 0.05)

    def serve(connection: socket.socket) -> None:
        while True:
            connection.sendall(header(1, 10, bytes(18)))

    with switch(tmp_path / "s", serve) as controller:
        assert header(1, 10, bytes(18)) in controller.connect()
        with pytest.raises(SwitchSilentError, match=r"^the switch sends without end and no answer for 0\.05 s$"):
            controller.exchange(b"")


def test_a_switch_without_barrier_is_asked_by_echo_alone(tmp_path: Path) -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(header(1, 0))
        for kind, xid, body in requests(connection):
            answer = header(1, 3, body, xid) if kind == 2 else header(1, 1, struct.pack("!HH", 1, 1), xid)
            connection.sendall(answer)

    with switch(tmp_path / "s", serve) as controller:
        controller.connect()
        assert controller.exchange(b"") == []


def test_a_switch_that_closes_each_connection_at_once_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[None] = []

    def serve(connection: socket.socket) -> None:
        served.append(None)
        if len(served) == 1:
            connection.sendall(header(1, 0))
            connection.recv(1)

    with switch(tmp_path / "s", serve) as controller:
        controller.connect()
        with pytest.raises(ConnectionClosedError):
            controller.exchange(b"")
        controller._endpoint.patience = 0.05
        assert controller.end_reason() == "the switch closes each connection at once"
        monkeypatch.setattr(module, "_CONNECT_SECONDS", 0.05)
        with pytest.raises(RealSwitchError, match=r"^the switch closes each connection at once$"):
            controller.connect()
