"""UseCorrectRoutingTable: rules of a flow go to the path that the load of the network requires."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import MessageHandled, MessageSent
from sdnloom.network.network import NetworkError, check_one_of
from sdnloom.network.openflow import (
    Enqueue,
    FlowCommand,
    FlowMod,
    Group,
    Match,
    Output,
    PacketIn,
    Port,
    PortStatsReply,
)
from sdnloom.network.packet import Packet, decode
from sdnloom.network.switch.tables.flow_table import instruction_actions
from sdnloom.network.switch.tables.lookup import matches, packet_fields
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.properties.base import NetworkProperty, component_actions, receiver, sender

_INSTALLING = (FlowCommand.ADD, FlowCommand.MODIFY, FlowCommand.MODIFY_STRICT)

Fields = tuple[tuple[str, int], ...]


class _Route(NamedTuple):
    flow: Fields  # the fields of its packets that rules can match
    label: str
    busy: bool  # the load, as the program knew it when the flow began
    switches: frozenset[str] = frozenset()  # switches to which a rule for the flow was sent


class _Memory(NamedTuple):
    counted: int = 0  # the counter that the program has seen last
    busy: bool = False
    routes: tuple[_Route, ...] = ()  # sorted
    rules: frozenset[tuple[str, Match]] = frozenset()  # (switch, what a rule matches there, at whatever port)


@dataclass(frozen=True)
class UseCorrectRoutingTable(NetworkProperty):
    """The rules for a flow go to exactly the switches of the path that the load requires (NICE, section 9.3).

    A flow begins when the program handles a packet from the port of the sending host, unless it has sent the switch
    a rule that matches the packet before. Only flows between hosts at the two ends of the paths are judged, in both
    directions. A rule belongs to a flow if it matches its packets and sends them out of a port of the switch.

    The load is the one that the program knows: the network is busy if the bytes sent out of `port`, according to the
    statistics that the program has handled, grew by more than `much` since the previous statistics, at first from 0. A
    flow that begins while the network is not busy uses the path `always_on`. One that begins while it is busy uses
    either path, however the program chooses; with `split` "even" half of these use the path `on_demand`, give or take
    one, which only a program that counts can keep.

    Rules on wrong switches and too many flows on demand are reported at every event. Missing rules and too few flows on
    demand are reported in quiescent states, by a second property, as a program may install a path in several steps.
    """

    name: str = "UseCorrectRoutingTable"
    always_on: tuple[str, ...] = ()
    on_demand: tuple[str, ...] = ()
    port: SwitchPort | None = None
    much: int = 0
    split: Literal["any", "even"] = "any"

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return two properties that depend on the order of messages that the program handles."""
        for what, path in (("always_on", self.always_on), ("on_demand", self.on_demand)):
            if not path:
                raise NetworkError(f"{self.name}: {what} is empty; expected the names of the switches on the path")
            for switch in path:
                view.topology.switch(switch)
        if set(self.on_demand) <= set(self.always_on):
            raise NetworkError(
                f"{self.name}: on_demand is {list(self.on_demand)}; expected a switch that is not always on"
            )
        if {self.always_on[0], self.always_on[-1]} != {self.on_demand[0], self.on_demand[-1]}:
            raise NetworkError(
                f"{self.name}: on_demand is {list(self.on_demand)}; "
                f"expected a path between {self.always_on[0]} and {self.always_on[-1]}, as always_on is"
            )
        check_one_of(f"{self.name}: split", self.split, ("any", "even"))
        if self.port is None:
            raise NetworkError(f"{self.name}: no port; expected the switch port that is measured, such as s1:2")
        view.topology.check_port(self.port)

        def fold(memory: _Memory, event: Event) -> _Memory:
            return self._fold(view, memory, event)

        def wrong_so_far(memory: _Memory, _: Any) -> str | None:
            return self._violation(memory.routes, complete=False)

        def wrong(memory: _Memory, _: Any) -> str | None:
            return self._violation(memory.routes, complete=True)

        watches = component_actions(view, "controller")
        return (
            Property(self.name, Needs.ORDER, wrong_so_far, watches=watches, fold=fold, initial=_Memory()),
            Property(f"{self.name} (all)", Needs.QUIESCENT, wrong, watches=watches, fold=fold, initial=_Memory()),
        )

    def _fold(self, view: NetworkView, memory: _Memory, event: Event) -> _Memory:
        assert self.port is not None
        if isinstance(event, MessageHandled):
            if isinstance(event.message, PortStatsReply) and event.switch == self.port.switch:
                return self._on_statistics(memory, event.message)
            if isinstance(event.message, PacketIn):
                place = SwitchPort(event.switch, event.message.in_port)
                return self._on_packet(view, memory, place, decode(event.message.data))
        if isinstance(event, MessageSent) and isinstance(event.message, FlowMod) and _forwards(event.message):
            return _on_rule(memory, event.switch, event.message.match)
        return memory

    def _on_packet(self, view: NetworkView, memory: _Memory, place: SwitchPort, packet: Packet) -> _Memory:
        ends = (sender(view, packet), receiver(view, packet))
        if ends[0] is None or ends[1] is None or ends[0].switch_port != place:
            return memory
        if {ends[0].switch, ends[1].switch} != {self.always_on[0], self.always_on[-1]}:
            return memory
        fields = packet_fields(packet)
        if any(switch == place.switch and matches(rule, fields) for switch, rule in memory.rules):
            return memory
        flow = tuple(sorted(fields.items()))
        if any(route.flow == flow for route in memory.routes):
            return memory
        route = _Route(flow, f"{ends[0].name} > {ends[1].name}", memory.busy)
        return memory._replace(routes=tuple(sorted((*memory.routes, route))))

    def _on_statistics(self, memory: _Memory, reply: PortStatsReply) -> _Memory:
        assert self.port is not None
        for row in reply.ports:
            if row.port_no == self.port.port:
                return memory._replace(counted=row.tx_bytes, busy=row.tx_bytes - memory.counted > self.much)
        return memory

    def _violation(self, routes: Sequence[_Route], complete: bool) -> str | None:
        """Return the violation; unless the paths are `complete`, only one that no further rule can correct."""
        always_on, on_demand = frozenset(self.always_on), frozenset(self.on_demand)
        for route in routes:
            allowed = (always_on, on_demand) if route.busy else (always_on,)
            if not any(route.switches == path if complete else route.switches <= path for path in allowed):
                used = ", ".join(sorted(route.switches)) or "no switch"
                wanted = " or ".join(", ".join(sorted(path)) for path in allowed)
                return f"the rules for {route.label} went to {used}; the load requires {wanted}"
        if self.split == "any":
            return None
        busy = [route for route in routes if route.busy]
        on_demand_flows = sum(not route.switches <= always_on for route in busy)
        excess = 2 * on_demand_flows - len(busy)
        if excess > 1 or (complete and excess < -1):
            return (
                f"{on_demand_flows} of {len(busy)} flows that began while the network was busy use the on-demand path"
            )
        return None


def _forwards(rule: FlowMod) -> bool:
    """Whether a message installs a rule that sends packets out of a port of the switch."""
    return rule.command in _INSTALLING and any(
        isinstance(action, Enqueue | Group) or (isinstance(action, Output) and action.port != Port.CONTROLLER)
        for action in instruction_actions(rule.instructions)
    )


def _on_rule(memory: _Memory, switch: str, match: Match) -> _Memory:
    anywhere = Match(tuple(field for field in match.fields if field[0] != "in_port"))
    return memory._replace(
        routes=tuple(
            route._replace(switches=route.switches | {switch}) if matches(anywhere, dict(route.flow)) else route
            for route in memory.routes
        ),
        rules=memory.rules | {(switch, anywhere)},
    )
