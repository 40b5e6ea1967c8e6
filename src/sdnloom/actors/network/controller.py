"""Controllers: they handle the packets that switches do not know what to do with."""

from collections.abc import Iterator, Mapping
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.network.links import PathHop
from sdnloom.actors.network.network import NetworkActor
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.network.topology import SwitchPort, Topology


class References(Mapping[str, Any]):
    """Switches or hosts by name, in the order of the topology."""

    def __init__(self, owner: "Controller", what: str, names: tuple[str, ...]) -> None:
        self._owner, self._what, self._names = owner, what, names

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise ActorError(f"{name!r} is no {self._what}; expected one of {', '.join(self._names) or '(none)'}")
        return self._owner._actor(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Controller(NetworkActor):
    """Base of controllers. A subclass has `async def packet_in(self, switch, in_port, packet)`."""

    async def packet_in(self, switch: Any, in_port: int, packet: NamedPacket) -> None:
        """Handle a packet that a switch has no entry for; the switch holds it under its name."""
        raise ActorError(f"{type(self).__qualname__} has no task packet_in(self, switch, in_port, packet)")

    @property
    def topology(self) -> Topology:
        """The topology, with plain numbers and names."""
        return self._network.topology

    @property
    def switches(self) -> References:
        """The switches by name; messages can be sent to them."""
        return References(self, "switch", tuple(each.name for each in self.topology.switches))

    @property
    def hosts(self) -> References:
        """The hosts by name; messages can be sent to them."""
        return References(self, "host", tuple(each.name for each in self.topology.hosts))

    def path(self, switch: Any, in_port: int, host: Any) -> tuple[PathHop, ...]:
        """The shortest path from a port of a switch to a host; of several, the one with the lowest output ports."""
        start, goal = SwitchPort(str(_name(switch)), int(in_port)), str(_name(host))
        tags = self._network.tags
        return tuple(
            PathHop(self._actor(hop.switch), tags.port(hop.switch, hop.in_port), tags.port(hop.switch, hop.out_port))
            for hop in self._network.path(start, goal)
        )


def _name(actor: Any) -> str:
    return actor if isinstance(actor, str) else actor.name
