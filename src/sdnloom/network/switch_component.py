"""The component of a switch: packets, messages, timeouts, port changes, power and connection failures as actions."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Literal, NamedTuple

from sdnloom.engine.model import ALL, Action, Cell, Component, Footprint, Message, Mode, Outcome
from sdnloom.network.events import (
    Arrived,
    BufferReleased,
    Dropped,
    Lost,
    MessageApplied,
    NetworkEvent,
    SwitchFailed,
    SwitchJoined,
    SwitchLeft,
)
from sdnloom.network.links import Target, Wiring
from sdnloom.network.network import PortCounter, SwitchFaults, Timeouts
from sdnloom.network.openflow import NO_BUFFER, FlowMod, PacketOut, Port, PortDesc, PortReason, PortState
from sdnloom.network.openflow import OpenFlowMessage as OpenFlowMessage
from sdnloom.network.packet import Packet, decode
from sdnloom.network.program import SwitchDown, SwitchUp
from sdnloom.network.statistics import with_statistics
from sdnloom.network.switch import (
    LocalDropped,
    Switch,
    SwitchCore,
    cells_conflict,
    connect,
    disconnect,
    features_of,
    footprints,
    initial_switch_core,
    port_change,
    receive_message,
    receive_packet,
)
from sdnloom.network.switch import SwitchOutcome as SwitchOutcome
from sdnloom.network.switch_events import step_events
from sdnloom.network.text.cell_text import switch_cell_text
from sdnloom.network.timers import expiries
from sdnloom.network.topology.spec import SwitchPort

ONLY_TO_LOCAL = "sent to LOCAL only, which is down"
NO_FRAME = "too short for a frame"
_STATUS = "status"  # the cell of everything in SwitchState but the core: phase, epoch, carriers, budgets


class EpochSwitchUp(NamedTuple):
    """A switch connects; messages to it carry the epoch of this connection."""

    epoch: int
    joined: SwitchUp


class EpochMessage(NamedTuple):
    """A message to a switch that can disconnect: it is void if the connection has another epoch when it arrives."""

    epoch: int
    message: OpenFlowMessage


class Carrier(NamedTuple):
    """A port loses its carrier for a cause, or the cause is gone; it has a carrier while there is no cause."""

    port: int
    up: bool
    cause: str


class SwitchState(NamedTuple):
    """The core of a switch component: the core of the switch, its connection, and the fault budgets left."""

    core: SwitchCore
    phase: Literal["on", "disconnected", "off"] = "on"  # "disconnected": power, but no controller
    epoch: int = 0
    fails: int = 0
    disconnects: int = 0
    expiries: int = 0
    down: tuple[tuple[int, str], ...] = ()  # ports without carrier, each with its causes


class SwitchComponent:
    """Builds the component of one switch; its methods are the steps of the actions."""

    def __init__(
        self,
        name: str,
        config: Switch,
        wiring: Wiring,
        faults: SwitchFaults,
        timeouts: Timeouts,
        joining: bool = False,
        with_carrier: frozenset[str] = frozenset(),
        statistics: tuple[PortCounter, ...] = (),
    ) -> None:
        self.name, self.config, self.faults, self.timeouts, self.joining = name, config, faults, timeouts, joining
        self.targets: dict[int, Target] = {
            at.port: target for at, target in sorted(wiring.targets.items()) if at.switch == name
        }
        self.up, self.of, self.carriers = f"{name}.up", f"{name}.of", f"{name}.carrier"
        self.has_carrier = name in with_carrier
        self.statistics = tuple(each for each in statistics if each.port.switch == name)
        self.neighbours = [
            (target.channel.removesuffix(".in") + ".carrier", target.port)
            for target in self.targets.values()
            if target.port is not None
        ]
        # Cached, because they are called in every state in which a message waits and do not depend on the state.
        self._packet_footprint = cache(partial(footprints.of_packet, config))
        self._message_footprint = cache(partial(footprints.of_message, config))

    def component(self, core: SwitchCore) -> Component:
        """Return the component; `core` is the switch after the program's first messages."""
        wires = frozenset(target.channel for target in self.targets.values()) | {self.up}
        controller = frozenset({self.up})
        neighbours = controller | {channel for channel, _ in self.neighbours}
        # Timers do not count down in this model, so a packet changes the entries that it matches only if they count.
        writes = ALL if self.config.counters else frozenset[Cell]({"buffers", "macs"})
        actions = [
            Action("packets", self.packets, f"{self.name}.in", wires, writes=writes, footprint=self._of_packet),
            Action("of", self.apply_message, self.of, wires, footprint=self._of_message),
        ]
        if self.has_carrier:
            actions.append(Action("carrier", self.carrier, self.carriers, controller))
        if self.timeouts.expiries:
            actions.append(Action("expire", self.expire, None, controller, mode=Mode.MAY))
        if self.timeouts.settle:
            actions.append(Action("settle", self.settle, None, controller, mode=Mode.IDLE))
        if self.joining:
            actions.append(Action("connect", self.first_join, None, controller))
        if self.faults.fail:
            actions.append(Action("fail", self.fail, None, neighbours, mode=Mode.MAY))
        if self.faults.disconnect:
            actions.append(Action("disconnect", self.disconnect, None, controller, mode=Mode.MAY))
        if self.faults.any:
            sends = neighbours if self.faults.fail else controller
            actions.append(Action("join", self.join, None, sends, mode=Mode.MAY))
        return Component(
            self.name, self.initial(core), tuple(actions), conflict=cells_conflict, cell_text=switch_cell_text
        )

    def initial(self, core: SwitchCore) -> SwitchState:
        """Return the initial core of the component."""
        phase: Literal["on", "disconnected"] = "disconnected" if self.joining else "on"
        if self.joining:
            core = disconnect(self.config, core).core
        return SwitchState(core, phase, 0, self.faults.fail, self.faults.disconnect, self.timeouts.expiries)

    # -- packets and messages -----------------------------------------------------------------------------------

    def packets(self, state: SwitchState, heads: Sequence[tuple[int, Packet]]) -> list[Outcome]:
        """Process the first packet of every port at once (NICE's process_pkt), in the order of the ports."""
        if state.phase == "off":
            return [Outcome(state, (), tuple(self._lost(port, packet, "switch down") for port, packet in heads))]
        branches = [_Branch(state.core)]
        for port, packet in heads:
            branches = [
                branch.then(outcome, self._arrival_events(state, branch.core, port, packet, outcome))
                for branch in branches
                for outcome in receive_packet(self.config, branch.core, port, packet)
            ]
        return [self._outcome(state, branch) for branch in branches]

    def apply_message(self, state: SwitchState, given: Any) -> list[Outcome]:
        """Process a message from the controller; a message of an earlier connection is void."""
        message = given.message if isinstance(given, EpochMessage) else given
        applied = MessageApplied(self.name, message)
        if isinstance(given, EpochMessage) and (given.epoch != state.epoch or state.phase != "on"):
            return [Outcome(state, (), (applied, *self._void_packets(state, message)))]
        found = []
        outcomes = receive_message(self.config, state.core, message)
        for outcome in itertools.chain.from_iterable(with_statistics(each, self.statistics) for each in outcomes):
            events = [applied, *step_events(self.name, state.core, outcome)]
            lost = self._lost_at_dead_ports(state, outcome, lambda core: receive_message(self.config, core, message))
            events += lost
            released = [event for event in events if isinstance(event, BufferReleased)]
            if not outcome.outputs and not outcome.messages:
                local = [] if lost else self._only_to_local(outcome)
                events += local or [Dropped(self.name, event.packet) for event in released]
            found.append(self._outcome(state, _Branch(state.core).then(outcome, tuple(events))))
        return found

    def _void_packets(self, state: SwitchState, message: OpenFlowMessage) -> Iterator[Lost]:
        """Yield the packet of a void message: the fault lost it, because nothing will release it any more."""
        if not isinstance(message, PacketOut | FlowMod):
            return
        if isinstance(message, PacketOut) and message.buffer_id == NO_BUFFER:
            yield self._lost(message.in_port, decode(message.data), "no controller")
        for each in state.core.buffers:
            if each.buffer_id == message.buffer_id:
                yield self._lost(each.in_port, each.packet, "no controller")

    def _arrival_events(
        self, state: SwitchState, before: SwitchCore, port: int, packet: Packet, outcome: SwitchOutcome
    ) -> tuple[NetworkEvent, ...]:
        """Return the events of a packet that arrives."""
        if any(number == port for number, _ in state.down):
            return (self._lost(port, packet, "port down"),)
        events = [Arrived(self.name, port, packet), *step_events(self.name, before, outcome)]
        lost = self._lost_at_dead_ports(
            state._replace(core=before), outcome, lambda core: receive_packet(self.config, core, port, packet)
        )
        events += lost
        if not (outcome.outputs or outcome.messages or lost):
            if state.phase == "disconnected":
                events.append(self._lost(port, packet, "no controller"))
            else:
                events += self._only_to_local(outcome) or [Dropped(self.name, packet)]
        return tuple(events)

    def _only_to_local(self, outcome: SwitchOutcome) -> list[NetworkEvent]:
        """Return the event of a packet that was sent to LOCAL and nowhere else; LOCAL is down."""
        found = [event.packet for event in outcome.events if isinstance(event, LocalDropped)]
        return [self._lost(Port.LOCAL, packet, ONLY_TO_LOCAL) for packet in found[:1]]

    def _lost_at_dead_ports(
        self, state: SwitchState, outcome: SwitchOutcome, run: Callable[[SwitchCore], Sequence[SwitchOutcome]]
    ) -> list[NetworkEvent]:
        """Return an event for each packet that was to leave through a port without carrier.

        They are found by running the step again with a carrier at every port.
        """
        if not state.down:
            return []
        live = tuple(self._with_carrier(desc, True) for desc in self._ports(state.core))
        ideal = next((each for each in run(replace(state.core, ports=live)) if each.choice == outcome.choice), outcome)
        return [
            self._lost(port, packet, "port down")
            for port, packet in ideal.outputs
            if (port, packet) not in outcome.outputs
        ]

    def _lost(self, port: int, packet: Packet, reason: str) -> Lost:
        return Lost(SwitchPort(self.name, port), packet, reason)

    def _outcome(self, state: SwitchState, branch: "_Branch") -> Outcome:
        """Return the engine's outcome: packets go to the targets of the ports, messages to the controller."""
        sends: list[tuple[str, Message]] = []
        events = list(branch.events)
        for outcome in branch.outcomes:
            for port, packet in outcome.outputs:
                target = self.targets.get(port)
                if target is None:
                    events.append(self._lost(port, packet, "no host"))
                elif not packet.headers:  # of a PacketOut with neither buffer nor data, perhaps
                    events.append(self._lost(port, packet, NO_FRAME))
                else:
                    sends.append((target.channel, target.message(packet)))
            sends += [(self.up, message) for message in outcome.messages]
        choice = "; ".join(outcome.choice for outcome in branch.outcomes if outcome.choice)
        reads, writes = (frozenset[Cell]().union(*cells) for cells in branch.cells())
        if state.down:  # `_lost_at_dead_ports` reads everything
            reads = ALL
        return Outcome(
            state._replace(core=branch.core), tuple(sends), tuple(events), reads | {_STATUS}, writes, choice=choice
        )

    # -- footprints of packets and messages that wait, for a reduction -------------------------------------------

    def _of_packet(self, state: SwitchState, before: tuple[Any, ...], given: tuple[int, Packet]) -> Footprint:
        return self._footprint(self._packet_footprint(*given))

    def _of_message(self, state: SwitchState, before: tuple[Any, ...], given: Any) -> Footprint:
        message, *earlier = (each.message if isinstance(each, EpochMessage) else each for each in (given, *before))
        found = self._message_footprint(message)
        if found is not None and found.ports is not None and found.answers and self._is_steady():
            found = found._replace(answers=not footprints.is_quiet(self.config, state.core, earlier, message))
        return self._footprint(found)

    def _is_steady(self) -> bool:
        """Return whether only packets and messages can change this switch."""
        changing = self.has_carrier or self.joining or self.faults.any
        return not (changing or self.timeouts.expiries or self.timeouts.settle)

    def _footprint(self, found: footprints.MessageFootprint | None) -> Footprint:
        wires = frozenset(target.channel for target in self.targets.values())
        if found is None:
            return Footprint(ALL, ALL, wires | {self.up})
        if found.ports is not None:
            wires = frozenset(target.channel for port, target in self.targets.items() if port in found.ports)
        return Footprint(found.reads | {_STATUS}, found.writes, wires | {self.up} if found.answers else wires)

    # -- time ---------------------------------------------------------------------------------------------------

    def expire(self, state: SwitchState, _: None) -> list[Outcome]:
        """Let any timer expire, while the budget lasts."""
        if not state.expiries or state.phase == "off":
            return []
        return self._expiries(state._replace(expiries=state.expiries - 1), hard_only=False)

    def settle(self, state: SwitchState, _: None) -> list[Outcome]:
        """Let a hard timeout expire; nothing can prevent it for ever."""
        return [] if state.phase == "off" else self._expiries(state, hard_only=True)

    def _expiries(self, state: SwitchState, hard_only: bool) -> list[Outcome]:
        return [
            Outcome(
                state._replace(core=each.outcome.core),
                tuple((self.up, message) for message in each.outcome.messages),
                each.events,
                choice=each.what,
            )
            for each in expiries(self.name, self.config, state.core, hard_only)
        ]

    # -- ports, power and connection -----------------------------------------------------------------------------

    def carrier(self, state: SwitchState, change: Carrier) -> list[Outcome]:
        """Let a port notice that its link went down or works again."""
        entry = (change.port, change.cause)
        down = tuple(sorted(set(state.down) - {entry} if change.up else {*state.down, entry}))
        after = state._replace(down=down)
        was_down, is_down = (any(port == change.port for port, _ in each) for each in (state.down, down))
        if was_down == is_down or state.phase == "off":
            return [Outcome(after)]
        desc = next(desc for desc in self._ports(state.core) if desc.port_no == change.port)
        outcome = port_change(self.config, state.core, PortReason.MODIFY, self._with_carrier(desc, not is_down))
        sends = tuple((self.up, message) for message in outcome.messages)
        return [Outcome(after._replace(core=outcome.core), sends, step_events(self.name, state.core, outcome))]

    def fail(self, state: SwitchState, _: None) -> list[Outcome]:
        """Take the power away, and with it all entries and buffers."""
        if not state.fails or state.phase == "off":
            return []
        empty = SwitchOutcome(initial_switch_core(self.config))
        lost = [self._lost(each.in_port, each.packet, "switch down") for each in state.core.buffers]
        events = [
            SwitchFailed(self.name),
            *step_events(self.name, replace(state.core, buffers=()), empty, "switch failed"),
            *lost,
        ]
        after = SwitchState(
            empty.core, "off", state.epoch + 1, state.fails - 1, state.disconnects, state.expiries, state.down
        )
        left = [(self.up, SwitchDown(self.name))] if state.phase == "on" else []
        return [Outcome(after, (*left, *self._to_neighbours(False)), tuple(events))]

    def disconnect(self, state: SwitchState, _: None) -> list[Outcome]:
        """Cut the connection to the controller; the switch then behaves as its OpenFlow version specifies."""
        if not state.disconnects or state.phase != "on":
            return []
        outcome = disconnect(self.config, state.core)
        after = state._replace(
            core=outcome.core, phase="disconnected", epoch=state.epoch + 1, disconnects=state.disconnects - 1
        )
        events = (SwitchLeft(self.name), *step_events(self.name, state.core, outcome, "connection lost"))
        return [Outcome(after, ((self.up, SwitchDown(self.name)),), events)]

    def join(self, state: SwitchState, _: None) -> list[Outcome]:
        """Let the switch connect again."""
        if state.phase == "on" or state.epoch == 0:
            return []
        return [self._joined(state, self._to_neighbours(True) if state.phase == "off" else ())]

    def first_join(self, state: SwitchState, _: None) -> list[Outcome]:
        """Let the switch connect for the first time."""
        return [self._joined(state, ())] if state.phase == "disconnected" and state.epoch == 0 else []

    def _joined(self, state: SwitchState, sends: tuple[tuple[str, Message], ...]) -> Outcome:
        core = connect(self.config, state.core).core
        if state.phase == "off":
            core = self._with_dead_ports(core, state)
        features = features_of(self.config, core)
        joined = SwitchUp(self.name, self.config.datapath_id, self._ports(core), features)
        after = state._replace(core=core, phase="on")
        greeting = EpochSwitchUp(state.epoch, joined) if self.faults.any else joined
        return Outcome(after, ((self.up, greeting), *sends), (SwitchJoined(self.name),))

    def _with_dead_ports(self, core: SwitchCore, state: SwitchState) -> SwitchCore:
        """Return the core after power-on with the ports marked whose links are down."""
        dead = {port for port, _ in state.down}
        ports = tuple(self._with_carrier(desc, desc.port_no not in dead) for desc in self.config.ports)
        return replace(core, ports=None if ports == self.config.ports else ports)

    def _ports(self, core: SwitchCore) -> tuple[PortDesc, ...]:
        return self.config.ports if core.ports is None else core.ports

    def _with_carrier(self, desc: PortDesc, up: bool) -> PortDesc:
        """Return a port with or without carrier; with one it has the state that it was configured with."""
        state = next(each.state for each in self.config.ports if each.port_no == desc.port_no)
        return replace(desc, state=int(state if up else state & ~PortState.LIVE | PortState.LINK_DOWN))

    def _to_neighbours(self, up: bool) -> tuple[tuple[str, Message], ...]:
        return tuple((channel, Carrier(port, up, f"{self.name} off")) for channel, port in self.neighbours if port)


class _Branch(NamedTuple):
    """One combination of outcomes for the packets of a step processed so far."""

    core: SwitchCore
    outcomes: tuple[SwitchOutcome, ...] = ()
    events: tuple[NetworkEvent, ...] = ()

    def cells(self) -> tuple[list[frozenset[Cell]], list[frozenset[Cell]]]:
        return [each.reads for each in self.outcomes], [each.writes for each in self.outcomes]

    def then(self, outcome: SwitchOutcome, events: tuple[NetworkEvent, ...]) -> "_Branch":
        return _Branch(outcome.core, (*self.outcomes, outcome), self.events + events)
