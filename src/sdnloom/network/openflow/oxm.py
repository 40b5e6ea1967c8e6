"""The match fields: OpenFlow 1.3's names, numbers, widths and prerequisites as one table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from sdnloom.network.openflow.constants import PortNo
from sdnloom.network.value import Hex, Ip4, Ip6, Mac, Show

OPENFLOW_BASIC = 0x8000


@dataclass(frozen=True)
class MatchField:
    """One match field. Its prerequisite is that one of the (field, value) pairs in `needs` is matched too."""

    name: str
    number: int
    bits: int
    maskable: bool = False
    needs: tuple[tuple[str, int], ...] = ()
    show: Callable[[int], str] = str

    @property
    def size(self) -> int:
        """Bytes of the value on the wire."""
        return (self.bits + 7) // 8 if self.name not in _WIDE else 4

    @property
    def full(self) -> int:
        """The mask that covers all bits."""
        return (1 << self.bits) - 1


_WIDE = ("ipv6_flabel", "mpls_label")  # 20 bits carried in 4 bytes


def _show(annotated: Any) -> Show:
    found: Show = get_args(annotated)[1]
    return found


_MAC, _IP4, _IP6, _HEX, _PORT = _show(Mac), _show(Ip4), _show(Ip6), _show(Hex), _show(PortNo)
_IPV4, _IPV6, _ARP = (("eth_type", 0x0800),), (("eth_type", 0x86DD),), (("eth_type", 0x0806),)
_IP = _IPV4 + _IPV6
_MPLS = (("eth_type", 0x8847), ("eth_type", 0x8848))
_TCP, _UDP, _SCTP = (("ip_proto", 6),), (("ip_proto", 17),), (("ip_proto", 132),)
_ICMP4, _ICMP6 = (("ip_proto", 1),), (("ip_proto", 58),)
_SOLICIT, _ADVERT = (("icmpv6_type", 135),), (("icmpv6_type", 136),)

FIELDS: dict[str, MatchField] = {
    field.name: field
    for field in (
        MatchField("in_port", 0, 32, show=_PORT),
        MatchField("in_phy_port", 1, 32, needs=(("in_port", -1),), show=_PORT),
        MatchField("metadata", 2, 64, maskable=True, show=_HEX),
        MatchField("eth_dst", 3, 48, maskable=True, show=_MAC),
        MatchField("eth_src", 4, 48, maskable=True, show=_MAC),
        MatchField("eth_type", 5, 16, show=_HEX),
        MatchField("vlan_vid", 6, 13, maskable=True, show=_HEX),
        MatchField("vlan_pcp", 7, 3, needs=(("vlan_vid", -1),)),
        MatchField("ip_dscp", 8, 6, needs=_IP),
        MatchField("ip_ecn", 9, 2, needs=_IP),
        MatchField("ip_proto", 10, 8, needs=_IP),
        MatchField("ipv4_src", 11, 32, maskable=True, needs=_IPV4, show=_IP4),
        MatchField("ipv4_dst", 12, 32, maskable=True, needs=_IPV4, show=_IP4),
        MatchField("tcp_src", 13, 16, needs=_TCP),
        MatchField("tcp_dst", 14, 16, needs=_TCP),
        MatchField("udp_src", 15, 16, needs=_UDP),
        MatchField("udp_dst", 16, 16, needs=_UDP),
        MatchField("sctp_src", 17, 16, needs=_SCTP),
        MatchField("sctp_dst", 18, 16, needs=_SCTP),
        MatchField("icmpv4_type", 19, 8, needs=_ICMP4),
        MatchField("icmpv4_code", 20, 8, needs=_ICMP4),
        MatchField("arp_op", 21, 16, needs=_ARP),
        MatchField("arp_spa", 22, 32, maskable=True, needs=_ARP, show=_IP4),
        MatchField("arp_tpa", 23, 32, maskable=True, needs=_ARP, show=_IP4),
        MatchField("arp_sha", 24, 48, maskable=True, needs=_ARP, show=_MAC),
        MatchField("arp_tha", 25, 48, maskable=True, needs=_ARP, show=_MAC),
        MatchField("ipv6_src", 26, 128, maskable=True, needs=_IPV6, show=_IP6),
        MatchField("ipv6_dst", 27, 128, maskable=True, needs=_IPV6, show=_IP6),
        MatchField("ipv6_flabel", 28, 20, maskable=True, needs=_IPV6, show=_HEX),
        MatchField("icmpv6_type", 29, 8, needs=_ICMP6),
        MatchField("icmpv6_code", 30, 8, needs=_ICMP6),
        MatchField("ipv6_nd_target", 31, 128, needs=_SOLICIT + _ADVERT, show=_IP6),
        MatchField("ipv6_nd_sll", 32, 48, needs=_SOLICIT, show=_MAC),
        MatchField("ipv6_nd_tll", 33, 48, needs=_ADVERT, show=_MAC),
        MatchField("mpls_label", 34, 20, needs=_MPLS, show=_HEX),
        MatchField("mpls_tc", 35, 3, needs=_MPLS),
        MatchField("mpls_bos", 36, 1, needs=_MPLS),
        MatchField("pbb_isid", 37, 24, maskable=True, needs=(("eth_type", 0x88E7),), show=_HEX),
        MatchField("tunnel_id", 38, 64, maskable=True, show=_HEX),
        MatchField("ipv6_exthdr", 39, 9, maskable=True, needs=_IPV6, show=_HEX),
    )
}
BY_NUMBER: dict[int, MatchField] = {field.number: field for field in FIELDS.values()}

# 1.0 sets the port of the transport header, whatever its protocol; these two names exist in SetField only.
TRANSPORT = ("tp_src", "tp_dst")
