"""Small programs of actors for the tests of the search."""

from typing import Any

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Program
from sdnloom.actors.values import tag


class Host(Actor):
    """Sends packets into a switch and keeps those that it receives."""

    got: set[Any] = set()  # noqa: RUF012
    switch: Any = None

    async def send_in(self, packet: str, address: str) -> None:
        self.switch.packet(packet, address)

    async def receive(self, packet: str) -> None:
        self.got.add(packet)


class Switch(Actor):
    """A switch with a table by address, whose entries name the next host or the next switch."""

    control = frozenset({"install", "send_out"})
    table: dict[Any, Any] = {}  # noqa: RUF012
    buffer: dict[Any, Any] = {}  # noqa: RUF012
    seen: set[Any] = set()  # noqa: RUF012
    controller: Any = None

    async def packet(self, packet: str, address: str) -> None:
        if packet in self.seen:
            self.controller.loop(self.name, packet)
            return
        self.seen.add(packet)
        action = self.table.get(address)
        if action is None:
            self.buffer[packet] = address
            self.controller.miss(self.later, address, packet)
        else:
            self.forward(packet, action)

    def forward(self, packet: str, action: Any) -> None:
        if action[0] == "host":
            action[1].receive(packet)
        else:
            action[1].packet(packet, action[2])

    async def send_out(self, packet: str) -> None:
        action = self.table.get(self.buffer[packet])
        if action is not None:
            self.forward(packet, action)

    async def install(self, address: str, action: Any) -> None:
        self.table[address] = action

    async def barrier(self) -> None:
        """Done by the semantics."""


class Balancer(Actor):
    """The load balancer of SDN-Actors, figure 1: it installs a path and releases the packet at once."""

    turn: int = 0
    loops: set[Any] = set()  # noqa: RUF012
    switches: tuple[Any, ...] = ()
    replicas: tuple[Any, ...] = ()

    async def loop(self, switch: str, packet: str) -> None:
        self.loops.add((switch, packet))

    def path(self, switch: Any, address: str) -> list[tuple[Any, str, Any]]:
        turn = self.turn
        self.turn = 1 - turn
        first, second, third = self.switches
        target, last = (self.replicas[0], second) if turn == 0 else (self.replicas[1], third)
        if switch.name == first.name:
            return [(first, address, ("switch", last, "1")), (last, "1", ("host", target))]
        if switch.name == last.name:
            return [(last, address, ("host", target))]
        back = "1" if switch.name == second.name else "2"
        return [
            (switch, address, ("switch", first, back)),
            (first, back, ("switch", last, "1")),
            (last, "1", ("host", target)),
        ]

    async def miss(self, switch: Any, address: str, packet: str) -> None:
        for each, match, action in self.path(switch, address):
            each.install(match, action)
        switch.send_out(packet)


class BarrierBalancer(Balancer):
    """The same with barriers: the packet is released when the whole path is installed."""

    async def miss(self, switch: Any, address: str, packet: str) -> None:
        path = self.path(switch, address)
        for each, match, action in path:
            each.install(match, action)
        barriers = [each.barrier() for each, _, _ in path]
        for barrier in barriers:
            await barrier
        switch.send_out(packet)


def no_loop(view: Any) -> str | None:
    """No switch saw a packet twice."""
    return "a loop" if view["ctrl"].loops else None


def balancer(packets: int, kind: type[Balancer] = Balancer) -> Program:
    """The load balancer with so many hosts that send one packet each."""
    controller = kind("ctrl")
    switches = [Switch(name, controller=controller) for name in ("s1", "s2", "s3")]
    replicas = [Host("r1", switch=switches[1]), Host("r2", switch=switches[2])]
    controller.switches, controller.replicas = tuple(switches), tuple(replicas)
    hosts = [Host(f"h{number}", switch=switches[0]) for number in range(packets)]
    sends = [
        host.send_in(tag(f"p{number}", host.name, "packet"), tag(f"a{number}", host.name, "address"))
        for number, host in enumerate(hosts)
    ]
    return Program((controller, *switches, *replicas, *hosts), tuple(sends), final=(no_loop,))
