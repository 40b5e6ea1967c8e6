"""What the datapath needs of OpenFlow 1.3: port numbers, the key of a frame, and the messages that it sends unasked."""

from sdnloom.crosscheck.agents.compact.flow_table import Removal
from sdnloom.crosscheck.agents.compact.frame import CompactFrame
from sdnloom.crosscheck.agents.compact.openflow13.match import frame_key13
from sdnloom.crosscheck.agents.compact.openflow13.numbers import PORTS13, VERSION13
from sdnloom.crosscheck.agents.compact.wire import Kinds10, octets_of, wire_message


class Protocol13:
    """OpenFlow 1.3."""

    ports = PORTS13
    reports_misses = False

    def key(self, frame: CompactFrame, in_port: int) -> tuple[int, int]:
        """Return the fields of a match as one number, and the bits of the fields that the frame lacks."""
        return frame_key13(frame, in_port)

    def packet_in(self, buffer_id: int, in_port: int, reason: int, cookie: int, size: int, shown: bytes) -> bytes:
        """Return a Packet In about a packet of some size, of which these octets are shown. Its match has the port."""
        match = bytes((0, 1, 0, 12, 0x80, 0, 0, 4)) + octets_of(in_port, 4) + bytes(4)
        head = octets_of(buffer_id, 4) + octets_of(size, 2) + bytes((reason, 0)) + octets_of(cookie, 8)
        return wire_message(Kinds10.PACKET_IN, 0, head + match + bytes(2) + shown, VERSION13)

    def flow_removed(self, removal: Removal) -> bytes:
        """Return a Flow Removed."""
        entry, reason, age = removal
        body = octets_of(entry.cookie, 8) + octets_of(entry.priority, 2) + bytes((reason, 0))
        body += octets_of(age[0], 4) + octets_of(age[1], 4)
        body += octets_of(entry.idle_timeout, 2) + octets_of(entry.hard_timeout, 2)
        body += octets_of(entry.packets, 8) + octets_of(entry.octets, 8) + entry.match.wire
        return wire_message(Kinds10.FLOW_REMOVED, 0, body, VERSION13)
