"""The process of a server: what it accepts, what it refuses, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.network import Network, SwitchOptions
from sdnloom.network.openflow import (
    V10,
    EchoRequest,
    Error,
    FeaturesReply,
    FeaturesRequest,
    FlowMod,
    Hello,
    Match,
    Output,
    PacketIn,
)
from sdnloom.network.program import Call, ControllerCommand, MessageIn, SwitchUp, TimerInput
from sdnloom.network.topology import linear
from sdnloom.platforms.python.handlers import ProgramError
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.platforms.python.server import ServedPython
from sdnloom.platforms.server.report_lines import RaisedReport
from tests.platforms.server.served_process import FakeSwitch, ServedProcess

NETWORK = Network(linear(2), switches=SwitchOptions(version="1.0"))
S1 = SwitchUp("s1", 1, (), FeaturesReply(1))
S2 = SwitchUp("s2", 2, (), FeaturesReply(2))


class Awkward:
    """Tells each input to s1, and sends what it is told to send."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def switch_join(self, net: Any, switch: str, features: Any) -> None:
        self.note(net, f"join {switch}")

    def switch_leave(self, net: Any, switch: str) -> None:
        self.note(net, f"leave {switch}")

    def note(self, net: Any, text: str) -> None:
        self.seen.append(text)
        net.send("s1", EchoRequest(", ".join(self.seen).encode()))

    def packet_in(self, net: Any, switch: str, message: Any) -> None:
        raise KeyError(message.in_port)

    def external(self, net: Any, name: str, *arguments: Any) -> None:
        strange: dict[str, Any] = {
            "nobody": lambda: net.send("s9", EchoRequest(b"lost")),
            "no_message": lambda: net.send("s1", 5),
            "of_1_3": lambda: net.send("s1", FlowMod(Match.of(eth_type=5), table_id=3)),
            "large": lambda: [net.send("s1", EchoRequest(bytes(60_000), xid=each)) for each in range(200)],
            "read": input,
            "end": lambda: os._exit(3),
            "text_port": lambda: net.install("s1", Match.of(in_port=1), Output("two")),  # type: ignore[arg-type]
        }
        strange[name]()
        net.send("s1", EchoRequest(b"after"))


def test_a_server_survives_what_switches_and_programs_do() -> None:
    with ServedProcess(PythonProgram(Awkward).controller_command(NETWORK)) as process:
        assert process.give(S1) == ({"s1": [EchoRequest(b"join s1")]}, [])
        assert process.give(S2)[0] == {"s1": [EchoRequest(b"join s1, join s2")]}

        for garbage in (b"", b"GET / HTTP/1.0\r\n\r\n", b"\1\0\0\0\0\0\0\0", b"\1\0\0\x08\0\0\0\0" + b"\xff" * 100):
            with socket.create_connection(("127.0.0.1", process.port), timeout=20) as stranger:
                stranger.sendall(garbage)
                stranger.shutdown(socket.SHUT_WR)
                while stranger.recv(1000):
                    pass
        unknown = FakeSwitch(process.port, V10)
        unknown.send(Hello())
        unknown.send(FeaturesReply(77))
        assert [unknown.next(), unknown.next(), unknown.next()] == [Hello(), FeaturesRequest(), None]
        unknown.socket.close()

        # A second connection of a switch ends the first one.
        before = process.switches["s2"]
        sent, raised = process.give(S2)
        assert (sent, raised) == (
            {"s1": [EchoRequest(b"join s1, join s2, leave s2"), EchoRequest(b"join s1, join s2, leave s2, join s2")]},
            [],
        )
        assert before.next() is None
        before.socket.close()

        process.switches["s2"].socket.sendall(b"\1\x0a\0\x0c\0\0\0\5abcd")
        refused = process.switches["s2"].next()
        assert isinstance(refused, Error)
        assert refused.xid == 5

        ok = {"s1": [EchoRequest(b"after")]}
        assert process.give(Call("nobody")) == (ok, [])
        for name, text in (
            ("no_message", "5 does not exist in OpenFlow version 1"),
            ("of_1_3", "FlowMod.table_id = 3: this version has no place for it, expected 0"),
            (
                "text_port",
                "output.port of Output(port='two'): expected another type "
                "('<=' not supported between instances of 'int' and 'str')",
            ),
        ):
            sent, (report,) = process.give(Call(name))
            assert sent == ok
            assert report["text"] == f"a message to s1 cannot be sent: {text}"
            assert (report["file"], report["line"], report["lines"]) == ("", 0, [])
        sent, (report,) = process.give(MessageIn("s1", PacketIn(Match.of(in_port=4))))
        assert (sent, report["text"], report["file"]) == ({}, "KeyError: 4", __file__)
        assert report["lines"] == [[__file__, report["line"]]]

        sent, (report,) = process.give(Call("read"))  # its standard input is empty
        assert (sent, report["text"]) == ({}, "EOFError: EOF when reading a line")

        sent, raised = process.give(Call("large"))
        assert [each.xid for each in sent["s1"]] == [*range(200), 0]
        assert raised == []

        process.tell({"call": "end", "arguments": []})
        assert process.process.wait(timeout=20) == 3


def run(command: ControllerCommand, *lines: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", command.module],
        input="".join(f"{each}\n" for each in lines),
        capture_output=True,
        text=True,
        env={**os.environ, **command.environment},
        timeout=20,
    )


def test_what_cannot_be_served_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("class One:\n    def __init__(self, a):\n        1 / a\n    def packet_in(self, *given): pass\n")
    command = PythonProgram(Awkward).controller_command(NETWORK)
    document = {**command.document, "file": str(file), "class": "One", "arguments": {"a": 0}}
    for lines, expected in [
        (["[]"], "standard input has b'[]'; expected a JSON object on one line"),
        ([json.dumps(document)], f"{file}, line 3: One({{'a': 0}}) raised ZeroDivisionError: division by zero"),
    ]:
        ended = run(command, *lines)
        assert (ended.returncode, ended.stderr, ended.stdout) == (2, f"{expected}\n", "")


def test_a_server_ends_with_its_standard_input() -> None:
    command = PythonProgram(Awkward).controller_command(NETWORK)
    ended = run(command, json.dumps(command.document))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["listening"] > 0


class Endless:
    """Ignores the signal that asks it to end, and never returns."""

    def timer(self, net: Any, name: str) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            pass


def test_a_server_ends_with_its_standard_input_though_a_handler_never_returns() -> None:
    with ServedProcess(PythonProgram(Endless).controller_command(NETWORK)) as process:
        process.tell({"timer": "t"})
        assert process.process.stdin is not None
        process.process.stdin.close()
        assert process.process.wait(timeout=20) == 1


def test_a_class_that_another_process_cannot_make_is_refused() -> None:
    class Inner:
        def packet_in(self) -> None: ...

    with pytest.raises(ProgramError, match="Inner cannot run in a process of its own; expected a class at the top"):
        PythonProgram(Inner).controller_command(NETWORK)
    for arguments in ({"a": (1, 2)}, {"a": {1: 2}}, {"a": b"bytes"}, {"a": {3}}):
        with pytest.raises(ProgramError, match="expected arguments of texts, numbers"):
            PythonProgram(Awkward, arguments).controller_command(NETWORK)


def test_a_class_of_a_package_keeps_its_relative_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "served_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "base.py").write_text("class Base:\n    def packet_in(self, net, switch, message):\n        1 / 0\n")
    (package / "app.py").write_text("from .base import Base\n\nclass App(Base):\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    served = ServedPython(package / "app.py", "App", {}, "served_package.app")
    (raised,) = served.handle(MessageIn("s1", PacketIn(Match.of(in_port=1)))).raised
    assert raised == RaisedReport(
        "ZeroDivisionError: division by zero", str(package / "base.py"), 3, [(str(package / "base.py"), 3)]
    )
    # A module of that name that is another file does not count.
    (tmp_path / "app.py").write_text("class App:\n    def timer(self, net, name):\n        net.send('s1', name)\n")
    other = ServedPython(tmp_path / "app.py", "App", {}, "served_package.app")
    assert other.handle(TimerInput("t")).messages == [("s1", "t")]


def test_a_file_that_starts_its_own_server_when_it_is_loaded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDNLOOM_REPORT", "5")
    with pytest.raises(SdnloomError, match="starts a controller of its own when it is loaded"):
        PythonProgram(Awkward).controller_command(NETWORK)
