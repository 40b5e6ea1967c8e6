"""Links as relations: SHlink plugs a host into a switch, SSlink connects two switches; and paths along them.

Ports count from 1, as in OpenFlow, or from 0, as in the paper on SDN-Actors.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

from sdnloom.actors.actor import ActorError
from sdnloom.network.openflow import Output, Port
from sdnloom.network.topology import SwitchPort, Topology, TopologyBuilder


class SHlink(NamedTuple):
    """A host is connected to a port of a switch."""

    switch: str
    host: str
    port: int


class SSlink(NamedTuple):
    """A port of a switch is connected to a port of another."""

    switch: str
    port: int
    other: str
    other_port: int


class PathHop(NamedTuple):
    """A switch on a path, by name or by reference: packets come in at one port and go out of another."""

    switch: Any
    in_port: int
    out_port: int

    @property
    def output(self) -> Output:
        """The action that sends a packet on. Out of the port where it came in, OpenFlow sends only by IN_PORT."""
        return Output(int(Port.IN_PORT) if self.in_port == self.out_port else self.out_port)


def link_topology(links: Iterable[SHlink | SSlink], name: str = "links") -> Topology:
    """The topology of links: switches and hosts in the order in which the links name them.

    The n-th host has the address 10.0.0.n and the MAC address 00:00:00:00:00:n.
    """
    links, lowest = list(links), 1
    for link in links:
        if not isinstance(link, SHlink | SSlink):
            raise ActorError(f"{link!r} is among the links; expected SHlink(switch, host, port) or SSlink(...)")
        for port in (link.port,) if isinstance(link, SHlink) else (link.port, link.other_port):
            if type(port) is not int or port < 0:
                raise ActorError(f"{link!r} has the port {port!r}; expected a number from 0")
            lowest = min(lowest, port)
    builder = TopologyBuilder(name, lowest)
    switches = dict.fromkeys(
        each for link in links for each in ((link.switch, link.other) if isinstance(link, SSlink) else (link.switch,))
    )
    for switch in switches:
        builder.switch(switch)
    for link in links:
        if isinstance(link, SHlink):
            builder.host(link.host)
    for link in links:
        if isinstance(link, SHlink):
            builder.link(link.switch, link.host, link.port)
        else:
            builder.link(link.switch, link.other, link.port, link.other_port)
    return builder.build()


def shortest_path(topology: Topology, start: SwitchPort, host: str) -> tuple[PathHop, ...]:
    """The shortest path of a packet that comes in at a port of a switch and is for a host.

    Of several, the one with the lowest output ports, compared from the start. Raises ActorError if there is none.
    """
    goal = topology.host(host).switch_port
    peers = topology.peers
    before: dict[str, PathHop] = {}
    waiting = deque([SwitchPort(*topology.check_port(SwitchPort(str(start[0]), int(start[1]))))])
    while waiting:
        switch, in_port = waiting.popleft()
        if switch == goal.switch:
            path = [PathHop(switch, in_port, goal.port)]
            while path[0].switch != start[0]:
                path.insert(0, before[path[0].switch])
            return tuple(path)
        for port in topology.switch(switch).ports:
            peer = peers.get(SwitchPort(switch, port))
            if peer is not None and peer.switch != start[0] and peer.switch not in before:
                before[peer.switch] = PathHop(switch, in_port, port)
                waiting.append(peer)
    raise ActorError(f"no path leads from {start[0]} to the host {host}")
