"""No packet disappears: what is sent to a host that exists reaches it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import HostMoved, Lost, MessageHandled, NetworkRested, Received, Sent
from sdnloom.network.openflow import PacketIn
from sdnloom.network.packet import decode
from sdnloom.network.packet_id import sender_of, stamp_of
from sdnloom.network.traffic import ends_of
from sdnloom.properties.base import NetworkProperty, faulted, receiver, watched

Parcel = tuple[str, str]  # packet, host


class _Post(NamedTuple):
    sent: frozenset[Parcel] = frozenset()
    got: frozenset[Parcel] = frozenset()
    excused: frozenset[str] = frozenset()  # packets that a fault took

    def missing(self) -> list[Parcel]:
        return sorted(parcel for parcel in self.sent - self.got if parcel[0] not in self.excused)


@dataclass(frozen=True)
class NoBlackHoles(NetworkProperty):
    """Every packet to a host that exists has reached it when nothing is going on any more. Asked in quiescent states.

    A packet of which a fault (a lossy link, a port or switch that is down) took a copy is excused. Broadcasts and
    packets to nobody are not counted. A host that moved away is no excuse; `NoBlackHolesMobile` knows that one.
    """

    name: str = "NoBlackHoles"

    @property
    def identity(self) -> bool:
        """Each packet counts."""
        return True

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property, whose fold commutes."""

        def fold(post: _Post, event: Event) -> _Post:
            return _deliver(world, post, event)

        return (Property(self.name, Needs.QUIESCENT, _undelivered, fold=fold, initial=_Post()),)


def _deliver(world: NetworkView, post: _Post, event: Event) -> _Post:
    if isinstance(event, Sent):
        host = receiver(world, event.packet)
        return post if host is None else post._replace(sent=post.sent | {(stamp_of(event.packet), host.name)})
    if isinstance(event, Received):
        parcel = (stamp_of(event.packet), event.host)
        host = receiver(world, event.packet)
        return post if host is None or host.name != event.host else post._replace(got=post.got | {parcel})
    taken = _taken(event)
    return post if taken is None else post._replace(excused=post.excused | {taken})


def _taken(event: Event) -> str | None:
    """Return the packet of which a fault took a copy."""
    if isinstance(event, Lost) and event.by_fault:
        return stamp_of(event.packet)
    fault = faulted(event)
    return fault[1] if fault is not None and fault[0] == "drop" else None


def _undelivered(post: _Post, _: Any) -> str | None:
    missing = post.missing()
    return f"packet {missing[0][0]} never reached {missing[0][1]}" if missing else None


class _Trail(NamedTuple):
    """The post, and how far the program has followed each host that moved."""

    post: _Post = _Post()
    moved: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()  # packets that hosts sent from the port where they are now
    unheard: frozenset[str] = frozenset()  # hosts of which the program has handled no fresh packet
    misled: frozenset[tuple[str, str]] = frozenset()  # (host, switch) where an older packet was handled after that
    restless: frozenset[str] = frozenset()  # hosts since whose move the network has not come to rest

    def excuses(self, host: str) -> bool:
        """Whether a packet sent to the host now may be lost."""
        return host in self.unheard or host in self.restless or any(name == host for name, _ in self.misled)


@dataclass(frozen=True)
class NoBlackHolesMobile(NetworkProperty):
    """`NoBlackHoles` without the losses that no program could prevent. Asked in quiescent states.

    When a host moves, packets to it are excused that are under way, and all that are sent until the program has handled
    a packet that the host sent from its new port, and no older one after that, and the network has come to rest. A
    program that loses packets after that had every chance.
    """

    name: str = "NoBlackHolesMobile"

    @property
    def identity(self) -> bool:
        """Each packet counts."""
        return True

    @property
    def rest(self) -> bool:
        """The end of the period is when the network is at rest."""
        return True

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property that sees the order of moves, packets and handled messages."""

        def fold(trail: _Trail, event: Event) -> _Trail:
            return _follow(world, trail, event)

        return (
            Property(
                self.name,
                Needs.QUIESCENT,
                lambda trail, columns: _undelivered(trail.post, columns),
                watches=watched(world, "host", "switch", "controller"),
                fold=fold,
                initial=_Trail(),
            ),
        )


def _follow(world: NetworkView, trail: _Trail, event: Event) -> _Trail:
    if isinstance(event, HostMoved):
        return _moved(trail, event.host)
    if isinstance(event, MessageHandled):
        return _heard(world, trail, event)
    if isinstance(event, NetworkRested):
        return trail._replace(restless=trail.restless - {event.host})
    post = _deliver(world, trail.post, event)
    if isinstance(event, Sent):
        host, packet = receiver(world, event.packet), stamp_of(event.packet)
        if host is not None and trail.excuses(host.name):
            post = post._replace(excused=post.excused | {packet})
        if event.host in trail.moved:
            trail = trail._replace(fresh=trail.fresh | {packet})
    return trail if post == trail.post else trail._replace(post=post)


def _moved(trail: _Trail, host: str) -> _Trail:
    under_way = {packet for packet, target in trail.post.missing() if target == host}
    return _Trail(
        trail.post._replace(excused=trail.post.excused | under_way),
        trail.moved | {host},
        frozenset(packet for packet in trail.fresh if sender_of(packet) != host),
        trail.unheard | {host},
        frozenset(pair for pair in trail.misled if pair[0] != host),
        trail.restless | {host},
    )


def _heard(world: NetworkView, trail: _Trail, event: MessageHandled) -> _Trail:
    """The program learns where a host is, or is misled by a packet that the host sent before it moved."""
    if not isinstance(event.message, PacketIn):
        return trail
    packet = decode(event.message.data)
    host = world.owner(ends_of(packet)[0])
    if host is None or host.name not in trail.moved:
        return trail
    where = {(host.name, event.switch)}
    if stamp_of(packet) in trail.fresh:
        return trail._replace(unheard=trail.unheard - {host.name}, misled=trail.misled - where)
    return trail if host.name in trail.unheard else trail._replace(misled=trail.misled | where)
