"""A learning controller that serves authenticated hosts only.

    sdnloom check examples/actors/learning.py    holds

The switches are in a line. A host authenticates itself by a packet with the right payload. H1 and H2 do so, and send to
each other; H3 never does.
"""

from sdnloom import events, openflow, packet
from sdnloom.actors import (
    AllDelivered,
    Controller,
    Monitor,
    NoContradictoryEntries,
    NoForwardingLoop,
    Program,
    SHlink,
    SSlink,
    network_program,
)

LEFT, RIGHT, HOST = 1, 2, 3  # ports of each switch
LOGIN = b"login"
MIX = (  # sender, MAC address of the destination, payload; the n-th host has the MAC address n
    ("H1", 2, LOGIN),
    ("H2", 1, LOGIN),
    ("H1", 2, b""),
    ("H3", 2, b""),
    ("H3", 1, b""),
)


class LearningController(Controller):
    """Learns behind which port of each switch a host is, and installs an entry when it knows both ends."""

    authenticated: set = set()
    ports: dict = {}  # (switch, address) -> port

    async def packet_in(self, switch, in_port, packet):
        source, target = packet["eth_src"], packet["eth_dst"]
        if packet.packet.payload == LOGIN:
            self.authenticated.add(source)
        elif source not in self.authenticated:
            return
        self.ports[switch.name, source] = in_port
        out_port = self.ports.get((switch.name, target))
        if out_port is None:
            switch.flood(packet, in_port)
            return
        switch.install(packet.match("eth_src", "eth_dst"), (openflow.Output(out_port),))
        await switch.barrier()
        switch.send_out(packet.name)


class OnlyAuthenticated(Monitor):
    """Reports a packet that a host receives before a login of the packet's source has reached a switch."""

    known: set = set()

    def on_event(self, event):
        match event:
            case events.Arrived(packet=packet) if packet.packet.payload == LOGIN:
                self.known.add(packet["eth_src"])
            case events.Received(host=host, packet=packet) if packet["eth_src"] not in self.known:
                self.report("{} received packet {}, whose source had not logged in", host, packet.name)


def learning_network(controller: Controller, switches: int, hosts: int, packets: int) -> Program:
    """H1 is at the first switch, H2 at the last, H3 in the middle; the first packets of the mix are sent."""
    places = {"H1": 1, "H2": switches, "H3": (switches + 1) // 2}
    places = {host: places[host] for host in list(places)[:hosts]}

    def consistent_tables(view) -> str | None:
        """Every entry leads towards its destination."""
        for number in range(1, switches + 1):
            for (_, match), actions in view[f"S{number}"].table.items():
                place = list(places.values())[match.exact("eth_dst") - 1]
                towards = HOST if place == number else RIGHT if place > number else LEFT
                if actions != (openflow.Output(towards),):
                    return f"S{number} sends packets for host {match.exact('eth_dst')} with {actions}"
        return None

    return network_program(
        controller,
        links=[
            *[SSlink(f"S{number}", RIGHT, f"S{number + 1}", LEFT) for number in range(1, switches)],
            *[SHlink(f"S{place}", host, HOST) for host, place in places.items()],
        ],
        sends=[
            (host, packet.stack(packet.Ethernet(dst=target, src=int(host[1:])), payload=payload))
            for host, target, payload in MIX[:packets]
        ],
        monitors=[OnlyAuthenticated(), NoForwardingLoop(), NoContradictoryEntries()],
        final=[AllDelivered(lambda packet: packet.packet.payload == LOGIN), consistent_tables],
    )


def program(switches: int = 3, hosts: int = 3, packets: int = 2) -> Program:
    """LE, with so many switches in a line."""
    return learning_network(LearningController("ctrl"), switches, hosts, packets)
