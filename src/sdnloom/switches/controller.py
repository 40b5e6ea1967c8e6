"""The controller of a switch on a socket: sends bytes, and knows when the switch has dealt with them.

Laws: what arrives is given in order and once; echo requests of the switch are answered and not given, because a switch
sends them when it likes; no call waits for ever, whatever the switch sends.
"""

import time
from collections.abc import Sequence
from typing import Final

from sdnloom.network.openflow import BarrierRequest, EchoRequest, OpenFlowMessage, PortStatsReply, PortStatsRequest
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.openflow.constants import V10, Port
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.endpoint import Endpoint
from sdnloom.switches.errors import ConnectionClosedError, ConnectionLostError, RealSwitchError, SwitchSilentError
from sdnloom.switches.reset_messages import ECHO_REPLY, ECHO_REQUEST, header

_CONNECT_SECONDS: Final = 10.0
_ANSWER_SECONDS: Final = 2.0  # a switch that does not answer a fence so long waits for more bytes
_MOST_SECONDS: Final = 10.0  # for one call, of a switch that sends without end
_PAUSE_SECONDS: Final = 0.01
SETTLE_SECONDS: Final = 0.003  # for messages that a switch sends a little later than its answers
_FENCE_XID: Final = 0xFE0CE000


class SwitchController:
    """One connection at a time to one switch. With `counts`, `sent` has the frames that left each port so far."""

    def __init__(self, endpoint: Endpoint, version: int) -> None:
        self._endpoint, self._version = endpoint, version
        self._connection: MessageConnection | None = None
        self._spare: tuple[MessageConnection, list[bytes]] | None = None  # made to see whether the switch runs
        self._fences = 0
        self.counts = False
        self.sent: dict[int, int] = {}

    def close(self) -> None:
        """Close the connection. The switch goes on."""
        for connection in (self._connection, self._spare and self._spare[0]):
            if connection is not None:
                connection.close()

    def connect(self) -> list[bytes]:
        """Make a fresh connection in place of the one there is; return what the switch sends by itself: its Hello."""
        if self._connection is not None:
            self._connection.close()
        self._connection, hello = self._spare or self._fresh_connection(_CONNECT_SECONDS)
        self._spare = None
        return hello + self.late(SETTLE_SECONDS)

    def end_reason(self) -> str | None:
        """Return that the switch, which closed its connection, accepts no other one; None if it does."""
        try:
            self._spare = self._fresh_connection(self._endpoint.patience)
        except RealSwitchError as error:
            return str(error)
        return None

    def exchange(self, data: bytes, settle: float = SETTLE_SECONDS) -> list[bytes]:
        """Return what the switch sends for some bytes, until it has answered a barrier, an echo and what it counts."""
        self._fences = (self._fences + 4) % 0x1000
        barrier, echo, counters = (_FENCE_XID + self._fences + number for number in range(3))
        fence: list[OpenFlowMessage] = [BarrierRequest(xid=barrier), EchoRequest(xid=echo)]
        if self.counts:
            fence.append(PortStatsRequest(Port.ANY, xid=counters))
            self.sent = {}
        self._open.send(b"".join((data, *(encode(each, self._version) for each in fence))))
        waiting = {each.xid for each in fence}
        arrived: list[bytes] = []
        deadline = time.monotonic() + _MOST_SECONDS
        while waiting:
            message = self._next(arrived, deadline)
            xid = message_xid(message)
            if xid not in waiting:
                arrived.append(message)
            elif xid != counters or self._count(message):  # the reply, or an error of a switch that has no barrier
                waiting.remove(xid)
        return arrived + self.late(settle)

    def send_without_fence(self, data: bytes, settle: float) -> list[bytes]:
        """Send bytes where no other message may follow; return what arrives until the switch is silent.

        Raises ConnectionClosedError with these messages if the switch closes the connection.
        """
        self._open.send(data)
        arrived = self.late(settle)
        if self._open.ended:
            raise ConnectionClosedError("the switch closed the OpenFlow connection", arrived)
        return arrived

    def late(self, seconds: float) -> list[bytes]:
        """Return what arrives until nothing has arrived for some time."""
        arrived: list[bytes] = []
        deadline = time.monotonic() + _MOST_SECONDS
        while not self._open.ended and time.monotonic() < deadline:
            try:
                message = self._open.next(seconds)
            except ConnectionLostError:
                break
            if not self._answered(message):
                arrived.append(message)
        return arrived

    # -- one message ---------------------------------------------------------------------------------------------------

    @property
    def _open(self) -> MessageConnection:
        assert self._connection is not None
        return self._connection

    def _fresh_connection(self, seconds: float) -> tuple[MessageConnection, list[bytes]]:
        """Return a connection and the Hello on it; none from a switch that waits for ours.

        A switch that is about to end may still accept connections: one that is closed at once does not count.
        """
        deadline = time.monotonic() + seconds
        while True:
            connection = self._endpoint.connect(max(0.0, deadline - time.monotonic()))
            try:
                return connection, [connection.next(_ANSWER_SECONDS)]
            except SwitchSilentError:
                return connection, []
            except ConnectionClosedError:
                connection.close()
                if time.monotonic() >= deadline:
                    raise RealSwitchError("the switch closes each connection at once") from None
                time.sleep(_PAUSE_SECONDS)
            except BaseException:
                connection.close()
                raise

    def _next(self, arrived: Sequence[bytes], deadline: float) -> bytes:
        """Return the next message that is no echo request; a connection that is lost takes along what arrived."""
        while time.monotonic() < deadline:
            try:
                message = self._open.next(_ANSWER_SECONDS)
            except ConnectionLostError as error:
                raise type(error)(str(error), arrived) from None
            if not self._answered(message):
                return message
        raise SwitchSilentError(f"the switch sends without end and no answer for {_MOST_SECONDS:g} s", arrived)

    def _answered(self, message: bytes) -> bool:
        """Answer an echo request of the switch; return whether the message was one."""
        if message[1:2] != bytes((ECHO_REQUEST,)):
            return False
        self._open.send(header(message[0], ECHO_REPLY, message[8:], message_xid(message)))
        return True

    def _count(self, message: bytes) -> bool:
        """Note how many frames have left each port; return whether the reply ends here."""
        try:
            reply = decode(message, self._version)
        except DecodeError:
            return True
        if not isinstance(reply, PortStatsReply):
            return True
        mask = 0xFFFF if self._version == V10 else 0xFFFFFFFF
        self.sent |= {int(each.port_no) & mask: each.tx_packets for each in reply.ports}
        return not reply.flags & 1  # otherwise more of the reply follows


def message_xid(message: bytes) -> int:
    """Return the number by which a message names its request."""
    return int.from_bytes(message[4:8], "big")
