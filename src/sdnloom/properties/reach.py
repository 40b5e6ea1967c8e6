"""Reachable, Isolated and Waypoint: which hosts reach which, and by way of which switch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Arrived, Received
from sdnloom.network.hosts.arp import ArpState
from sdnloom.network.hosts.mobile import MobileState
from sdnloom.network.openflow import PacketIn
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import packet_id_of
from sdnloom.network.switch import receive_packet
from sdnloom.network.switch_component import SwitchState
from sdnloom.network.topology.spec import HostSpec, SwitchPort
from sdnloom.network.traffic import ping_to
from sdnloom.properties.base import NetworkProperty, sender


@dataclass(frozen=True)
class Reachable(NetworkProperty):
    """A ping sent now from `source` would reach `target` or the controller. Checked in settled states.

    The packet is followed through the tables as they are; it is not sent. That finds losses that last for ever: in a
    settled state hard timeouts have expired too (`Timeouts.settle`). Where a switch has a choice, one good outcome is
    enough. Nothing is checked while a switch is down, nor while a link is down, unless the program must route packets
    around it (`rerouted`): then the property is checked as long as working links connect the two hosts. If the target
    is outside the network of the source, the ping goes to the MAC address of the gateway, as the source knows it; as
    long as it knows none, nothing is checked.
    """

    name: str = ""
    source: str = ""
    target: str = ""
    rerouted: bool = False

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property of all switches and both hosts."""
        source, target = view.topology.host(self.source), view.topology.host(self.target)

        def violated(_: None, columns: Mapping[str, Any]) -> str | None:
            states = {name: columns[name] for name in view.switches}
            if any(state.phase != "on" or (state.down and not self.rerouted) for state in states.values()):
                return None
            here, there = columns[source.name], columns[target.name]
            if not _connected(view, states, here.port, there.port):
                return None
            mac = _next_mac(view, source, target, here.state)
            if mac is None:
                return None
            ends = list(_follow(view, states, here.port, ping_to(source, mac, target.ip)))
            if there.port in ends or None in ends:
                return None
            where = ", ".join(str(end) for end in sorted(set(ends), key=str)) or "nowhere"
            return f"a packet from {source.name} to {target.name}, who is at {there.port}, ends at {where}"

        name = self.name or f"Reachable({self.source}, {self.target})"
        columns = (*view.switches, *sorted({source.name, target.name}))
        return (Property(name, Needs.SETTLED, violated, columns=columns),)


def _next_mac(view: NetworkView, source: HostSpec, target: HostSpec, state: Any) -> int | None:
    """Return the MAC address to which the source sends a ping: the target's, or what it knows of its gateway."""
    hop = source.next_hop(target.ip)
    if hop == target.ip:
        return target.mac
    inner = state.inner if isinstance(state, MobileState) else state
    known = dict(inner.known) if isinstance(inner, ArpState) else {}
    owner = next((host.mac for host in view.topology.hosts if host.ip == hop), None)
    return known.get(hop, owner)


def _connected(view: NetworkView, states: Mapping[str, SwitchState], start: SwitchPort, end: SwitchPort) -> bool:
    """Whether working links lead from one switch port to the other."""
    down = {SwitchPort(name, port) for name, state in states.items() for port, _ in state.down}
    if start in down or end in down:
        return False
    reached = {start.switch}
    working = [link.ends for link in view.topology.links if not down & set(link.ends)]
    for _ in working:
        for left, right in working:
            if left.switch in reached or right.switch in reached:
                reached |= {left.switch, right.switch}
    return end.switch in reached


def _follow(
    view: NetworkView, states: Mapping[str, SwitchState], start: SwitchPort, packet: Packet
) -> Iterator[SwitchPort | None]:
    """Yield the switch ports at which a packet leaves the network; None is the controller."""
    work, seen = [(start, packet)], set()
    while work:
        here, packet = work.pop()
        if (here, packet) in seen:
            continue
        seen.add((here, packet))
        for outcome in receive_packet(view.configs[here.switch], states[here.switch].core, here.port, packet):
            if any(isinstance(message, PacketIn) for message in outcome.messages):
                yield None
            for port, copy in outcome.outputs:
                there = SwitchPort(here.switch, port)
                target = view.wiring.targets.get(there)
                if target is None or target.port is None:
                    yield there
                else:
                    work.append((SwitchPort(target.channel.removesuffix(".in"), target.port), copy))


@dataclass(frozen=True)
class Isolated(NetworkProperty):
    """No packet from `source` ever reaches `target`. Checked at every event."""

    name: str = ""
    source: str = ""
    target: str = ""

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property."""
        source, target = view.topology.host(self.source).name, view.topology.host(self.target).name

        def fold(reached: bool, event: Event) -> bool:
            if reached or not isinstance(event, Received) or event.host != target:
                return reached
            host = sender(view, event.packet)
            return host is not None and host.name == source

        def violated(reached: bool, _: Any) -> str | None:
            return f"a packet from {source} reached {target}" if reached else None

        name = self.name or f"Isolated({self.source}, {self.target})"
        return (Property(name, Needs.EVENT, violated, fold=fold, initial=False),)


@dataclass(frozen=True)
class Waypoint(NetworkProperty):
    """Every packet from `source` that reaches `target` has passed the switch `via`. Checked in quiescent states.

    If a packet was copied on its way, it is enough that one copy passed the switch.
    """

    name: str = ""
    source: str = ""
    target: str = ""
    via: str = ""

    @property
    def identity(self) -> bool:
        """Yes: it must recognise the packet."""
        return True

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property, whose fold commutes."""
        source, target = view.topology.host(self.source).name, view.topology.host(self.target).name
        via = view.topology.switch(self.via).name

        def fold(memory: tuple[frozenset[str], frozenset[str]], event: Event) -> Any:
            passed, received = memory
            if isinstance(event, Arrived) and event.switch == via:
                return passed | {packet_id_of(event.packet)}, received
            if isinstance(event, Received) and event.host == target:
                host = sender(view, event.packet)
                if host is not None and host.name == source:
                    return passed, received | {packet_id_of(event.packet)}
            return memory

        def violated(memory: tuple[frozenset[str], frozenset[str]], _: Any) -> str | None:
            around = sorted(memory[1] - memory[0])
            return f"packet {around[0]} from {source} reached {target} without passing {via}" if around else None

        name = self.name or f"Waypoint({self.source}, {self.target}, {self.via})"
        initial = (frozenset[str](), frozenset[str]())
        return (Property(name, Needs.QUIESCENT, violated, fold=fold, initial=initial),)
