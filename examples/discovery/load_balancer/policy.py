"""What the load balancer is for: the service answers at its own address, and nobody sees the servers."""

from dataclasses import dataclass

from sdnloom import Needs, NetworkProperty, Property, events, flow_of, header_of, packet

SERVICE_IP, SERVICE_MAC = packet.ip("10.0.0.100"), packet.mac("02:00:00:00:00:64")
SERVICES = {(packet.IpProto.TCP, 80): "TCP", (packet.IpProto.UDP, 53): "UDP"}
ARP, REQUEST, REPLY = "an ARP request", 1, 2


def request(sent):
    """The question that a packet asks the service, such as "TCP 1024 > 80"; None if it asks none."""
    arp, flow = header_of(sent, packet.Arp), flow_of(sent)
    if arp is not None:
        return ARP if (arp.op, arp.tpa) == (REQUEST, SERVICE_IP) else None
    name = SERVICES.get((flow.proto, flow.port_dst))
    to_service = (flow.eth_dst, flow.ip_dst) == (SERVICE_MAC, SERVICE_IP)
    return f"{name} {flow.port_src} > {flow.port_dst}" if name and to_service else None


def answered(received):
    """The question that a packet answers; None if it does not come from the address of the service."""
    arp, flow = header_of(received, packet.Arp), flow_of(received)
    if arp is not None:
        return ARP if (arp.op, arp.spa, arp.sha) == (REPLY, SERVICE_IP, SERVICE_MAC) else None
    name = SERVICES.get((flow.proto, flow.port_src))
    return f"{name} {flow.port_dst} > {flow.port_src}" if name and flow.ip_src == SERVICE_IP else None


@dataclass(frozen=True)
class Answered(NetworkProperty):
    """Each question of `client` to the service is answered: for its address, to its web server, to its name server."""

    name: str = "Answered"
    client: str = ""

    def bind(self, view):
        def fold(missing, event):
            if isinstance(event, events.Sent) and event.host == self.client:
                question = request(event.packet)
                return missing | {question} if question else missing
            if isinstance(event, events.Received) and event.host == self.client:
                return missing - {answered(event.packet)}
            return missing

        def violated(missing, _):
            return f"the service never answered {min(missing)}" if missing else None

        return (Property(self.name, Needs.QUIESCENT, violated, fold=fold, initial=frozenset()),)


@dataclass(frozen=True)
class Hidden(NetworkProperty):
    """`client` gets IP packets only from the address of the service; a server gets only those to its own addresses."""

    name: str = "Hidden"
    client: str = ""
    servers: tuple[str, ...] = ()

    def bind(self, view):
        hosts = {name: view.topology.host(name) for name in self.servers}

        def fold(found, event):
            if found or not isinstance(event, events.Received):
                return found
            flow = flow_of(event.packet)
            if not flow.ip_dst:
                return found
            if event.host == self.client and flow.ip_src != SERVICE_IP:
                return f"{event.host} received a packet from {packet.ip4_text(flow.ip_src)}"
            host = hosts.get(event.host)
            if host is not None and (flow.eth_dst, flow.ip_dst) != (host.mac, host.ip):
                address = f"{packet.mac_text(flow.eth_dst)}, {packet.ip4_text(flow.ip_dst)}"
                return f"{event.host} received a packet for {address}"
            return found

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)
