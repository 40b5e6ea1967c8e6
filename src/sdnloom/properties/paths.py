"""Packets that the network has learned to forward do not bother the controller."""

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
from sdnloom.network.packet_id import stamp_of
from sdnloom.network.traffic import ends_of, flow_of
from sdnloom.properties.base import NetworkProperty, receiver, watched

_UPHEAVALS = (LinkFailed, LinkRestored, HostMoved, SwitchFailed, SwitchLeft)


class _Ways(NamedTuple):
    under_way: frozenset[str] = frozenset()  # packets sent since the network last changed
    known: frozenset[Hashable] = frozenset()  # what those of them showed that have arrived
    direct: frozenset[str] = frozenset()  # packets sent after that
    astray: str = ""  # one of them that reached the controller, and where


@dataclass(frozen=True)
class DirectPaths(NetworkProperty):
    """Once a packet has reached its destination, later packets of its flow do not go to the controller.

    Later means sent later: a packet already under way may still go there. When an entry times out or the network
    changes (a link, a switch, a host that moves), everything has to be learned again, and by packets sent after that.
    Asked at every event.
    """

    name: str = "DirectPaths"

    @property
    def identity(self) -> bool:
        """It must know which packets were sent later."""
        return True

    def learned(self, packet: Packet) -> Hashable:
        """What a delivered packet shows the way for."""
        return flow_of(packet)

    def is_known(self, known: frozenset[Hashable], packet: Packet) -> bool:
        """Whether a packet sent now must go the direct way."""
        return flow_of(packet) in known

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property that sees the order of sending, receiving and asking."""

        def fold(ways: _Ways, event: Event) -> _Ways:
            return self._fold(world, ways, event)

        watches = watched(world, "host", "switch", "environment")
        return (Property(self.name, Needs.ORDER, _astray, watches=watches, fold=fold, initial=_Ways()),)

    def _fold(self, world: NetworkView, ways: _Ways, event: Event) -> _Ways:
        if ways.astray:
            return ways
        if isinstance(event, _UPHEAVALS) or (isinstance(event, EntryRemoved) and event.reason != "told"):
            return _Ways()
        if isinstance(event, Sent):
            packet = {stamp_of(event.packet)}
            late = self.is_known(ways.known, event.packet)
            return ways._replace(
                under_way=ways.under_way | packet, direct=ways.direct | packet if late else ways.direct
            )
        if isinstance(event, Received):
            host, packet = receiver(world, event.packet), {stamp_of(event.packet)}
            if host is None or host.name != event.host or not packet <= ways.under_way:
                return ways
            known = ways.known | {self.learned(event.packet)}
            return _Ways(ways.under_way - packet, known, ways.direct - packet)
        if isinstance(event, ToController) and stamp_of(event.packet) in ways.direct:
            return ways._replace(astray=f"{stamp_of(event.packet)} at {event.switch}")
        return ways


def _astray(ways: _Ways, _: Any) -> str | None:
    return f"packet {ways.astray} went to the controller although its way was known" if ways.astray else None


@dataclass(frozen=True)
class StrictDirectPaths(DirectPaths):
    """Once two hosts have received a packet from each other, later packets between them do not go to the controller.

    The rest is as for `DirectPaths`.
    """

    name: str = "StrictDirectPaths"

    def learned(self, packet: Packet) -> Hashable:
        """The way between two hosts in one direction."""
        return ends_of(packet)

    def is_known(self, known: frozenset[Hashable], packet: Packet) -> bool:
        """Both directions are known."""
        source, target = ends_of(packet)
        return (source, target) in known and (target, source) in known
