"""A controller that blocks SSH: with equal priorities, with the right priorities, and with barriers.

    sdnloom check examples/actors/ssh.py                  SSH can pass: "drop" and "forward" have the same priority
    sdnloom check examples/actors/ssh.py:corrected        holds: the tables are right in the end
    sdnloom check examples/actors/ssh.py:with_barriers    holds: no SSH packet is delivered at any time, all others are

Of overlapping entries of equal priority any may apply, as OpenFlow says.
"""

from sdnloom import openflow, packet
from sdnloom.actors import (
    AllDelivered,
    Controller,
    NoContradictoryEntries,
    NoDelivery,
    Program,
    SHlink,
    SSlink,
    Switch,
    network_program,
)

SSH, HTTP = 22, 80
DROP_SSH = openflow.Match.of(eth_type=0x0800, ip_proto=6, tcp_dst=SSH)
LINKS = (SHlink("S1", "H1", 1), SSlink("S1", 2, "S2", 2), SHlink("S2", "H2", 1))


def segment(port: int):
    """A packet from H1 to H2 for a TCP port."""
    return packet.stack(
        packet.Ethernet(dst=packet.mac("00:00:00:00:00:02"), src=packet.mac("00:00:00:00:00:01")),
        packet.IPv4(src=packet.ip("10.0.0.1"), dst=packet.ip("10.0.0.2")),
        packet.Tcp(src=1024, dst=port),
    )


class SshController(Controller):
    """Tells all switches to drop SSH and to forward the rest, whenever a switch asks about a packet."""

    drop_priority: int = 1

    def drop_ssh(self):
        """Install the entry that drops SSH in all switches."""
        for switch in self.switches.values():
            switch.install(DROP_SSH, (), self.drop_priority)

    def forward_rest(self):
        """Install the entry that forwards every packet in all switches."""
        for switch in self.switches.values():
            switch.install(openflow.ANY_PACKET, (openflow.Output(openflow.Port.FLOOD),), 1)

    async def packet_in(self, switch, in_port, packet):
        self.drop_ssh()
        self.forward_rest()
        switch.send_out(packet.name)


class PatientSshController(SshController):
    """Forwards nothing before all switches drop SSH, and releases the packet when all switches forward."""

    drop_priority: int = 2

    async def barriers(self):
        """Wait until all switches have obeyed."""
        barriers = [switch.barrier() for switch in self.switches.values()]
        for barrier in barriers:
            await barrier

    async def packet_in(self, switch, in_port, packet):
        self.drop_ssh()
        await self.barriers()
        self.forward_rest()
        await self.barriers()
        switch.send_out(packet.name)


def ssh_is_blocked(view) -> str | None:
    """In the end each switch drops SSH, by an entry that no other can take the place of, and forwards the rest."""
    for switch in view.of(Switch):
        entries = switch.table
        first = max(priority for priority, _ in entries)
        if any(actions for (priority, _), actions in entries.items() if priority == first):
            return f"{switch} may forward SSH"
        if not any(entries.values()):
            return f"{switch} forwards nothing"
    return None


def ssh_network(controller: Controller, ssh: int, other: int, monitors=(), final=()) -> Program:
    """H1 - S1 - S2 - H2; H1 sends so many packets for SSH and so many for HTTP."""
    return network_program(
        controller,
        links=LINKS,
        sends=[("H1", segment(SSH))] * ssh + [("H1", segment(HTTP))] * other,
        monitors=[NoContradictoryEntries(), *monitors],
        final=[ssh_is_blocked, *final],
    )


def corrected(ssh: int = 1, other: int = 1) -> Program:
    """SSHE with the right priorities. While entries are being installed, an SSH packet can still slip through."""
    return ssh_network(SshController("ctrl", drop_priority=2), ssh, other)


def with_barriers(ssh: int = 1, other: int = 1) -> Program:
    """SSHB: no SSH packet is delivered, not even while entries are being installed, and all other packets are."""
    return ssh_network(
        PatientSshController("ctrl"),
        ssh,
        other,
        monitors=[NoDelivery(lambda packet: packet["tcp_dst"] == SSH)],
        final=[AllDelivered(lambda packet: packet["tcp_dst"] != SSH)],
    )


def program(ssh: int = 1, other: int = 1) -> Program:
    """SSHE: "drop" and "forward" have the same priority."""
    return ssh_network(SshController("ctrl"), ssh, other)
