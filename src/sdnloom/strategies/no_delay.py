"""NO-DELAY (NICE, section 5.2): controller and switches talk in lock step.

Our reading: while a message between a switch and the controller is under way, nothing else happens. A switch obeys what
the controller sent before the controller hears anything new, and where several messages are under way there is one
order: the switches by name, then the controller's queues by name.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sdnloom.engine.model import Outcome, Step, System
from sdnloom.network.network import Network
from sdnloom.strategies.base import SearchStrategy, control_order


@dataclass(frozen=True)
class NoDelay(SearchStrategy):
    """Messages between switches and controller arrive, and are dealt with, at once."""

    name: ClassVar[str] = "no-delay"

    def ranks(self, network: Network, system: System) -> "LockStep":
        """What takes a control message before all else."""
        return LockStep({pair: place for place, pair in enumerate(control_order(network))})


@dataclass(frozen=True)
class LockStep:
    """Control messages one by one, in the order of `places`; then the rest."""

    places: Mapping[tuple[str, str], int]
    name: ClassVar[str] = "NO-DELAY"
    skips: ClassVar[str] = "delays of messages between controller and switches"
    initial: ClassVar[Hashable] = None

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int:
        """Its place, the last one for all that is no control message."""
        return self.places.get((step.component, step.action), len(self.places))

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """Nothing is remembered."""
        return None
