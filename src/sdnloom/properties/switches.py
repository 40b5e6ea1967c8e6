"""Properties of switches: NoForgottenPackets and NoAmbiguousMatch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import BufferDiscarded, OverlapMattered
from sdnloom.network.text import Names, match_words
from sdnloom.properties.base import NetworkProperty


@dataclass(frozen=True)
class NoForgottenPackets(NetworkProperty):
    """No buffered packet still waits for a decision of the program. Checked in quiescent states.

    A packet that a switch discarded because it waited too long was forgotten too. A switch that has lost its connection
    is not checked: the program cannot know which packets still wait there.
    """

    name: str = "NoForgottenPackets"

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property of all switches."""

        def violated(discarded: str, columns: Mapping[str, Any]) -> str | None:
            if discarded:
                return f"a packet buffered in {discarded} was discarded: the program never decided about it"
            for switch in view.switches:
                count = len(columns[switch].core.buffers)
                if count and not columns[switch].epoch:
                    return f"{switch} still buffers {count} packet{'s' * (count > 1)} for the program"
            return None

        def fold(discarded: str, event: Event) -> str:
            return max(discarded, event.switch) if isinstance(event, BufferDiscarded) else discarded

        needs = Needs.QUIESCENT
        return (Property(self.name, needs, violated, fold=fold, initial="", columns=view.switches),)


@dataclass(frozen=True)
class NoAmbiguousMatch(NetworkProperty):
    """No packet is treated differently depending on which entry of equal priority is used. Checked at every event."""

    name: str = "NoAmbiguousMatch"

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property."""

        names = Names.of(view.topology)

        def fold(found: str, event: Event) -> str:
            if not isinstance(event, OverlapMattered):
                return found
            matches = " and ".join(match_words(match, names) for match in event.matches)
            return max(found, f"{event.switch} may use either of {matches}, both of priority {event.priority}")

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)
