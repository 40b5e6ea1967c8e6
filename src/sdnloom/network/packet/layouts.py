"""The layouts of the fixed parts of all headers. Fields that a header class lacks are computed by the codec."""

from sdnloom.network.bitstruct import BitStruct
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
    Mpls,
    Tcp,
    Udp,
    Vlan,
)

LAYOUTS: dict[type[Header], BitStruct] = {
    Ethernet: BitStruct("ethernet", "dst:48 src:48 type:16"),
    Vlan: BitStruct("vlan", "pcp:3 dei:1 vid:12 type:16"),
    Mpls: BitStruct("mpls", "label:20 tc:3 bos:1 ttl:8"),
    Arp: BitStruct("arp", "shape:48 op:16 sha:48 spa:32 tha:48 tpa:32"),
    IPv4: BitStruct(
        "ipv4",
        "version:4 words:4 dscp:6 ecn:2 length:16 ident:16 flags:3 offset:13 ttl:8 proto:8 checksum:16 src:32 dst:32",
    ),
    IPv6: BitStruct("ipv6", "version:4 dscp:6 ecn:2 label:20 length:16 proto:8 ttl:8 src:128 dst:128"),
    IPv6Extension: BitStruct("ipv6 extension", "proto:8 words:8"),
    IPv6Fragment: BitStruct("ipv6 fragment", "proto:8 reserved:8 offset:13 unused:2 more:1 ident:32"),
    Icmp: BitStruct("icmp", "type:8 code:8 checksum:16 rest:32"),
    Icmpv6: BitStruct("icmpv6", "type:8 code:8 checksum:16"),
    Tcp: BitStruct("tcp", "src:16 dst:16 seq:32 ack:32 words:4 flags:12 window:16 checksum:16 urgent:16"),
    Udp: BitStruct("udp", "src:16 dst:16 length:16 checksum:16"),
}
ETHERNET_IPV4 = 0x0001_0800_06_04  # Arp.shape: hardware and protocol types, and the sizes of their addresses
