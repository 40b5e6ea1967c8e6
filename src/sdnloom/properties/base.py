"""What the properties of the library have in common."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Event, Fault, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import stamp_of
from sdnloom.network.topology.spec import HostSpec
from sdnloom.network.traffic import flow_of


@dataclass(frozen=True)
class NetworkProperty(ABC):
    """Something to hold in a network; `bind` makes it a property of the engine once the network is known.

    A subclass gives `name` a default and says whether it must tell packets apart (`identity`) or see the network come
    to rest after a move (`rest`).
    """

    name: str = ""

    @property
    def identity(self) -> bool:
        """Whether packets need identities."""
        return False

    @property
    def rest(self) -> bool:
        """Whether the event `Rested` is needed."""
        return False

    @abstractmethod
    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """The properties for this network."""


def receiver(world: NetworkView, packet: Packet) -> HostSpec | None:
    """Return the host that a packet is meant for: by its MAC address or, when that is nobody's, its IP address."""
    flow = flow_of(packet)
    by_mac = world.owner(flow.eth_dst)
    if by_mac is not None:
        return by_mac
    return next((host for host in world.topology.hosts if flow.ip_dst and host.ip == flow.ip_dst), None)


def sender(world: NetworkView, packet: Packet) -> HostSpec | None:
    """Return the host that a packet says it comes from."""
    flow = flow_of(packet)
    by_mac = world.owner(flow.eth_src)
    if by_mac is not None:
        return by_mac
    return next((host for host in world.topology.hosts if flow.ip_src and host.ip == flow.ip_src), None)


def faulted(event: Event) -> tuple[str, str] | None:
    """Return the fault and the identity of the packet that a link did something to; None for any other event."""
    if not isinstance(event, Fault):
        return None
    message: Any = event.message
    packet = message[1] if isinstance(message, tuple) and len(message) == 2 else message
    return (event.label, stamp_of(packet)) if isinstance(packet, Packet) else None


def watched(world: NetworkView, *kinds: str) -> frozenset[tuple[str, str]]:
    """Return the actions of all components of these kinds: "host", "switch", "controller", "environment"."""
    of_kind = {**dict.fromkeys(world.hosts, "host"), **dict.fromkeys(world.switches, "switch")}
    return frozenset((one, action) for one, action in world.actions() if of_kind.get(one, one) in kinds)
