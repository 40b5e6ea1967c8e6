"""Packets as values, and their bytes."""

from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.packet.build import stack
from sdnloom.network.packet.decode import decode
from sdnloom.network.packet.encode import encode
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
    TcpFlag,
    Udp,
    Vlan,
)
from sdnloom.network.packet.layouts import LAYOUTS
from sdnloom.network.value import AddressError, ip, ip4_text, ip6_text, mac, mac_text

__all__ = [
    "LAYOUTS",
    "AddressError",
    "Arp",
    "EncodeError",
    "EtherType",
    "Ethernet",
    "Header",
    "IPv4",
    "IPv6",
    "IPv6Extension",
    "IPv6Fragment",
    "Icmp",
    "Icmpv6",
    "IpProto",
    "Lldp",
    "Mpls",
    "Packet",
    "Tcp",
    "TcpFlag",
    "Udp",
    "Vlan",
    "decode",
    "encode",
    "ip",
    "ip4_text",
    "ip6_text",
    "mac",
    "mac_text",
    "stack",
]
