"""A property that sees a converged spanning tree, by the configuration that stplib gives to the ports of switches."""

from sdnloom import Needs, Property, openflow

BLOCKED = int(openflow.PortConfig.NO_FWD | openflow.PortConfig.NO_PACKET_IN)
FORWARDING = 0  # a port that is neither is listening or learning


def converged(switches: tuple[str, ...], blocked: int = 1) -> Property:
    """A `sometimes` property: `blocked` ports are blocked, all others forward. Switches without a port list forward."""

    def seen(_, columns):
        ports = [port.config for name in switches for port in columns[name].core.ports or ()]
        if ports.count(BLOCKED) != blocked or ports.count(FORWARDING) != len(ports) - blocked:
            return None
        return f"{blocked} blocked, all other ports forward"

    return Property("the tree has converged", Needs.QUIESCENT, seen, columns=tuple(switches), sometimes=True)
