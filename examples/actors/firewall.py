"""A firewall that remembers trusted hosts when they move, and one that forgets to ask.

    sdnloom check examples/actors/firewall.py              holds
    sdnloom check examples/actors/firewall.py:unchecked    a packet comes in from a host that nobody trusts

Ports 1 and 2 of the switch are inside, 3 to 5 outside. A host becomes trusted when it sends a packet from an inside
port, and when the firewall lets a packet for it through that comes from or goes to an inside port. `Moved` is the host
A1 after it was carried outside: it sends with A1's address, from another port.
"""

from typing import NamedTuple

from sdnloom import events, openflow, packet
from sdnloom.actors import Controller, Monitor, Program, SHlink, network_program

HOSTS = ("A1", "A2", "B1", "B2", "Moved")  # the n-th is at port n and has the MAC address n
INSIDE = (1, 2)  # ports
MIX = (  # sender, source address, destination address
    ("A1", 1, 3),
    ("B1", 3, 1),
    ("Moved", 1, 2),
    ("A2", 2, 3),
    ("B1", 3, 2),
    ("B2", 4, 2),
    ("A2", 2, 4),
    ("Moved", 1, 4),
    ("A1", 1, 4),
    ("B2", 4, 1),
    ("Moved", 1, 2),
)


class Trusted(NamedTuple):
    """The event that a host becomes trusted."""

    address: int


class Firewall(Controller):
    """Lets packets in from trusted hosts only."""

    trusted: set = set()

    def is_welcome(self, source):
        return source in self.trusted

    def trust(self, address):
        self.trusted.add(address)
        self.emit(Trusted(address))

    async def packet_in(self, switch, in_port, packet):
        source, target = packet["eth_src"], packet["eth_dst"]
        out_port = next(host.port for host in self.topology.hosts if host.mac == target)
        if in_port not in INSIDE and not self.is_welcome(source):
            return  # nothing is installed, because the host may be trusted later
        if in_port in INSIDE:
            self.trust(source)
        if in_port in INSIDE or out_port in INSIDE:
            self.trust(target)
        actions = (openflow.Output(out_port),)
        switch.install({"in_port": in_port, "eth_src": source, "eth_dst": target}, actions)
        switch.packet_out(packet, actions, in_port)


class UncheckedFirewall(Firewall):
    """Forgets to ask whether the source of a packet from outside is trusted."""

    def is_welcome(self, source):
        return True


class OnlyTrustedSources(Monitor):
    """Reports a packet that a host receives before the packet's source was trusted."""

    known: set = set()

    def on_event(self, event):
        match event:
            case Trusted(address):
                self.known.add(address)
            case events.Received(host=host, packet=packet) if packet["eth_src"] not in self.known:
                self.report("{} received packet {}, whose source was not trusted", host, packet.name)


def firewall_network(controller: Controller, packets: int) -> Program:
    """One switch, five hosts and the first packets of the mix."""
    return network_program(
        controller,
        links=[SHlink("S", host, port) for port, host in enumerate(HOSTS, 1)],
        sends=[(host, packet.stack(packet.Ethernet(dst=target, src=source))) for host, source, target in MIX[:packets]],
        monitors=[OnlyTrustedSources()],
    )


def unchecked(packets: int = 8) -> Program:
    """MIB: the firewall that forgets to ask."""
    return firewall_network(UncheckedFirewall("ctrl"), packets)


def program(packets: int = 8) -> Program:
    """MI: the right firewall."""
    return firewall_network(Firewall("ctrl"), packets)
