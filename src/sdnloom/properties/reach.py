"""Who may, must and must not reach whom, stated on hosts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import Arrived, Received
from sdnloom.network.openflow import PacketIn
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import stamp_of
from sdnloom.network.switch import receive_packet
from sdnloom.network.switch_component import SwitchState
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.network.traffic import ping
from sdnloom.properties.base import NetworkProperty, sender


@dataclass(frozen=True)
class Reachable(NetworkProperty):
    """A ping that `source` would send now reaches `target` or the controller, who can help it. Asked in settled states.

    The packet is followed through the tables as they are; it is not sent. That finds losses that last for ever: in a
    settled state hard timeouts have run out too (`Timeouts.settle`). Where a choice is open one good way is enough.
    Nothing is asked while a switch is down, nor while a link is, unless the program is to lead packets around it
    (`rerouted`): then it is asked as long as there is a way over links that work.
    """

    name: str = ""
    source: str = ""
    target: str = ""
    rerouted: bool = False

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property of all switches and both hosts."""
        source, target = world.topology.host(self.source), world.topology.host(self.target)
        packet = ping(source, target)

        def violated(_: None, columns: Mapping[str, Any]) -> str | None:
            states = {name: columns[name] for name in world.switches}
            if any(state.phase != "on" or (state.down and not self.rerouted) for state in states.values()):
                return None
            here, there = columns[source.name], columns[target.name]
            if not _connected(world, states, here.port, there.port):
                return None
            ends = list(_follow(world, states, here.port, packet))
            if there.port in ends or None in ends:
                return None
            where = ", ".join(str(end) for end in sorted(set(ends), key=str)) or "nowhere"
            return f"a packet from {source.name} to {target.name}, who is at {there.port}, ends at {where}"

        name = self.name or f"Reachable({self.source}, {self.target})"
        columns = (*world.switches, *sorted({source.name, target.name}))
        return (Property(name, Needs.SETTLED, violated, columns=columns),)


def _connected(world: NetworkView, states: Mapping[str, SwitchState], start: SwitchPort, end: SwitchPort) -> bool:
    """Return whether links that work lead from one port to the other."""
    down = {SwitchPort(name, port) for name, state in states.items() for port, _ in state.down}
    if start in down or end in down:
        return False
    reached = {start.switch}
    working = [link.ends for link in world.topology.links if not down & set(link.ends)]
    for _ in working:
        for one, other in working:
            if one.switch in reached or other.switch in reached:
                reached |= {one.switch, other.switch}
    return end.switch in reached


def _follow(
    world: NetworkView, states: Mapping[str, SwitchState], start: SwitchPort, packet: Packet
) -> Iterator[SwitchPort | None]:
    """Yield the ports at which a packet leaves the network; None is the controller."""
    work, seen = [(start, packet)], set()
    while work:
        here, packet = work.pop()
        if (here, packet) in seen:
            continue
        seen.add((here, packet))
        for outcome in receive_packet(world.configs[here.switch], states[here.switch].core, here.port, packet):
            if any(isinstance(message, PacketIn) for message in outcome.messages):
                yield None
            for port, copy in outcome.outputs:
                there = SwitchPort(here.switch, port)
                target = world.wiring.targets.get(there)
                if target is None or target.port is None:
                    yield there
                else:
                    work.append((SwitchPort(target.channel.removesuffix(".in"), target.port), copy))


@dataclass(frozen=True)
class Isolated(NetworkProperty):
    """Nothing that `source` sends ever reaches `target`. Asked at every event."""

    name: str = ""
    source: str = ""
    target: str = ""

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property."""
        source, target = world.topology.host(self.source).name, world.topology.host(self.target).name

        def fold(reached: bool, event: Event) -> bool:
            if reached or not isinstance(event, Received) or event.host != target:
                return reached
            host = sender(world, event.packet)
            return host is not None and host.name == source

        def violated(reached: bool, _: Any) -> str | None:
            return f"a packet from {source} reached {target}" if reached else None

        name = self.name or f"Isolated({self.source}, {self.target})"
        return (Property(name, Needs.EVENT, violated, fold=fold, initial=False),)


@dataclass(frozen=True)
class Waypoint(NetworkProperty):
    """Every packet from `source` that reaches `target` has passed through the switch `via`. Asked in quiescent states.

    Of a packet that was copied on the way one copy that passed is enough.
    """

    name: str = ""
    source: str = ""
    target: str = ""
    via: str = ""

    @property
    def identity(self) -> bool:
        """It must recognise the packet."""
        return True

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property, whose fold commutes."""
        source, target = world.topology.host(self.source).name, world.topology.host(self.target).name
        via = world.topology.switch(self.via).name

        def fold(memory: tuple[frozenset[str], frozenset[str]], event: Event) -> Any:
            passed, got = memory
            if isinstance(event, Arrived) and event.switch == via:
                return passed | {stamp_of(event.packet)}, got
            if isinstance(event, Received) and event.host == target:
                host = sender(world, event.packet)
                if host is not None and host.name == source:
                    return passed, got | {stamp_of(event.packet)}
            return memory

        def violated(memory: tuple[frozenset[str], frozenset[str]], _: Any) -> str | None:
            around = sorted(memory[1] - memory[0])
            return f"packet {around[0]} from {source} reached {target} without passing {via}" if around else None

        name = self.name or f"Waypoint({self.source}, {self.target}, {self.via})"
        initial = (frozenset[str](), frozenset[str]())
        return (Property(name, Needs.QUIESCENT, violated, fold=fold, initial=initial),)
