"""The fixed match of OpenFlow 1.0, converted to and from the Match of both versions.

In 1.0 one field has several meanings (`nw_src` is also ARP's, `tp_src` also ICMP's type) and a bit per wildcard. A
field whose packet type is not matched is ignored, as 1.0.1 requires, so it is not part of the Match. Bits beyond the
width of a VLAN id, a priority or a DSCP are ignored.
"""

from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.openflow.constants import V10, VLAN_PRESENT
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match import Match, canonical

VLAN_NONE = 0xFFFF
ALL_WILDCARDS = 0x3FFFFF
IPV4, ARP = 0x0800, 0x0806

_STRUCT = STRUCTS[V10]["match"]
# Slot -> its bit in `wildcards`; the slot is matched if the bit is 0.
_WILDCARD = {
    "in_port": 1 << 0,
    "dl_vlan": 1 << 1,
    "dl_src": 1 << 2,
    "dl_dst": 1 << 3,
    "dl_type": 1 << 4,
    "nw_proto": 1 << 5,
    "tp_src": 1 << 6,
    "tp_dst": 1 << 7,
    "dl_vlan_pcp": 1 << 20,
    "nw_tos": 1 << 21,
}
# Slot -> offset of its six bits in `wildcards`: how many low address bits are not matched, 32 or more for all.
_PREFIX = {"nw_src": 8, "nw_dst": 14}
# Packet type -> meaning of nw_proto, nw_src and nw_dst; protocol -> meaning of tp_src and tp_dst.
_NETWORK = {IPV4: ("ip_proto", "ipv4_src", "ipv4_dst"), ARP: ("arp_op", "arp_spa", "arp_tpa")}
_TRANSPORT = {1: ("icmpv4_type", "icmpv4_code"), 6: ("tcp_src", "tcp_dst"), 17: ("udp_src", "udp_dst")}

# Name in a Match -> slot.
_SLOTS = {
    "in_port": "in_port",
    "eth_src": "dl_src",
    "eth_dst": "dl_dst",
    "eth_type": "dl_type",
    "vlan_pcp": "dl_vlan_pcp",
    "ip_dscp": "nw_tos",
}
for _network in _NETWORK.values():
    _SLOTS |= zip(_network, ("nw_proto", "nw_src", "nw_dst"), strict=True)
for _transport in _TRANSPORT.values():
    _SLOTS |= zip(_transport, ("tp_src", "tp_dst"), strict=True)


def port_from_16(number: int) -> int:
    """Return the 32-bit number of a 16-bit port: reserved ports move to the end of 32 bits."""
    return number if number < 0xFF00 else number | 0xFFFF0000


def port_to_16(number: int) -> int:
    """Return the 16-bit number of a port."""
    if 0 <= number < 0xFF00:
        return number
    if 0xFFFFFF00 <= number <= 0xFFFFFFFF:
        return number & 0xFFFF
    raise EncodeError(f"port {number}: expected one below 65280 or a reserved one in OpenFlow 1.0")


def read_match10(number: int) -> Match:
    """Return the Match of 40 bytes, given as one number. Every such number has a Match."""
    raw = _STRUCT.unpack(number.to_bytes(_STRUCT.size, "big"))
    wildcards = raw["wildcards"]
    fields: list[tuple[str, int, int | None]] = []

    def exact(slot: str) -> int | None:
        return None if wildcards & _WILDCARD[slot] else raw[slot]

    def take(name: str, value: int | None) -> None:
        if value is not None:
            fields.append((name, value, None))

    def prefix(name: str, slot: str) -> None:
        ignored = wildcards >> _PREFIX[slot] & 0x3F
        if ignored < 32:
            fields.append((name, raw[slot], 0xFFFFFFFF >> ignored << ignored))

    if (port := exact("in_port")) is not None:
        take("in_port", port_from_16(port))
    take("eth_src", exact("dl_src"))
    take("eth_dst", exact("dl_dst"))
    vlan, priority = exact("dl_vlan"), exact("dl_vlan_pcp")
    if vlan == VLAN_NONE:
        take("vlan_vid", 0)
    elif vlan is not None:
        take("vlan_vid", VLAN_PRESENT | vlan & 0xFFF)
    elif priority is not None:
        fields.append(("vlan_vid", VLAN_PRESENT, VLAN_PRESENT))
    if priority is not None and vlan != VLAN_NONE:
        take("vlan_pcp", priority & 7)
    kind = exact("dl_type")
    take("eth_type", kind)
    if kind in _NETWORK:
        proto_name, src_name, dst_name = _NETWORK[kind]
        proto = exact("nw_proto")
        take(proto_name, proto)
        prefix(src_name, "nw_src")
        prefix(dst_name, "nw_dst")
        if kind == IPV4:
            tos = exact("nw_tos")
            take("ip_dscp", None if tos is None else tos >> 2)
            if proto in _TRANSPORT:
                take(_TRANSPORT[proto][0], exact("tp_src"))
                take(_TRANSPORT[proto][1], exact("tp_dst"))
    return canonical(fields)


def write_match10(match: Match) -> int:
    """Return 40 bytes as one number; a match that 1.0 cannot express exactly raises EncodeError."""
    raw = dict.fromkeys(_STRUCT.slots, 0)
    wildcards = ALL_WILDCARDS
    for name, value, mask in match.fields:
        slot = _SLOTS.get(name)
        if name == "vlan_vid":
            if mask is None:
                raw["dl_vlan"] = value & 0xFFF if value & VLAN_PRESENT else VLAN_NONE
                wildcards &= ~_WILDCARD["dl_vlan"]
        elif slot in _PREFIX:
            ignored = 0 if mask is None else (mask & -mask).bit_length() - 1
            raw[slot] = value
            wildcards = wildcards & ~(0x3F << _PREFIX[slot]) | ignored << _PREFIX[slot]
        elif slot is not None and mask is None:
            raw[slot] = value << 2 if name == "ip_dscp" else port_to_16(value) if name == "in_port" else value
            wildcards &= ~_WILDCARD[slot]
    if wildcards == _WILDCARD["dl_vlan_pcp"] and raw["dl_vlan"] == VLAN_NONE:
        wildcards = 0  # what an absent tag lacks is no wildcard, and a match without any is above every priority
    raw["wildcards"] = wildcards
    number = int.from_bytes(_STRUCT.pack(raw), "big")
    if read_match10(number) != match:  # a mask, a field or a missing prerequisite that 1.0 cannot express
        raise EncodeError(
            f"{match!r} has no form in OpenFlow 1.0: expected its 12 fields, each with what it depends on"
        )
    return number
