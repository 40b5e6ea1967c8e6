"""Comparison of packets with matches, and of matches with matches."""

from collections.abc import Mapping

from sdnloom.network.openflow import VLAN_PRESENT, Match
from sdnloom.network.packet import (
    Arp,
    Ethernet,
    EtherType,
    Icmp,
    Icmpv6,
    IpProto,
    IPv4,
    IPv6,
    IPv6Extension,
    IPv6Fragment,
    Mpls,
    Packet,
    Tcp,
    Udp,
    Vlan,
)

NOT_ETHER_TYPE = 0x05FF  # eth_type of a frame with a length in that field (1.0, 5.2.3)
_SOLICITATION, _ADVERTISEMENT = 135, 136
_PORTS: dict[int, tuple[str, str]] = {IpProto.TCP: ("tcp_src", "tcp_dst"), IpProto.UDP: ("udp_src", "udp_dst")}

PacketFields = Mapping[str, int]


def packet_fields(packet: Packet, in_port: int = 0, metadata: int = 0, zero_ports: bool = False) -> dict[str, int]:
    """Return the match fields of a packet by name; a field that it lacks is absent.

    Of several VLAN tags or MPLS labels the outermost counts; eth_type is the type after the last tag. With `zero_ports`
    the ports of an IP fragment are 0 (1.0, 3.4); without, it has no ports (1.3, 7.3.2).
    """
    found = {"in_port": in_port, "metadata": metadata, "vlan_vid": 0}
    for header in packet.headers:
        if isinstance(header, Ethernet):
            found["eth_dst"], found["eth_src"] = header.dst, header.src
            found["eth_type"] = header.type if header.type >= 0x600 else NOT_ETHER_TYPE
        elif isinstance(header, Vlan):
            if not found["vlan_vid"]:
                found["vlan_vid"], found["vlan_pcp"] = VLAN_PRESENT | header.vid, header.pcp
            found["eth_type"] = header.type if header.type >= 0x600 else NOT_ETHER_TYPE
        elif isinstance(header, Mpls):
            found["mpls_label"], found["mpls_tc"], found["mpls_bos"] = header.label, header.tc, header.bos
            break  # what follows a label is opaque
        elif isinstance(header, IPv4):
            found["ipv4_src"], found["ipv4_dst"] = header.src, header.dst
            found["ip_dscp"], found["ip_ecn"], found["ip_proto"] = header.dscp, header.ecn, header.proto
            if zero_ports and (header.flags & 1 or header.offset):
                _fragment(found, header.proto)
        elif isinstance(header, Arp):
            found["arp_op"], found["arp_spa"], found["arp_tpa"] = header.op, header.spa, header.tpa
            found["arp_sha"], found["arp_tha"] = header.sha, header.tha
        elif isinstance(header, Tcp):
            found["tcp_src"], found["tcp_dst"] = header.src, header.dst
        elif isinstance(header, Udp):
            found["udp_src"], found["udp_dst"] = header.src, header.dst
        elif isinstance(header, Icmp):
            found["icmpv4_type"], found["icmpv4_code"] = header.type, header.code
        elif isinstance(header, IPv6):
            found["ipv6_src"], found["ipv6_dst"], found["ipv6_flabel"] = header.src, header.dst, header.label
            found["ip_dscp"], found["ip_ecn"], found["ip_proto"] = header.dscp, header.ecn, header.proto
        elif isinstance(header, IPv6Extension):
            found["ip_proto"] = header.proto
        elif isinstance(header, IPv6Fragment):
            found["ip_proto"] = header.proto
            if zero_ports and (header.more or header.offset):
                _fragment(found, header.proto)
        elif isinstance(header, Icmpv6):
            found["icmpv6_type"], found["icmpv6_code"] = header.type, header.code
            _neighbour(found, header.type, packet.payload)
    return found


def is_fragment(packet: Packet) -> bool:
    """Return whether a packet is a part of an IP datagram. What follows an MPLS label is opaque."""
    for header in packet.headers:
        if isinstance(header, Mpls):
            return False
        if (isinstance(header, IPv4) and (header.flags & 1 or header.offset)) or (
            isinstance(header, IPv6Fragment) and (header.more or header.offset)
        ):
            return True
    return False


def _fragment(found: dict[str, int], proto: int) -> None:
    for name in _PORTS.get(proto, ()):
        found[name] = 0
    if proto == IpProto.ICMP and found.get("eth_type") == EtherType.IPV4:
        found["icmpv4_type"] = found["icmpv4_code"] = 0


def _neighbour(found: dict[str, int], kind: int, payload: bytes) -> None:
    """Add the fields of neighbour discovery: 4 bytes of flags, the target, then options in units of 8 bytes."""
    if kind not in (_SOLICITATION, _ADVERTISEMENT) or len(payload) < 20:
        return
    found["ipv6_nd_target"] = int.from_bytes(payload[4:20], "big")
    wanted, name = (1, "ipv6_nd_sll") if kind == _SOLICITATION else (2, "ipv6_nd_tll")
    options = payload[20:]
    while len(options) >= 8 and options[1]:
        if options[0] == wanted and options[1] == 1:
            found[name] = int.from_bytes(options[2:8], "big")
        options = options[8 * options[1] :]


def matches(match: Match, fields: PacketFields) -> bool:
    """Return whether a match matches a packet with these fields. A field that the packet lacks does not match."""
    for name, value, mask in match.fields:
        have = fields.get(name)
        if have is None or (have if mask is None else have & mask) != value:
            return False
    return True


def covers(general: Match, special: Match) -> bool:
    """Return whether `special` is equal to or more specific than `general`, field by field, as the specification says.

    Law: then `general` matches every packet that `special` matches.
    """
    inner = {name: (value, mask) for name, value, mask in special.fields}
    for name, value, mask in general.fields:
        have = inner.get(name)
        if have is None:
            return False
        theirs = have[1]
        if mask is None:
            if theirs is not None or have[0] != value:
                return False
        elif (theirs is not None and mask & ~theirs) or (have[0] & mask) != value:
            return False
    return True


def overlap(one: Match, other: Match) -> bool:
    """Return whether some packet may match both: no field has different fixed values."""
    theirs = {name: (value, mask) for name, value, mask in other.fields}
    for name, value, mask in one.fields:
        have = theirs.get(name)
        if have is None:
            continue
        both = -1 if mask is None else mask
        both &= -1 if have[1] is None else have[1]
        if (value ^ have[0]) & both:
            return False
    return True
