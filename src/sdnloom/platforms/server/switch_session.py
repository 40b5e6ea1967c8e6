"""The controller's side of one OpenFlow connection: its handshake, and what the bytes of the switch mean.

It has no socket: bytes go in, bytes and inputs come out. Law: any bytes are accepted. A message that cannot be decoded
is answered with an error; after bytes that cannot be divided into messages, or of a version that the server does not
speak, the session is over. A program sees nothing of a switch before it has joined.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sdnloom.network.openflow import (
    DecodeError,
    EchoReply,
    EchoRequest,
    Error,
    FeaturesReply,
    FeaturesRequest,
    Framer,
    Hello,
    OpenFlowMessage,
    PortDesc,
    PortDescReply,
    PortDescRequest,
    decode,
    encode,
)
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.program import Input, MessageIn, SwitchDown, SwitchUp

MORE = 1  # the flag of a reply that further ones follow
_BITMAP = 1  # the element of a hello that has the versions as bits
_ERROR = 1  # the type number of an error


class SessionStep(NamedTuple):
    """What the bytes of a switch lead to: bytes to answer with, then inputs of the program, in order."""

    answers: bytes = b""
    inputs: tuple[Input, ...] = ()


class SwitchSession:
    """One connection, from its first byte to its last; `names` has the name of each switch by its datapath id.

    `over` says why the session has ended: "" while it goes on.
    """

    def __init__(self, version: int, names: Mapping[int, str]) -> None:
        self.version, self._names = version, names
        self.switch: str | None = None  # its name, from the moment it has joined
        self.over = ""
        self._framer = Framer()
        self._greeted = False
        self._features: FeaturesReply | None = None
        self._ports: tuple[PortDesc, ...] = ()

    def greeting(self) -> bytes:
        """The first bytes of the server."""
        bitmap = b"" if self.version == V10 else b"\0\1\0\x08" + (1 << self.version).to_bytes(4, "big")
        return encode(Hello(bitmap), self.version)

    def receive(self, data: bytes) -> Iterator[SessionStep]:
        """Take bytes of the switch, and yield a step for each whole message; each is to be done before the next."""
        self._framer, messages = self._framer.push(data)
        for message in messages:
            if self.over:
                return
            yield self._take(message) if self._greeted else self._greet(message)
        fault = self._framer.fault
        if fault is not None and not self.over:
            self.over = str(fault)
            yield SessionStep(encode(fault.reply(self._framer.buffer), self.version))

    def _take(self, data: bytes) -> SessionStep:
        try:
            message = decode(data, self.version)
        except DecodeError as error:
            # No error is answered with an error.
            return SessionStep(b"" if data[1] == _ERROR else encode(error.reply(data), self.version))
        if isinstance(message, EchoRequest):
            return SessionStep(encode(EchoReply(message.data, xid=message.xid), self.version))
        if self.switch is not None:
            return SessionStep(inputs=(MessageIn(self.switch, message),))
        return self._shake_hands(message)

    def leave(self) -> tuple[Input, ...]:
        """The input of a program when the connection has ended."""
        return () if self.switch is None else (SwitchDown(self.switch),)

    def _greet(self, data: bytes) -> SessionStep:
        """Take the first message of the switch: a hello of this version, or of a higher one that includes it."""
        try:
            message = decode(data)
        except DecodeError:
            message = None
        if not isinstance(message, Hello):
            self.over = "the first message is no hello"
            return SessionStep()
        if not _speaks(self.version, data[0], message.body):
            self.over = f"the switch offers version {data[0]}; expected {self.version}"
            failed = Error("hello_failed", "incompatible", self.over.encode(), xid=message.xid)
            return SessionStep(encode(failed, self.version))
        self._greeted = True
        return SessionStep(encode(FeaturesRequest(), self.version))

    def _shake_hands(self, message: OpenFlowMessage) -> SessionStep:
        """Ask for features and, in 1.3, for ports; then the switch joins. Other messages until then are dropped."""
        if isinstance(message, FeaturesReply) and self._features is None:
            if message.datapath_id not in self._names:
                known = ", ".join(f"{each:#x}" for each in self._names)
                self.over = f"datapath id {message.datapath_id:#x}; expected one of {known}"
                return SessionStep()
            self._features = message
            if self.version == V13:
                return SessionStep(encode(PortDescRequest(), self.version))
            return self._join(message, message.ports)
        if isinstance(message, PortDescReply) and self._features is not None:
            self._ports += message.ports
            if not message.flags & MORE:
                return self._join(self._features, self._ports)
        return SessionStep()

    def _join(self, features: FeaturesReply, ports: tuple[PortDesc, ...]) -> SessionStep:
        self.switch = self._names[features.datapath_id]
        return SessionStep(inputs=(SwitchUp(self.switch, features.datapath_id, ports, features),))


def _speaks(version: int, offered: int, body: bytes) -> bool:
    """Whether a hello allows a version: by its bitmap or, without one, by its highest version."""
    while len(body) >= 4:
        kind, size = int.from_bytes(body[:2], "big"), int.from_bytes(body[2:4], "big")
        if kind == _BITMAP and size >= 8:
            return bool(int.from_bytes(body[4:8], "big") >> version & 1)
        if size < 4:
            break
        body = body[(size + 7) // 8 * 8 :]
    return offered >= version
