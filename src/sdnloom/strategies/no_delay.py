"""NO-DELAY (NICE, section 5.2): control messages are delivered and handled at once.

Our reading: while a control message is in flight, nothing else happens. Switches process the controller's messages
before the controller handles another one, and several messages in flight are taken in one order: the switches by name,
then the controller's queues by name.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sdnloom.engine.model import Outcome, Step, System
from sdnloom.network.network import Network
from sdnloom.strategies.base import SearchStrategy, control_order


@dataclass(frozen=True)
class NoDelay(SearchStrategy):
    """Control messages are delivered and handled at once."""

    name: ClassVar[str] = "no-delay"

    def ranking(self, network: Network, system: System) -> "LockStep":
        """Return the ranking in which steps that take a control message come first."""
        return LockStep({pair: rank for rank, pair in enumerate(control_order(network))})


@dataclass(frozen=True)
class LockStep:
    """Ranks steps that take a control message by `order`, and all other steps after them."""

    order: Mapping[tuple[str, str], int]
    name: ClassVar[str] = "NO-DELAY"
    skips: ClassVar[str] = "delays of messages between controller and switches"
    initial: ClassVar[Hashable] = None

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int:
        """Return the rank of the step's action; the last rank if it takes no control message."""
        return self.order.get((step.component, step.action), len(self.order))

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """Return None: nothing is remembered."""
        return None
