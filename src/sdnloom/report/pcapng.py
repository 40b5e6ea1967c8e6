"""Captures that Wireshark reads: pcapng blocks, and TCP connections made for messages that had none.

The same packets give the same bytes. Times are microseconds.
"""

import struct
from typing import Final, NamedTuple

from sdnloom.network.packet import Ethernet, IPv4, Tcp, encode, stack
from sdnloom.network.packet.headers import TcpFlag

OPENFLOW_PORT: Final = 6653
INBOUND, OUTBOUND = 1, 2
_FIRST_SWITCH: Final = 0xC6120000  # 198.18.0.0/15: RFC 2544, for tests of devices
_FIRST_PORT: Final = 20_000
_SEGMENT: Final = 1460  # octets of a stream in one packet
_MOST_TEXT: Final = 1000  # characters of a comment
_MOST_FRAME: Final = 262_144  # octets of a packet that readers accept
_ETHERNET: Final = 1  # the link type
_COMMENT, _NAME, _FLAGS = 1, 2, 2  # numbers of options; the last two belong to different blocks


class _CapturedPacket(NamedTuple):
    interface: int
    time: int
    data: bytes
    direction: int
    comment: str


class Capture:
    """Packets on named interfaces, in the order in which they are added."""

    def __init__(self, comment: str = "") -> None:
        self._comment = comment
        self._interfaces: dict[str, int] = {}
        self._packets: list[_CapturedPacket] = []
        self._now = 0

    def interface(self, name: str) -> int:
        """The number of an interface, which is described in the file from now on."""
        return self._interfaces.setdefault(name, len(self._interfaces))

    def at(self, time: int) -> None:
        """Let packets that follow be no earlier than that time; each is a microsecond after the one before."""
        self._now = max(self._now, time)

    def add(self, interface: int, data: bytes, direction: int = 0, comment: str = "") -> None:
        """Add a packet."""
        self._now += 1
        self._packets.append(_CapturedPacket(interface, self._now, data[:_MOST_FRAME], direction, comment))

    def remark(self, comment: str) -> None:
        """Give the last packet a comment."""
        self._packets[-1] = self._packets[-1]._replace(comment=comment)

    def contents(self) -> bytes:
        """Blocks: a section header, a description of each interface, then the packets."""
        header = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
        blocks = [_block(0x0A0D0D0A, header + _options((_COMMENT, _octets(self._comment))))]
        described = struct.pack("<HHI", _ETHERNET, 0, 0)
        blocks += [_block(1, described + _options((_NAME, _octets(name)))) for name in self._interfaces]
        for one in self._packets:
            size = len(one.data)
            head = struct.pack("<IIIII", one.interface, one.time >> 32, one.time & 0xFFFFFFFF, size, size)
            flags = struct.pack("<I", one.direction) if one.direction else b""
            options = _options((_COMMENT, _octets(one.comment)), (_FLAGS, flags))
            blocks.append(_block(6, head + _padded(one.data) + options))
        return b"".join(blocks)


class TcpSide(NamedTuple):
    """One end of a connection."""

    mac: int
    address: int
    port: int


CONTROLLER_SIDE: Final = TcpSide(0x02FFFFFFFFFF, 0xC0000201, OPENFLOW_PORT)  # 192.0.2.1: RFC 5737, for documentation


def switch_side(number: int) -> TcpSide:
    """The end of a connection that belongs to a switch; `number` counts the switches of a capture from 1."""
    return TcpSide(0x020000000000 + number, _FIRST_SWITCH + number, _FIRST_PORT + number % 40_000)


class CapturedConnection:
    """A TCP connection on an interface of a capture: sequence numbers, acknowledgements and checksums are right.

    The first side opens it; directions are as that side sees them.
    """

    def __init__(self, capture: Capture, interface: int, first: TcpSide, second: TcpSide) -> None:
        self._capture, self._interface = capture, interface
        self._sides = (first, second)
        self._sent = [1000, 2000]
        self._open = True
        self._segment(0, TcpFlag.SYN)
        self._segment(1, TcpFlag.SYN | TcpFlag.ACK)
        self._segment(0, TcpFlag.ACK)

    def send(self, by: int, data: bytes, comment: str = "") -> None:
        """Let a side (0 or 1) send octets, unless the connection is closed."""
        for at in range(0, len(data) if self._open else 0, _SEGMENT):
            flags = TcpFlag.ACK | (TcpFlag.PSH if at + _SEGMENT >= len(data) else TcpFlag(0))
            self._segment(by, flags, data[at : at + _SEGMENT], "" if at else comment)

    def end(self, by: int, flag: TcpFlag, comment: str) -> None:
        """Close the connection with FIN or RST."""
        if self._open:
            self._segment(by, flag | TcpFlag.ACK, comment=comment)
            self._open = False

    def _segment(self, by: int, flags: TcpFlag, data: bytes = b"", comment: str = "") -> None:
        own, other = self._sides[by], self._sides[1 - by]
        acknowledged = self._sent[1 - by] if flags & TcpFlag.ACK else 0
        packet = stack(
            Ethernet(dst=other.mac, src=own.mac),
            IPv4(src=own.address, dst=other.address),
            Tcp(own.port, other.port, seq=self._sent[by], ack=acknowledged, flags=flags, window=65535),
            payload=data,
        )
        self._sent[by] += len(data) + bool(flags & (TcpFlag.SYN | TcpFlag.FIN))
        self._sent[by] %= 1 << 32
        direction = INBOUND if by else OUTBOUND
        self._capture.add(self._interface, encode(packet), direction, comment)


def _octets(text: str) -> bytes:
    return text[:_MOST_TEXT].encode("utf-8", "replace")


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def _options(*options: tuple[int, bytes]) -> bytes:
    given = [(number, value) for number, value in options if value]
    return b"".join(struct.pack("<HH", number, len(value)) + _padded(value) for number, value in given) + b"\0\0\0\0"


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
