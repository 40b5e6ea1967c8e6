"""Encoding of packets. Checksums and lengths that a header leaves open are computed."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.packet.checksum import checksum, padded_number, transport_checksum
from sdnloom.network.packet.headers import (
    Arp,
    Ethernet,
    Header,
    Icmp,
    Icmpv6,
    IpProto,
    IPv4,
    IPv6,
    IPv6Extension,
    IPv6Fragment,
    Lldp,
    Mpls,
    Packet,
    Tcp,
    Udp,
    Vlan,
)
from sdnloom.network.packet.layouts import ETHERNET_IPV4, LAYOUTS

_NAMES = {kind: tuple(each.name for each in fields(kind)) for kind in LAYOUTS}


def encode(packet: Packet) -> bytes:
    """Return the bytes of the frame. A value too large for its field raises EncodeError; any order of headers works."""
    for name in ("payload", "trailer"):
        if not isinstance(getattr(packet, name), bytes):
            raise EncodeError(f"the packet's {name} = {getattr(packet, name)!r}: expected bytes")
    network: list[IPv4 | IPv6 | None] = []
    last: IPv4 | IPv6 | None = None
    for header in packet.headers:
        network.append(last)
        if isinstance(header, IPv4 | IPv6):
            last = header
    pieces = [packet.payload]  # innermost first
    size = len(packet.payload)
    for header, below in zip(reversed(packet.headers), reversed(network), strict=True):
        encoder = _ENCODERS.get(type(header))
        if encoder is None:
            raise EncodeError(f"{header!r} is no header: expected one of {', '.join(k.__name__ for k in _ENCODERS)}")
        try:
            piece = encoder(header, size, pieces, below)
        except TypeError as error:
            raise EncodeError(f"{header!r} holds a value of a wrong type ({error})") from error
        pieces.append(piece)
        size += len(piece)
    return b"".join(reversed(pieces)) + packet.trailer


def _fixed(header: Header, **computed: int) -> bytes:
    values: dict[str, Any] = {name: getattr(header, name) for name in _NAMES[type(header)]}
    return LAYOUTS[type(header)].pack({**values, **computed})


def _only_fixed(header: Header, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    return _fixed(header)


def _arp(header: Header, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    return _fixed(header, shape=ETHERNET_IPV4)


def _lldp(header: Lldp, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    written = []
    for kind, content in header.tlvs:
        if not 0 <= kind < 1 << 7 or len(content) >= 1 << 9:
            raise EncodeError(f"LLDP TLV ({kind}, {len(content)} bytes): expected a type below 128, at most 511 bytes")
        written.append((kind << 9 | len(content)).to_bytes(2, "big") + content)
    return b"".join(written) + bytes(2)


def _words(header: Header, name: str, unit: int, limit: int, head: int = 0) -> bytes:
    content: bytes = getattr(header, name)
    if (len(content) + head) % unit or len(content) > limit:
        raise EncodeError(
            f"{type(header).__name__}.{name} has {len(content)} bytes: expected at most {limit},"
            f" together with {head} before them a multiple of {unit}"
        )
    return content


def _ipv4(header: IPv4, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    options = _words(header, "options", 4, 40)
    own = LAYOUTS[IPv4].size + len(options)
    computed = {
        "version": 4,
        "words": own // 4,
        "length": own + size if header.length is None else header.length,
        "checksum": 0 if header.checksum is None else header.checksum,
    }
    head = _fixed(header, **computed) + options
    if header.checksum is None:
        head = head[:10] + checksum(padded_number(head)).to_bytes(2, "big") + head[12:]
    return head


def _ipv6(header: IPv6, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    return _fixed(header, version=6, length=size if header.length is None else header.length)


def _ipv6_extension(header: IPv6Extension, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    data = _words(header, "data", 8, 2046, head=2)
    if len(data) < 6:
        raise EncodeError("IPv6Extension.data is empty: expected at least 6 bytes")
    return _fixed(header, words=(len(data) - 6) // 8) + data


def _icmp(header: Icmp, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    if header.checksum is not None:
        return _fixed(header)
    head = _fixed(header, checksum=0)
    return _fixed(header, checksum=checksum(padded_number(_segment(head, pieces))))


def _icmpv6(header: Icmpv6, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    if header.checksum is not None:
        return _fixed(header)
    segment = _segment(_fixed(header, checksum=0), pieces)
    return _fixed(header, checksum=transport_checksum(network, IpProto.ICMPV6, segment))


def _tcp(header: Tcp, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    options = _words(header, "options", 4, 40)
    count = (LAYOUTS[Tcp].size + len(options)) // 4
    if header.checksum is not None:
        return _fixed(header, words=count) + options
    segment = _segment(_fixed(header, words=count, checksum=0) + options, pieces)
    return _fixed(header, words=count, checksum=transport_checksum(network, IpProto.TCP, segment)) + options


def _udp(header: Udp, size: int, pieces: list[bytes], network: IPv4 | IPv6 | None) -> bytes:
    length = LAYOUTS[Udp].size + size if header.length is None else header.length
    if header.checksum is not None:
        return _fixed(header, length=length)
    segment = _segment(_fixed(header, length=length, checksum=0), pieces)
    return _fixed(header, length=length, checksum=transport_checksum(network, IpProto.UDP, segment) or 0xFFFF)


def _segment(head: bytes, pieces: list[bytes]) -> bytes:
    return head + b"".join(reversed(pieces))


_ENCODERS: dict[type[Header], Callable[[Any, int, list[bytes], IPv4 | IPv6 | None], bytes]] = {
    Ethernet: _only_fixed,
    Vlan: _only_fixed,
    Mpls: _only_fixed,
    Arp: _arp,
    Lldp: _lldp,
    IPv4: _ipv4,
    IPv6: _ipv6,
    IPv6Extension: _ipv6_extension,
    IPv6Fragment: _only_fixed,
    Icmp: _icmp,
    Icmpv6: _icmpv6,
    Tcp: _tcp,
    Udp: _udp,
}
