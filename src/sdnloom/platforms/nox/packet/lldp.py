"""`nox.lib.packet.lldp`: LLDP messages, as discovery applications use them."""

import struct
from typing import Any

from sdnloom.platforms.nox.octets import Octets, array, octet_array, octets
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.packet_utils import array_to_octstr

__all__ = ["chassis_id", "end_tlv", "lldp", "port_id", "ttl", "unknown_tlv"]


class tlv:
    """Base of the elements: a type, and a content of `strlen` bytes."""

    type = -1

    def __init__(self, arr: Any = None) -> None:
        self.parsed = False
        self.strlen = 0
        self.arr = arr
        if arr is not None:
            self.parsed = self.read(self.arr[2:])

    def read(self, content: array) -> bool:
        """Read the content; return whether it is well formed."""
        self.strlen = len(content)
        return True

    def content(self) -> bytes:
        """Return the content as bytes."""
        return b""

    def tostring(self) -> Octets:
        """Return the element as bytes."""
        content = self.content()
        return Octets(struct.pack("!H", self.type << 9 | len(content)) + content)

    pack = tostring

    def __str__(self) -> str:
        return f"<tlv {self.type}: {array_to_octstr(bytes(self.content()))}>"


class identifier(tlv):
    """Base of elements with a subtype and an identifier, which is an array in a parsed packet."""

    def __init__(self, arr: Any = None) -> None:
        self.subtype = 0
        self.id: Any = octet_array()
        super().__init__(arr)

    def fill(self, subtype: int, content: Any) -> None:
        """Set both."""
        self.subtype, self.id, self.strlen = subtype, content, 1 + len(content)

    def read(self, content: array) -> bool:
        """One byte and the rest."""
        if len(content) < 2:
            return False
        self.fill(content[0], content[1:])
        return True

    def content(self) -> bytes:
        """The same as bytes."""
        return bytes((self.subtype,)) + octets(self.id)


class chassis_id(identifier):
    """The sender."""

    type = 1

    SUB_CHASSIS = 1
    SUB_IF_ALIAS = 2
    SUB_PORT = 3
    SUB_MAC = 4
    SUB_NETWORK = 5
    SUB_IF_NAME = 6
    SUB_LOCAL = 7


class port_id(identifier):
    """The port of the sender."""

    type = 2

    SUB_IF_ALIAS = 1
    SUB_PORT = 2
    SUB_MAC = 3
    SUB_NETWORK = 4
    SUB_IF_NAME = 5
    SUB_CIRC_ID = 6
    SUB_LOCAL = 7


class ttl(tlv):
    """The seconds for which the message is valid."""

    type = 3

    def __init__(self, arr: Any = None) -> None:
        self.ttl = 0
        super().__init__(arr)
        self.strlen = 2

    def fill(self, ttl: int) -> None:
        """Set it."""
        self.ttl = ttl

    def read(self, content: array) -> bool:
        """Two bytes."""
        if len(content) != 2:
            return False
        (self.ttl,) = struct.unpack("!H", content)
        return True

    def content(self) -> bytes:
        """The same as bytes."""
        return struct.pack("!H", self.ttl)


class end_tlv(tlv):
    """The end of the list."""

    type = 0

    def read(self, content: array) -> bool:
        """Nothing."""
        return len(content) == 0


class unknown_tlv(tlv):
    """Any other element; `next` is its content."""

    def __init__(self, arr: Any = None) -> None:
        self.next = Octets()
        super().__init__(arr)

    def read(self, content: array) -> bool:
        """All of it."""
        self.type = self.arr[0] >> 1
        self.next = content.tostring()
        return super().read(content)

    def content(self) -> bytes:
        """The same as bytes."""
        return octets(self.next)


class lldp(packet_base):
    """A list of elements: sender, port, validity, any others, and the end."""

    MIN_LEN = 4 + 4 + 4 + 2

    END_TLV = 0
    CHASSIS_ID_TLV = 1
    PORT_ID_TLV = 2
    TTL_TLV = 3
    PORT_DESC_TLV = 4
    SYSTEM_NAME_TLV = 5
    SYSTEM_DESC_TLV = 6
    SYSTEM_CAP_TLV = 7
    MANAGEMENT_ADDR_TLV = 8

    KINDS = (end_tlv, chassis_id, port_id, ttl)

    def fill(self) -> None:
        """No element."""
        self.tlvs: list[Any] = []

    def parse(self) -> None:
        """Read the elements up to the end; the first three must be those of every message."""
        at = 0
        while at + 2 <= len(self.arr):
            size = 2 + ((self.arr[at] & 1) << 8 | self.arr[at + 1])
            kind = self.arr[at] >> 1
            found = (self.KINDS[kind] if kind < len(self.KINDS) else unknown_tlv)(self.arr[at : at + size])
            if at + size > len(self.arr) or not found.parsed:
                return
            self.tlvs.append(found)
            at += size
            if kind == self.END_TLV:
                self.parsed = [each.type for each in self.tlvs[:3]] == [1, 2, 3]
                self.next = self.following(None, at)
                return

    def add_tlv(self, tlv: Any) -> None:
        """Append an element."""
        self.tlvs.append(tlv)

    def hdr(self) -> bytes:
        """The elements as bytes."""
        return b"".join(each.tostring() for each in self.tlvs)

    def describe(self) -> str:
        """The elements as text."""
        return f"[LLDP {''.join(map(str, self.tlvs))}]"
