"""The network of a program: what never changes, and the base class of the actors that live in it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdnloom.actors.actor import Actor, ActorError
from sdnloom.actors.network.links import PathHop, shortest_path
from sdnloom.actors.network.model import TableModel
from sdnloom.actors.network.tags import Tags
from sdnloom.actors.program import Program
from sdnloom.network.packet import Packet
from sdnloom.network.topology import SwitchPort, Topology

if TYPE_CHECKING:
    from sdnloom.actors.runtime.step_access import StepAccess


@dataclass(frozen=True)
class ActorNetwork:
    """The topology, the packets that hosts send at the start, and how switches treat packets that come back.

    With `stops_loops`, a packet that reaches a switch for the second time is reported and not forwarded, so that every
    program ends; without, it is reported and forwarded.
    """

    topology: Topology
    packets: tuple[Packet, ...] = ()
    stops_loops: bool = True

    @cached_property
    def tags(self) -> Tags:
        """Which numbers belong to which host."""
        return Tags(self.topology, self.packets)

    @cached_property
    def models(self) -> dict[str, TableModel]:
        """The model of each switch."""
        return {spec.name: TableModel(spec, self.topology.lowest_port) for spec in self.topology.switches}

    @cached_property
    def _ends(self) -> dict[SwitchPort, SwitchPort | str]:
        hosts: dict[SwitchPort, SwitchPort | str] = {host.switch_port: host.name for host in self.topology.hosts}
        return hosts | self.topology.peers

    @cached_property
    def _paths(self) -> dict[tuple[SwitchPort, str], tuple[PathHop, ...]]:
        return {}

    def path(self, start: SwitchPort, host: str) -> tuple[PathHop, ...]:
        """The shortest path from a port of a switch to a host."""
        if (start, host) not in self._paths:
            self._paths[start, host] = shortest_path(self.topology, start, host)
        return self._paths[start, host]

    def end(self, switch: str, port: int) -> SwitchPort | str | None:
        """What is at the other end of a port's link: a port of a switch, a host by name, or nothing."""
        return self._ends.get(SwitchPort(switch, port))


@dataclass(frozen=True)
class NetworkProgram(Program):
    """A program whose actors live in a network."""

    network: ActorNetwork | None = None


class NetworkActor(Actor):
    """Base of switches, hosts and controllers."""

    @property
    def _program(self) -> NetworkProgram:
        return _network_program(self, self._running)

    @property
    def _network(self) -> ActorNetwork:
        network = self._program.network
        assert network is not None
        return network

    def _actor(self, name: str) -> Any:
        """The actor of that name, by reference."""
        return self._running.declared_reference(self._program.actor(name))


def _network_program(actor: Actor, run: "StepAccess") -> NetworkProgram:
    program = run.program
    if not isinstance(program, NetworkProgram) or program.network is None:
        kind = type(actor).__qualname__
        raise ActorError(f"{kind} {actor.name!r} is in a program without a network; use network_program(...)")
    return program
