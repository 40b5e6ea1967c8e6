"""NoBlackHoles: every packet that is sent to a host reaches it; and a variant for hosts that move."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import HostMoved, MessageHandled, NetworkRested, Received, Sent
from sdnloom.network.openflow import PacketIn
from sdnloom.network.packet import decode
from sdnloom.network.packet_id import packet_id_of
from sdnloom.network.traffic import ends_of
from sdnloom.properties.base import NetworkProperty, component_actions, lost_by_fault, receiver
from sdnloom.properties.restarts import Restarts, can_restart, fold_restart, restart_actions

Delivery = tuple[str, str]  # packet id, host


class _Deliveries(NamedTuple):
    sent: frozenset[Delivery] = frozenset()
    received: frozenset[Delivery] = frozenset()
    excused: frozenset[str] = frozenset()  # packets that may be lost, such as those that a fault dropped

    def missing(self) -> list[Delivery]:
        delivered = {packet for packet, _ in self.received}
        return sorted(each for each in self.sent if each[0] not in delivered and each[0] not in self.excused)


@dataclass(frozen=True)
class NoBlackHoles(NetworkProperty):
    """Every packet that was sent to a host of the network has reached it. Checked in quiescent states.

    A packet is excused if a fault (a lossy link, a port or switch that is down) dropped a copy of it, if it was under
    way when a switch failed or disconnected, or if a switch that joined dropped it before its first entry. Broadcasts
    and packets to unknown addresses are not counted. A packet whose addresses were rewritten on its way is delivered
    when the host that it is then addressed to receives it. A move of the host excuses nothing; see
    `NoBlackHolesMobile`, which excuses no restart.
    """

    name: str = "NoBlackHoles"

    @property
    def identity(self) -> bool:
        """Yes: each packet counts."""
        return True

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property, whose fold commutes unless switches restart."""
        if can_restart(view):
            return (_with_restarts(self.name, view),)

        def fold(deliveries: _Deliveries, event: Event) -> _Deliveries:
            return _fold(view, deliveries, event)

        return (Property(self.name, Needs.QUIESCENT, _undelivered, fold=fold, initial=_Deliveries()),)


def _with_restarts(name: str, view: NetworkView) -> Property:
    """Return the property for a network whose switches fail, disconnect or join during the search."""

    def fold(memory: tuple[_Deliveries, Restarts], event: Event) -> tuple[_Deliveries, Restarts]:
        effect = fold_restart(memory[1], event, lambda packet: packet_id_of(packet) or None)
        deliveries = _fold(view, memory[0], event)
        excused = {packet for packet, _ in deliveries.missing()} if effect.all_under_way else map(str, effect.excused)
        return deliveries._replace(excused=deliveries.excused.union(excused)), effect.memory

    return Property(
        name,
        Needs.QUIESCENT,
        lambda memory, columns: _undelivered(memory[0], columns),
        watches=restart_actions(view),
        fold=fold,
        initial=(_Deliveries(), Restarts()),
    )


def _fold(view: NetworkView, deliveries: _Deliveries, event: Event) -> _Deliveries:
    if isinstance(event, Sent | Received):
        host = receiver(view, event.packet)
        if host is None:
            return deliveries
        delivery = (packet_id_of(event.packet), host.name)
        if isinstance(event, Sent):
            return deliveries._replace(sent=deliveries.sent | {delivery})
        if host.name != event.host:
            return deliveries
        return deliveries._replace(received=deliveries.received | {delivery})
    lost = lost_by_fault(event)
    return deliveries if lost is None else deliveries._replace(excused=deliveries.excused | {packet_id_of(lost)})


def _undelivered(deliveries: _Deliveries, _: Any) -> str | None:
    missing = deliveries.missing()
    return f"packet {missing[0][0]} never reached {missing[0][1]}" if missing else None


class _MobileMemory(NamedTuple):
    """The deliveries, and how much the program has learned about each host that moved."""

    deliveries: _Deliveries = _Deliveries()
    moved: frozenset[str] = frozenset()
    fresh: frozenset[Delivery] = frozenset()  # packets that moved hosts sent from their present location, and by whom
    unheard: frozenset[str] = frozenset()  # moved hosts of which the program has handled no fresh packet
    misled: frozenset[tuple[str, str]] = frozenset()  # (host, switch): an older packet was handled after a fresh one
    restless: frozenset[str] = frozenset()  # hosts after whose move the network has not come to rest

    def excuses(self, host: str) -> bool:
        """Whether a packet that is sent to the host now may be lost."""
        return host in self.unheard or host in self.restless or any(name == host for name, _ in self.misled)


@dataclass(frozen=True)
class NoBlackHolesMobile(NetworkProperty):
    """`NoBlackHoles`, except for losses after a move that no program could prevent. Checked in quiescent states.

    When a host moves, packets to it that are in flight are excused, and so are those sent until the program has handled
    a packet that the host sent from its new location, no older one after that, and the network has come to rest.
    """

    name: str = "NoBlackHolesMobile"

    @property
    def identity(self) -> bool:
        """Yes: each packet counts."""
        return True

    @property
    def rest(self) -> bool:
        """Yes: packets are excused until the network is at rest."""
        return True

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property that depends on the order of moves, packets and handled messages."""

        def fold(memory: _MobileMemory, event: Event) -> _MobileMemory:
            return _fold_mobile(view, memory, event)

        return (
            Property(
                self.name,
                Needs.QUIESCENT,
                lambda memory, columns: _undelivered(memory.deliveries, columns),
                watches=component_actions(view, "host", "switch", "controller"),
                fold=fold,
                initial=_MobileMemory(),
            ),
        )


def _fold_mobile(view: NetworkView, memory: _MobileMemory, event: Event) -> _MobileMemory:
    if isinstance(event, HostMoved):
        return _on_move(memory, event.host)
    if isinstance(event, MessageHandled):
        return _on_handled(view, memory, event)
    if isinstance(event, NetworkRested):
        return memory._replace(restless=memory.restless - {event.host})
    deliveries = _fold(view, memory.deliveries, event)
    if isinstance(event, Sent):
        host, packet = receiver(view, event.packet), packet_id_of(event.packet)
        if host is not None and memory.excuses(host.name):
            deliveries = deliveries._replace(excused=deliveries.excused | {packet})
        if event.host in memory.moved:
            memory = memory._replace(fresh=memory.fresh | {(packet, event.host)})
    return memory if deliveries == memory.deliveries else memory._replace(deliveries=deliveries)


def _on_move(memory: _MobileMemory, host: str) -> _MobileMemory:
    in_flight = {packet for packet, target in memory.deliveries.missing() if target == host}
    return _MobileMemory(
        memory.deliveries._replace(excused=memory.deliveries.excused | in_flight),
        memory.moved | {host},
        frozenset(each for each in memory.fresh if each[1] != host),
        memory.unheard | {host},
        frozenset(pair for pair in memory.misled if pair[0] != host),
        memory.restless | {host},
    )


def _on_handled(view: NetworkView, memory: _MobileMemory, event: MessageHandled) -> _MobileMemory:
    """Note that the program learned where a host is, or was misled by a packet that the host sent before its move."""
    if not isinstance(event.message, PacketIn):
        return memory
    packet = decode(event.message.data)
    host = view.owner(ends_of(packet)[0])
    if host is None or host.name not in memory.moved:
        return memory
    where = {(host.name, event.switch)}
    if (packet_id_of(packet), host.name) in memory.fresh:
        return memory._replace(unheard=memory.unheard - {host.name}, misled=memory.misled - where)
    return memory if host.name in memory.unheard else memory._replace(misled=memory.misled | where)
