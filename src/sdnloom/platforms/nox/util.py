"""`nox.lib.util`: flows as dictionaries, addresses in any of their forms."""

import array
from collections.abc import Mapping
from socket import htons
from typing import Any

from sdnloom.platforms.nox import openflow
from sdnloom.platforms.nox.adapters import (
    gen_aggr_stats_in_callback,
    gen_barrier_reply_callback,
    gen_datapath_join_callback,
    gen_datapath_leave_callback,
    gen_desc_stats_in_callback,
    gen_error_callback,
    gen_flow_mod_callback,
    gen_flow_removed_callback,
    gen_flow_stats_in_callback,
    gen_packet_in_callback,
    gen_port_stats_in_callback,
    gen_port_status_callback,
    gen_table_stats_in_callback,
)
from sdnloom.platforms.nox.netinet import (
    c_htonl,
    c_ntohl,
    create_bin_eaddr,
    create_eaddr,
    create_ipaddr,
    ethernetaddr,
    ipaddr,
)
from sdnloom.platforms.nox.packet.arp import arp
from sdnloom.platforms.nox.packet.ethernet import ethernet
from sdnloom.platforms.nox.packet.icmp import icmp
from sdnloom.platforms.nox.packet.ipv4 import ipv4
from sdnloom.platforms.nox.packet.packet_exceptions import IncompletePacket
from sdnloom.platforms.nox.packet.tcp import tcp
from sdnloom.platforms.nox.packet.udp import udp
from sdnloom.platforms.nox.packet.vlan import vlan

__all__ = [
    "IncompletePacket",
    "arp",
    "c_htonl",
    "c_ntohl",
    "convert_to_eaddr",
    "convert_to_ipaddr",
    "create_bin_eaddr",
    "create_eaddr",
    "create_ipaddr",
    "ethernet",
    "ethernetaddr",
    "extract_flow",
    "gen_aggr_stats_in_callback",
    "gen_barrier_reply_callback",
    "gen_datapath_join_callback",
    "gen_datapath_leave_callback",
    "gen_desc_stats_in_callback",
    "gen_error_callback",
    "gen_flow_mod_callback",
    "gen_flow_removed_callback",
    "gen_flow_stats_in_callback",
    "gen_packet_in_callback",
    "gen_port_stats_in_callback",
    "gen_port_status_callback",
    "gen_table_stats_in_callback",
    "icmp",
    "ipaddr",
    "ipv4",
    "set_match",
    "tcp",
    "udp",
    "vlan",
]

# Key of a flow -> its wildcard bit.
_WILDCARDS = {
    "in_port": openflow.OFPFW_IN_PORT,
    "dl_vlan": openflow.OFPFW_DL_VLAN,
    "dl_vlan_pcp": openflow.OFPFW_DL_VLAN_PCP,
    "dl_src": openflow.OFPFW_DL_SRC,
    "dl_dst": openflow.OFPFW_DL_DST,
    "dl_type": openflow.OFPFW_DL_TYPE,
    "nw_src": openflow.OFPFW_NW_SRC_MASK,
    "nw_dst": openflow.OFPFW_NW_DST_MASK,
    "nw_proto": openflow.OFPFW_NW_PROTO,
    "nw_tos": openflow.OFPFW_NW_TOS,
    "tp_src": openflow.OFPFW_TP_SRC,
    "tp_dst": openflow.OFPFW_TP_DST,
}
_SHORT = ("in_port", "dl_vlan", "dl_type", "tp_src", "tp_dst")  # two bytes, so their order matters
_PREFIXES = {
    "nw_src_n_wild": ("nw_src", openflow.OFPFW_NW_SRC_MASK, openflow.OFPFW_NW_SRC_SHIFT),
    "nw_dst_n_wild": ("nw_dst", openflow.OFPFW_NW_DST_MASK, openflow.OFPFW_NW_DST_SHIFT),
}


def convert_to_eaddr(val: Any) -> ethernetaddr | None:
    """Return an Ethernet address given as an object, six bytes, a text or a number; None if it is none of these."""
    if isinstance(val, array.array | bytes) or (isinstance(val, str) and len(val) == ethernetaddr.LEN):
        return create_bin_eaddr(val)
    return create_eaddr(val)


def convert_to_ipaddr(val: Any) -> int | None:
    """Return an IP address given as an object, a text or a number, in network byte order; None if it is none."""
    found = create_ipaddr(val)
    return None if found is None else found.addr


def set_match(attrs: Mapping[str, Any]) -> openflow.ofp_match:
    """Return the match of a flow; a missing key is a wildcard, an unknown one a RuntimeError."""
    match, wildcards = openflow.ofp_match(), openflow.OFPFW_ALL
    unknown = [key for key in attrs if key not in _WILDCARDS and _PREFIXES.get(key, ("",))[0] not in attrs]
    if unknown:
        raise RuntimeError(f"undefined flow attribute type in attrs: {attrs}")
    for key, bit in _WILDCARDS.items():
        if key not in attrs:
            continue
        wildcards &= ~bit
        value: Any = attrs[key]
        if key in ("dl_src", "dl_dst"):
            address = convert_to_eaddr(value)
            if address is None:
                raise RuntimeError("invalid ethernet addr")
            value = address.octet
        elif key in ("nw_src", "nw_dst"):
            value = convert_to_ipaddr(value)
            if value is None:
                raise RuntimeError("invalid ip addr")
        elif key in _SHORT:
            value = htons(value)
        setattr(match, key, value)
    for key, (_, mask, shift) in _PREFIXES.items():
        bits = attrs.get(key, 0)
        if bits < 0:
            raise RuntimeError(f"invalid {key.removesuffix('_n_wild')} wildcard bit count: {bits}")
        wildcards |= mask if bits > 31 else bits << shift
    match.wildcards = c_htonl(wildcards)
    return match


def extract_flow(packet: Any) -> dict[str, Any]:
    """Return the flow of a packet as a dictionary, without its port."""
    inner = packet.next
    attrs = {"dl_src": packet.src, "dl_dst": packet.dst, "dl_type": packet.type}
    if isinstance(inner, vlan):
        attrs |= {"dl_vlan": inner.id, "dl_vlan_pcp": inner.pcp}
        inner = inner.next
    else:
        attrs |= {"dl_vlan": openflow.OFP_VLAN_NONE, "dl_vlan_pcp": 0}
    attrs |= dict.fromkeys(("nw_src", "nw_dst", "nw_proto", "nw_tos", "tp_src", "tp_dst"), 0)
    if isinstance(inner, ipv4):
        attrs |= {"nw_src": inner.srcip, "nw_dst": inner.dstip, "nw_proto": inner.protocol, "nw_tos": inner.tos}
        if isinstance(inner.next, udp | tcp):
            attrs |= {"tp_src": inner.next.srcport, "tp_dst": inner.next.dstport}
        elif isinstance(inner.next, icmp):
            attrs |= {"tp_src": inner.next.type, "tp_dst": inner.next.code}
    elif isinstance(inner, arp):
        attrs["nw_proto"] = inner.opcode
    return attrs
