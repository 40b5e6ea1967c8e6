"""FlowAffinity: all packets of a TCP connection reach the same server."""

from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Received
from sdnloom.network.network import NetworkError
from sdnloom.network.packet import IpProto
from sdnloom.network.traffic import flow_of
from sdnloom.network.value import ip4_text
from sdnloom.properties.base import NetworkProperty

ServerChoice = tuple[tuple[int, int], str]  # client's address and port, server


@dataclass(frozen=True)
class FlowAffinity(NetworkProperty):
    """All packets of a TCP connection reach the same one of the hosts `replicas`. Checked at every event."""

    name: str = "FlowAffinity"
    replicas: tuple[str, ...] = ()

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property."""
        if not self.replicas:
            raise NetworkError(f"{self.name}: replicas is empty; expected the hosts that serve connections")
        replicas = {view.topology.host(name).name for name in self.replicas}

        def fold(choices: frozenset[ServerChoice], event: Event) -> frozenset[ServerChoice]:
            if not isinstance(event, Received) or event.host not in replicas:
                return choices
            flow = flow_of(event.packet)
            if flow.proto != IpProto.TCP:
                return choices
            return choices | {((flow.ip_src, flow.port_src), event.host)}

        def violated(choices: frozenset[ServerChoice], _: Any) -> str | None:
            servers: dict[tuple[int, int], str] = {}
            for client, server in sorted(choices):
                first = servers.setdefault(client, server)
                if first != server:
                    return f"the connection of {ip4_text(client[0])}:{client[1]} went to {first} and to {server}"
            return None

        return (Property(self.name, Needs.EVENT, violated, fold=fold, initial=frozenset()),)
