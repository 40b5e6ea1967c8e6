"""A switch's connection as an os-ken app sees it: os-ken's own Datapath over a wire that leads into the model.

What an app sends is serialised by os-ken and decoded by our codec from the bytes; what a switch sends is encoded by our
codec and parsed by os-ken. `Datapath` itself does the receiving, the events and the states of the connection.

A transaction id stays in a message only if somebody may look for it: in requests, because their answers carry it, and
in messages whose id the app has chosen itself. Ids start after the largest one that is still waited for, so they stay
small and are a function of the state.
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
from sdnloom.platforms.osken.capture import INCOMING, Settled

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
    """The socket of a connection: gives what a switch has sent, and nothing when there is no more."""

    def __init__(self) -> None:
        self.incoming = b""

    def recv(self, size: int) -> bytes:
        """Return what came, at most that much."""
        found, self.incoming = self.incoming[:size], self.incoming[size:]
        return found

    def setsockopt(self, *options: Any) -> None:
        """Nothing: there is no socket."""

    settimeout = shutdown = setsockopt

    def close(self) -> None:
        """Nothing: the receiver of a message closes it when there is no more, and is started again later."""


class Connection(CapturedAspect, Datapath):  # type: ignore[misc]  # os-ken has no types
    """One connection of a switch. Its state is who is connected, and what changed after the handshake."""

    is_active: bool
    aspects: ClassVar[Aspects] = (
        Aspect("connection", Form.MAP, lambda each: each._save(), lambda each, saved: each._load(saved)),
    )

    def __init__(self, switch: str, outbox: list[SentMessage]) -> None:
        super().__init__(Wire(), ("127.0.0.1", 0))
        self.send_q = self._send_q_sem = None  # what is sent goes into the outbox
        self.switch, self._outbox = switch, outbox
        self.waited: tuple[int, ...] = ()  # transaction ids whose answers have not come
        self.receiver: Any = None  # the thread that handles what came, while it does
        self.settle_ids()
        self._settled: Settled | None = None

    def settle(self) -> None:
        """The handshake is done: from now on only who is connected counts, and what differs from the present."""
        self._settled = Settled(self)

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
        """Go on after the largest id that is waited for."""
        self.xid = max(self.waited, default=0)

    def greet(self) -> None:
        """Send the first message."""
        self.send_msg(self.ofproto_parser.OFPHello(self))

    def send_msg(self, msg: Any, close_socket: bool = False) -> Any:
        """Send a message as os-ken does, noting who chose its transaction id."""
        chosen = msg.xid is not None
        sent = super().send_msg(msg, close_socket)
        if chosen and sent:
            self._outbox[-1] = replace(self._outbox[-1], chosen=True)
        return sent

    def send(self, buf: bytes, close_socket: bool = False) -> bool:
        """Hand bytes over to the network at once; a connection that is gone takes none."""
        if not self.is_active:
            return False
        self._outbox.append(SentMessage(self.switch, bytes(buf), False))
        if close_socket:
            self.is_active = False
        return True

    def receive(self) -> None:
        """Handle all that has come, in os-ken's own loop; it ends when there is no more."""
        try:
            self._recv_loop()
        finally:
            self.receiver = None

    def hang_up(self) -> None:
        """The connection is gone."""
        self.is_active = False
        self.waited = ()
        self.close()


class _Noting(Connection):
    """A connection that notes when it is looked at by anyone but us."""

    notes: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        if name not in _LOOKED_AT_BY_US:
            _Noting.notes.add(object.__getattribute__(self, "switch"))
        return object.__getattribute__(self, name)


@contextmanager
def noting(connections: Mapping[str, Connection], notes: set[str]) -> Iterator[None]:
    """Note the switches whose connections are looked at meanwhile."""
    _Noting.notes = notes
    for each in connections.values():
        each.__class__ = _Noting
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
    """Return the message that bytes are, with its transaction id only if that can matter."""
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
