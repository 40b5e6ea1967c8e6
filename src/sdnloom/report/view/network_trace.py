"""A path through a network as it is shown: lanes of controller, switches and hosts, and what their steps do."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.counterexample.message_routes import RoutedMessage, causes, routed_messages
from sdnloom.engine.model import Message, Mode, System
from sdnloom.engine.path import clocks
from sdnloom.engine.semantics import State, Transition
from sdnloom.network import events
from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.link_failures import LinkState
from sdnloom.network.network import Network
from sdnloom.network.openflow import NO_BUFFER, FlowMod, OpenFlowMessage, PacketIn, PacketOut
from sdnloom.network.openflow import encode as encode_message
from sdnloom.network.openflow.constants import VERSION_NUMBERS
from sdnloom.network.packet import Packet, decode
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.packet_id import packet_id_of
from sdnloom.network.switch_component import EpochMessage, SwitchState
from sdnloom.network.text import brief_match_words
from sdnloom.report.describe import Names, event_words, words
from sdnloom.report.state.facts import host_facts, switch_facts, waiting_texts
from sdnloom.report.step_words import fault_words
from sdnloom.report.steps import short_texts, transition_text
from sdnloom.report.view.result_view import (
    CodeView,
    LaneKind,
    LaneState,
    LaneView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
    WireView,
)

# Events that a transfer shows already.
_TRANSFERRED = (events.Sent, events.Forwarded, events.ToController, events.MessageSent)

# The state of a program from its core, for those who can read it.
ProgramFacts = Callable[[Any], LaneState]


@dataclass(frozen=True)
class NetworkPath:
    """A path that was replayed on a system of a network: what a view of it is made from.

    `code` has the functions that each step ran; `program_facts` says what the state of the program is; `length` is how
    short it is, in words.
    """

    network: Network
    system: System
    initial: State
    transitions: Sequence[Transition]
    code: Sequence[tuple[CodeView, ...]] = ()
    program_facts: ProgramFacts | None = None
    length: str = ""


def network_trace(path: NetworkPath) -> TraceView:
    """The path as it is shown."""
    return _NetworkTrace(path).view()


class _NetworkTrace:
    def __init__(self, path: NetworkPath) -> None:
        self.path = path
        self.names = Names.of(path.network.topology)
        self.version = VERSION_NUMBERS[path.network.switches.version]
        self.receiver = {channel.name: channel.to for channel in path.system.channels}
        self.index = {component.name: number for number, component in enumerate(path.system.components)}
        self.lanes = _lanes(path.system, path.initial)
        # (switch, port) -> the port at the other end of its link
        self.link_ends = {
            end: other for link in path.network.topology.links for end, other in (link.ends, link.ends[::-1])
        }

    def view(self) -> TraceView:
        path = self.path
        initial = {lane.name: self._lane_state(lane.name, path.initial) for lane in self.lanes}
        wires = self._wires(path.initial)
        direct = causes(path.transitions)
        sent: dict[int, list[RoutedMessage]] = {}
        for each in routed_messages(path.transitions):
            sent.setdefault(each.sent, []).append(each)
        short = short_texts(path.transitions, self.names)
        steps, before = [], path.initial
        known, known_wires = dict(initial), wires
        for position, (transition, clock) in enumerate(
            zip(path.transitions, clocks(path.transitions, direct), strict=True)
        ):
            changes = {
                lane.name: now
                for lane in self.lanes
                if self._touched(lane.name, before, transition.state)
                and (now := self._lane_state(lane.name, transition.state)) != known[lane.name]
            }
            known.update(changes)
            now_wires = self._wires(transition.state)
            steps.append(
                StepView(
                    number=position + 1,
                    lane=transition.step.component,
                    action=transition.step.action,
                    text=short[position],
                    long=transition_text(transition, self.names),
                    takes=self._taken(transition),
                    effects=tuple(self._effects(transition)),
                    transfers=tuple(self._transfers(transition, before, sent.get(position, []))),
                    causes=tuple(sorted(cause + 1 for cause in direct[position])),
                    clock=clock,
                    code=path.code[position] if position < len(path.code) else (),
                    changes=changes,
                    wires=None if now_wires == known_wires else now_wires,
                    environment=transition.action.mode is Mode.MAY,
                )
            )
            before, known_wires = transition.state, now_wires
        return TraceView(self.lanes, tuple(steps), wires, initial, length=path.length)

    def _taken(self, transition: Transition) -> str:
        message = transition.step.message
        return "" if message is None else brief_match_words(words(message, self.names))

    def _effects(self, transition: Transition) -> Iterator[str]:
        for event in transition.events:
            if not isinstance(event, _TRANSFERRED) and (text := event_words(event, self.names)) is not None:
                yield brief_match_words(text)
        yield from map(fault_words, transition.step.faults)

    def _transfers(
        self, transition: Transition, before: State, sent: Sequence[RoutedMessage]
    ) -> Iterator[TransferView]:
        sender = transition.step.component
        for each in sent:
            to = self.receiver[each.channel]
            if to == sender:  # a task that a host keeps for later: it is part of the host's state
                continue
            message = each.message.message if isinstance(each.message, EpochMessage) else each.message
            taken = None if each.received is None else each.received + 1
            full = words(message, self.names)
            text = brief_match_words(full)
            if isinstance(message, OpenFlowMessage):
                switch = sender if to == CONTROLLER else to
                name = self._carried(message, before if to == CONTROLLER else transition.state, switch)
                long = "" if text == full else full
                yield TransferView(to, text, "openflow", taken, long, name, data=self._octets(message))
            elif (packet := _packet(message)) is not None:
                port, to_port = self._ports(sender, each)
                name = packet_id_of(packet)
                shown = words(packet, self.names)
                yield TransferView(to, shown, "packet", taken, "", name, port, to_port, encode_packet(packet))
            else:
                yield TransferView(to, text, "message", taken)

    def _ports(self, sender: str, sent: RoutedMessage) -> tuple[str, str]:
        """The ports at which a packet leaves its sender and reaches its receiver; hosts have no port numbers."""
        if isinstance(sent.message, tuple):  # to a switch
            to_port = sent.message[0]
            end = next(
                (one for one, other in self.link_ends.items() if other == (self.receiver[sent.channel], to_port)), None
            )
            return ("" if end is None or end.switch != sender else str(end.port)), str(to_port)
        _, _, at = sent.channel.partition("@")
        port = at.partition(":")[2] if at else str(self.path.network.topology.host(self.receiver[sent.channel]).port)
        return port, ""

    def _carried(self, message: OpenFlowMessage, state: State, switch: str) -> str:
        """The name of the packet that a message carries, or that it names by its buffer."""
        if isinstance(message, PacketIn) or (isinstance(message, PacketOut) and message.data):
            return packet_id_of(decode(message.data))
        if isinstance(message, PacketOut | FlowMod) and message.buffer_id != NO_BUFFER:
            core = state.cores[self.index[switch]]
            kept = core.core.buffers if isinstance(core, SwitchState) else ()
            return next((packet_id_of(each.packet) for each in kept if each.buffer_id == message.buffer_id), "")
        return ""

    def _octets(self, message: OpenFlowMessage) -> bytes:
        try:
            return encode_message(message, self.version)
        except EncodeError:  # an attribute that the version cannot carry
            return b""

    def _touched(self, lane: str, before: State, after: State) -> bool:
        """Whether a step may have changed the state of a lane: most steps leave most lanes as they are."""
        number = self.index[lane]
        return before.cores[number] is not after.cores[number] or any(
            old is not new
            for channel, old, new in zip(self.path.system.channels, before.contents, after.contents, strict=True)
            if channel.to == lane
        )

    def _lane_state(self, lane: str, state: State) -> LaneState:
        core = state.cores[self.index[lane]]
        facts: list[StateLine] = []
        if isinstance(core, SwitchState):
            facts += switch_facts(core, self.names)
        elif isinstance(core, HostCore):
            facts += host_facts(core)
        elif lane == CONTROLLER and self.path.program_facts is not None:
            facts += self.path.program_facts(core)
        for channel, content in zip(self.path.system.channels, state.contents, strict=True):
            if channel.to == lane:
                waiting = waiting_texts(channel.discipline, content, self.names)
                facts += [StateLine(_waiting_part(channel.name, lane), text) for text in waiting]
        return tuple(facts)

    def _wires(self, state: State) -> tuple[WireView, ...]:
        down = {
            (component.name, port)
            for component, core in zip(self.path.system.components, state.cores, strict=True)
            if isinstance(core, SwitchState)
            for port, _ in core.down
        }
        found = []
        for link in self.path.network.topology.links:
            up = not {(link.a, link.a_port), (link.b, link.b_port)} & down
            found.append(WireView(link.a, str(link.a_port), link.b, str(link.b_port), up=up))
        for component, core in zip(self.path.system.components, state.cores, strict=True):
            if isinstance(core, HostCore):
                up = tuple(core.port) not in down
                found.append(WireView(component.name, "", core.port.switch, str(core.port.port), up=up))
            elif isinstance(core, SwitchState):
                found.append(WireView(CONTROLLER, "", component.name, "", control=True, up=core.phase == "on"))
        return tuple(found)


def _waiting_part(channel: str, lane: str) -> str:
    """What the messages of a channel wait for, in words."""
    name = channel.removeprefix(f"{lane}.")
    if lane == CONTROLLER:
        return f"messages from {channel.removesuffix('.up')}"
    where = name.partition("@")[2]
    if name.startswith("in"):
        return f"packets that arrive at {where}" if where else "packets that arrive"
    return {"of": "messages from the controller", "todo": "to do", "carrier": "changes of ports"}.get(name, name)


def _packet(message: Message) -> Packet | None:
    if isinstance(message, tuple) and len(message) == 2:
        message = message[1]
    return message if isinstance(message, Packet) else None


def _lanes(system: System, state: State) -> tuple[LaneView, ...]:
    kinds: list[tuple[str, LaneKind]] = []
    for component, core in zip(system.components, state.cores, strict=True):
        kind: LaneKind = "environment"
        if component.name == CONTROLLER:
            kind = "controller"
        elif isinstance(core, SwitchState):
            kind = "switch"
        elif isinstance(core, HostCore):
            kind = "host"
        elif isinstance(core, tuple) and core and all(isinstance(each, LinkState) for each in core):
            kind = "link"
        kinds.append((component.name, kind))
    order = ["controller", "switch", "host", "link", "environment"]
    return tuple(LaneView(*each) for each in sorted(kinds, key=lambda each: order.index(each[1])))
