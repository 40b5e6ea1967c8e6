"""Base class of the search strategies: one narrows the network, or ranks the steps of its system, or both."""

from dataclasses import dataclass
from typing import ClassVar

from sdnloom.engine.model import Strategy, System
from sdnloom.network.network import Network


@dataclass(frozen=True)
class SearchStrategy:
    """A strategy as a user selects it, by `name`. The engine sees only the ranking that it makes for one system."""

    name: ClassVar[str] = ""

    def narrow(self, network: Network) -> Network:
        """Return the network with smaller budgets. They bound the verdict and do not make a search incomplete."""
        return network

    def ranking(self, network: Network, system: System) -> Strategy | None:
        """Return the engine's strategy that ranks the steps of this system; None if all steps are explored."""
        return None


def control_order(network: Network) -> list[tuple[str, str]]:
    """Return the (component, action) pairs that take a control message: of the switches, then of the controller."""
    names = sorted(switch.name for switch in network.topology.switches)
    return [(name, "of") for name in names] + [("controller", f"handle {name}") for name in names]
