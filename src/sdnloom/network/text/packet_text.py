"""Packets as short text, with host names instead of addresses."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sdnloom.network.packet.headers import (
    Arp,
    Ethernet,
    Header,
    Icmp,
    Icmpv6,
    IPv4,
    IPv6,
    IPv6Extension,
    IPv6Fragment,
    Lldp,
    Mpls,
    Packet,
    Tcp,
    TcpFlag,
    Udp,
    Vlan,
)
from sdnloom.network.packet_id import written_id
from sdnloom.network.topology import Topology
from sdnloom.network.value import ip4_text, ip6_text, mac_text

_BROADCAST = 0xFFFFFFFFFFFF
_ECHO = {(8, 0): "echo request", (0, 0): "echo reply"}


@dataclass(frozen=True)
class Names:
    """The names of hosts by their addresses."""

    macs: Mapping[int, str] = field(default_factory=dict)
    ips: Mapping[int, str] = field(default_factory=dict)

    @staticmethod
    def of(topology: Topology) -> "Names":
        """The names of a topology's hosts."""
        return Names({host.mac: host.name for host in topology.hosts}, {host.ip: host.name for host in topology.hosts})

    def mac(self, address: int) -> str:
        """The host's name, or the address."""
        return "everyone" if address == _BROADCAST else self.macs.get(address) or mac_text(address)

    def ip(self, address: int) -> str:
        """The host's name, or the address."""
        return self.ips.get(address) or ip4_text(address)


NO_NAMES = Names()


def plain_packet_words(packet: Packet, names: Names = NO_NAMES) -> str:
    """A packet: source, destination, protocol and payload, in parentheses after its name if it has one."""
    parts = [text for header in packet.headers if (text := _header(header, packet, names))]
    name = written_id(packet)
    rest = packet.payload[: -len(name.encode()) - 1] if name else packet.payload
    if any(rest):
        parts.append(f"payload {bytes_words(rest)}")
    text = " ".join(parts)
    if rest and not any(rest):
        text += f"{', ' if text else ''}{len(rest)} bytes of padding"
    return f"{name} ({text or 'empty'})" if name else text or "an empty packet"


def brief_packet_words(packet: Packet, names: Names = NO_NAMES) -> str:
    """A packet that was shown before: its name, source and destination; without a name, its protocol as well."""
    name = written_id(packet)
    ends = next((_ends(each, names) for each in packet.headers if isinstance(each, Ethernet)), "")
    if name:
        return f"{name} ({ends})" if ends else plain_packet_words(packet, names)
    addressed = next((place for place, each in enumerate(packet.headers) if isinstance(each, IPv4)), None)
    if addressed is None:
        return plain_packet_words(replace(packet, payload=b"", trailer=b""), names)
    parts = [text for each in packet.headers[addressed + 1 :] if (text := _header(each, packet, names))]
    header = packet.headers[addressed]
    assert isinstance(header, IPv4)
    return " ".join([f"{names.ip(header.src)} > {names.ip(header.dst)}", *parts])


def _ends(header: Ethernet, names: Names) -> str:
    return f"{names.mac(header.src)} > {names.mac(header.dst)}"


def _header(header: Header, packet: Packet, names: Names) -> str:
    match header:
        case Ethernet():
            alone = len(packet.headers) == 1 and header.type
            return _ends(header, names) + (f" type {header.type:#x}" if alone else "")
        case Vlan():
            return f"VLAN {header.vid}"
        case Mpls():
            return f"MPLS {header.label}"
        case Arp():
            asks = f"ARP who is {names.ip(header.tpa)}"
            return asks if header.op == 1 else f"ARP {names.ip(header.spa)} is {mac_text(header.sha)}"
        case IPv4():
            return _addresses(header.src, header.dst, packet, names)
        case IPv6():
            return f"IPv6 {ip6_text(header.src)} > {ip6_text(header.dst)}"
        case IPv6Extension():
            return f"IPv6 extension {bytes_words(header.data)}"
        case IPv6Fragment():
            return f"IPv6 fragment {header.ident} offset {header.offset}" + (" more follow" if header.more else "")
        case Icmp():
            known = _ECHO.get((header.type, header.code), f"type {header.type} code {header.code}")
            return f"ICMP {known}" + (f" {header.rest}" if header.rest else "")
        case Icmpv6():
            return f"ICMPv6 type {header.type} code {header.code}"
        case Tcp():
            flags = "+".join(flag.name or "" for flag in TcpFlag if header.flags & flag) or "no flags"
            return f"TCP {header.src} > {header.dst} {flags}"
        case Udp():
            return f"UDP {header.src} > {header.dst}"
        case Lldp():
            return "LLDP"
    return type(header).__name__


def _addresses(src: int, dst: int, packet: Packet, names: Names) -> str:
    """IP addresses, unless the MAC addresses name the same hosts."""
    first = packet.headers[0] if packet.headers else None
    if isinstance(first, Ethernet) and (names.mac(first.src), names.mac(first.dst)) == (names.ip(src), names.ip(dst)):
        return ""
    return f"IP {names.ip(src)} > {names.ip(dst)}"


def bytes_words(content: bytes) -> str:
    """Bytes in hexadecimal, the first eight of many."""
    return content.hex() if len(content) <= 8 else f"{content[:8].hex()}... ({len(content)} bytes)"
