"""FLOW-IR (NICE, section 5.4): groups of packets that do not affect each other are explored in one relative order.

The user defines which packets form a group. Our reading: groups have a fixed order, that of the packets which hosts can
send at the start; while a step of an earlier group is enabled, no step of a later one is taken. Steps of no group (an
external call, a timer, a move, statistics, a packet unlike all initial ones) are taken at any time, and so is the
choice of a host between several packets, which does not order them.
A message of the controller belongs to the group of the packet whose handler sent it.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from sdnloom.engine.model import Outcome, Step, System
from sdnloom.engine.semantics import Semantics
from sdnloom.network.events import HostMoved, Sent
from sdnloom.network.network import Network
from sdnloom.network.openflow import PacketIn
from sdnloom.network.packet import Packet, decode
from sdnloom.network.traffic import flow_of
from sdnloom.strategies.base import SearchStrategy

SameFlow: TypeAlias = Callable[[Packet, Packet], bool]
MAX_STATES = 1000  # of one host alone, in the search for the packets that it can send at the start


def same_connection(first: Packet, second: Packet) -> bool:
    """Whether two packets have the same addresses and ports, in either direction; can be used as `same_flow`."""
    a, b = flow_of(first), flow_of(second)
    ends = {(a.eth_src, a.ip_src, a.port_src), (a.eth_dst, a.ip_dst, a.port_dst)}
    return a.proto == b.proto and ends == {(b.eth_src, b.ip_src, b.port_src), (b.eth_dst, b.ip_dst, b.port_dst)}


@dataclass(frozen=True)
class FlowIR(SearchStrategy):
    """Explores one group of packets after the other. `same_flow(first, second)` tells whether two are of one group.

    It must be symmetric, and true for the answers too if they are part of the flow.
    """

    name: ClassVar[str] = "flow-ir"
    same_flow: SameFlow

    def ranking(self, network: Network, system: System) -> "GroupOrder":
        """Return the ranking of steps by the group of their packets."""
        samples: list[Packet] = []
        for packet in initial_packets(network, system):
            if not any(self.same_flow(known, packet) for known in samples):
                samples.append(packet)
        return GroupOrder(tuple(samples), self.same_flow)


def initial_packets(network: Network, system: System) -> Iterable[Packet]:
    """Return the packets that hosts can send before they receive any, in the order of the scenario."""
    known = {component.name: component for component in system.components}
    semantics = Semantics(system)
    found: dict[Packet, None] = {}
    for host in network.topology.hosts:
        component = known[host.name]
        cores = [component.initial]
        for core in cores:  # grows during the loop
            for action in component.actions:
                for outcome in () if action.take else semantics.outcomes(component, action, core, None):
                    found.update(dict.fromkeys(_packets(outcome)))
                    if outcome.core not in cores and len(cores) < MAX_STATES:
                        cores.append(outcome.core)
    return found


@dataclass(frozen=True)
class GroupOrder:
    """Ranks steps by the group of their packets. Its memory: the groups of the messages in flight to each switch."""

    samples: tuple[Packet, ...]  # a packet of each group, in the order of the groups
    same_flow: SameFlow
    name: ClassVar[str] = "FLOW-IR"
    skips: ClassVar[str] = "orders in which packets of different flows overlap"
    initial: ClassVar[Hashable] = ()
    _known: dict[Packet, int | None] = field(default_factory=dict, compare=False)

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """Return the number of the step's group, the least one if it has several; None if it has none."""
        if step.action == "of":
            return next((groups[0] for switch, groups in memory if switch == step.component), None)
        if isinstance(step.message, PacketIn):
            return self._group(decode(step.message.data))
        if any(isinstance(event, HostMoved) for event in outcome.events):
            return None  # the announcement that a moved host sends must not delay the move
        if step.choice and any(isinstance(event, Sent) for event in outcome.events):
            return None  # a choice between two packets does not order them
        groups = [group for packet in _packets(outcome) if (group := self._group(packet)) is not None]
        return min(groups, default=None)

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """Return the groups of the messages in flight after the step."""
        in_flight: dict[str, tuple[int | None, ...]] = dict(memory)
        if step.action == "of" and step.component in in_flight:
            in_flight[step.component] = in_flight[step.component][1:]
        if step.component == "controller":
            group = self.rank(memory, step, outcome)
            for channel, _ in outcome.sends:
                switch = channel.removesuffix(".of")
                in_flight[switch] = (*in_flight.get(switch, ()), group)
        return tuple((switch, groups) for switch, groups in sorted(in_flight.items()) if groups)

    def _group(self, packet: Packet) -> int | None:
        if packet not in self._known:
            groups = (number for number, sample in enumerate(self.samples) if self.same_flow(sample, packet))
            self._known[packet] = next(groups, None)
        return self._known[packet]


def _packets(outcome: Outcome) -> Iterable[Packet]:
    """Return the packets that the events of an outcome name."""
    found = (getattr(event, "packet", None) for event in outcome.events)
    return (packet for packet in found if isinstance(packet, Packet))
