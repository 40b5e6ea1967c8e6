"""`nox.lib.packet.icmp`: ICMP with echo and unreachable messages."""

import struct
from typing import ClassVar

from sdnloom.platforms.nox.octets import octets
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import checksum

__all__ = [
    "CODE_UNREACH_FRAG",
    "CODE_UNREACH_HOST",
    "CODE_UNREACH_NET",
    "CODE_UNREACH_PORT",
    "CODE_UNREACH_PROTO",
    "CODE_UNREACH_SRC_RTE",
    "TYPE_DEST_UNREACH",
    "TYPE_ECHO_REPLY",
    "TYPE_ECHO_REQUEST",
    "TYPE_REDIRECT",
    "TYPE_SRC_QUENCH",
    "TYPE_TIME_EXCEED",
    "echo",
    "icmp",
    "unreach",
]

TYPE_ECHO_REPLY = 0
TYPE_DEST_UNREACH = 3
TYPE_SRC_QUENCH = 4
TYPE_REDIRECT = 5
TYPE_ECHO_REQUEST = 8
TYPE_TIME_EXCEED = 11

CODE_UNREACH_NET = 0
CODE_UNREACH_HOST = 1
CODE_UNREACH_PROTO = 2
CODE_UNREACH_PORT = 3
CODE_UNREACH_FRAG = 4
CODE_UNREACH_SRC_RTE = 5


class echo(packet_base):
    """The rest of an echo request or reply. The identifier of a new one is 0; NOX draws it."""

    MIN_LEN = 4

    def fill(self) -> None:
        """Both numbers 0."""
        self.id = self.seq = 0

    def parse(self) -> None:
        """Read 4 bytes; the rest is a byte string."""
        if len(self.arr) >= self.MIN_LEN:
            self.id, self.seq = struct.unpack("!HH", self.arr[: self.MIN_LEN])
            self.parsed = True
            self.next = self.following(None, self.MIN_LEN)

    def hdr(self) -> bytes:
        """The 4 bytes."""
        return struct.pack("!HH", self.id, self.seq)

    def describe(self) -> str:
        """Both numbers as text."""
        return f"{{id:{self.id} seq:{self.seq}}}"


class unreach(packet_base):
    """The rest of an unreachable message: the MTU of the next hop, and the packet that was not delivered."""

    MIN_LEN = 4
    quoted: ClassVar[type[packet_base] | None] = None  # `ipv4`, which cannot be imported before this

    def fill(self) -> None:
        """MTU 0."""
        self.unused = self.next_mtu = 0

    def parse(self) -> None:
        """Read 4 bytes and the packet."""
        if len(self.arr) >= self.MIN_LEN:
            self.unused, self.next_mtu = struct.unpack("!HH", self.arr[: self.MIN_LEN])
            self.parsed = True
            self.next = self.following(self.quoted, self.MIN_LEN)

    def hdr(self) -> bytes:
        """The 4 bytes."""
        return struct.pack("!HH", self.unused, self.next_mtu)

    def describe(self) -> str:
        """The MTU as text."""
        return f"{{m:{self.next_mtu}}}"


class icmp(packet_base):
    """Type, code and checksum; the app must keep the last right, as in NOX."""

    MIN_LEN = 4

    def fill(self) -> None:
        """All zero."""
        self.type = self.code = self.csum = 0

    def parse(self) -> None:
        """Read 4 bytes and a payload of the type."""
        if len(self.arr) < self.MIN_LEN:
            return
        self.type, self.code, self.csum = struct.unpack("!BBH", self.arr[: self.MIN_LEN])
        self.parsed = True
        kinds = {TYPE_ECHO_REQUEST: echo, TYPE_ECHO_REPLY: echo, TYPE_DEST_UNREACH: unreach}
        self.next = self.following(kinds.get(self.type), self.MIN_LEN)

    def checksum(self) -> int:
        """Return the correct checksum."""
        rest = self.next.tostring() if isinstance(self.next, packet_base) else octets(self.next or b"")
        return checksum(self.hdr() + rest, 0, 1)

    def hdr(self) -> bytes:
        """The 4 bytes."""
        return struct.pack("!BBH", self.type, self.code, self.csum)

    def describe(self) -> str:
        """Type and code as text."""
        return f"{{t:{self.type} c:{self.code}}}"
