"""Base class of the library's properties, and helpers that several of them use."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Event, Fault, FaultKind, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Lost
from sdnloom.network.packet import Packet
from sdnloom.network.startup.violation import judged_by_events
from sdnloom.network.topology.spec import HostSpec
from sdnloom.network.traffic import flow_of, is_group


@dataclass(frozen=True)
class NetworkProperty(ABC):
    """Description of a property of a network; `bind` turns it into properties of the engine for one network.

    A subclass gives `name` a default, and overrides `identity` if it must tell equal packets apart and `rest` if it
    must know when the network comes to rest after a move.
    """

    name: str = ""

    @property
    def identity(self) -> bool:
        """Whether packets must carry packet ids."""
        return False

    @property
    def rest(self) -> bool:
        """Whether the event `NetworkRested` must be generated."""
        return False

    @abstractmethod
    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return the properties of the engine for this network."""

    def bind_startup(self, view: NetworkView) -> tuple[Property, ...]:
        """Return what can be violated before the search starts: the properties that events decide."""
        return judged_by_events(self.bind(view))


def receiver(view: NetworkView, packet: Packet) -> HostSpec | None:
    """Return the destination host of a packet: by MAC address, or by IP address if no host has that MAC address.

    So a packet to a gateway or a virtual address is for the host that it is to reach by way of it. A broadcast or
    multicast has no destination host.
    """
    flow = flow_of(packet)
    if is_group(flow.eth_dst):
        return None
    by_mac = view.owner(flow.eth_dst)
    if by_mac is not None:
        return by_mac
    return next((host for host in view.topology.hosts if flow.ip_dst and host.ip == flow.ip_dst), None)


def sender(view: NetworkView, packet: Packet) -> HostSpec | None:
    """Return the source host of a packet: by MAC address, or by IP address if no host has that MAC address."""
    flow = flow_of(packet)
    by_mac = view.owner(flow.eth_src)
    if by_mac is not None:
        return by_mac
    return next((host for host in view.topology.hosts if flow.ip_src and host.ip == flow.ip_src), None)


def link_fault(event: Event) -> tuple[FaultKind, Packet] | None:
    """Return the kind of a fault of a link and the packet concerned; None for any other event."""
    if not isinstance(event, Fault):
        return None
    message: Any = event.message
    packet = message[1] if isinstance(message, tuple) and len(message) == 2 else message
    return (event.kind, packet) if isinstance(packet, Packet) else None


def lost_by_fault(event: Event) -> Packet | None:
    """Return the packet of which a fault of the network dropped a copy; None for any other event."""
    if isinstance(event, Lost) and event.by_fault:
        return event.packet
    fault = link_fault(event)
    return fault[1] if fault is not None and fault[0].copies == 0 else None


def component_actions(view: NetworkView, *kinds: str) -> frozenset[tuple[str, str]]:
    """Return the actions of all components of these kinds: "host", "switch", "controller", "environment"."""
    kind_of = {**dict.fromkeys(view.hosts, "host"), **dict.fromkeys(view.switches, "switch")}
    return frozenset((name, action) for name, action in view.actions() if kind_of.get(name, name) in kinds)
