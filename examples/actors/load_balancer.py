"""A load balancer for two replicas of a service: with entries that may come too late, and with barriers.

    sdnloom check examples/actors/load_balancer.py                  a packet runs in a loop between S1 and S2
    sdnloom check examples/actors/load_balancer.py:with_barriers    holds

Each client has its own port of S1 and sends one request. All requests have the same header: they are for the address of
the service, and come from one address, as they do behind a router that hides the clients.
"""

from sdnloom import packet
from sdnloom.actors import (
    AllDelivered,
    Balanced,
    Controller,
    NoForwardingLoop,
    Program,
    SHlink,
    SSlink,
    network_program,
)

SERVICE = "10.0.0.100"
REQUEST = packet.stack(
    packet.Ethernet(dst=packet.mac("00:00:00:00:01:00"), src=packet.mac("00:00:00:00:02:00")),
    packet.IPv4(src=packet.ip("192.0.2.1"), dst=packet.ip(SERVICE)),
    packet.Tcp(src=1024, dst=80),
)
REPLICAS = ("R1", "R2")


class LoadBalancer(Controller):
    """Gives requests to the replicas in turn and installs the way to the replica in all switches on it."""

    turn: int = 0

    def install_path(self, switch, in_port, packet):
        """Choose a replica; return the switches on the way to it."""
        replica = REPLICAS[self.turn]
        self.turn = 1 - self.turn
        path = self.path(switch, in_port, replica)
        for hop in path:
            match = {"in_port": hop.in_port, "eth_type": packet["eth_type"], "ipv4_dst": packet["ipv4_dst"]}
            hop.switch.install(match, (hop.output,))
        return [hop.switch for hop in path]

    async def packet_in(self, switch, in_port, packet):
        self.install_path(switch, in_port, packet)
        switch.send_out(packet.name)  # S1 may forward the packet before S2 has its entry


class PatientLoadBalancer(LoadBalancer):
    """Releases the packet when all switches on its way have their entries."""

    async def packet_in(self, switch, in_port, packet):
        barriers = [each.barrier() for each in self.install_path(switch, in_port, packet)]
        for barrier in barriers:
            await barrier
        switch.send_out(packet.name)


def balanced_network(controller: Controller, clients: int, final=()) -> Program:
    """The network of the paper's figure 1; further clients are at the ports 3, 4, ... of S1."""
    hosts = {f"H{number}": number + 2 if number else 0 for number in range(clients)}
    return network_program(
        controller,
        links=[
            *[SHlink("S1", host, port) for host, port in hosts.items()],
            SHlink("S2", "R1", 0),
            SHlink("S3", "R2", 0),
            SSlink("S1", 1, "S2", 1),
            SSlink("S1", 2, "S3", 1),
        ],
        sends=[(host, REQUEST) for host in hosts],
        monitors=[NoForwardingLoop()],
        final=final,
    )


def with_barriers(clients: int = 2) -> Program:
    """LBB: 3 switches, the clients and 2 replicas, one packet of each client."""
    return balanced_network(PatientLoadBalancer("ctrl"), clients, [AllDelivered(hosts=REPLICAS), Balanced(REPLICAS)])


def program(clients: int = 1) -> Program:
    """LB: the same without barriers. Packets are lost, too; to see only the loop, delivery is not checked."""
    return balanced_network(LoadBalancer("ctrl"), clients)
