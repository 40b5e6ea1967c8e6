"""`nox.lib.packet.tcp`."""

import struct
from typing import Any

from sdnloom.platforms.nox.octets import Octets, octets
from sdnloom.platforms.nox.packet.packet_base import packet_base
from sdnloom.platforms.nox.packet.transport import pseudo_checksum

__all__ = ["tcp", "tcp_opt"]


class tcp_opt:
    """An option: its type, and a number, a tuple of numbers, a byte string (an unknown option) or None."""

    EOL = 0
    NOP = 1
    MSS = 2
    WSOPT = 3
    SACKPERM = 4
    SACK = 5
    TSOPT = 8

    FORMS = ((MSS, "!H"), (WSOPT, "!B"), (SACKPERM, "!"), (TSOPT, "!II"))

    def __init__(self, type: int, val: Any) -> None:
        self.type, self.val = type, val

    def to_bytes(self) -> bytes:
        """Return the option as bytes."""
        if self.type in (self.EOL, self.NOP):
            return bytes((self.type,))
        form = dict(self.FORMS).get(self.type)
        if form is None:
            content: bytes = octets(self.val)
        else:
            values = () if self.val is None else self.val if isinstance(self.val, tuple) else (self.val,)
            content = struct.pack(form, *values)
        return bytes((self.type, 2 + len(content))) + content


class tcp(packet_base):
    """Ports, numbers, flags and options; the app must keep `csum`, `off` and `tcplen` right, as in NOX."""

    MIN_LEN = 20

    FIN = 0x01
    SYN = 0x02
    RST = 0x04
    PUSH = 0x08
    ACK = 0x10
    URG = 0x20
    ECN = 0x40
    CWR = 0x80

    def fill(self) -> None:
        """All zero. The data offset `off` is 0 too, as in NOX."""
        self.srcport = self.dstport = self.seq = self.ack = self.off = self.res = 0
        self.flags = self.win = self.csum = self.urg = 0
        self.tcplen = self.MIN_LEN
        self.options: list[tcp_opt] = []
        self.padding = Octets()

    def parse(self) -> None:
        """Read the header with its options; the rest is a byte string."""
        size = len(self.arr)
        if size < self.MIN_LEN:
            return
        self.srcport, self.dstport, self.seq, self.ack, offset, self.flags, self.win, self.csum, self.urg = (
            struct.unpack("!HHIIBBHHH", self.arr[: self.MIN_LEN])
        )
        self.off, self.res = offset >> 4, offset & 0x0F
        self.hdr_len, self.payload_len, self.tcplen = 4 * self.off, size - 4 * self.off, size
        if not self.MIN_LEN <= self.hdr_len <= size or not self._parse_options(self.arr[self.MIN_LEN : self.hdr_len]):
            return
        self.parsed = True
        self.next = self.following(None, self.hdr_len)

    def _parse_options(self, content: Any) -> bool:
        """Read the options; whether they are well formed."""
        forms, at = dict(tcp_opt.FORMS), 0
        while at < len(content) and content[at] != tcp_opt.EOL:
            kind = content[at]
            if kind == tcp_opt.NOP:
                self.options.append(tcp_opt(kind, None))
                at += 1
                continue
            length = content[at + 1] if at + 1 < len(content) else 0
            value = content[at + 2 : at + length]
            if length < 2 or at + length > len(content):
                return False
            if kind in forms:
                if len(value) != struct.calcsize(forms[kind]):
                    return False
                values = struct.unpack(forms[kind], value)
                self.options.append(tcp_opt(kind, values if len(values) > 1 else values[0] if values else None))
            else:
                self.options.append(tcp_opt(kind, value.tostring()))
            at += length
        self.padding = content[at:].tostring()
        return True

    def checksum(self) -> int:
        """Return the correct checksum."""
        return pseudo_checksum(self, 8)

    def hdr(self) -> bytes:
        """The header; its options are padded to the data offset."""
        fixed = (self.srcport, self.dstport, self.seq, self.ack, self.off << 4 | self.res, self.flags)
        head = struct.pack("!HHIIBBHHH", *fixed, self.win, self.csum, self.urg)
        options = b"".join(option.to_bytes() for option in self.options)
        same = self.MIN_LEN + len(options) + len(self.padding) == 4 * self.off
        return (head + options + (self.padding if same else b"")).ljust(4 * self.off, b"\0")

    def describe(self) -> str:
        """Ports, numbers and flags as text."""
        return f"{{{self.srcport}>{self.dstport}}} seq:{self.seq} ack:{self.ack} f:{self.flags:#x}"
