"""FLOW-IR (NICE, section 5.4): groups of packets that do not affect each other are explored in one relative order.

The user says which packets belong together. Our reading: groups have a fixed order, that of the packets which hosts can
send at the start; while anything of an earlier group can happen, nothing of a later one does. What belongs to no group
(a call from outside, a timer, a move, statistics, a packet that is like none a host started with) happens at any time,
and so does the choice of a host between several packets, which is no order of them.
A message of the controller belongs to the group of the packet whose handling sent it.
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
MOST_STATES = 1000  # of one host left to itself, when the packets are looked for that it starts with


def same_connection(one: Packet, other: Packet) -> bool:
    """Whether two packets have the same addresses and ports, in one direction or the other: a `same_flow` to use."""
    a, b = flow_of(one), flow_of(other)
    ends = {(a.eth_src, a.ip_src, a.port_src), (a.eth_dst, a.ip_dst, a.port_dst)}
    return a.proto == b.proto and ends == {(b.eth_src, b.ip_src, b.port_src), (b.eth_dst, b.ip_dst, b.port_dst)}


@dataclass(frozen=True)
class FlowIR(SearchStrategy):
    """One group of packets after the other. `same_flow(one, other)` says whether two packets are of one group.

    It must hold for answers too where they belong to the flow, and hold of two packets whichever comes first.
    """

    name: ClassVar[str] = "flow-ir"
    same_flow: SameFlow

    def ranks(self, network: Network, system: System) -> "GroupOrder":
        """Steps by the group of their packets."""
        first: list[Packet] = []
        for packet in starters(network, system):
            if not any(self.same_flow(known, packet) for known in first):
                first.append(packet)
        return GroupOrder(tuple(first), self.same_flow)


def starters(network: Network, system: System) -> Iterable[Packet]:
    """The packets that hosts can send of their own accord, before any came to them, in the order of the scenario."""
    known = {component.name: component for component in system.components}
    semantics = Semantics(system)
    found: dict[Packet, None] = {}
    for host in network.topology.hosts:
        component = known[host.name]
        cores = [component.initial]
        for core in cores:  # grows
            for action in component.actions:
                for outcome in () if action.take else semantics.outcomes(component, action, core, None):
                    found.update(dict.fromkeys(_packets(outcome)))
                    if outcome.core not in cores and len(cores) < MOST_STATES:
                        cores.append(outcome.core)
    return found


@dataclass(frozen=True)
class GroupOrder:
    """Ranks steps by the group of their packets; remembers the groups of the messages under way to each switch."""

    first: tuple[Packet, ...]  # a packet of each group, in the order of the groups
    same_flow: SameFlow
    name: ClassVar[str] = "FLOW-IR"
    skips: ClassVar[str] = "orders in which packets of different flows overlap"
    initial: ClassVar[Hashable] = ()
    _known: dict[Packet, int | None] = field(default_factory=dict, compare=False)

    def rank(self, memory: Any, step: Step, outcome: Outcome) -> int | None:
        """The group's place; None for what belongs to none. A step about several packets goes with the first group."""
        if step.action == "of":
            return next((groups[0] for switch, groups in memory if switch == step.component), None)
        if isinstance(step.message, PacketIn):
            return self._group(decode(step.message.data))
        if any(isinstance(event, HostMoved) for event in outcome.events):
            return None  # what it announces must not hold the move back
        if step.choice and any(isinstance(event, Sent) for event in outcome.events):
            return None  # to send one packet instead of another is no order of the two
        groups = [group for packet in _packets(outcome) if (group := self._group(packet)) is not None]
        return min(groups, default=None)

    def after(self, memory: Any, step: Step, outcome: Outcome) -> Hashable:
        """The groups of the messages under way after the step."""
        under_way: dict[str, tuple[int | None, ...]] = dict(memory)
        if step.action == "of" and step.component in under_way:
            under_way[step.component] = under_way[step.component][1:]
        if step.component == "controller":
            group = self.rank(memory, step, outcome)
            for channel, _ in outcome.sends:
                switch = channel.removesuffix(".of")
                under_way[switch] = (*under_way.get(switch, ()), group)
        return tuple((switch, groups) for switch, groups in sorted(under_way.items()) if groups)

    def _group(self, packet: Packet) -> int | None:
        if packet not in self._known:
            same = (place for place, one in enumerate(self.first) if self.same_flow(one, packet))
            self._known[packet] = next(same, None)
        return self._known[packet]


def _packets(outcome: Outcome) -> Iterable[Packet]:
    """The packets that the events of an outcome are about."""
    found = (getattr(event, "packet", None) for event in outcome.events)
    return (packet for packet in found if isinstance(packet, Packet))
