"""What must be true of switches: nothing forgotten, nothing ambiguous."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import BufferDiscarded, OverlapMattered
from sdnloom.properties.base import NetworkProperty


@dataclass(frozen=True)
class NoForgottenPackets(NetworkProperty):
    """No packet waits in a switch for a decision when nothing is going on any more. Asked in quiescent states.

    A packet that a switch threw away after waiting for too long was forgotten too. A switch that lost its connection is
    left out: the program cannot know what still waits there.
    """

    name: str = "NoForgottenPackets"

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property of all switches."""

        def violated(thrown_away: str, columns: Mapping[str, Any]) -> str | None:
            if thrown_away:
                return f"a packet kept in {thrown_away} was thrown away: the program never said what to do with it"
            for switch in world.switches:
                count = len(columns[switch].core.buffers)
                if count and not columns[switch].epoch:
                    return f"{switch} still keeps {count} packet{'s' * (count > 1)} for the program"
            return None

        def fold(thrown_away: str, event: Event) -> str:
            return max(thrown_away, event.switch) if isinstance(event, BufferDiscarded) else thrown_away

        needs = Needs.QUIESCENT
        return (Property(self.name, needs, violated, fold=fold, initial="", columns=world.switches),)


@dataclass(frozen=True)
class NoAmbiguousMatch(NetworkProperty):
    """No packet's fate depends on which of several entries of equal priority a switch picks. Asked at every event."""

    name: str = "NoAmbiguousMatch"

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property."""

        def fold(found: str, event: Event) -> str:
            if not isinstance(event, OverlapMattered):
                return found
            matches = " and ".join(map(repr, event.matches))
            return max(found, f"{event.switch} may use either of {matches}, both of priority {event.priority}")

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)
