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
    Packet,
    Tcp,
    Udp,
    Vlan,
)

_TYPES: dict[type[Header], int] = {
    Vlan: EtherType.VLAN,
    Arp: EtherType.ARP,
    Lldp: EtherType.LLDP,
    IPv4: EtherType.IPV4,
    IPv6: EtherType.IPV6,
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

    A VLAN type before a VLAN tag stays as well, so that a service tag can be built.
    """
    linked: list[Header] = []
    for header, following in zip(headers, (*headers[1:], None), strict=True):
        kind = type(following) if following is not None else None
        if isinstance(header, Ethernet | Vlan) and kind in _TYPES:
            known = kind is Vlan and header.type in (EtherType.VLAN, EtherType.SERVICE_VLAN)
            linked.append(header if known else replace(header, type=int(_TYPES[kind])))
        elif isinstance(header, IPv4 | IPv6 | IPv6Extension | IPv6Fragment) and kind in _PROTOS:
            linked.append(replace(header, proto=int(_PROTOS[kind])))
        else:
            linked.append(header)
    return Packet(tuple(linked), payload, trailer)
