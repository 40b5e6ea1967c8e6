"""Connection of a switch as an os-ken app sees it: os-ken's own Datapath over a socket that leads into the model.

A message of an app is serialised by os-ken and decoded from the bytes by sdnloom's codec; a message of a switch is
encoded by the codec and parsed by os-ken. `Datapath` itself receives, raises events and tracks the connection's state.

A transaction id stays in a message only if it can matter: in requests, because their answers carry it, and in messages
whose id the app has chosen itself. Ids start after the largest one whose answer is outstanding, so they stay small and
are a function of the state.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from os_ken.base.app_manager import Datapath  # its own module cannot be imported first

from sdnloom.network.openflow import (
    BarrierRequest,
    DecodeError,
    EchoRequest,
    Experimenter,
    FeaturesRequest,
    GetAsyncRequest,
    GetConfigRequest,
    OpaqueMessage,
    OpenFlowMessage,
    QueueGetConfigRequest,
    RoleRequest,
    StatsRequest,
    decode,
    encode,
)
from sdnloom.platforms.capture.save_restore import Aspect, Aspects, CapturedAspect, Form
from sdnloom.platforms.osken.capture import INCOMING, SettledConnection
from sdnloom.platforms.sandbox.stable_hash import hash_by_class

REQUESTS = (
    BarrierRequest,
    EchoRequest,
    Experimenter,
    FeaturesRequest,
    GetAsyncRequest,
    GetConfigRequest,
    QueueGetConfigRequest,
    RoleRequest,
    StatsRequest,
)
_HEADER = 8
_LOOKED_AT_BY_US = ("receiver", "waited", "settle_ids")  # of all connections, whichever a message came from


@dataclass(frozen=True, slots=True)
class SentMessage:
    """Bytes that the app sent to a switch, and whether it chose their transaction id itself."""

    switch: str
    data: bytes
    chosen: bool


class Wire:
    """The socket of a connection: returns the bytes of the switch, and nothing when there are no more."""

    def __init__(self) -> None:
        self.incoming = b""

    def recv(self, size: int) -> bytes:
        """Return received bytes, at most that many."""
        found, self.incoming = self.incoming[:size], self.incoming[size:]
        return found

    def setsockopt(self, *options: Any) -> None:
        """Does nothing: there is no real socket."""

    settimeout = shutdown = setsockopt

    def close(self) -> None:
        """Does nothing: the receiver closes it when there are no more bytes, and is started again later."""


class Connection(CapturedAspect, Datapath):  # type: ignore[misc]  # os-ken has no types
    """One connection of a switch. Its state is the identity of the switch and all changes after the handshake."""

    is_active: bool
    __hash__ = hash_by_class  # apps keep connections in sets
    aspects: ClassVar[Aspects] = (
        Aspect("connection", Form.MAP, lambda each: each._save(), lambda each, saved: each._load(saved)),
    )

    def __init__(self, switch: str, outbox: list[SentMessage]) -> None:
        super().__init__(Wire(), ("127.0.0.1", 0))
        self.send_q = self._send_q_sem = None  # sent messages go into the outbox
        self.switch, self._outbox = switch, outbox
        self.waited: tuple[int, ...] = ()  # transaction ids whose answers are outstanding
        self.receiver: Any = None  # the thread that handles received messages, while it runs
        self.unnoticed = False  # it has ended, and the apps do not know it yet
        self.settle_ids()
        self._settled: SettledConnection | None = None

    def settle(self) -> None:
        """End the handshake: from now on the state is the identity of the switch and the differences from now."""
        self._settled = SettledConnection(self)

    def _save(self) -> dict[str, Any]:
        if self._settled is not None:
            return self._settled.save(self)
        return {**self.__dict__, INCOMING: self.socket.incoming}

    def _load(self, saved: dict[str, Any]) -> None:
        if self._settled is not None:
            self._settled.load(self, saved)
        else:
            self.__dict__.clear()
            self.__dict__.update(saved)
            self.socket.incoming = self.__dict__.pop(INCOMING)

    def settle_ids(self) -> None:
        """Continue after the largest transaction id whose answer is outstanding."""
        self.xid = max(self.waited, default=0)

    def greet(self) -> None:
        """Send the first message."""
        self.send_msg(self.ofproto_parser.OFPHello(self))

    def send_msg(self, msg: Any, close_socket: bool = False) -> Any:
        """Send a message as os-ken does, and record whether the app chose its transaction id."""
        chosen = msg.xid is not None
        sent = super().send_msg(msg, close_socket)
        if chosen and sent:
            self._outbox[-1] = replace(self._outbox[-1], chosen=True)
        return sent

    def send(self, buf: bytes, close_socket: bool = False) -> bool:
        """Send bytes at once; a closed connection drops them."""
        if self.unnoticed:
            self.hang_up()
            return True
        if not self.is_active:
            return False
        self._outbox.append(SentMessage(self.switch, bytes(buf), False))
        if close_socket:
            self.is_active = False
        return True

    def receive(self) -> None:
        """Handle all received bytes in os-ken's own loop, which ends when there are no more."""
        try:
            self._recv_loop()
        finally:
            self.receiver = None

    def hang_up(self) -> None:
        """Close the connection."""
        self.is_active = self.unnoticed = False
        self.waited = ()
        self.close()

    def end(self, native: bool) -> None:
        """End the connection from outside.

        On the native hub, where threads cannot be killed, os-ken then waits for the thread that sends, which waits for
        something to send: so apps are told when they send something the next time.
        """
        if native and not self.unnoticed:
            self.unnoticed, self.waited = True, ()
        else:
            self.hang_up()


class _RecordingConnection(Connection):
    """A connection that records when the program reads it."""

    notes: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        if name not in _LOOKED_AT_BY_US:
            _RecordingConnection.notes.add(object.__getattribute__(self, "switch"))
        return object.__getattribute__(self, name)


@contextmanager
def recording(connections: Mapping[str, Connection], notes: set[str]) -> Iterator[None]:
    """Context that records the switches whose connections are read."""
    _RecordingConnection.notes = notes
    for each in connections.values():
        each.__class__ = _RecordingConnection
    try:
        yield
    finally:
        for each in connections.values():
            each.__class__ = Connection


@lru_cache(maxsize=65536)
def encoded(message: OpenFlowMessage, version: int) -> bytes:
    """Return the bytes of a message."""
    return encode(message, version)


def decoded(sent: SentMessage, version: int) -> OpenFlowMessage:
    """Return the message of these bytes, with its transaction id only if that can matter."""
    message = _decoded(sent.data[:4] + bytes(4) + sent.data[_HEADER:], version)
    if sent.chosen or isinstance(message, REQUESTS):
        return replace(message, xid=int.from_bytes(sent.data[4:_HEADER], "big"))
    return message


@lru_cache(maxsize=65536)
def _decoded(data: bytes, version: int) -> OpenFlowMessage:
    try:
        return decode(data, version)
    except DecodeError:
        return OpaqueMessage(data[1], data[_HEADER:])  # a message that no switch understands, as it was sent
