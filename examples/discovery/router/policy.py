"""What the router is for: packets go to the right network and expire, and the router speaks for itself only."""

import ipaddress
from dataclasses import dataclass

from sdnloom import Needs, NetworkProperty, Property, events, flow_of, header_of, packet

ROUTER = packet.mac("02:00:00:00:00:fe")
NETWORKS = {"a": "10.1.0.0/24", "b": "10.2.0.0/16", "c": "10.2.3.0/24"}  # host -> the network at its port
OWN = {packet.ip(each) for each in ("10.1.0.1", "10.2.0.1", "10.2.3.1")}


def place(address):
    """The host at whose port the longest prefix of an address is; None if no network has it."""
    networks = {host: ipaddress.ip_network(text) for host, text in NETWORKS.items()}
    found = [host for host, network in networks.items() if ipaddress.ip_address(address) in network]
    return max(found, key=lambda host: networks[host].prefixlen, default=None)


@dataclass(frozen=True)
class NothingMisrouted(NetworkProperty):
    """A host gets IP packets only for its own network, to its own MAC address, and with some time to live left."""

    name: str = "NothingMisrouted"

    def bind(self, view):
        macs = {host.name: host.mac for host in view.topology.hosts}

        def fold(found, event):
            datagram = header_of(event.packet, packet.IPv4) if isinstance(event, events.Received) else None
            if found or datagram is None:
                return found
            address, mac = packet.ip4_text(datagram.dst), flow_of(event.packet).eth_dst
            if place(datagram.dst) != event.host:
                return f"{event.host} received a packet for {address}"
            if mac != macs[event.host]:
                return f"{event.host} received a packet for {address} with the MAC address {packet.mac_text(mac)}"
            return f"{event.host} received a packet whose time to live is 0" if not datagram.ttl else ""

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)


def routed():
    """What a host sends through the router to another network arrives, unless its time to live is up."""

    def fold(missing, event):
        datagram = header_of(event.packet, packet.IPv4) if isinstance(event, events.Sent | events.Received) else None
        if datagram is None:
            return missing
        if isinstance(event, events.Received):
            return missing - {(event.host, datagram.dst)}
        target = place(datagram.dst)
        through = flow_of(event.packet).eth_dst == ROUTER and datagram.dst not in OWN and datagram.ttl > 1
        return missing | {(target, datagram.dst)} if through and target not in (None, event.host) else missing

    def violated(missing, _):
        host, address = min(missing, default=("", 0))
        return f"a packet for {packet.ip4_text(address)} never reached {host}" if missing else None

    return Property("Routed", Needs.QUIESCENT, violated, fold=fold, initial=frozenset())


def own_addresses_only():
    """The router answers ARP requests for its own addresses, and for no others."""

    def fold(found, event):
        arp = header_of(event.packet, packet.Arp) if isinstance(event, events.Received) else None
        wrong = arp is not None and arp.sha == ROUTER and arp.spa not in OWN
        return found or (f"the router answered for {packet.ip4_text(arp.spa)}" if wrong else "")

    return Property("OwnAddressesOnly", Needs.EVENT, lambda found, _: found or None, fold=fold, initial="")
