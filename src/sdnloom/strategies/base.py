"""What a search strategy of the library is: it narrows the network, or ranks the steps of its system, or both."""

from dataclasses import dataclass
from typing import ClassVar

from sdnloom.engine.model import Strategy as Ranks
from sdnloom.engine.model import System
from sdnloom.network.network import Network


@dataclass(frozen=True)
class SearchStrategy:
    """Base of all. `name` is how it is selected and shown."""

    name: ClassVar[str] = ""

    def narrowed(self, network: Network) -> Network:
        """The network with smaller budgets. They are bounds of the verdict and do not make a search incomplete."""
        return network

    def ranks(self, network: Network, system: System) -> Ranks | None:
        """How the engine is to rank the steps of that network's system; None leaves all of them."""
        return None


def control_order(network: Network) -> list[tuple[str, str]]:
    """The (component, action) pairs that take a message between controller and switch: switches first, by name."""
    names = sorted(switch.name for switch in network.topology.switches)
    return [(name, "of") for name in names] + [("controller", f"handle {name}") for name in names]
