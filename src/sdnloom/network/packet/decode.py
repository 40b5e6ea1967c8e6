"""Decoding of packets.

Laws: every byte string decodes, and all bytes from the first that cannot be parsed are payload; `encode(decode(data))
== data` for every byte string; `decode(encode(packet)) == packet` for every packet that `decode` can return.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from sdnloom.network.packet.checksum import checksum, padded_number, transport_checksum
from sdnloom.network.packet.headers import (
    Arp,
    Ethernet,
    EtherType,
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

# A parser appends headers and returns start and end of the payload.
Parser: TypeAlias = Callable[[bytes, int, int, list[Header]], tuple[int, int]]
# A transport parser returns its header and the start of the payload, or None if the bytes are no such header.
Transport: TypeAlias = Callable[[bytes, int, int, IPv4 | IPv6], tuple[Header, int] | None]

VLAN_TYPES = frozenset((EtherType.VLAN, EtherType.SERVICE_VLAN))
EXTENSIONS = frozenset((IpProto.HOP_BY_HOP, IpProto.ROUTING, IpProto.DESTINATION))


def decode(data: bytes) -> Packet:
    """Return the packet of an Ethernet frame. It never raises."""
    data = bytes(data)  # slices of a bytearray or a view would not be hashable
    headers: list[Header] = []
    at, end = 0, len(data)
    if end >= LAYOUTS[Ethernet].size:
        values = LAYOUTS[Ethernet].unpack(data)
        headers.append(Ethernet(**values))
        at = LAYOUTS[Ethernet].size
        while values["type"] in VLAN_TYPES and end - at >= LAYOUTS[Vlan].size:
            values = LAYOUTS[Vlan].unpack(data, at)
            headers.append(Vlan(**values))
            at += LAYOUTS[Vlan].size
        parser = _NETWORK.get(values["type"])
        if parser is not None:
            at, end = parser(data, at, end, headers)
    return Packet(tuple(headers), data[at:end], data[end:])


def _read(kind: type[Header], data: bytes, at: int, end: int) -> dict[str, Any] | None:
    layout = LAYOUTS[kind]
    return layout.unpack(data, at) if end - at >= layout.size else None


def _arp(data: bytes, at: int, end: int, headers: list[Header]) -> tuple[int, int]:
    values = _read(Arp, data, at, end)
    if values is None or values.pop("shape") != ETHERNET_IPV4:
        return at, end
    headers.append(Arp(**values))
    return at + LAYOUTS[Arp].size, end


def _lldp(data: bytes, at: int, end: int, headers: list[Header]) -> tuple[int, int]:
    tlvs: list[tuple[int, bytes]] = []
    here = at
    while end - here >= 2:
        head = int.from_bytes(data[here : here + 2], "big")
        kind, size = head >> 9, head & 0x1FF
        here += 2
        if head == 0:
            headers.append(Lldp(tuple(tlvs)))
            return here, end
        if size > end - here:
            break
        tlvs.append((kind, data[here : here + size]))
        here += size
    return at, end


def _mpls(data: bytes, at: int, end: int, headers: list[Header]) -> tuple[int, int]:
    """Parse a stack of labels. What follows is IP if its first four bits are a version of IP, else payload."""
    while (values := _read(Mpls, data, at, end)) is not None:
        headers.append(Mpls(**values))
        at += LAYOUTS[Mpls].size
        if values["bos"]:
            parser = {4: _ipv4, 6: _ipv6}.get(data[at] >> 4) if at < end else None
            return parser(data, at, end, headers) if parser else (at, end)
    return at, end


def _ipv4(data: bytes, at: int, end: int, headers: list[Header]) -> tuple[int, int]:
    values = _read(IPv4, data, at, end)
    if values is None:
        return at, end
    size = 4 * values.pop("words")
    if values.pop("version") != 4 or not LAYOUTS[IPv4].size <= size <= min(values["length"], end - at):
        return at, end
    stop = at + values["length"]
    if stop <= end:
        values["length"], end = None, stop
    if values["checksum"] == checksum(padded_number(data[at : at + 10] + data[at + 12 : at + size])):
        values["checksum"] = None
    header = IPv4(options=data[at + LAYOUTS[IPv4].size : at + size], **values)
    headers.append(header)
    at += size
    if header.offset or header.flags & 1:
        return at, end
    return _transport(_OVER_IPV4.get(header.proto), data, at, end, header, headers), end


def _ipv6(data: bytes, at: int, end: int, headers: list[Header]) -> tuple[int, int]:
    values = _read(IPv6, data, at, end)
    if values is None or values.pop("version") != 6:
        return at, end
    at += LAYOUTS[IPv6].size
    stop = at + values["length"]
    if stop <= end:
        values["length"], end = None, stop
    header = IPv6(**values)
    headers.append(header)
    proto = header.proto
    while proto in EXTENSIONS or proto == IpProto.FRAGMENT:
        found = _ipv6_fragment(data, at, end) if proto == IpProto.FRAGMENT else _ipv6_extension(data, at, end)
        if found is None:
            return at, end
        extension, at = found
        headers.append(extension)
        if isinstance(extension, IPv6Fragment) and (extension.offset or extension.more):
            return at, end
        proto = extension.proto
    return _transport(_OVER_IPV6.get(proto), data, at, end, header, headers), end


def _ipv6_extension(data: bytes, at: int, end: int) -> tuple[IPv6Extension, int] | None:
    values = _read(IPv6Extension, data, at, end)
    if values is None:
        return None
    stop = at + 8 + 8 * values.pop("words")
    if stop > end:
        return None
    return IPv6Extension(data=data[at + LAYOUTS[IPv6Extension].size : stop], **values), stop


def _ipv6_fragment(data: bytes, at: int, end: int) -> tuple[IPv6Fragment, int] | None:
    values = _read(IPv6Fragment, data, at, end)
    return None if values is None else (IPv6Fragment(**values), at + LAYOUTS[IPv6Fragment].size)


def _transport(
    parser: Transport | None, data: bytes, at: int, end: int, network: IPv4 | IPv6, headers: list[Header]
) -> int:
    found = parser(data, at, end, network) if parser else None
    if found is None:
        return at
    headers.append(found[0])
    return found[1]


def _icmp(data: bytes, at: int, end: int, network: IPv4 | IPv6) -> tuple[Header, int] | None:
    values = _read(Icmp, data, at, end)
    if values is None:
        return None
    if values["checksum"] == checksum(padded_number(data[at : at + 2] + data[at + 4 : end])):
        values["checksum"] = None
    return Icmp(**values), at + LAYOUTS[Icmp].size


def _icmpv6(data: bytes, at: int, end: int, network: IPv4 | IPv6) -> tuple[Header, int] | None:
    values = _read(Icmpv6, data, at, end)
    if values is None:
        return None
    segment = data[at : at + 2] + bytes(2) + data[at + 4 : end]
    if values["checksum"] == transport_checksum(network, IpProto.ICMPV6, segment):
        values["checksum"] = None
    return Icmpv6(**values), at + LAYOUTS[Icmpv6].size


def _tcp(data: bytes, at: int, end: int, network: IPv4 | IPv6) -> tuple[Header, int] | None:
    values = _read(Tcp, data, at, end)
    if values is None:
        return None
    start = at + 4 * values.pop("words")
    if not at + LAYOUTS[Tcp].size <= start <= end:
        return None
    segment = data[at : at + 16] + bytes(2) + data[at + 18 : end]
    if values["checksum"] == transport_checksum(network, IpProto.TCP, segment):
        values["checksum"] = None
    return Tcp(options=data[at + LAYOUTS[Tcp].size : start], **values), start


def _udp(data: bytes, at: int, end: int, network: IPv4 | IPv6) -> tuple[Header, int] | None:
    values = _read(Udp, data, at, end)
    if values is None:
        return None
    segment = data[at : at + 6] + bytes(2) + data[at + 8 : end]
    if values["checksum"] == (transport_checksum(network, IpProto.UDP, segment) or 0xFFFF):
        values["checksum"] = None
    if values["length"] == len(segment):
        values["length"] = None
    return Udp(**values), at + LAYOUTS[Udp].size


_NETWORK: dict[int, Parser] = {
    EtherType.ARP: _arp,
    EtherType.MPLS: _mpls,
    EtherType.MPLS_MULTICAST: _mpls,
    EtherType.LLDP: _lldp,
    EtherType.IPV4: _ipv4,
    EtherType.IPV6: _ipv6,
}
_OVER_IPV4: dict[int, Transport] = {IpProto.ICMP: _icmp, IpProto.TCP: _tcp, IpProto.UDP: _udp}
_OVER_IPV6: dict[int, Transport] = {IpProto.ICMPV6: _icmpv6, IpProto.TCP: _tcp, IpProto.UDP: _udp}
