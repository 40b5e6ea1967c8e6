"""Hosts: they send packets and record those that they receive."""

from collections.abc import Iterable
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.network.network import NetworkActor
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.network.events import Received, Sent


class Host(NetworkActor):
    """A host. A subclass that answers overrides `receive`, calls `await super().receive(packet)` and sends.

    `sent` has the packets that it sent, by name, `received` the names of those that it received. `link` is the switch
    that it is plugged into, and the port; `names` are those of its packets at the start and of the answers to them.
    """

    sent: dict[str, NamedPacket] = {}  # noqa: RUF012 (the declaration of a field)
    received: set[str] = set()  # noqa: RUF012 (the declaration of a field)
    names: frozenset[str] = frozenset()
    mac: int
    ip: int
    link: tuple[Any, int]

    async def send(self, packet: NamedPacket) -> None:
        """Put a packet on the link."""
        switch, port = self.link
        self.sent[packet.name] = packet
        self.emit(Sent(self.name, packet))  # type: ignore[arg-type]
        switch.receive(packet, port)

    async def receive(self, packet: NamedPacket) -> None:
        """Take a packet from the link."""
        self.received.add(packet.name)
        self.emit(Received(self.name, packet))  # type: ignore[arg-type]


def host_names(hosts: Iterable[str]) -> tuple[str, ...]:
    """The names of hosts that a property is given. Raises ActorError for a single text: its letters are no names."""
    if isinstance(hosts, str):
        raise ActorError(f"hosts is {hosts!r}; expected several names, such as [{hosts!r}]")
    return tuple(hosts)
