"""NoForwardingLoops: no packet enters a switch at the same port twice."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Arrived, PacketMade, Sent
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import arp_answer_id, is_arp_id, packet_id_of
from sdnloom.network.traffic import ends_of
from sdnloom.network.value import mac_text
from sdnloom.properties.base import NetworkProperty, component_actions, link_fault

Visit = tuple[str, str, int]  # packet, switch, port


class _Visits(NamedTuple):
    once: frozenset[Visit] = frozenset()
    twice: frozenset[Visit] = frozenset()
    duplicated: frozenset[str] = frozenset()
    sent: frozenset[str] = frozenset()  # ARP packets of hosts without a written id; the program may make equal ones


@dataclass(frozen=True)
class NoForwardingLoops(NetworkProperty):
    """Every packet enters each port of a switch at most once. Checked at every event.

    A packet that a link duplicated is ignored from then on: its copies are no loop. So is the answer to an ARP request
    that a link duplicated: the program may give the answer that the host has given too.
    """

    name: str = "NoForwardingLoops"

    @property
    def identity(self) -> bool:
        """Yes: two equal packets are no loop."""
        return True

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property, which depends on the order of events only where links duplicate packets."""
        duplicates = any(faults.duplicate for _, faults in view.network.link_faults)
        return (
            Property(
                self.name,
                Needs.ORDER if duplicates else Needs.EVENT,
                _loop,
                watches=component_actions(view, "host", "switch") if duplicates else frozenset(),
                fold=_visit,
                initial=_Visits(),
            ),
        )

    def bind_startup(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property about the packets that the program makes: they have no packet ids.

        Such a packet enters each port at most as often as the program has made it.
        """
        return (Property(self.name, Needs.ORDER, _round, fold=_follow, initial=_Made()),)


class _Made(NamedTuple):
    """How often the program made a packet, and how often it came in at each port; the first one that goes round."""

    made: tuple[tuple[Packet, int], ...] = ()
    entered: tuple[tuple[tuple[Packet, str, int], int], ...] = ()
    round: str = ""


def _follow(seen: _Made, event: Event) -> _Made:
    if isinstance(event, PacketMade):
        return seen._replace(made=_counted(seen.made, event.packet))
    if not isinstance(event, Arrived) or seen.round:
        return seen
    visit = (event.packet, event.switch, event.port)
    seen = seen._replace(entered=_counted(seen.entered, visit))
    made = dict(seen.made).get(event.packet, 0)
    if not 0 < made < dict(seen.entered)[visit]:
        return seen
    ends = " > ".join(map(mac_text, ends_of(event.packet)))
    # Without numbers, so that a shorter path may lead to the same violation.
    return seen._replace(
        round=f"packet {ends} of the program came in at {event.switch}:{event.port} more often than it was sent"
    )


def _counted(counts: tuple[tuple[Any, int], ...], key: Hashable) -> tuple[tuple[Any, int], ...]:
    known = dict(counts)
    return tuple({**known, key: known.get(key, 0) + 1}.items())


def _round(seen: _Made, _: Any) -> str | None:
    return seen.round or None


def _visit(visits: _Visits, event: Event) -> _Visits:
    fault = link_fault(event)
    if fault is not None and fault[0].copies > 1:
        copied = {packet_id_of(fault[1]), arp_answer_id(fault[1])}
        return visits._replace(duplicated=visits.duplicated | copied)
    if isinstance(event, Sent):
        sent = packet_id_of(event.packet)
        return visits._replace(sent=visits.sent | {sent}) if is_arp_id(sent) else visits
    if not isinstance(event, Arrived):
        return visits
    packet = packet_id_of(event.packet)
    if not packet or packet in visits.duplicated:
        return visits
    visit = (packet, event.switch, event.port)
    if visit in visits.once:
        return visits._replace(twice=visits.twice | {visit})
    return visits._replace(once=visits.once | {visit})


def _loop(visits: _Visits, _: Any) -> str | None:
    found = [visit for visit in visits.twice if visit[0] in visits.sent or not is_arp_id(visit[0])]
    if not found:
        return None
    packet, switch, port = min(found)
    return f"packet {packet} came in at {switch}:{port} a second time"
