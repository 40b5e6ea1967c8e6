"""The exchange of a run as a pcapng file that Wireshark reads: OpenFlow in TCP, and the frames on each port.

The first interface is the connection between switch and controller, with Ethernet, IPv4 and TCP headers made for it;
each port is another one. Times are those of the test, with a microsecond between two packets. The same exchange gives
the same bytes.
"""

import struct
from collections.abc import Sequence
from typing import Final

from sdnloom.crosscheck.agent import PORTS, Close, Crash, Wait
from sdnloom.crosscheck.recorded_agent import Exchanged
from sdnloom.network.packet import Ethernet, IPv4, Tcp, encode, stack
from sdnloom.network.packet.headers import TcpFlag

OPENFLOW_PORT: Final = 6653
_SWITCH, _CONTROLLER = 0, 1
_MACS: Final = (0x020000000001, 0x020000000002)
_ADDRESSES: Final = (0xC0000201, 0xC0000202)  # 192.0.2.1 and .2, which RFC 5737 reserves for documentation
_TCP_PORTS: Final = (50001, OPENFLOW_PORT)
_SEGMENT: Final = 1460  # octets of a stream in one packet
_MOST_TEXT: Final = 1000  # characters of a comment
_ETHERNET: Final = 1  # the link type
_COMMENT, _NAME, _FLAGS = 1, 2, 2  # numbers of options; the last two belong to different blocks
_INBOUND, _OUTBOUND = 1, 2
_CONNECTION: Final = -1  # the interface that is no port


def exchange_pcapng(exchange: Sequence[Exchanged], comment: str = "") -> bytes:
    """Return the contents of the file; `comment` says what it shows."""
    capture = _Capture(comment)
    for one in exchange:
        capture.add(one)
    return capture.contents()


class _Capture:
    """Packets with their times, and the state of the TCP connection: what each side has sent."""

    def __init__(self, comment: str) -> None:
        self._comment = comment
        self._packets: list[tuple[int, int, bytes, int, str]] = []  # interface, microseconds, data, direction, comment
        self._now = 0
        self._sent = [1000, 2000]
        self._open = True
        self._segment(_SWITCH, TcpFlag.SYN)
        self._segment(_CONTROLLER, TcpFlag.SYN | TcpFlag.ACK)
        self._segment(_SWITCH, TcpFlag.ACK)

    def add(self, one: Exchanged) -> None:
        self._now = max(self._now, one.milliseconds * 1000)
        match one.what:
            case bytes() as data if self._open:
                for at in range(0, len(data), _SEGMENT):
                    flags = TcpFlag.ACK | (TcpFlag.PSH if at + _SEGMENT >= len(data) else TcpFlag(0))
                    self._segment(_SWITCH if one.by_agent else _CONTROLLER, flags, data[at : at + _SEGMENT])
            case (port, frame):
                self._packet(port, bytes(frame), _OUTBOUND if one.by_agent else _INBOUND)
            case Crash(reason):
                self._end(TcpFlag.RST | TcpFlag.ACK, f"the switch crashed: {reason}".rstrip(": "))
            case Close():
                self._end(TcpFlag.FIN | TcpFlag.ACK, "the switch closed the connection")
            case Wait():
                interface, time, data, direction, _ = self._packets[-1]
                self._packets[-1] = interface, time, data, direction, "the switch waits for more bytes"

    def _end(self, flags: TcpFlag, comment: str) -> None:
        if self._open:
            self._segment(_SWITCH, flags, comment=comment)
            self._open = False

    def _segment(self, by: int, flags: TcpFlag, data: bytes = b"", comment: str = "") -> None:
        other = 1 - by
        acknowledged = self._sent[other] if flags & TcpFlag.ACK else 0
        packet = stack(
            Ethernet(dst=_MACS[other], src=_MACS[by]),
            IPv4(src=_ADDRESSES[by], dst=_ADDRESSES[other]),
            Tcp(_TCP_PORTS[by], _TCP_PORTS[other], seq=self._sent[by], ack=acknowledged, flags=flags, window=65535),
            payload=data,
        )
        self._sent[by] += len(data) + bool(flags & (TcpFlag.SYN | TcpFlag.FIN))
        self._packet(_CONNECTION, encode(packet), _OUTBOUND if by == _SWITCH else _INBOUND, comment)

    def _packet(self, interface: int, data: bytes, direction: int, comment: str = "") -> None:
        self._now += 1
        self._packets.append((interface, self._now, data, direction, comment))

    def contents(self) -> bytes:
        """Blocks: a section header, a description of each interface, then the packets."""
        interfaces = sorted({_CONNECTION, *range(1, PORTS + 1), *(packet[0] for packet in self._packets)})
        number = {interface: index for index, interface in enumerate(interfaces)}
        header = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
        blocks = [_block(0x0A0D0D0A, header + _options((_COMMENT, self._comment[:_MOST_TEXT].encode())))]
        for interface in interfaces:
            name = "controller" if interface == _CONNECTION else f"port {interface}"
            blocks.append(_block(1, struct.pack("<HHI", _ETHERNET, 0, 0) + _options((_NAME, name.encode()))))
        for interface, time, data, direction, comment in self._packets:
            head = struct.pack("<IIIII", number[interface], time >> 32, time & 0xFFFFFFFF, len(data), len(data))
            options = _options((_COMMENT, comment[:_MOST_TEXT].encode()), (_FLAGS, struct.pack("<I", direction)))
            blocks.append(_block(6, head + _padded(data) + options))
        return b"".join(blocks)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def _options(*options: tuple[int, bytes]) -> bytes:
    given = [(number, value) for number, value in options if value]
    return b"".join(struct.pack("<HH", number, len(value)) + _padded(value) for number, value in given) + b"\0\0\0\0"


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
