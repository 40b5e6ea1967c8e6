"""`nox.lib.packet.udp`."""

import struct

from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.transport import pseudo_checksum

__all__ = ["udp"]


class udp(packet_base):
    """Ports, length and checksum; the app must keep the last two right, as in NOX."""

    MIN_LEN = 8

    def fill(self) -> None:
        """Ports 0 and no payload."""
        self.srcport = self.dstport = self.csum = 0
        self.len = self.MIN_LEN

    def parse(self) -> None:
        """Read 8 bytes; the rest is a byte string."""
        if len(self.arr) < self.MIN_LEN:
            return
        self.srcport, self.dstport, self.len, self.csum = struct.unpack("!HHHH", self.arr[: self.MIN_LEN])
        self.hdr_len, self.payload_len = self.MIN_LEN, self.len - self.MIN_LEN
        self.parsed = True
        self.next = self.following(None, self.MIN_LEN)

    def checksum(self) -> int:
        """Return the correct checksum."""
        return pseudo_checksum(self, 3) or 0xFFFF

    def hdr(self) -> bytes:
        """The 8 bytes."""
        return struct.pack("!HHHH", self.srcport, self.dstport, self.len, self.csum)

    def describe(self) -> str:
        """The ports as text."""
        return f"{{{self.srcport}>{self.dstport}}} l:{self.len} c:{self.csum}"
