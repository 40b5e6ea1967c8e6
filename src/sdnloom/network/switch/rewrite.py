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
    Mpls,
    Packet,
    Tcp,
    Udp,
    Vlan,
    decode,
    encode,
)

# Field -> the headers that carry it and its attribute there.
_ATTRIBUTES: dict[str, tuple[tuple[type[Header], ...], str]] = {
    "eth_dst": ((Ethernet,), "dst"),
    "eth_src": ((Ethernet,), "src"),
    "mpls_label": ((Mpls,), "label"),
    "mpls_tc": ((Mpls,), "tc"),
    "mpls_bos": ((Mpls,), "bos"),
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
_NULL_IPV6 = 2  # the label that says that IPv6 follows (RFC 3032)
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
    changed = _change(packet, kinds, attribute, value)
    return _parsed_again(changed, changed.headers) if name == "mpls_bos" else changed


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


def push_mpls(packet: Packet, ethertype: int, fills_in: bool) -> Packet:
    """Return the packet with a new outermost label, after its VLAN tags.

    It copies the outermost label or, without one, the time to live of an IP packet; all else is 0 (1.3, 5.12.1). With
    `fills_in` a first label is the explicit null label of its protocol with the traffic class of the packet, and a
    packet that is not IP gets a time to live of 64, as in Open vSwitch.
    """
    link, rest = _split(packet)
    if not link:
        return packet
    ttl = ttl_of(packet)
    if rest and isinstance(rest[0], Mpls):
        label = replace(rest[0], bos=0)
    elif fills_in:
        network = next((header for header in rest if isinstance(header, IPv4 | IPv6)), None)
        null = _NULL_IPV6 if isinstance(network, IPv6) else 0
        label = Mpls(null, network.dscp & 7 if network else 0, 1, 64 if ttl is None else ttl)
    else:
        label = Mpls(0, 0, 1, ttl or 0)
    return _parsed_again(packet, (*_with_type(link, ethertype), label, *rest))


def pop_mpls(packet: Packet, ethertype: int) -> Packet:
    """Return the packet without its outermost label; the rest is of this type."""
    link, rest = _split(packet)
    if not link or not rest or not isinstance(rest[0], Mpls):
        return packet
    return _parsed_again(packet, (*_with_type(link, ethertype), *rest[1:]))


def set_mpls_ttl(packet: Packet, ttl: int) -> Packet:
    """Return the packet with another time to live in its outermost label."""
    return _change(packet, (Mpls,), "ttl", ttl)


def mpls_ttl_of(packet: Packet) -> int | None:
    """Return the time to live of the outermost label, or None for a packet without one."""
    return next((header.ttl for header in packet.headers if isinstance(header, Mpls)), None)


def copy_ttl(packet: Packet, inwards: bool) -> Packet:
    """Return the packet with the time to live copied between its two outermost headers that have one, label and IP."""
    places = [place for place, each in enumerate(packet.headers) if isinstance(each, Mpls | IPv4 | IPv6)][:2]
    if len(places) < 2:
        return packet
    source, target = places if inwards else reversed(places)
    headers: list[Any] = list(packet.headers)
    headers[target] = replace(headers[target], ttl=headers[source].ttl)
    return replace(packet, headers=tuple(headers))


def _split(packet: Packet) -> tuple[tuple[Header, ...], tuple[Header, ...]]:
    """Return the Ethernet header with its VLAN tags, and the headers after them."""
    if not packet.headers or not isinstance(packet.headers[0], Ethernet):
        return (), packet.headers
    size = next((n for n, each in enumerate(packet.headers) if not isinstance(each, Ethernet | Vlan)), None)
    return (packet.headers, ()) if size is None else (packet.headers[:size], packet.headers[size:])


def _with_type(link: tuple[Header, ...], ethertype: int) -> tuple[Header, ...]:
    last: Any = link[-1]
    return (*link[:-1], replace(last, type=ethertype))


def _parsed_again(packet: Packet, headers: tuple[Header, ...]) -> Packet:
    """Return the packet with other headers as a switch would parse it: the type decides what the rest is."""
    return decode(encode(replace(packet, headers=headers)))


def set_ttl(packet: Packet, ttl: int) -> Packet:
    """Return the packet with another IP time to live."""
    return _change(packet, (IPv4, IPv6), "ttl", ttl)


def ttl_of(packet: Packet) -> int | None:
    """Return the IP time to live, or None for a packet that is not IP."""
    found = next((header for header in packet.headers if isinstance(header, IPv4 | IPv6 | Mpls)), None)
    return None if found is None or isinstance(found, Mpls) else found.ttl


def _has(packet: Packet, kind: type[Header]) -> bool:
    return any(isinstance(header, kind) for header in packet.headers)


def _change(packet: Packet, kinds: tuple[type[Header], ...], attribute: str, value: int) -> Packet:
    for index, header in enumerate(packet.headers):
        if isinstance(header, Mpls) and Mpls not in kinds:
            return packet  # what follows a label is opaque
        if isinstance(header, kinds):
            changed: Any = replace(header, **{attribute: value})
            headers = (*packet.headers[:index], changed, *packet.headers[index + 1 :])
            return replace(packet, headers=headers)
    return packet
