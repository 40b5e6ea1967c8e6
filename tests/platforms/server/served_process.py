"""A controller's process and fake switches that are connected to it: what it does about one input at a time."""

import json
import os
import select
import socket
import subprocess
import sys
from types import TracebackType
from typing import Any

from sdnloom.network.openflow import (
    VERSION_NUMBERS,
    EchoReply,
    EchoRequest,
    FeaturesRequest,
    Framer,
    Hello,
    OpenFlowMessage,
    PortDescReply,
    PortDescRequest,
    decode,
    encode,
)
from sdnloom.network.program import Call, ControllerCommand, Input, MessageIn, SwitchDown, SwitchUp, TimerInput

FENCE = 0x5E4CE  # the transaction id of echo requests of the tests


class FakeSwitch:
    """The switch's end of a connection."""

    def __init__(self, port: int, version: int) -> None:
        self.version = version
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._framer, self._messages = Framer(), list[bytes]()

    def send(self, message: OpenFlowMessage) -> None:
        self.socket.sendall(encode(message, self.version))

    def next(self) -> OpenFlowMessage | None:
        """The next message; None if the controller closed the connection."""
        while not self._messages:
            data = self.socket.recv(1 << 16)
            if not data:
                return None
            self._framer, found = self._framer.push(data)
            self._messages += found
        return decode(self._messages.pop(0), self.version)

    def fence(self) -> list[OpenFlowMessage]:
        """What the controller sent until it answers an echo request; None at the end if it closed the connection."""
        self.send(EchoRequest(b"fence", xid=FENCE))
        found: list[OpenFlowMessage] = []
        while (message := self.next()) != EchoReply(b"fence", xid=FENCE):
            assert message is not None, "closed"
            found.append(message)
        return found


class ServedProcess:
    """The process of a command; `switches` are those that are connected."""

    def __init__(self, command: ControllerCommand) -> None:
        self.version = VERSION_NUMBERS[command.document["version"]]
        reading, writing = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", command.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **command.environment, "SDNLOOM_REPORT": str(writing)},
            pass_fds=[writing],
        )
        os.close(writing)
        self._reading, self._reported = reading, b""
        self.tell(command.document)
        (first,) = self.reports()
        self.port = first["listening"]
        self.switches: dict[str, FakeSwitch] = {}
        self._probe = FakeSwitch(self.port, self.version)  # a connection of a switch that never joins
        self._probe.send(Hello())
        assert isinstance(self._probe.next(), Hello)
        assert self._probe.next() == FeaturesRequest()

    def tell(self, line: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def reports(self, wait: bool = True) -> list[dict[str, Any]]:
        """The whole lines of the reports, after a wait for the first."""
        while (wait and b"\n" not in self._reported) or select.select([self._reading], [], [], 0)[0]:
            assert select.select([self._reading], [], [], 20)[0], "no report"
            data = os.read(self._reading, 1 << 16)
            self._reported += data
            if not data:
                assert not wait, self.ended()
                break
        *lines, self._reported = self._reported.split(b"\n")
        return [json.loads(line) for line in lines]

    def ended(self) -> str:
        """The end of the process: what it wrote to standard error."""
        return self.process.communicate(timeout=20)[1].decode()

    def give(self, given: Input) -> tuple[dict[str, list[OpenFlowMessage]], list[dict[str, Any]]]:
        """Give it an input; the messages that it sent, by switch, and the exceptions that it reported."""
        reports = []
        match given:
            case SwitchUp():
                self.connect(given)
            case SwitchDown():
                self.switches.pop(given.switch).socket.close()
            case MessageIn():
                self.switches[given.switch].send(given.message)
            case TimerInput():
                self.tell({"timer": given.name})
            case Call():
                self.tell({"call": given.name, "arguments": given.arguments})
        if isinstance(given, TimerInput | Call):
            while {"done": True} not in reports:
                reports += self.reports()
            reports.remove({"done": True})
        sent: dict[str, list[OpenFlowMessage]] = {name: [] for name in self.switches}
        for _ in range(2):  # the input may be read in the same round as the first echo request, and after it
            self._probe.fence()
            for name, switch in self.switches.items():
                sent[name] += switch.fence()
        raised = [each["raised"] for each in reports + self.reports(wait=False)]
        return {name: found for name, found in sent.items() if found}, raised

    def connect(self, given: SwitchUp) -> FakeSwitch:
        switch = self.switches[given.switch] = FakeSwitch(self.port, self.version)
        assert isinstance(switch.next(), Hello)
        switch.send(Hello())
        assert switch.next() == FeaturesRequest()
        assert given.features is not None
        switch.send(given.features)
        if self.version == VERSION_NUMBERS["1.3"]:
            assert switch.next() == PortDescRequest()
            half = len(given.ports) // 2
            switch.send(PortDescReply(given.ports[:half], flags=1))
            switch.send(PortDescReply(given.ports[half:]))
        return switch

    def __enter__(self) -> "ServedProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for switch in (self._probe, *self.switches.values()):
            switch.socket.close()
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self._reading)
            for stream in (self.process.stdout, self.process.stderr):
                assert stream is not None
                stream.close()
