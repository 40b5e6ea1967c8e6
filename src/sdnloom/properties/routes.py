"""Flows use the paths that the load of the network calls for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import MessageHandled, MessageSent
from sdnloom.network.network import NetworkError
from sdnloom.network.openflow import FlowCommand, FlowMod, Match, PacketIn, PortStatsReply
from sdnloom.network.packet import Packet, decode
from sdnloom.network.switch.tables.lookup import matches, packet_fields
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.properties.base import NetworkProperty, receiver, sender, watched

_INSTALLING = (FlowCommand.ADD, FlowCommand.MODIFY, FlowCommand.MODIFY_STRICT)

Fields = tuple[tuple[str, int], ...]


class _Route(NamedTuple):
    flow: Fields  # what rules can match of its packets
    label: str
    busy: bool  # as the program saw the load when the flow began
    switches: frozenset[str] = frozenset()  # that were told a rule for it


class _Seen(NamedTuple):
    counted: int = 0  # the counter when the program last saw it
    busy: bool = False
    routes: tuple[_Route, ...] = ()  # sorted


@dataclass(frozen=True)
class UseCorrectRoutingTable(NetworkProperty):
    """The rules for a flow go to all and only the switches of the path that the load calls for (NICE, section 9.3).

    A flow begins when the program handles its first packet from the switch of `port`; packets for nobody are no flow,
    as no path leads to him. The load is as the program was
    told: the network is busy when the bytes sent out of `port`, by the statistics that the program has handled, grew by
    more than `much` since the statistics before. A flow that begins while it is not busy takes the path `always_on`; of
    those that begin while it is busy half take the path `on_demand`, give or take one.

    That the rules go to no other switch, and not too many of them on demand, is asked at every event. The rest is asked
    in quiescent states, under a name of its own, for a program may install a path in several steps.
    """

    name: str = "UseCorrectRoutingTable"
    always_on: tuple[str, ...] = ()
    on_demand: tuple[str, ...] = ()
    port: SwitchPort | None = None
    much: int = 0

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """Two properties that see the order of what the program handles."""
        for what, path in (("always_on", self.always_on), ("on_demand", self.on_demand)):
            if not path:
                raise NetworkError(f"{self.name}: {what} is empty; expected the names of the switches on the path")
            for switch in path:
                world.topology.switch(switch)
        if set(self.on_demand) <= set(self.always_on):
            raise NetworkError(
                f"{self.name}: on_demand is {list(self.on_demand)}; expected a switch that is not always on"
            )
        if self.port is None:
            raise NetworkError(f"{self.name}: no port; expected the port that is measured, such as s1:2")
        world.topology.check_port(self.port)

        def fold(seen: _Seen, event: Event) -> _Seen:
            return self._fold(world, seen, event)

        def strayed(seen: _Seen, _: Any) -> str | None:
            return self._wrong(seen.routes, complete=False)

        def wrong(seen: _Seen, _: Any) -> str | None:
            return self._wrong(seen.routes, complete=True)

        watches = watched(world, "controller")
        return (
            Property(self.name, Needs.ORDER, strayed, watches=watches, fold=fold, initial=_Seen()),
            Property(f"{self.name} (all)", Needs.QUIESCENT, wrong, watches=watches, fold=fold, initial=_Seen()),
        )

    def _fold(self, world: NetworkView, seen: _Seen, event: Event) -> _Seen:
        assert self.port is not None
        if isinstance(event, MessageHandled) and event.switch == self.port.switch:
            if isinstance(event.message, PortStatsReply):
                return self._measured(seen, event.message)
            if isinstance(event.message, PacketIn):
                return _begun(world, seen, decode(event.message.data))
        if (
            isinstance(event, MessageSent)
            and isinstance(event.message, FlowMod)
            and event.message.command in _INSTALLING
        ):
            return _told(seen, event.switch, event.message.match)
        return seen

    def _measured(self, seen: _Seen, reply: PortStatsReply) -> _Seen:
        assert self.port is not None
        for row in reply.ports:
            if row.port_no == self.port.port:
                return seen._replace(counted=row.tx_bytes, busy=row.tx_bytes - seen.counted > self.much)
        return seen

    def _wrong(self, routes: Sequence[_Route], complete: bool) -> str | None:
        """Return what is wrong; unless the paths are `complete`, only what no further rule can put right."""
        always_on, on_demand = frozenset(self.always_on), frozenset(self.on_demand)
        for route in routes:
            allowed = (always_on, on_demand) if route.busy else (always_on,)
            if not any(route.switches == path if complete else route.switches <= path for path in allowed):
                went = ", ".join(sorted(route.switches)) or "no switch"
                wanted = " or ".join(", ".join(sorted(path)) for path in allowed)
                return f"the rules for {route.label} went to {went}; the load calls for {wanted}"
        busy = [route for route in routes if route.busy]
        woken = sum(not route.switches <= always_on for route in busy)
        excess = 2 * woken - len(busy)
        if excess > 1 or (complete and excess < -1):
            return f"{woken} of {len(busy)} flows that began while the network was busy go on demand"
        return None


def _begun(world: NetworkView, seen: _Seen, packet: Packet) -> _Seen:
    flow = tuple(sorted(packet_fields(packet).items()))
    if any(route.flow == flow for route in seen.routes):
        return seen
    ends = (sender(world, packet), receiver(world, packet))
    if ends[1] is None:
        return seen
    label = " > ".join("nobody" if host is None else host.name for host in ends)
    return seen._replace(routes=tuple(sorted((*seen.routes, _Route(flow, label, seen.busy)))))


def _told(seen: _Seen, switch: str, match: Match) -> _Seen:
    anywhere = Match(tuple(field for field in match.fields if field[0] != "in_port"))
    return seen._replace(
        routes=tuple(
            route._replace(switches=route.switches | {switch}) if matches(anywhere, dict(route.flow)) else route
            for route in seen.routes
        )
    )
