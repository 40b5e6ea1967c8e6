"""Any switch on a socket of this machine as an agent: a black box of which nothing is known but OpenFlow.

What OpenFlow alone allows: a probe is a Packet Out whose action sends it through the flow table; of a frame that leaves
only the port is seen, by the switch's counters; time that passes is real time. What a switch does not allow is found
out when it is first connected: `unseen` and `cannot_run` say what is missing then.
"""

import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sdnloom.crosscheck.agent import Agent, AgentError, Observed, Wait
from sdnloom.crosscheck.agents.remote_agent import RemoteAgent, asks_for_report, framing
from sdnloom.crosscheck.output import FRAME
from sdnloom.crosscheck.switch_test import Case, PacketStep
from sdnloom.network.openflow import EchoReply, EchoRequest, Output, PacketOut
from sdnloom.network.openflow.codec import encode
from sdnloom.network.openflow.constants import V10, V13, Port, version_name
from sdnloom.switches import reset_messages as messages
from sdnloom.switches.controller import SETTLE_SECONDS, SwitchController, message_xid
from sdnloom.switches.endpoint import Endpoint, listen_endpoint, tcp_endpoint, unix_endpoint
from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError, SwitchSilentError
from sdnloom.switches.reset_messages import ERROR

_REMOVAL_SECONDS: Final = 0.05  # for reports of removed entries, which a switch may send much later
_SILENT_SECONDS: Final = 0.1  # for a switch that cannot be asked whether it is done
_PROBE_XID: Final = 0xFE0CF000
_ANYTHING: Final = -1  # in the place of a type: a message that may change anything
_MOST_FRAMES: Final = 64  # that one step is believed to send through a port
_REAL_PORTS: Final = 0xFF00  # numbers from here on are reserved in 1.0; no switch has so many ports
# Types of messages that change nothing: Hello to echo, and requests.
_HARMLESS: Final = {V10: frozenset((0, 1, 2, 3, 5, 7, 16, 18, 20)), V13: frozenset((0, 1, 2, 3, 5, 7, 18, 20, 22))}
_FRAME: Final = bytes((2, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, 9, 0x88, 0xB6)) + bytes(46)
FRAME_DATA: Final = f"{FRAME}.data"
# Counters that no message sets to 0.
UNSEEN_COUNTERS: Final = (
    *(f"PortStatsReply.ports.{way}_{what}" for way in ("rx", "tx") for what in ("packets", "bytes", "dropped")),
    "TableStatsReply.tables.lookup_count",
    "TableStatsReply.tables.matched_count",
    "QueueStatsReply.queues.tx_bytes",
    "QueueStatsReply.queues.tx_packets",
)


class SocketAgent(RemoteAgent):
    """A switch behind an endpoint. It is made when the switch listens, and finds out what the switch can show."""

    def __init__(self, endpoint: Endpoint, version: int) -> None:
        super().__init__(endpoint.text, version)
        self._controller = SwitchController(endpoint, version)
        self._touched: set[int] = set()  # types of messages since the switch was clean
        self._reports = False  # whether an entry may be there whose removal is reported
        self._sent_before: dict[int, int] = {}  # frames that had left each port
        self._clear_ports: list[bytes] = []
        self.unseen: tuple[str, ...] = (FRAME_DATA, *UNSEEN_COUNTERS)
        self._probes = True

    def close(self) -> None:
        """Close the connection. The switch goes on."""
        self._controller.close()

    def find_out(self) -> None:
        """Ask the switch for its ports, and try whether it counts frames and sends packets through its table."""
        self._restore()
        echo = encode(EchoRequest(b"sdnloom", xid=_PROBE_XID), self.version)
        if encode(EchoReply(b"sdnloom", xid=_PROBE_XID), self.version) not in self._exchange(echo):
            raise RealSwitchError(f"the switch does not speak OpenFlow {version_name(self.version)}")
        addresses = self._hardware_addresses()
        self._clear_ports = [messages.clear_port(self.version, number, addresses) for number in addresses]
        self._controller.counts = True
        self._touched.add(_ANYTHING)  # it may have been used before
        try:
            self.clean()
        except SwitchSilentError:  # it answers other questions: it just has no counters
            self._controller.counts, self._lost = False, True
            self._restore()
        self._touched.add(_ANYTHING)
        no_port = Port.ANY if self.version == V10 else Port.CONTROLLER
        self._exchange(self._packet_out(no_port, next(iter(addresses), 1)))
        if sum(1 for _ in self._frames()) != 1:
            self._controller.counts, self.unseen = False, (FRAME, *UNSEEN_COUNTERS)
        arrived = self._exchange(self._packet_out(1, Port.TABLE))
        self._probes = not any(message[1] == ERROR and message_xid(message) == _PROBE_XID for message in arrived)
        self.clean()

    def cannot_run(self, case: Case) -> str | None:
        """Return why a case cannot be run on this switch, or None."""
        if not self._probes and any(isinstance(step, PacketStep) for step in case.steps):
            return "the switch refuses a Packet Out to TABLE, so that it cannot be given a probe"
        if case.fresh and isinstance(case.steps[0], PacketStep):
            return "a switch on a socket cannot be given a probe before the Hello"
        return None

    # -- the contract of a remote agent -------------------------------------------------------------------------

    def connect(self) -> list[Observed]:
        """Make a fresh connection and wait for the Hello of the switch."""
        return list(self._controller.connect())

    def greet(self) -> None:
        """Complete a fresh connection with a plain Hello; leave what the switch sends then."""
        try:
            self._exchange(messages.plain_hello(self.version))
        except ConnectionClosedError:
            spoken = version_name(self.version)
            raise RealSwitchError(f"the switch closed the connection after a Hello of OpenFlow {spoken}") from None

    def clean(self) -> None:
        """Undo what messages since the last time may have changed, as far as messages can."""
        if self._touched - _HARMLESS[self.version]:
            version = self.version
            self._exchange(
                b"".join((
                    *messages.reset_connection(version),
                    messages.delete_flows(version),
                    messages.default_config(version),
                    *messages.delete_groups_and_meters(version),
                    *self._clear_ports,
                ))
            )  # fmt: skip
            self._sent_before = self._controller.sent
        self._touched.clear()
        self._reports = False

    def ask(self, data: bytes) -> Iterator[Observed]:
        """Send bytes and return what the switch did."""
        found = framing(data)
        self._touched |= set(found.types)
        if self._greeted and found.whole:
            yield from self._exchange(data)
            yield from self._frames()
            self._reports = self._reports or asks_for_report(data, self.version)
            return
        yield from self._controller.send_without_fence(data, _SILENT_SECONDS)
        if not found.whole:
            yield Wait()
        self._greeted = True  # otherwise the switch would have closed the connection

    def probe(self, port: int, frame: bytes) -> Iterator[Observed]:
        """Send a frame through the flow table as if it had arrived on a port; return what the switch did."""
        if not self._greeted:
            raise RealSwitchError("a probe before the Hello needs another way than OpenFlow")
        self._touched.add(_ANYTHING)
        yield from self._exchange(self._packet_out(port, Port.TABLE, frame))
        yield from self._frames()

    def wait(self, milliseconds: int) -> Iterator[Observed]:
        """Let real time pass and return what the switch did."""
        time.sleep(milliseconds / 1000)
        if self._greeted:
            yield from self._exchange(b"")
            yield from self._frames()
        else:
            yield from self._controller.send_without_fence(b"", _SILENT_SECONDS)

    def late_frames(self) -> Iterator[Observed]:
        """Nothing can be asked on a connection that is lost."""
        return iter(())

    def crash_reason(self) -> str | None:
        """Return that the switch accepts no connection any more; None if it does."""
        return self._controller.end_reason()

    # -- the switch ---------------------------------------------------------------------------------------------

    def _exchange(self, data: bytes) -> list[bytes]:
        return self._controller.exchange(data, _REMOVAL_SECONDS if self._reports else SETTLE_SECONDS)

    def _frames(self) -> Iterator[Observed]:
        """Yield a frame without its bytes for each that left a port, by the switch's counters."""
        if not self._controller.counts:
            return
        before, self._sent_before = self._sent_before, self._controller.sent
        for port, count in sorted(self._sent_before.items()):
            for _ in range(min(count - before.get(port, count), _MOST_FRAMES)):
                yield port, b""

    def _hardware_addresses(self) -> dict[int, bytes]:
        """Return the hardware address of each port that the switch tells of."""
        for message in self._exchange(messages.ports_request(self.version)):
            if message[1] != ERROR:
                try:
                    return {
                        number: address
                        for number, address in messages.hardware_addresses(self.version, message).items()
                        if number < _REAL_PORTS
                    }
                except struct.error:
                    continue
        return {}

    def _packet_out(self, in_port: int, port: int, frame: bytes = _FRAME) -> bytes:
        actions = (Output(port),)
        return encode(PacketOut(data=frame, in_port=in_port, actions=actions, xid=_PROBE_XID), self.version)


class SocketSource:
    """A switch on a socket, which runs already and goes on afterwards."""

    versions = frozenset((V10, V13))
    black_box = True

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.text
        self._endpoint = endpoint

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        """Connect to the switch, and leave it after the block."""
        agent = SocketAgent(self._endpoint, version)
        try:
            try:
                agent.find_out()
            except RealSwitchError as error:
                raise AgentError(f"agent {self.name}: {error}") from None
            yield agent
        finally:
            agent.close()
            self._endpoint.close()

    def symbolic(self, version: int) -> Callable[[], Agent]:
        """Refuse: nothing is known of its code."""
        raise AgentError(f"agent {self.name} cannot be explored: it is a black box, which can only be tried")


def unix_source(rest: str) -> SocketSource:
    """Return the source of `unix:PATH`."""
    return _source(unix_endpoint, rest)


def tcp_source(rest: str) -> SocketSource:
    """Return the source of `tcp:PORT` or `tcp:127.0.0.1:PORT`."""
    return _source(tcp_endpoint, rest)


def listen_source(rest: str) -> SocketSource:
    """Return the source of `listen:PORT`: the switch connects to its controller there."""
    return _source(listen_endpoint, rest)


def _source(endpoint: Callable[[str], Endpoint], rest: str) -> SocketSource:
    try:
        return SocketSource(endpoint(rest))
    except RealSwitchError as error:
        raise AgentError(f"agent {error}") from None
