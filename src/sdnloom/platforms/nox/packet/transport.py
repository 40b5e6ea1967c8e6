"""Checksum of the headers above IP."""

import struct
from typing import Any

from sdnloom.platforms.nox.octets import octets
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import checksum


def pseudo_checksum(segment: packet_base, place: int) -> int:
    """Return the checksum of a segment with the pseudo header of the IPv4 header before it; 0 if there is none.

    `place` is where, in words of the segment, its own checksum is.
    """
    network: Any = segment.prev
    if type(network).__name__ != "ipv4":
        return 0
    rest = segment.next.tostring() if isinstance(segment.next, packet_base) else octets(segment.next or b"")
    content = segment.hdr() + rest
    head = struct.pack("!IIBBH", network.srcip, network.dstip, 0, network.protocol, len(content))
    return checksum(head + content, 0, len(head) // 2 + place)
