"""`nox.lib.packet.vlan`: an 802.1Q tag."""

import struct
from types import MappingProxyType

from sdnloom.platforms.nox.packet.ethernet import ETHERNET_PARSERS, ethernet
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import ethtype_to_str

__all__ = ["vlan"]


class vlan(packet_base):
    """Priority (`pcp`), drop eligibility (`cfi`), number (`id`), and the type of the payload (`eth_type`)."""

    MIN_LEN = 4

    def fill(self) -> None:
        """Number and priority 0."""
        self.pcp = self.cfi = self.id = self.eth_type = 0

    def parse(self) -> None:
        """Read 4 bytes and a payload of the type."""
        if len(self.arr) < self.MIN_LEN:
            return
        tag, self.eth_type = struct.unpack("!HH", self.arr[:4])
        self.pcp, self.cfi, self.id = tag >> 13, tag >> 12 & 1, tag & 0xFFF
        self.parsed = True
        self.next = self.following(ethernet.type_parsers.get(self.eth_type), self.MIN_LEN)

    def hdr(self) -> bytes:
        """The tag without its own type, which is the field before it."""
        return struct.pack("!HH", self.pcp << 13 | self.cfi << 12 | self.id, self.eth_type)

    def describe(self) -> str:
        """Number and type as text."""
        return f"(vlanid={self.id})[{ethtype_to_str(self.eth_type)}]"


# Read only: an app that changed it would change the other apps of this process too.
ethernet.type_parsers = MappingProxyType({**ETHERNET_PARSERS, ethernet.VLAN_TYPE: vlan})
