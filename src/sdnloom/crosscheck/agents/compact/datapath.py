"""The part of the compact switch that moves packets: ports, buffers, flow table, bridge.

What it does with packets and what it sends to the controller is appended to `seen`, in order.
"""

from sdnloom.crosscheck.agent import DATAPATH_ID, PORTS, Observed
from sdnloom.crosscheck.agents.compact.actions import ActionKinds10, CompactAction, fitting_value
from sdnloom.crosscheck.agents.compact.behaviours import Behaviours
from sdnloom.crosscheck.agents.compact.flow_table import CompactTable
from sdnloom.crosscheck.agents.compact.frame import CompactFrame
from sdnloom.crosscheck.agents.compact.wire import (
    UNBUFFERED,
    Kinds10,
    Ports10,
    number_at,
    octets_of,
    padded_text,
    wire_message,
)


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

    def described(self) -> bytes:
        """Return the description of the port."""
        name = padded_text(f"port{self.number}", 16)
        head = octets_of(self.number, 2) + octets_of(self.address(), 6) + name
        return head + octets_of(self.config, 4) + bytes(20)


_BRIDGE_GROUP = 0x0180C2000000 >> 4  # addresses that no bridge forwards
_MISS, _ACTION = 0, 1  # reasons of a Packet In


class Datapath:
    """Ports, buffers, flow entries and the bridge of one switch."""

    def __init__(self, behaviours: Behaviours) -> None:
        self.behaviours = behaviours
        self.datapath_id = DATAPATH_ID
        self.ports = [CompactPort(number) for number in range(1, PORTS + 1)]
        self.table = CompactTable()
        self.emergency = CompactTable()
        self.buffered: list[tuple[int, int, bytes]] = []  # id, ingress port and packet
        self.hosts: list[tuple[int, int, int]] = []  # VLAN, address and port, as the bridge has learned them
        self._sends_out = False  # a Packet Out is being carried out
        self._arrivals: list[tuple[int, int, int]] = []  # what the bridge learns when it is done
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
        entry = self.table.look_up(CompactFrame(data).key(in_port))
        if entry is None:
            self._miss(in_port, data)
            return
        self.hits += 1
        entry.count(len(data), self.now)
        self.apply(entry.actions, in_port, data)

    def _miss(self, in_port: int, data: bytes) -> None:
        port = self.port(in_port)
        if port is not None and port.config & PortBits10.NO_PACKET_IN:
            return
        wanted = self.miss_octets
        if not self.behaviours.sends_nothing_on_request and wanted == 0:
            wanted = 128
        if len(self.buffered) >= self.behaviours.buffers:
            self._packet_in(UNBUFFERED, in_port, _MISS, data, data)
            return
        taken = [number for number, _, _ in self.buffered]
        free = min(number for number in range(len(taken) + 1) if number not in taken)
        self.buffered.append((free, in_port, data))
        self._packet_in(free, in_port, _MISS, data, data if wanted >= len(data) else data[:wanted])

    def _packet_in(self, buffer_id: int, in_port: int, reason: int, data: bytes, shown: bytes) -> None:
        body = octets_of(buffer_id, 4) + octets_of(len(data), 2) + octets_of(in_port, 2) + bytes((reason, 0)) + shown
        self.seen.append(wire_message(Kinds10.PACKET_IN, 0, body))

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

    def apply(self, actions: list[CompactAction], in_port: int, data: bytes, packet_out: bool = False) -> None:
        """Apply actions to a packet, in their order. The faults are those of actions in a Packet Out."""
        for action in actions:
            if action.kind == ActionKinds10.OUTPUT:
                if packet_out and self.behaviours.crashes_on_packet_to_controller:
                    _fail_if(action.argument == Ports10.CONTROLLER, "a Packet Out has no flow to report")
                self.output(action.argument, in_port, data)
                continue
            if packet_out and self.behaviours.crashes_on_new_tag and action.kind == ActionKinds10.SET_VLAN:
                _fail_if(CompactFrame(data).tag is None, "no room for a tag before the packet of a Packet Out")
            data = _changed(action, data)

    def output(self, number: int, in_port: int, data: bytes) -> None:
        """Send a packet out of an ordinary or reserved port."""
        for port in self.ports:
            if number == port.number:
                if number != in_port:
                    self._emit(port, data)
                return
        if number == Ports10.CONTROLLER:
            self._packet_in(UNBUFFERED, in_port, _ACTION, data, data)
        elif number == Ports10.IN_PORT:
            origin = self.port(in_port)
            if origin is not None:
                self._emit(origin, data)
        elif number == Ports10.TABLE:
            self.through_table(in_port, data)  # only from a Packet Out: entries with it are refused
        elif number == Ports10.FLOOD:
            self._flood(in_port, data, PortBits10.NO_FLOOD)
        elif number == Ports10.ALL:
            self._flood(in_port, data, 0)
        elif self.behaviours.has_normal and number == Ports10.NORMAL:
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
        if not arrived and in_port not in (Ports10.NONE, Ports10.CONTROLLER):
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


def _changed(action: CompactAction, data: bytes) -> bytes:
    """Return a packet as an action that is no output leaves it."""
    frame, value = CompactFrame(data), fitting_value(action)
    kind = action.kind
    if kind == ActionKinds10.SET_VLAN:
        return frame.with_vlan(value)
    if kind == ActionKinds10.SET_PRIORITY:
        return frame.with_priority(value)
    if kind == ActionKinds10.STRIP_TAG:
        return frame.without_tag()
    if kind == ActionKinds10.SET_SERVICE:
        return frame.with_service(value)
    if kind in (ActionKinds10.SET_SOURCE, ActionKinds10.SET_TARGET):
        return frame.with_address(12 if kind == ActionKinds10.SET_SOURCE else 16, value)
    if kind in (ActionKinds10.SET_SOURCE_PORT, ActionKinds10.SET_TARGET_PORT):
        return frame.with_transport_port(0 if kind == ActionKinds10.SET_SOURCE_PORT else 2, value)
    if len(data) < 14:
        return data
    return frame.with_octets(6 if kind == ActionKinds10.SET_LINK_SOURCE else 0, octets_of(value, 6))
