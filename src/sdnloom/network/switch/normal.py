"""The port NORMAL: an Ethernet bridge that learns addresses per VLAN, beside the flow tables."""

from sdnloom.network.openflow import VLAN_PRESENT, PortConfig, PortDesc
from sdnloom.network.switch.matching import Fields
from sdnloom.network.switch.turn import Turn

AGEING = 300_000  # milliseconds that an address is remembered (IEEE 802.1D's recommended value)
_GROUP_BIT = 1 << 40
_RESERVED, _RESERVED_MASK = 0x0180C2000000, 0xFFFFFFFFFFF0  # never forwarded by a bridge


def normal_ports(turn: Turn, fields: Fields, in_port: int) -> tuple[int, ...]:
    """Return the ports a bridge sends this packet out of, after learning where its source is."""
    turn.writes.add("macs")
    turn.reads.add("ports")
    source, destination = fields.get("eth_src"), fields.get("eth_dst")
    if source is None or destination is None or destination & _RESERVED_MASK == _RESERVED:
        return ()
    vlan = fields["vlan_vid"] & ~VLAN_PRESENT
    if not source & _GROUP_BIT and any(port.port_no == in_port for port in turn.ports):
        others = [row for row in turn.core.macs if row[:2] != (vlan, source)]
        turn.reads.add("time")
        turn.update(macs=tuple(sorted([*others, (vlan, source, in_port, AGEING)])))
    if not destination & _GROUP_BIT:
        for row in turn.core.macs:
            if row[:2] == (vlan, destination):
                return (row[2],) if row[2] != in_port else ()
    return tuple(port.port_no for port in turn.ports if port.port_no != in_port and _floods(port))


def _floods(port: PortDesc) -> bool:
    return not port.config & PortConfig.NO_FLOOD
