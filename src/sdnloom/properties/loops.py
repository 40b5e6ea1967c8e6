"""NoForwardingLoops: no packet enters a switch at the same port twice."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Arrived
from sdnloom.network.packet_id import packet_id_of
from sdnloom.properties.base import NetworkProperty, component_actions, link_fault

Visit = tuple[str, str, int]  # packet, switch, port


class _Visits(NamedTuple):
    once: frozenset[Visit] = frozenset()
    twice: frozenset[Visit] = frozenset()
    duplicated: frozenset[str] = frozenset()


@dataclass(frozen=True)
class NoForwardingLoops(NetworkProperty):
    """Every packet enters each port of a switch at most once. Checked at every event.

    A packet that a link duplicated is ignored from then on: its copies are no loop.
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


def _visit(visits: _Visits, event: Event) -> _Visits:
    fault = link_fault(event)
    if fault is not None and fault[0].copies > 1:
        return visits._replace(duplicated=visits.duplicated | {fault[1]})
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
    if not visits.twice:
        return None
    packet, switch, port = min(visits.twice)
    return f"packet {packet} came in at {switch}:{port} a second time"
