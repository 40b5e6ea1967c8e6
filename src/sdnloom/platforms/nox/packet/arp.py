"""`nox.lib.packet.arp`: ARP and reverse ARP for IPv4 over Ethernet."""

import struct
from typing import Any

from sdnloom.platforms.nox.octets import Octets, octets
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import ip_to_str, mac_to_str

__all__ = ["arp"]

ETHER_ANY = Octets(bytes(6))


class arp(packet_base):
    """IP addresses are numbers, Ethernet addresses arrays or byte strings; a new one has lengths of 0, as in NOX."""

    MIN_LEN = 28

    HW_TYPE_ETHERNET = 1
    PROTO_TYPE_IP = 0x0800

    REQUEST = 1
    REPLY = 2
    REV_REQUEST = 3
    REV_REPLY = 4

    def fill(self) -> None:
        """All fields zero."""
        self.hwtype = self.HW_TYPE_ETHERNET
        self.prototype = self.PROTO_TYPE_IP
        self.hwlen = self.protolen = self.opcode = 0
        self.hwsrc: Any = ETHER_ANY
        self.hwdst: Any = ETHER_ANY
        self.protosrc = self.protodst = 0

    def parse(self) -> None:
        """Read 28 bytes; what follows is padding."""
        if len(self.arr) < self.MIN_LEN:
            return
        self.hwtype, self.prototype, self.hwlen, self.protolen, self.opcode = struct.unpack("!HHBBH", self.arr[:8])
        self.hwsrc, self.hwdst = self.arr[8:14], self.arr[18:24]
        (self.protosrc,) = struct.unpack("!I", self.arr[14:18])
        (self.protodst,) = struct.unpack("!I", self.arr[24:28])
        self.parsed = True
        self.next = self.following(None, self.MIN_LEN)

    def hdr(self) -> bytes:
        """The 28 bytes."""
        return struct.pack(
            "!HHBBH6sI6sI",
            self.hwtype,
            self.prototype,
            self.hwlen,
            self.protolen,
            self.opcode,
            octets(self.hwsrc),
            self.protosrc,
            octets(self.hwdst),
            self.protodst,
        )

    def describe(self) -> str:
        """The operation and the addresses as text."""
        names = {1: "REQUEST", 2: "REPLY", 3: "REV_REQUEST", 4: "REV_REPLY"}
        hardware = f"[{mac_to_str(self.hwsrc)}>{mac_to_str(self.hwdst)}]"
        protocol = f"[{ip_to_str(self.protosrc)}>{ip_to_str(self.protodst)}]"
        return f"({names.get(self.opcode, self.opcode)}{hardware}:{protocol})"
