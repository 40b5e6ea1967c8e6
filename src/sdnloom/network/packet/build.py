"""Builds packets from headers and fills in the fields that name the next header."""

from dataclasses import replace

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

_TYPES: dict[type[Header], int] = {
    Vlan: EtherType.VLAN,
    Mpls: EtherType.MPLS,
    Arp: EtherType.ARP,
    Lldp: EtherType.LLDP,
    IPv4: EtherType.IPV4,
    IPv6: EtherType.IPV6,
}
_ALTERNATIVES: dict[type[Header], tuple[int, ...]] = {
    Vlan: (EtherType.VLAN, EtherType.SERVICE_VLAN),
    Mpls: (EtherType.MPLS, EtherType.MPLS_MULTICAST),
}
_PROTOS: dict[type[Header], int] = {
    Icmp: IpProto.ICMP,
    Icmpv6: IpProto.ICMPV6,
    Tcp: IpProto.TCP,
    Udp: IpProto.UDP,
    IPv6Fragment: IpProto.FRAGMENT,
}


def stack(*headers: Header, payload: bytes = b"", trailer: bytes = b"") -> Packet:
    """Return a packet in which `type` and `proto` of each header name the next header; before payload they stay.

    A VLAN type before a VLAN tag stays as well, so that a service tag can be built, and so does an MPLS type before a
    label. `bos` of each label says whether it is the last one.
    """
    linked: list[Header] = []
    for header, following in zip(headers, (*headers[1:], None), strict=True):
        kind = type(following) if following is not None else None
        if isinstance(header, Ethernet | Vlan) and kind in _TYPES:
            known = header.type in _ALTERNATIVES.get(kind, ())
            linked.append(header if known else replace(header, type=int(_TYPES[kind])))
        elif isinstance(header, Mpls):
            linked.append(replace(header, bos=int(kind is not Mpls)))
        elif isinstance(header, IPv4 | IPv6 | IPv6Extension | IPv6Fragment) and kind in _PROTOS:
            linked.append(replace(header, proto=int(_PROTOS[kind])))
        else:
            linked.append(header)
    return Packet(tuple(linked), payload, trailer)
