"""No packet goes round in circles."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Arrived
from sdnloom.network.packet_id import stamp_of
from sdnloom.properties.base import NetworkProperty, faulted, watched

Visit = tuple[str, str, int]  # packet, switch, port


class _Visits(NamedTuple):
    once: frozenset[Visit] = frozenset()
    twice: frozenset[Visit] = frozenset()
    doubled: frozenset[str] = frozenset()


@dataclass(frozen=True)
class NoForwardingLoops(NetworkProperty):
    """Every packet comes in at a port of a switch at most once. Asked at every event.

    A packet that a link doubled is left out from then on: its copies are no loop.
    """

    name: str = "NoForwardingLoops"

    @property
    def identity(self) -> bool:
        """Two packets that look alike are no loop."""
        return True

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property; the order of events matters to it only where links double packets."""
        doubling = any(faults.duplicate for _, faults in world.network.link_faults)
        return (
            Property(
                self.name,
                Needs.ORDER if doubling else Needs.EVENT,
                _looping,
                watches=watched(world, "host", "switch") if doubling else frozenset(),
                fold=_visit,
                initial=_Visits(),
            ),
        )


def _visit(visits: _Visits, event: Event) -> _Visits:
    fault = faulted(event)
    if fault is not None and fault[0].startswith("duplicate"):
        return visits._replace(doubled=visits.doubled | {fault[1]})
    if not isinstance(event, Arrived):
        return visits
    packet = stamp_of(event.packet)
    if not packet or packet in visits.doubled:
        return visits
    visit = (packet, event.switch, event.port)
    if visit in visits.once:
        return visits._replace(twice=visits.twice | {visit})
    return visits._replace(once=visits.once | {visit})


def _looping(visits: _Visits, _: Any) -> str | None:
    if not visits.twice:
        return None
    packet, switch, port = min(visits.twice)
    return f"packet {packet} came in at {switch}:{port} a second time"
