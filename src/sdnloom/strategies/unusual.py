"""UNUSUAL (NICE, section 5.3): only orders in which the controller's messages are late or overtake each other.

The paper gives one example: what a handler sends to switches 1, 2, 3 arrives at 3 first, then at 2, then at 1, which
uncovers a packet that reaches a switch before its rule does. Our reading has two parts:

- A switch obeys a message of the controller only when no packet waits at a switch or a host and the controller has
  nothing to handle: all that is going on happens before the rules arrive. What the environment may do (send, move,
  fail, a timer, a call from outside) may happen at any time.
- Of the messages under way, those to the switch that was told something last come first. A message to another switch
  may be obeyed before them only if that lets a packet out: the packet then runs ahead of the messages still under way.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

from sdnloom.engine.model import Mode, Outcome, Step, System
from sdnloom.network.network import Network
from sdnloom.strategies.base import SearchStrategy

Pending = tuple[tuple[str, int], ...]  # (switch, messages under way to it), the one told something last at the end


@dataclass(frozen=True)
class Unusual(SearchStrategy):
    """The controller's messages arrive late, and at the switch that was told last first."""

    name: ClassVar[str] = "unusual"

    def ranks(self, network: Network, system: System) -> "LateAndReversed":
        """What goes on first, then messages by how unusual their order is."""
        free = frozenset(
            (component.name, action.name)
            for component in system.components
            for action in component.actions
            if action.mode is not Mode.MUST
        )
        return LateAndReversed(frozenset(switch.name for switch in network.topology.switches), free)


@dataclass(frozen=True)
class LateAndReversed:
    """Remembers to which switches messages are under way and who was told something last."""

    switches: frozenset[str]
    free: frozenset[tuple[str, str]]  # what the environment may do
    name: ClassVar[str] = "UNUSUAL"
    skips: ClassVar[str] = "orders in which the controller's messages arrive in time and in turn"
    initial: ClassVar[Hashable] = ()

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """None for the environment, 0 for what goes on, 1 and 2 for messages to switches."""
        if (step.component, step.action) in self.free:
            return None
        if not self._obeys(step):
            return 0
        last = not memory or memory[-1][0] == step.component
        return 1 if last or any(channel != f"{step.component}.up" for channel, _ in outcome.sends) else 2

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """The messages under way after the step."""
        pending: Pending = memory
        if self._obeys(step):
            fewer = ((name, count - (name == step.component)) for name, count in pending)
            pending = tuple((name, count) for name, count in fewer if count)
        for channel, _ in outcome.sends:
            switch = channel.removesuffix(".of")
            if step.component == "controller" and switch in self.switches:
                count = dict(pending).get(switch, 0)
                pending = (*(one for one in pending if one[0] != switch), (switch, count + 1))
        return pending

    def _obeys(self, step: Step) -> bool:
        return step.action == "of" and step.component in self.switches
