"""The port NORMAL: an Ethernet bridge that learns addresses per VLAN, besides the flow tables."""

from sdnloom.network.openflow import VLAN_PRESENT, Port, PortConfig, PortDesc
from sdnloom.network.packet import Packet, Vlan
from sdnloom.network.switch.rewrite import pop_vlan
from sdnloom.network.switch.step import SwitchStep
from sdnloom.network.switch.tables.lookup import PacketFields

AGEING = 300_000  # milliseconds that an address is remembered (IEEE 802.1D's recommended value)
GROUP_BIT = 1 << 40
RESERVED, RESERVED_MASK = 0x0180C2000000, 0xFFFFFFFFFFF0  # addresses that no bridge forwards


def normal_ports(step: SwitchStep, fields: PacketFields, in_port: int) -> tuple[int, ...]:
    """Learn the port of the packet's source, and return the ports that a bridge sends the packet out of."""
    step.writes.add("macs")
    step.reads.add("ports")
    source, destination = fields.get("eth_src"), fields.get("eth_dst")
    if source is None or destination is None or destination & RESERVED_MASK == RESERVED:
        return ()
    vlan = fields["vlan_vid"] & ~VLAN_PRESENT
    arrived = any(port.port_no == in_port for port in step.ports)
    if not arrived and in_port not in (Port.ANY, Port.CONTROLLER):
        return ()
    if arrived and not source & GROUP_BIT:
        step.learned.append((vlan, source, in_port, AGEING))
        if not step.learns_late:
            learn(step)
    if not destination & GROUP_BIT:
        for row in step.core.macs:
            if row[:2] == (vlan, destination):
                return (row[2],) if row[2] != in_port else ()
    return tuple(port.port_no for port in step.ports if port.port_no != in_port and _floods(port))


def learn(step: SwitchStep) -> None:
    """Add the addresses seen in this step to the bridge's table; the last port of an address counts."""
    for row in step.learned:
        others = [known for known in step.core.macs if known[:2] != row[:2]]
        step.reads.add("time")
        step.update(macs=tuple(sorted([*others, row])))
    step.learned.clear()


def without_empty_tag(packet: Packet) -> Packet:
    """Return the packet as a bridge sends it: without a tag of VLAN 0 and priority 0."""
    tags = [header for header in packet.headers if isinstance(header, Vlan)]
    return pop_vlan(packet) if len(tags) == 1 and tags[0].vid == tags[0].pcp == 0 else packet


def _floods(port: PortDesc) -> bool:
    return not port.config & PortConfig.NO_FLOOD
