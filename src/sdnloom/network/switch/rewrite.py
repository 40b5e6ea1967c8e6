"""Changes of packet headers by actions; each function returns a new packet."""

from dataclasses import replace
from typing import Any

from sdnloom.network.openflow import VLAN_PRESENT
from sdnloom.network.packet import (
    Arp,
    Ethernet,
    Header,
    Icmp,
    Icmpv6,
    IPv4,
    IPv6,
    Packet,
    Tcp,
    Udp,
    Vlan,
)

# Field -> the headers that carry it and its attribute there.
_ATTRIBUTES: dict[str, tuple[tuple[type[Header], ...], str]] = {
    "eth_dst": ((Ethernet,), "dst"),
    "eth_src": ((Ethernet,), "src"),
    "ip_dscp": ((IPv4, IPv6), "dscp"),
    "ip_ecn": ((IPv4, IPv6), "ecn"),
    "ipv4_src": ((IPv4,), "src"),
    "ipv4_dst": ((IPv4,), "dst"),
    "tcp_src": ((Tcp,), "src"),
    "tcp_dst": ((Tcp,), "dst"),
    "udp_src": ((Udp,), "src"),
    "udp_dst": ((Udp,), "dst"),
    "tp_src": ((Tcp, Udp), "src"),
    "tp_dst": ((Tcp, Udp), "dst"),
    "icmpv4_type": ((Icmp,), "type"),
    "icmpv4_code": ((Icmp,), "code"),
    "arp_op": ((Arp,), "op"),
    "arp_spa": ((Arp,), "spa"),
    "arp_tpa": ((Arp,), "tpa"),
    "arp_sha": ((Arp,), "sha"),
    "arp_tha": ((Arp,), "tha"),
    "ipv6_src": ((IPv6,), "src"),
    "ipv6_dst": ((IPv6,), "dst"),
    "ipv6_flabel": ((IPv6,), "label"),
    "icmpv6_type": ((Icmpv6,), "type"),
    "icmpv6_code": ((Icmpv6,), "code"),
}
SETTABLE = frozenset(_ATTRIBUTES) | {"vlan_vid", "vlan_pcp"}


def set_field(packet: Packet, name: str, value: int) -> Packet:
    """Return the packet with one field overwritten; a packet without that field is returned unchanged.

    A correct checksum stays correct; a wrong one stays as it was. A field of a VLAN tag is not set on a packet without
    a tag; for the actions of 1.0 that add a tag see `set_vlan`.
    """
    if name == "vlan_vid":
        return _change(packet, (Vlan,), "vid", value & ~VLAN_PRESENT)
    if name == "vlan_pcp":
        return _change(packet, (Vlan,), "pcp", value)
    kinds, attribute = _ATTRIBUTES[name]
    return _change(packet, kinds, attribute, value)


def set_vlan(packet: Packet, name: str, value: int) -> Packet:
    """Return the packet with a field of its VLAN tag overwritten; a missing tag is added with zeros (1.0, 3.3)."""
    if not _has(packet, Vlan):
        packet = push_vlan(packet, 0x8100)
    return set_field(packet, name, value)


def push_vlan(packet: Packet, ethertype: int) -> Packet:
    """Return the packet with a new outermost tag that copies the fields of the present one, else 0 (1.3, 5.12.1)."""
    ethernet, rest = packet.headers[0] if packet.headers else None, packet.headers[1:]
    if not isinstance(ethernet, Ethernet):
        return packet
    outer = rest[0] if rest and isinstance(rest[0], Vlan) else None
    vid, pcp = (outer.vid, outer.pcp) if outer else (0, 0)
    tag = Vlan(vid, pcp, 0, type=ethernet.type)
    return replace(packet, headers=(replace(ethernet, type=ethertype), tag, *rest))


def pop_vlan(packet: Packet) -> Packet:
    """Return the packet without its outermost tag."""
    if len(packet.headers) < 2:
        return packet
    ethernet, tag, *rest = packet.headers
    if not isinstance(ethernet, Ethernet) or not isinstance(tag, Vlan):
        return packet
    return replace(packet, headers=(replace(ethernet, type=tag.type), *rest))


def set_ttl(packet: Packet, ttl: int) -> Packet:
    """Return the packet with another IP time to live."""
    return _change(packet, (IPv4, IPv6), "ttl", ttl)


def ttl_of(packet: Packet) -> int | None:
    """Return the IP time to live, or None for a packet that is not IP."""
    return next((header.ttl for header in packet.headers if isinstance(header, IPv4 | IPv6)), None)


def _has(packet: Packet, kind: type[Header]) -> bool:
    return any(isinstance(header, kind) for header in packet.headers)


def _change(packet: Packet, kinds: tuple[type[Header], ...], attribute: str, value: int) -> Packet:
    for index, header in enumerate(packet.headers):
        if isinstance(header, kinds):
            changed: Any = replace(header, **{attribute: value})
            headers = (*packet.headers[:index], changed, *packet.headers[index + 1 :])
            return replace(packet, headers=headers)
    return packet
