"""DirectPaths and StrictDirectPaths: the controller sees no packets whose path the network has learned."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import (
    EntryRemoved,
    HostMoved,
    LinkFailed,
    LinkRestored,
    Received,
    Sent,
    SwitchFailed,
    SwitchLeft,
    ToController,
)
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import packet_id_of
from sdnloom.network.traffic import flow_of
from sdnloom.properties.base import NetworkProperty, component_actions, receiver, sender

_TOPOLOGY_CHANGES = (LinkFailed, LinkRestored, HostMoved, SwitchFailed, SwitchLeft)


class _Paths(NamedTuple):
    in_flight: frozenset[tuple[str, Hashable]] = frozenset()  # packets sent since the network last changed, their paths
    known: frozenset[Hashable] = frozenset()  # the paths that delivered packets have shown
    direct: frozenset[str] = frozenset()  # packets sent after their path was known
    astray: str = ""  # one of these that reached the controller, and where


@dataclass(frozen=True)
class DirectPaths(NetworkProperty):
    """Once a packet has reached its destination, later packets of its flow do not go to the controller.

    Later means sent later: a packet already in flight may still go there. When an entry times out or the network
    changes (a link, a switch, a host that moves), all paths must be learned again, from packets sent after that.
    Checked at every event.
    """

    name: str = "DirectPaths"

    @property
    def identity(self) -> bool:
        """Yes: it must know which packets were sent later."""
        return True

    def path_of(self, view: NetworkView, packet: Packet) -> Hashable:
        """Return the key of the path of a packet, as it was sent: addresses may be rewritten on the way."""
        return flow_of(packet)

    def is_known(self, known: frozenset[Hashable], path: Any) -> bool:
        """Whether a packet that is sent now on this path must not go to the controller."""
        return path in known

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property that depends on the order of packets sent, received and brought to the controller."""

        def fold(paths: _Paths, event: Event) -> _Paths:
            return self._fold(view, paths, event)

        watches = component_actions(view, "host", "switch", "environment")
        return (Property(self.name, Needs.ORDER, _astray, watches=watches, fold=fold, initial=_Paths()),)

    def _fold(self, view: NetworkView, paths: _Paths, event: Event) -> _Paths:
        if paths.astray:
            return paths
        if isinstance(event, _TOPOLOGY_CHANGES) or (isinstance(event, EntryRemoved) and event.reason != "by message"):
            return _Paths()
        if isinstance(event, Sent):
            packet, path = packet_id_of(event.packet), self.path_of(view, event.packet)
            return paths._replace(
                in_flight=paths.in_flight | {(packet, path)},
                direct=paths.direct | {packet} if self.is_known(paths.known, path) else paths.direct,
            )
        if isinstance(event, Received):
            host, packet = receiver(view, event.packet), packet_id_of(event.packet)
            arrived = {each for each in paths.in_flight if each[0] == packet}
            if host is None or host.name != event.host or not arrived:
                return paths
            learned = paths.known | {path for _, path in arrived}
            return _Paths(paths.in_flight - arrived, learned, paths.direct - {packet})
        if isinstance(event, ToController) and packet_id_of(event.packet) in paths.direct:
            return paths._replace(astray=f"{packet_id_of(event.packet)} at {event.switch}")
        return paths


def _astray(paths: _Paths, _: Any) -> str | None:
    return f"packet {paths.astray} went to the controller although its path was known" if paths.astray else None


@dataclass(frozen=True)
class StrictDirectPaths(DirectPaths):
    """Once two hosts have received a packet from each other, later packets between them do not go to the controller.

    Otherwise like `DirectPaths`.
    """

    name: str = "StrictDirectPaths"

    def path_of(self, view: NetworkView, packet: Packet) -> Hashable:
        """Return the pair of sender and receiver: the path in one direction."""
        hosts = sender(view, packet), receiver(view, packet)
        return tuple("" if host is None else host.name for host in hosts)

    def is_known(self, known: frozenset[Hashable], path: Any) -> bool:
        """Whether both directions are known."""
        return path in known and path[::-1] in known
