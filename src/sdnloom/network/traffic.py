"""Packets that hosts send, built from their addresses, and the addresses of a packet."""

from dataclasses import replace
from typing import NamedTuple

from sdnloom.network.packet import (
    Arp,
    Ethernet,
    Header,
    Icmp,
    IPv4,
    Packet,
    Tcp,
    Udp,
    stack,
)
from sdnloom.network.topology.spec import HostSpec

BROADCAST = 0xFFFF_FFFF_FFFF
ECHO_REQUEST, ECHO_REPLY = 8, 0
ARP_REQUEST, ARP_REPLY = 1, 2


class Flow(NamedTuple):
    """The flow that a packet belongs to: its addresses and transport ports; a field that it lacks is 0."""

    eth_src: int
    eth_dst: int
    ip_src: int = 0
    ip_dst: int = 0
    proto: int = 0
    port_src: int = 0
    port_dst: int = 0


def flow_of(packet: Packet) -> Flow:
    """Return the flow of a packet."""
    flow = Flow(0, 0)
    for header in packet.headers:
        if isinstance(header, Ethernet):
            flow = flow._replace(eth_src=header.src, eth_dst=header.dst)
        elif isinstance(header, IPv4):
            flow = flow._replace(ip_src=header.src, ip_dst=header.dst, proto=header.proto)
        elif isinstance(header, Tcp | Udp):
            flow = flow._replace(port_src=header.src, port_dst=header.dst)
    return flow


def header_of(packet: Packet, kind: type[Header]) -> Header | None:
    """Return the first header of that kind."""
    return next((header for header in packet.headers if isinstance(header, kind)), None)


def ends_of(packet: Packet) -> tuple[int, int]:
    """Return the source and destination MAC addresses; (0, 0) if it is no Ethernet frame."""
    return flow_of(packet)[:2]


def is_group(address: int) -> bool:
    """Return whether a MAC address is a group address, such as the broadcast address."""
    return bool(address >> 40 & 1)


def ping(source: HostSpec, target: HostSpec) -> Packet:
    """Return an ICMP echo request."""
    return ping_to(source, target.mac, target.ip)


def ping_to(source: HostSpec, mac: int, ip: int) -> Packet:
    """Return an ICMP echo request to (MAC address, IP address)."""
    return stack(Ethernet(mac, source.mac), IPv4(source.ip, ip), Icmp(ECHO_REQUEST))


def frame(source: HostSpec, target: HostSpec, ethertype: int = 0x88B5) -> Packet:
    """Return an empty Ethernet frame of a type that is reserved for experiments."""
    return stack(Ethernet(target.mac, source.mac, ethertype))


def arp_request(source: HostSpec, wanted: int) -> Packet:
    """Return an ARP request for an IP address; for the source's own address it is a gratuitous ARP."""
    return stack(Ethernet(BROADCAST, source.mac), Arp(ARP_REQUEST, source.mac, source.ip, 0, wanted))


def arp_reply(source: HostSpec, mac: int, ip: int) -> Packet:
    """Return the ARP reply to the host with these addresses."""
    return stack(Ethernet(mac, source.mac), Arp(ARP_REPLY, source.mac, source.ip, mac, ip))


def arp_answer(me: HostSpec, packet: Packet) -> Packet | None:
    """Return the ARP reply of a host to a packet; None unless the packet asks for the host's address.

    A gratuitous ARP asks for nothing. A request to the MAC address of another host is not received.
    """
    arp, destination = header_of(packet, Arp), ends_of(packet)[1]
    if not isinstance(arp, Arp) or arp.op != ARP_REQUEST or arp.tpa != me.ip or arp.spa == me.ip:
        return None
    return arp_reply(me, arp.sha, arp.spa) if destination == me.mac or is_group(destination) else None


def tcp_segment(source: HostSpec, target: tuple[int, int], header: Tcp) -> Packet:
    """Return a TCP segment to (MAC address, IP address)."""
    return stack(Ethernet(target[0], source.mac), IPv4(source.ip, target[1]), header)


def answer_to(packet: Packet) -> Packet:
    """Return the packet with source and destination exchanged and no payload; an echo request becomes a reply."""
    return Packet(tuple(_reversed(header) for header in packet.headers))


def _reversed(header: Header) -> Header:
    if isinstance(header, Ethernet | IPv4 | Tcp | Udp):
        return replace(header, src=header.dst, dst=header.src)
    if isinstance(header, Icmp) and header.type == ECHO_REQUEST:
        return replace(header, type=ECHO_REPLY)
    return header
