"""UNUSUAL (NICE, section 5.3): control messages are delivered as late as possible, last sent first.

The paper gives one example: the messages that a handler sends to switches 1, 2, 3 arrive at 3 first, then at 2, then at
1, which uncovers a packet that reaches a switch before its rule does. Our reading has two parts:

- A switch processes a message of the controller only when no packet waits at a switch or a host and the controller has
  nothing to handle: everything in progress happens before the rules arrive. Actions of the environment (send, move,
  fail, a timer, an external call) may happen at any time.
- Of the messages in flight, those to the switch that was sent one last come first. A message to another switch may be
  processed before them only if that releases a packet: the packet then overtakes the messages still in flight.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

from sdnloom.engine.model import Mode, Outcome, Step, System
from sdnloom.network.network import Network
from sdnloom.strategies.base import SearchStrategy

Pending = tuple[tuple[str, int], ...]  # (switch, messages in flight to it), in the order of the last message sent


@dataclass(frozen=True)
class Unusual(SearchStrategy):
    """Control messages are delivered as late as possible, last sent first."""

    name: ClassVar[str] = "unusual"

    def ranking(self, network: Network, system: System) -> "LateAndReversed":
        """Return the ranking: packets and handlers first, then control messages, the last sent first."""
        free = frozenset(
            (component.name, action.name)
            for component in system.components
            for action in component.actions
            if action.mode is not Mode.MUST
        )
        return LateAndReversed(frozenset(switch.name for switch in network.topology.switches), free)


@dataclass(frozen=True)
class LateAndReversed:
    """Ranks control messages after all else, last sent first. Its memory: the messages in flight, by switch."""

    switches: frozenset[str]
    free: frozenset[tuple[str, str]]  # actions of the environment
    name: ClassVar[str] = "UNUSUAL"
    skips: ClassVar[str] = "orders in which the controller's messages arrive in time and in order"
    initial: ClassVar[Hashable] = ()

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """Return None for the environment, 0 for packets and handlers, 1 or 2 for messages to switches."""
        if (step.component, step.action) in self.free:
            return None
        if not self._takes_control_message(step):
            return 0
        last = not memory or memory[-1][0] == step.component
        return 1 if last or any(channel != f"{step.component}.up" for channel, _ in outcome.sends) else 2

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """Return the messages in flight after the step."""
        pending: Pending = memory
        if self._takes_control_message(step):
            fewer = ((name, count - (name == step.component)) for name, count in pending)
            pending = tuple((name, count) for name, count in fewer if count)
        for channel, _ in outcome.sends:
            switch = channel.removesuffix(".of")
            if step.component == "controller" and switch in self.switches:
                count = dict(pending).get(switch, 0)
                pending = (*(pair for pair in pending if pair[0] != switch), (switch, count + 1))
        return pending

    def _takes_control_message(self, step: Step) -> bool:
        return step.action == "of" and step.component in self.switches
