"""`nox.lib.openflow`: the numbers of OpenFlow 1.0 under the names of its C header, and the match structure."""

import struct
from typing import Any

from sdnloom.platforms.nox.octets import Octets, octets

OFP_VERSION = 0x01
OFP_TCP_PORT = OFP_SSL_PORT = 6633
OFP_MAX_TABLE_NAME_LEN = 32
OFP_MAX_PORT_NAME_LEN = 16
OFP_ETH_ALEN = 6
OFP_DEFAULT_MISS_SEND_LEN = 128
OFP_DEFAULT_PRIORITY = 0x8000
OFP_FLOW_PERMANENT = 0
OFP_VLAN_NONE = 0xFFFF
OFP_NO_BUFFER = UINT32_MAX = 0xFFFFFFFF

OFPP_MAX = 0xFF00
OFPP_IN_PORT = 0xFFF8
OFPP_TABLE = 0xFFF9
OFPP_NORMAL = 0xFFFA
OFPP_FLOOD = 0xFFFB
OFPP_ALL = 0xFFFC
OFPP_CONTROLLER = 0xFFFD
OFPP_LOCAL = 0xFFFE
OFPP_NONE = 0xFFFF

OFPFW_IN_PORT = 1 << 0
OFPFW_DL_VLAN = 1 << 1
OFPFW_DL_SRC = 1 << 2
OFPFW_DL_DST = 1 << 3
OFPFW_DL_TYPE = 1 << 4
OFPFW_NW_PROTO = 1 << 5
OFPFW_TP_SRC = 1 << 6
OFPFW_TP_DST = 1 << 7
OFPFW_NW_SRC_SHIFT, OFPFW_NW_SRC_BITS = 8, 6
OFPFW_NW_SRC_MASK = 0x3F << OFPFW_NW_SRC_SHIFT
OFPFW_NW_SRC_ALL = 32 << OFPFW_NW_SRC_SHIFT
OFPFW_NW_DST_SHIFT, OFPFW_NW_DST_BITS = 14, 6
OFPFW_NW_DST_MASK = 0x3F << OFPFW_NW_DST_SHIFT
OFPFW_NW_DST_ALL = 32 << OFPFW_NW_DST_SHIFT
OFPFW_DL_VLAN_PCP = 1 << 20
OFPFW_NW_TOS = 1 << 21
OFPFW_ALL = (1 << 22) - 1


(
    OFPT_HELLO,
    OFPT_ERROR,
    OFPT_ECHO_REQUEST,
    OFPT_ECHO_REPLY,
    OFPT_VENDOR,
    OFPT_FEATURES_REQUEST,
    OFPT_FEATURES_REPLY,
    OFPT_GET_CONFIG_REQUEST,
    OFPT_GET_CONFIG_REPLY,
    OFPT_SET_CONFIG,
    OFPT_PACKET_IN,
    OFPT_FLOW_REMOVED,
    OFPT_PORT_STATUS,
    OFPT_PACKET_OUT,
    OFPT_FLOW_MOD,
    OFPT_PORT_MOD,
    OFPT_STATS_REQUEST,
    OFPT_STATS_REPLY,
    OFPT_BARRIER_REQUEST,
    OFPT_BARRIER_REPLY,
    OFPT_QUEUE_GET_CONFIG_REQUEST,
    OFPT_QUEUE_GET_CONFIG_REPLY,
) = range(22)

(
    OFPAT_OUTPUT,
    OFPAT_SET_VLAN_VID,
    OFPAT_SET_VLAN_PCP,
    OFPAT_STRIP_VLAN,
    OFPAT_SET_DL_SRC,
    OFPAT_SET_DL_DST,
    OFPAT_SET_NW_SRC,
    OFPAT_SET_NW_DST,
    OFPAT_SET_NW_TOS,
    OFPAT_SET_TP_SRC,
    OFPAT_SET_TP_DST,
    OFPAT_ENQUEUE,
) = range(12)
OFPAT_VENDOR = 0xFFFF

OFPFC_ADD, OFPFC_MODIFY, OFPFC_MODIFY_STRICT, OFPFC_DELETE, OFPFC_DELETE_STRICT = range(5)
OFPFF_SEND_FLOW_REM = 1 << 0
OFPFF_CHECK_OVERLAP = 1 << 1
OFPFF_EMERG = 1 << 2

OFPR_NO_MATCH, OFPR_ACTION = range(2)
OFPPR_ADD, OFPPR_DELETE, OFPPR_MODIFY = range(3)
OFPRR_IDLE_TIMEOUT, OFPRR_HARD_TIMEOUT, OFPRR_DELETE = range(3)

OFPPC_PORT_DOWN = 1 << 0
OFPPC_NO_STP = 1 << 1
OFPPC_NO_RECV = 1 << 2
OFPPC_NO_RECV_STP = 1 << 3
OFPPC_NO_FLOOD = 1 << 4
OFPPC_NO_FWD = 1 << 5
OFPPC_NO_PACKET_IN = 1 << 6

OFPPS_LINK_DOWN = 1 << 0
OFPPS_STP_LISTEN = 0 << 8
OFPPS_STP_LEARN = 1 << 8
OFPPS_STP_FORWARD = 2 << 8
OFPPS_STP_BLOCK = OFPPS_STP_MASK = 3 << 8

OFPPF_10MB_HD = 1 << 0
OFPPF_10MB_FD = 1 << 1
OFPPF_100MB_HD = 1 << 2
OFPPF_100MB_FD = 1 << 3
OFPPF_1GB_HD = 1 << 4
OFPPF_1GB_FD = 1 << 5
OFPPF_10GB_FD = 1 << 6
OFPPF_COPPER = 1 << 7
OFPPF_FIBER = 1 << 8
OFPPF_AUTONEG = 1 << 9
OFPPF_PAUSE = 1 << 10
OFPPF_PAUSE_ASYM = 1 << 11

OFPC_FLOW_STATS = 1 << 0
OFPC_TABLE_STATS = 1 << 1
OFPC_PORT_STATS = 1 << 2
OFPC_STP = 1 << 3
OFPC_IP_REASM = 1 << 5
OFPC_QUEUE_STATS = 1 << 6
OFPC_ARP_MATCH_IP = 1 << 7
OFPC_FRAG_NORMAL, OFPC_FRAG_DROP, OFPC_FRAG_REASM, OFPC_FRAG_MASK = range(4)

OFPST_DESC, OFPST_FLOW, OFPST_AGGREGATE, OFPST_TABLE, OFPST_PORT, OFPST_QUEUE = range(6)
OFPST_VENDOR = 0xFFFF
OFPSF_REPLY_MORE = 1

(
    OFPET_HELLO_FAILED,
    OFPET_BAD_REQUEST,
    OFPET_BAD_ACTION,
    OFPET_FLOW_MOD_FAILED,
    OFPET_PORT_MOD_FAILED,
    OFPET_QUEUE_OP_FAILED,
) = range(6)

(
    OFPFMFC_ALL_TABLES_FULL,
    OFPFMFC_OVERLAP,
    OFPFMFC_EPERM,
    OFPFMFC_BAD_EMERG_TIMEOUT,
    OFPFMFC_BAD_COMMAND,
    OFPFMFC_UNSUPPORTED,
) = range(6)


class ofp_match:
    """The match structure: numbers are in network byte order, as `htons` returns them."""

    FORM = "=IH6s6sHBxHBB2xIIHH"
    SIZE = struct.calcsize(FORM)

    def __init__(self) -> None:
        self.wildcards = self.in_port = self.dl_vlan = self.dl_vlan_pcp = self.dl_type = 0
        self.dl_src = self.dl_dst = Octets(bytes(6))
        self.nw_tos = self.nw_proto = self.nw_src = self.nw_dst = self.tp_src = self.tp_dst = 0

    def set_dl_src(self, octet: Any) -> None:
        """Set the Ethernet source address."""
        self.dl_src = octets(octet)

    def set_dl_dst(self, octet: Any) -> None:
        """Set the Ethernet destination address."""
        self.dl_dst = octets(octet)

    def pack(self) -> bytes:
        """Return the 40 bytes."""
        link = (self.wildcards, self.in_port, self.dl_src, self.dl_dst, self.dl_vlan, self.dl_vlan_pcp, self.dl_type)
        network = (self.nw_tos, self.nw_proto, self.nw_src, self.nw_dst, self.tp_src, self.tp_dst)
        return struct.pack(self.FORM, *link, *network)
