"""`nox.lib.packet.ipv4`."""

import struct
from types import MappingProxyType
from typing import Any, ClassVar

from sdnloom.platforms.nox.octets import Octets
from sdnloom.platforms.nox.packet import icmp as icmp_module
from sdnloom.platforms.nox.packet.icmp import icmp
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import checksum, ip_to_str, ipproto_to_str
from sdnloom.platforms.nox.packet.tcp import tcp
from sdnloom.platforms.nox.packet.udp import udp

__all__ = ["ipv4"]


class ipv4(packet_base):
    """Addresses are numbers. `hdr` computes the checksum; the app must keep `iplen` and `hl` right, as in NOX."""

    MIN_LEN = 20

    IPv4 = 4
    ICMP_PROTOCOL = 1
    TCP_PROTOCOL = 6
    UDP_PROTOCOL = 17

    DF_FLAG = 0x02
    MF_FLAG = 0x01

    parsers: ClassVar[Any] = MappingProxyType({ICMP_PROTOCOL: icmp, TCP_PROTOCOL: tcp, UDP_PROTOCOL: udp})

    def fill(self) -> None:
        """A header of 20 bytes without payload. Its identification is 0; NOX uses the time."""
        self.v, self.hl, self.tos, self.iplen = 4, 5, 0, self.MIN_LEN
        self.id = self.flags = self.frag = 0
        self.ttl, self.protocol, self.csum = 64, 0, 0
        self.srcip = self.dstip = 0
        self.options = Octets()

    def parse(self) -> None:
        """Read the header and, unless this is a fragment, a payload of the protocol."""
        size = len(self.arr)
        if size < self.MIN_LEN:
            return
        first, self.tos, self.iplen, self.id, part, self.ttl, self.protocol, self.csum, self.srcip, self.dstip = (
            struct.unpack("!BBHHHBBHII", self.arr[: self.MIN_LEN])
        )
        self.v, self.hl = first >> 4, first & 0x0F
        self.flags, self.frag = part >> 13, part & 0x1FFF
        length = 4 * self.hl
        if self.v != self.IPv4 or not self.MIN_LEN <= length <= min(size, self.iplen):
            return
        self.options = self.arr[self.MIN_LEN : length].tostring()
        self.parsed = True
        whole = not self.frag and not self.flags & self.MF_FLAG
        self.next = self.following(self.parsers.get(self.protocol) if whole else None, length)

    def checksum(self) -> int:
        """Return the checksum of the header."""
        return checksum(self._bytes(0), 0)

    def hdr(self) -> bytes:
        """The header with its checksum."""
        self.csum = self.checksum()
        return self._bytes(self.csum)

    def _bytes(self, csum: int) -> bytes:
        head = (self.v << 4 | self.hl, self.tos, self.iplen, self.id, self.flags << 13 | self.frag, self.ttl)
        return struct.pack("!BBHHHBBHII", *head, self.protocol, csum, self.srcip, self.dstip) + self.options

    def describe(self) -> str:
        """Protocol and addresses as text."""
        head = f"[v:{self.v}hl:{self.hl}l:{self.iplen}t:{self.ttl}]{ipproto_to_str(self.protocol)}"
        return f"({head} cs:{self.csum:x}[{ip_to_str(self.srcip)}>{ip_to_str(self.dstip)}])"


icmp_module.unreach.quoted = ipv4
