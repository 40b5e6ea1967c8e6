"""When a spanning tree has converged, as the switches see it: by the configuration that stplib gives to their ports."""

from sdnloom.engine.model import Needs, Property
from sdnloom.network.openflow import PortConfig

BLOCKED = int(PortConfig.NO_FWD | PortConfig.NO_PACKET_IN)
FORWARDING = 0  # what is neither is listening or learning


def converged(switches: tuple[str, ...], blocked: int = 1) -> Property:
    """Something desired: so many ports are blocked, and all others forward. A switch that lists no ports forwards."""

    def seen(_, columns):
        ports = [port.config for name in switches for port in columns[name].core.ports or ()]
        if ports.count(BLOCKED) != blocked or ports.count(FORWARDING) != len(ports) - blocked:
            return None
        return f"{blocked} blocked, all other ports forward"

    return Property("the tree has converged", Needs.QUIESCENT, seen, columns=tuple(switches), sometimes=True)
