"""The part of the compact switch that moves packets: ports, buffers, flow table, bridge.

What it does with packets and what it sends to the controller is appended to `seen`, in order.
"""

from typing import Protocol

from sdnloom.crosscheck.agent import DATAPATH_ID, PORTS, Observed
from sdnloom.crosscheck.agents.compact.actions import ActionKinds, CompactAction
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.flow_table import CompactEntry, CompactTable, Removal
from sdnloom.crosscheck.agents.compact.frame import CompactFrame
from sdnloom.crosscheck.agents.compact.frame_change import changed_frame
from sdnloom.crosscheck.agents.compact.wire import UNBUFFERED, PortNumbers, number_at


class AgentFault(Exception):  # noqa: N818 - it stands for the end of the program
    """The fault that ends an agent with a crash."""


class PortBits10:
    """Bits of the configuration of a port."""

    DOWN, NO_RECEIVE, NO_FLOOD, NO_FORWARD, NO_PACKET_IN = 1, 4, 16, 32, 64
    KNOWN = 0x7F


class CompactPort:
    """A port: its number and its configuration, and counters of packets and octets in and out."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.config = 0
        self.counters = [0, 0, 0, 0]  # packets in and out, octets in and out

    def address(self) -> int:
        """Return the port's MAC address."""
        return 0x020000000000 | self.number


class WireProtocol(Protocol):
    """What the datapath needs of a version of OpenFlow."""

    ports: PortNumbers
    reports_misses: bool  # a packet that matches no entry goes to the controller

    def key(self, frame: CompactFrame, in_port: int) -> tuple[int, int]:
        """Return the fields of a match as one number, and the bits of the fields that the frame lacks."""
        ...

    def packet_in(self, buffer_id: int, in_port: int, reason: int, cookie: int, size: int, shown: bytes) -> bytes:
        """Return a Packet In about a packet of some size, of which these octets are shown."""
        ...

    def flow_removed(self, removal: Removal) -> bytes:
        """Return a Flow Removed."""
        ...


_BRIDGE_GROUP = 0x0180C2000000 >> 4  # addresses that no bridge forwards
_MISS, _ACTION = 0, 1  # reasons of a Packet In
_ADD_TAGS = (ActionKinds.SET_VLAN, ActionKinds.PUSH_TAG)  # actions that may add a tag
_NO_COOKIE = 0xFFFFFFFFFFFFFFFF  # of a packet that no entry sent


class Datapath:
    """Ports, buffers, flow entries and the bridge of one switch."""

    def __init__(self, behaviours: Behaviours, protocol: WireProtocol) -> None:
        self.behaviours = behaviours
        self.protocol = protocol
        self.datapath_id = DATAPATH_ID
        self.ports = [CompactPort(number) for number in range(1, PORTS + 1)]
        self.table = CompactTable(protocol.ports)
        self.emergency = CompactTable(protocol.ports)
        self.buffered: list[tuple[int, int, bytes]] = []  # id, ingress port and packet
        self.hosts: list[tuple[int, int, int]] = []  # VLAN, address and port, as the bridge has learned them
        self._sends_out = False  # a Packet Out is being carried out
        self._arrivals: list[tuple[int, int, int]] = []  # what the bridge learns when it is done
        self._reason, self._cookie = _ACTION, _NO_COOKIE  # of packets that are sent to the controller now
        self.flags = 0
        self.miss_octets = 128
        self.lookups = self.hits = 0
        self.now = 0
        self.seen: list[Observed] = []

    def receive(self, number: int, data: bytes) -> None:
        """Process a frame that arrives on a port."""
        port = self.port(number)
        if port is None or port.config & (PortBits10.DOWN | PortBits10.NO_RECEIVE):
            return
        port.counters[0] += 1
        port.counters[2] += len(data)
        frame = CompactFrame(data)
        if frame.is_fragment and self.flags & 3 == 1:
            return
        self.through_table(number, data)

    def through_table(self, in_port: int, data: bytes) -> None:
        """Apply the entry that matches a packet, or send the packet to the controller."""
        self.lookups += 1
        entry = self.table.look_up(self.protocol.key(CompactFrame(data), in_port))
        if entry is None:
            if self.protocol.reports_misses:
                self._miss(in_port, data)
            return
        self.hits += 1
        entry.count(len(data), self.now)
        self.execute(entry, in_port, data)

    def execute(self, entry: CompactEntry, in_port: int, data: bytes) -> None:
        """Apply the actions of an entry, then those of its action set."""
        before = self._reason, self._cookie
        self._reason, self._cookie = _MISS if entry.is_table_miss() else _ACTION, entry.cookie
        left = self.apply(entry.actions, in_port, data)
        self._reason = _ACTION
        if left is not None:
            self.apply(entry.last_actions, in_port, left)
        self._reason, self._cookie = before

    def _miss(self, in_port: int, data: bytes) -> None:
        port = self.port(in_port)
        if port is not None and port.config & PortBits10.NO_PACKET_IN:
            return
        wanted = self.miss_octets
        if not self.behaviours.sends_nothing_on_request and wanted == 0:
            wanted = 128
        if len(self.buffered) >= self.behaviours.buffers:
            self._packet_in(UNBUFFERED, in_port, _MISS, data)
            return
        taken = [number for number, _, _ in self.buffered]
        free = min(number for number in range(len(taken) + 1) if number not in taken)
        self.buffered.append((free, in_port, data))
        shown = data if wanted >= len(data) else data[:wanted]
        self.seen.append(self.protocol.packet_in(free, in_port, _MISS, _NO_COOKIE, len(data), shown))

    def _packet_in(self, buffer_id: int, in_port: int, reason: int, data: bytes) -> None:
        self.seen.append(self.protocol.packet_in(buffer_id, in_port, reason, self._cookie, len(data), data))

    def take_buffered(self, buffer_id: int) -> tuple[int, bytes] | None:
        """Remove a packet from the buffers; return its ingress port and the packet, or None if there is none."""
        for place, (number, in_port, data) in enumerate(self.buffered):
            if number == buffer_id:
                del self.buffered[place]
                return in_port, data
        return None

    def send_out(self, actions: list[CompactAction], in_port: int, data: bytes) -> None:
        """Apply the actions of a Packet Out."""
        self._sends_out = True
        self.apply(actions, in_port, data, packet_out=True)
        self._sends_out = False
        for host in self._arrivals:
            self._learn(host)
        self._arrivals = []

    def apply(self, actions: list[CompactAction], in_port: int, data: bytes, packet_out: bool = False) -> bytes | None:
        """Apply actions to a packet, in their order; return what is left of it, or None if its time to live is over.

        The faults are those of actions in a Packet Out.
        """
        for action in actions:
            if action.kind == ActionKinds.OUTPUT:
                if packet_out and self.behaviours.crashes_on_packet_to_controller:
                    to_controller = action.argument == self.protocol.ports.controller
                    _fail_if(to_controller, "a Packet Out has no flow to report")
                self.output(action.argument, in_port, data)
                continue
            if packet_out and self.behaviours.crashes_on_new_tag and action.kind in _ADD_TAGS:
                fails = action.kind == ActionKinds.PUSH_TAG or CompactFrame(data).tag is None
                _fail_if(fails, "no room for a tag before the packet of a Packet Out")
            changed = changed_frame(action, data)
            if changed is None:  # not reported, as no controller has asked for it
                return None
            data = changed
        return data

    def output(self, number: int, in_port: int, data: bytes) -> None:
        """Send a packet out of an ordinary or reserved port."""
        for port in self.ports:
            if number == port.number:
                if number != in_port:
                    self._emit(port, data)
                return
        ports = self.protocol.ports
        if number == ports.controller:
            self._packet_in(UNBUFFERED, in_port, self._reason, data)
        elif number == ports.in_port:
            origin = self.port(in_port)
            if origin is not None:
                self._emit(origin, data)
        elif number == ports.table:
            self.through_table(in_port, data)  # only from a Packet Out: entries with it are refused
        elif number == ports.flood:
            self._flood(in_port, data, PortBits10.NO_FLOOD)
        elif number == ports.all:
            self._flood(in_port, data, 0)
        elif self.behaviours.has_normal and number == ports.normal:
            self._bridge(in_port, data)

    def _flood(self, in_port: int, data: bytes, kept_out: int) -> None:
        for port in self.ports:
            if port.number != in_port and not port.config & kept_out:
                self._emit(port, data)

    def _bridge(self, in_port: int, data: bytes) -> None:
        """Forward as a bridge does that learns addresses for each VLAN, from a Packet Out only after its actions."""
        frame = CompactFrame(data)
        if len(data) < 14 or number_at(data, 0, 6) >> 4 == _BRIDGE_GROUP:
            return
        arrived = self.port(in_port) is not None
        if not arrived and in_port not in (self.protocol.ports.none, self.protocol.ports.controller):
            return
        vlan = 0 if frame.tag is None else number_at(data, frame.tag, 2) & 0xFFF
        target, source = number_at(data, 0, 6), number_at(data, 6, 6)
        if arrived and not data[6] & 1:
            if self._sends_out:
                self._arrivals.append((vlan, source, in_port))
            else:
                self._learn((vlan, source, in_port))
        if not data[0] & 1:
            for known_vlan, address, number in self.hosts:
                if known_vlan == vlan and address == target:
                    self.output(number, in_port, data)
                    return
        self._flood(in_port, data, PortBits10.NO_FLOOD)

    def _learn(self, host: tuple[int, int, int]) -> None:
        self.hosts = [known for known in self.hosts if known[:2] != host[:2]]
        self.hosts.append(host)

    def _emit(self, port: CompactPort, data: bytes) -> None:
        if port.config & (PortBits10.DOWN | PortBits10.NO_FORWARD):
            return
        port.counters[1] += 1
        port.counters[3] += len(data)
        self.seen.append((port.number, data))

    def port(self, number: int) -> CompactPort | None:
        """Return the port of a number, or None."""
        for port in self.ports:
            if port.number == number:
                return port
        return None


def _fail_if(fault: bool, reason: str) -> None:
    if fault:
        raise AgentFault(reason)
