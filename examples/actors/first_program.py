from sdnloom import packet
from sdnloom.actors import Controller, NoForwardingLoop, SHlink, SSlink, network_program

LINKS = [
    *(SHlink("S1", "H0", 0), SHlink("S2", "R1", 0), SHlink("S3", "R2", 0)),
    *(SSlink("S1", 1, "S2", 1), SSlink("S1", 2, "S3", 1)),
]
SERVICE = packet.ip("10.0.0.100")
REQUEST = packet.stack(packet.Ethernet(dst=0xFE, src=1), packet.IPv4(src=1, dst=SERVICE), packet.Tcp(src=1024, dst=80))


class LoadBalancer(Controller):
    turn: int = 0
    waits: bool = False

    async def packet_in(self, switch, in_port, packet):
        replica = ("R1", "R2")[self.turn]
        self.turn = 1 - self.turn
        path = self.path(switch, in_port, replica)
        for hop in path:
            hop.switch.install({"in_port": hop.in_port, "eth_type": 0x800, "ipv4_dst": SERVICE}, (hop.output,))
        if self.waits:
            for barrier in [hop.switch.barrier() for hop in path]:
                await barrier
        switch.send_out(packet.name)


def program(waits=False):
    controller = LoadBalancer("ctrl", waits=waits)
    return network_program(controller, LINKS, sends=[("H0", REQUEST)], monitors=[NoForwardingLoop()])


def with_barriers():
    return program(waits=True)
