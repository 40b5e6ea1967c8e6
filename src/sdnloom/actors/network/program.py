"""Programs of a controller, switches and hosts, made from links or a topology: the initial configuration.

Each switch and each host of the topology is an actor of its name. Ports, addresses and packets of hosts are tagged, so
that a search can treat hosts that are alike as one.
"""

import inspect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sdnloom.actors.actor import Actor, ActorError, Message
from sdnloom.actors.network.controller import Controller
from sdnloom.actors.network.host import Host
from sdnloom.actors.network.links import SHlink, SSlink, link_topology
from sdnloom.actors.network.network import ActorNetwork, NetworkProgram
from sdnloom.actors.network.packets import NamedPacket, answer_name
from sdnloom.actors.network.switch import Switch, checked_entry
from sdnloom.actors.network.tags import plain
from sdnloom.actors.program import FinalCheck, Monitor
from sdnloom.actors.values import TaggedStr, tag
from sdnloom.network.openflow import OpenFlowAction
from sdnloom.network.packet import Packet
from sdnloom.network.topology import HostSpec, Topology, TopologyError
from sdnloom.network.traffic import ping

StartEntry = tuple[str, Any, tuple[OpenFlowAction, ...], int]  # switch, match, actions, priority


def network_program(
    controller: Controller,
    links: Iterable[SHlink | SSlink] | None = None,
    *,
    topology: Topology | None = None,
    sends: Sequence[tuple[str, Packet | NamedPacket | str]] = (),
    entries: Sequence[StartEntry] = (),
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
    Packet, a NamedPacket, or the name of another host for a ping to it. A packet without a name is called p1, p2, ...
    by its place. `entries` are flow entries at the start: (switch, match, actions, priority). `switch` and `host` are
    the classes of the actors, `hosts` other classes for single hosts. `start` has further messages, such as
    `controller.begin()`, and `actors` further actors. `stops_loops`: a packet that reaches a switch for the second time
    is not forwarded, so that every program ends.
    """
    if not isinstance(controller, Controller):
        raise ActorError(f"controller {controller!r}; expected an actor of a subclass of Controller")
    if (links is None) == (topology is None):
        raise ActorError("network_program needs either links or a topology; expected one of the two")
    _refuse_wrong_packet_in(controller)
    if topology is None:
        topology = link_topology(links or ())
    elif not isinstance(topology, Topology):
        raise ActorError(f"topology {topology!r}; expected a Topology, such as sdnloom.linear(2)")
    packets = _packets(topology, sends)
    network = ActorNetwork(topology, tuple(packet.packet for _, packet in packets), stops_loops)
    found_hosts = _hosts(topology, host, hosts or {})
    found_switches = {spec.name: switch(spec.name, controller=controller) for spec in topology.switches}
    _plug(network, found_switches, found_hosts)
    _fill(network, found_switches, entries)
    for sender in found_hosts.values():
        own = [packet.name for name, packet in packets if name == sender.name]
        sender.names = frozenset([*own, *map(answer_name, own)])
    messages: list[Any] = [
        found_hosts[sender].send(network.tags.named_packet(packet.name, plain(packet.packet)))
        for sender, packet in packets
    ]
    return NetworkProgram(
        (controller, *found_switches.values(), *found_hosts.values(), *actors),
        (*messages, *start),
        tuple(final),
        tuple(always),
        tuple(monitors),
        deadlocks,
        symmetric,
        name,
        network=network,
    )


def _refuse_wrong_packet_in(controller: Controller) -> None:
    parameters = inspect.signature(controller.packet_in)
    try:
        parameters.bind("switch", 1, "packet")
    except TypeError:
        kind = type(controller).__qualname__
        raise ActorError(
            f"{kind} has packet_in{parameters}; expected packet_in(self, switch, in_port, packet)"
        ) from None


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


def _fill(network: ActorNetwork, switches: Mapping[str, Switch], entries: Sequence[StartEntry]) -> None:
    """Put entries into the tables of the switches."""
    for each in entries:
        if not isinstance(each, tuple) or len(each) != 4 or each[0] not in switches:
            known = ", ".join(switches) or "(none)"
            raise ActorError(f"entries has {each!r}; expected (switch, match, actions, priority), a switch of {known}")
        name, *parts = each
        key, kept = network.models[name].installed(*checked_entry(*parts))
        written = {(key[0], network.tags.match(name, key[1])): network.tags.actions(name, kept)}
        switches[name].table = switches[name].table | written


def _packets(topology: Topology, sends: Sequence[tuple[str, Any]]) -> list[tuple[str, NamedPacket]]:
    """The packets with their senders and names.

    A name is a facet of the sender, so that senders of one packet each can be renamed with their packets. Equal packets
    of one sender are owners of their names instead: they can be renamed into each other.
    """
    hosts = [host.name for host in topology.hosts]
    found: list[tuple[str, NamedPacket]] = []
    for number, each in enumerate(sends, 1):
        if not isinstance(each, tuple) or len(each) != 2:
            raise ActorError(f"sends has {each!r}; expected a pair of the name of a host and a packet")
        if each[0] not in hosts:
            raise ActorError(f"sends has {each[0]!r}, which is no host; expected one of {', '.join(hosts) or '(none)'}")
        found.append((each[0], _named(topology, *each, f"p{number}")))
    for name, times in Counter(str(packet.name) for _, packet in found).items():
        if times > 1:
            raise ActorError(f"sends has {times} packets of the name {name!r}; expected different names")
    equal = Counter((sender, packet.packet) for sender, packet in found)
    places: Counter[str] = Counter()
    owned = []
    for sender, packet in found:
        places[sender] += 1
        name = packet.name
        if not isinstance(name, TaggedStr):
            alone = equal[sender, packet.packet] == 1
            name = tag(name, sender, f"packet{places[sender]}") if alone else tag(name, f"packet {name}", "packet")
        owned.append((sender, NamedPacket(name, packet.packet)))
    return owned


def _named(topology: Topology, sender: str, given: Any, name: str) -> NamedPacket:
    if isinstance(given, NamedPacket):
        return given
    if isinstance(given, str):
        try:
            return NamedPacket(name, ping(topology.host(sender), topology.host(given)))
        except TopologyError as error:
            raise ActorError(f"sends has the pair {(sender, given)!r}: {error}") from None
    if not isinstance(given, Packet):
        raise ActorError(f"sends has {given!r} for {sender!r}; expected a Packet, a NamedPacket or the name of a host")
    return NamedPacket(name, given)
