"""`nox.lib.packet.ethernet`."""

import struct
from types import MappingProxyType
from typing import Any, ClassVar

from sdnloom.platforms.nox.octets import Octets, octets
from sdnloom.platforms.nox.packet.arp import ETHER_ANY, arp
from sdnloom.platforms.nox.packet.ipv4 import ipv4
from sdnloom.platforms.nox.packet.lldp import lldp
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import ethtype_to_str, mac_to_str

__all__ = [
    "BRIDGE_GROUP_ADDRESS",
    "ETHER_ANY",
    "ETHER_BROADCAST",
    "LLDP_MULTICAST",
    "NDP_MULTICAST",
    "PAE_MULTICAST",
    "ethernet",
]

ETHER_BROADCAST = Octets(b"\xff\xff\xff\xff\xff\xff")
BRIDGE_GROUP_ADDRESS = Octets(b"\x01\x80\xc2\x00\x00\x00")
LLDP_MULTICAST = Octets(b"\x01\x80\xc2\x00\x00\x0e")
PAE_MULTICAST = Octets(b"\x01\x80\xc2\x00\x00\x03")
NDP_MULTICAST = Octets(b"\x01\x23\x20\x00\x00\x01")


class ethernet(packet_base):
    """An Ethernet header; `src` and `dst` are arrays in a parsed packet, and may be byte strings in a new one."""

    MIN_LEN = 14

    IP_TYPE = 0x0800
    ARP_TYPE = 0x0806
    RARP_TYPE = 0x8035
    VLAN_TYPE = 0x8100
    LLDP_TYPE = 0x88CC
    PAE_TYPE = 0x888E
    MPLS_UNICAST_TYPE = 0x8847
    MPLS_MULTICAST_TYPE = 0x8848
    IPV6_TYPE = 0x86DD
    PPP_TYPE = 0x880B
    LWAPP_TYPE = 0x88BB
    GSMP_TYPE = 0x880C
    IPX_TYPE = 0x8137
    WOL_TYPE = 0x0842
    TRILL_TYPE = 0x22F3
    JUMBO_TYPE = 0x8870
    SCSI_TYPE = 0x889A
    ATA_TYPE = 0x88A2
    QINQ_TYPE = 0x9100
    INVALID_TYPE = 0xFFFF

    type_parsers: ClassVar[Any] = MappingProxyType({})  # `vlan` adds to it

    def fill(self) -> None:
        """Addresses of zeros, and no type."""
        self.dst: Any = ETHER_ANY
        self.src: Any = ETHER_ANY
        self.type = 0

    def parse(self) -> None:
        """Read 14 bytes and a payload of the type."""
        if len(self.arr) < self.MIN_LEN:
            return
        self.dst, self.src = self.arr[:6], self.arr[6:12]
        (self.type,) = struct.unpack("!H", self.arr[12:14])
        self.parsed = True
        self.next = self.following(self.type_parsers.get(self.type), self.MIN_LEN)

    def hdr(self) -> bytes:
        """Destination, source and type."""
        return struct.pack("!6s6sH", octets(self.dst), octets(self.src), self.type)

    def describe(self) -> str:
        """Source, destination and type as text."""
        return f"[{mac_to_str(self.src)}>{mac_to_str(self.dst)}:{ethtype_to_str(self.type)}]"


ETHERNET_PARSERS = {ethernet.ARP_TYPE: arp, ethernet.RARP_TYPE: arp, ethernet.IP_TYPE: ipv4, ethernet.LLDP_TYPE: lldp}
