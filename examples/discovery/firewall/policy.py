"""What the firewall is for, in the words of those who use it."""

from dataclasses import dataclass

from sdnloom import Needs, NetworkProperty, Property, events, flow_of, packet

TCP, UDP, ICMP = packet.IpProto.TCP, packet.IpProto.UDP, packet.IpProto.ICMP
NAMES = {TCP: "TCP", UDP: "UDP", ICMP: "ICMP"}
ADMINISTRATION = 8443  # the port of the web server that the world must not reach


def text(flow):
    """A flow as text, such as "TCP 10.0.0.1:1024 > 10.0.0.2:80"."""
    source, target = packet.ip4_text(flow.ip_src), packet.ip4_text(flow.ip_dst)
    if flow.proto in (TCP, UDP):
        source, target = f"{source}:{flow.port_src}", f"{target}:{flow.port_dst}"
    return f"{NAMES.get(flow.proto, f'protocol {flow.proto}')} {source} > {target}"


@dataclass(frozen=True)
class Closed(NetworkProperty):
    """From `world`, `web` gets TCP only, and nothing for the port of administration; `inside` gets replies only.

    A reply comes from the address and the port that `inside` has sent to, by the same protocol, to the port that it has
    sent from. ARP is free.
    """

    name: str = "Closed"
    world: str = ""
    web: str = ""
    inside: str = ""

    def bind(self, view):
        world = view.topology.host(self.world)

        def fold(memory, event):
            asked, received = memory  # flows that `inside` sent; flows that arrived, unless they may anyway
            if not isinstance(event, events.Sent | events.Received):
                return memory
            flow = flow_of(event.packet)._replace(eth_src=0, eth_dst=0)
            if isinstance(event, events.Sent):
                return (asked | {flow}, received) if event.host == self.inside and flow.ip_dst else memory
            if flow.ip_src != world.ip or event.host not in (self.web, self.inside):
                return memory
            if event.host == self.web and flow.proto == TCP and flow.port_dst != ADMINISTRATION:
                return memory
            return asked, received | {(event.host, flow)}

        def violated(memory, _):
            asked, received = memory
            allowed = {(flow.proto, flow.ip_dst, flow.port_dst, flow.port_src) for flow in asked}
            for host, flow in sorted(received):
                if host == self.web or (flow.proto, flow.ip_src, flow.port_src, flow.port_dst) not in allowed:
                    return f"{host} received {text(flow)}"
            return None

        return (Property(self.name, Needs.EVENT, violated, fold=fold, initial=(frozenset(), frozenset())),)


@dataclass(frozen=True)
class Open(NetworkProperty):
    """TCP to `web` arrives: from `world` to any port but that of administration, from `inside` to any port."""

    name: str = "Open"
    world: str = ""
    web: str = ""
    inside: str = ""

    def bind(self, view):
        web = view.topology.host(self.web)

        def fold(missing, event):
            if not isinstance(event, events.Sent | events.Received):
                return missing
            flow = flow_of(event.packet)._replace(eth_src=0, eth_dst=0)
            if isinstance(event, events.Received):
                return missing - {flow} if event.host == self.web else missing
            may = event.host == self.inside or (event.host == self.world and flow.port_dst != ADMINISTRATION)
            return missing | {flow} if may and (flow.proto, flow.ip_dst) == (TCP, web.ip) else missing

        def violated(missing, _):
            return f"{text(min(missing))} never arrived" if missing else None

        return (Property(self.name, Needs.QUIESCENT, violated, fold=fold, initial=frozenset()),)
