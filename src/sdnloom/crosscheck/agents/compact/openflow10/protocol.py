"""What the datapath needs of OpenFlow 1.0: port numbers, the key of a frame, and the messages that it sends unasked.

The key of a frame has the layout of a match on the wire (36 octets after the wildcards), as one number.
"""

from sdnloom.crosscheck.agents.compact.flow_table import Removal
from sdnloom.crosscheck.agents.compact.frame import ARP_TYPE, ICMP_PROTOCOL, NO_TAG, CompactFrame
from sdnloom.crosscheck.agents.compact.wire import Kinds10, PortNumbers, number_at, octets_of, wire_message

PORTS10 = PortNumbers(16)


class Protocol10:
    """OpenFlow 1.0."""

    ports = PORTS10
    reports_misses = True

    def key(self, frame: CompactFrame, in_port: int) -> tuple[int, int]:
        """Return the fields of a match as one number, and the bits of the fields that the frame lacks."""
        fields, lacks = octets_of(in_port, 2), bytes(2)
        for part, missing in (_link_fields(frame), _network_fields(frame), _transport_fields(frame)):
            fields, lacks = fields + part, lacks + missing
        return number_at(fields, 0, 36), number_at(lacks, 0, 36)

    def packet_in(self, buffer_id: int, in_port: int, reason: int, cookie: int, size: int, shown: bytes) -> bytes:
        """Return a Packet In about a packet of some size, of which these octets are shown."""
        body = octets_of(buffer_id, 4) + octets_of(size, 2) + octets_of(in_port, 2) + bytes((reason, 0)) + shown
        return wire_message(Kinds10.PACKET_IN, 0, body)

    def flow_removed(self, removal: Removal) -> bytes:
        """Return a Flow Removed."""
        entry, reason, age = removal
        body = entry.match.wire + octets_of(entry.cookie, 8) + octets_of(entry.priority, 2) + bytes((reason, 0))
        body += octets_of(age[0], 4) + octets_of(age[1], 4) + octets_of(entry.idle_timeout, 2) + bytes(2)
        return wire_message(Kinds10.FLOW_REMOVED, 0, body + octets_of(entry.packets, 8) + octets_of(entry.octets, 8))


def _link_fields(frame: CompactFrame) -> tuple[bytes, bytes]:
    data = frame.data
    if len(data) < 14:
        return bytes(18), b"\xff" * 18
    vlan, priority = NO_TAG, 0
    if frame.tag is not None:
        vlan, priority = number_at(data, frame.tag, 2) & 0xFFF, data[frame.tag] >> 5
    tag = octets_of(vlan, 2) + bytes((priority, 0))
    return data[6:12] + data[:6] + tag + octets_of(frame.type, 2), bytes(18)


def _network_fields(frame: CompactFrame) -> tuple[bytes, bytes]:
    data, at = frame.data, frame.network
    if at is None:
        return bytes(12), b"\xff" * 12
    if frame.type == ARP_TYPE:
        return bytes((0, frame.protocol, 0, 0)) + data[at + 14 : at + 18] + data[at + 24 : at + 28], bytes(12)
    return bytes((data[at + 1] & 0xFC, frame.protocol, 0, 0)) + data[at + 12 : at + 20], bytes(12)


def _transport_fields(frame: CompactFrame) -> tuple[bytes, bytes]:
    data, at = frame.data, frame.transport
    if at is None:  # a fragment has ports 0; a datagram that is cut off has none
        return bytes(4), bytes(4) if frame.is_fragment else b"\xff" * 4
    if frame.protocol == ICMP_PROTOCOL:
        return bytes((0, data[at], 0, data[at + 1])), bytes(4)
    return data[at : at + 4], bytes(4)
