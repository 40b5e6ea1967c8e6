"""Programs of a controller, switches and hosts, made from links or a topology: the initial configuration.

Each switch and each host of the topology is an actor of its name. Ports, addresses and packets of hosts are tagged, so
that a search can treat hosts that are alike as one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sdnloom.actors.actor import Actor, ActorError, Message
from sdnloom.actors.network.controller import Controller
from sdnloom.actors.network.host import Host
from sdnloom.actors.network.links import SHlink, SSlink, link_topology
from sdnloom.actors.network.network import ActorNetwork, NetworkProgram
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.network.switch import Switch
from sdnloom.actors.network.tags import plain
from sdnloom.actors.program import FinalCheck, Monitor
from sdnloom.actors.values import TaggedStr, tag
from sdnloom.network.packet import Ethernet, IPv4, Packet, Udp, stack
from sdnloom.network.topology import HostSpec, Topology, TopologyError


def network_program(
    controller: Controller,
    links: Iterable[SHlink | SSlink] | None = None,
    *,
    topology: Topology | None = None,
    sends: Sequence[tuple[str, Packet | NamedPacket | str]] = (),
    switch: type[Switch] = Switch,
    host: type[Host] = Host,
    hosts: Mapping[str, type[Host]] | None = None,
    start: Iterable[Message] = (),
    actors: Iterable[Actor] = (),
    monitors: Iterable[Monitor] = (),
    final: Iterable[FinalCheck] = (),
    always: Iterable[FinalCheck] = (),
    stops_loops: bool = True,
    deadlocks: bool = True,
    symmetric: bool = True,
    name: str = "",
) -> NetworkProgram:
    """The program of a controller in a network.

    The network is given by `links` or by a `topology`. `sends` are pairs of a host and a packet that it sends: a
    Packet, a NamedPacket, or the name of another host for a UDP packet to it. A packet without a name is called p1, p2,
    ... by its place. `switch` and `host` are the classes of the actors, `hosts` other classes for single hosts; `start`
    has further messages, such as `controller.begin()`, and `actors` further actors.
    """
    if not isinstance(controller, Controller):
        raise ActorError(f"controller {controller!r}; expected an actor of a subclass of Controller")
    if (links is None) == (topology is None):
        raise ActorError("network_program needs either links or a topology; expected one of the two")
    if topology is None:
        topology = link_topology(links or ())
    network = ActorNetwork(topology, stops_loops)
    found_hosts = _hosts(topology, host, hosts or {})
    found_switches = {spec.name: switch(spec.name, controller=controller) for spec in topology.switches}
    _plug(network, found_switches, found_hosts)
    messages = [*_sends(network, found_hosts, sends), *start]
    return NetworkProgram(
        (controller, *found_switches.values(), *found_hosts.values(), *actors),
        tuple(messages),
        tuple(final),
        tuple(always),
        tuple(monitors),
        deadlocks,
        symmetric,
        name,
        network=network,
    )


def udp_packet(topology: Topology, sender: str, receiver: str, source: int = 1, target: int = 1) -> Packet:
    """A UDP packet from one host to another."""
    one, other = topology.host(sender), topology.host(receiver)
    return stack(Ethernet(other.mac, one.mac), IPv4(one.ip, other.ip), Udp(source, target))


def _hosts(topology: Topology, kind: type[Host], others: Mapping[str, type[Host]]) -> dict[str, Host]:
    names = [spec.name for spec in topology.hosts]
    for name in others:
        if name not in names:
            raise ActorError(f"hosts has {name!r}, which is no host; expected one of {', '.join(names) or '(none)'}")
    return {spec.name: _host(others.get(spec.name, kind), spec) for spec in topology.hosts}


def _host(kind: type[Host], spec: HostSpec) -> Host:
    return kind(spec.name, mac=tag(spec.mac, spec.name, "mac"), ip=tag(spec.ip, spec.name, "ip"))


def _plug(network: ActorNetwork, switches: Mapping[str, Switch], hosts: Mapping[str, Host]) -> None:
    """Tell switches and hosts what they are plugged into."""
    ends: dict[str, list[tuple[int, Actor, int | None]]] = {name: [] for name in switches}
    for spec in network.topology.hosts:
        port = network.tags.port(*spec.switch_port)
        hosts[spec.name].link = switches[spec.switch], port
        ends[spec.switch].append((port, hosts[spec.name], None))
    for one, other in network.topology.peers.items():
        ends[one.switch].append((one.port, switches[other.switch], other.port))
    for name, switch in switches.items():
        switch.links = frozenset(ends[name])


def _sends(
    network: ActorNetwork, hosts: Mapping[str, Host], sends: Sequence[tuple[str, Packet | NamedPacket | str]]
) -> list[Message]:
    count: Counter[str] = Counter()
    names: set[str] = set()
    messages = []
    for number, each in enumerate(sends, 1):
        if not isinstance(each, tuple) or len(each) != 2:
            raise ActorError(f"sends has {each!r}; expected a pair of the name of a host and a packet")
        sender, given = each
        if sender not in hosts:
            raise ActorError(f"sends has {sender!r}, which is no host; expected one of {', '.join(hosts) or '(none)'}")
        count[sender] += 1
        packet = _named(network, sender, given, number, count[sender])
        if packet.name in names:
            raise ActorError(f"sends has two packets of the name {packet.name!r}; expected different names")
        names.add(packet.name)
        messages.append(hosts[sender].send(packet))
    return messages  # type: ignore[return-value]


def _named(network: ActorNetwork, sender: str, given: Any, number: int, place: int) -> NamedPacket:
    """The packet with its name, which is a facet of its sender unless it has an owner already."""
    packet, name = given, f"p{number}"
    if isinstance(given, str):
        try:
            packet = udp_packet(network.topology, sender, given)
        except TopologyError as error:
            raise ActorError(f"sends has the pair {(sender, given)!r}: {error}") from None
    elif isinstance(given, NamedPacket):
        packet, name = given.packet, given.name
    if not isinstance(packet, Packet):
        raise ActorError(f"sends has {given!r} for {sender!r}; expected a Packet, a NamedPacket or the name of a host")
    if not isinstance(name, TaggedStr):
        name = tag(name, sender, f"packet{place}")
    return network.tags.named_packet(name, plain(packet))
