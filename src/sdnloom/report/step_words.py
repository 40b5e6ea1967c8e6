"""The words of one step: who acts, what it does, and the effects. The short form tells nothing twice."""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from sdnloom.actors.state import ActorState
from sdnloom.actors.step_words import ArgumentText, ResumedChoice, TaskSent
from sdnloom.engine.model import Step
from sdnloom.engine.path import QuotedMessage
from sdnloom.engine.semantics import Transition
from sdnloom.engine.stable_text import printable_text
from sdnloom.network import events as network_events
from sdnloom.network.controller_component import CONTROLLER, SETTLE_TICK, ControllerCore
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.link_failures import NAME as ENVIRONMENT
from sdnloom.network.openflow.match import Match
from sdnloom.network.openflow.messages import OpenFlowMessage, PacketIn, PacketOut
from sdnloom.network.packet import decode
from sdnloom.network.packet.headers import Packet
from sdnloom.network.packet_id import written_id
from sdnloom.network.program import SwitchDown, SwitchUp
from sdnloom.network.switch_component import EpochMessage, EpochSwitchUp, SwitchState
from sdnloom.network.text import actions_words, brief_match_words, brief_packet_words, match_words
from sdnloom.report.actors.value_text import argument_words, effects_words
from sdnloom.report.describe import Names, at_ports, counted, event_words, is_at_port, packet_words, words
from sdnloom.report.quoted_value import unquoted_message

ComponentKind: TypeAlias = Literal["controller", "switch", "host", "environment", "actor", "other"]

_MANY_REMOVED = 2  # removed entries that are named one by one


class StepWords(NamedTuple):
    """A step in words."""

    component: str
    kind: ComponentKind
    action: str
    effects: tuple[str, ...] = ()
    place: str = ""  # the function of the program that ran


@dataclass
class StepMemory:
    """What the steps so far have told: packets by their ids, and messages that nobody has obeyed yet."""

    packets: dict[str, str] = field(default_factory=dict)
    sent: dict[Hashable, list[str]] = field(default_factory=dict)  # by receiver and message
    steps: int = 0

    def copy(self) -> "StepMemory":
        """The same memory, for a step that is not taken."""
        return StepMemory(dict(self.packets), {key: list(value) for key, value in self.sent.items()}, self.steps)

    def packet(self, packet: Packet, names: Names) -> str:
        """A packet in full the first time, then by its id with source and destination, while it is the same."""
        text = packet_words(packet, names)
        name = written_id(packet) or text
        if self.packets.get(name) == text:
            return brief_packet_words(packet, names)
        self.packets[name] = text
        return text

    def send(self, messages: Sequence[tuple[str, str, Hashable]]) -> None:
        """Note what this step sends: receiver, kind and message."""
        totals = Counter((receiver, kind) for receiver, kind, _ in messages)
        numbers: Counter[tuple[str, str]] = Counter()
        for receiver, kind, message in messages:
            numbers[receiver, kind] += 1
            number = f" {numbers[receiver, kind]}" if totals[receiver, kind] > 1 else ""
            self.sent.setdefault((receiver, message), []).append(f"{kind}{number} of step {self.steps}")

    def obey(self, receiver: str, message: Hashable) -> str | None:
        """The message and the step that sent it, in words; None if no step did that was told."""
        waiting = self.sent.get((receiver, message))
        return waiting.pop(0) if waiting else None


def step_words(transition: Transition, names: Names, memory: StepMemory | None = None) -> StepWords:
    """A step that was taken. With a memory the words are short, and the memory learns what they tell."""
    if memory is not None:
        memory.steps += 1
    step = transition.step
    if isinstance(transition.outcome.core, ActorState):
        action = _actor_action(transition, names, memory)
        return _printable(StepWords(step.component, "actor", action, _actor_effects(transition, names, memory)))
    kind = _kind_of_core(transition.outcome.core, step)
    action, effects = _Writer(names, memory, step, transition.events).words(kind)
    return _printable(StepWords(step.component, kind, action, effects))


def offered_words(step: Step, names: Names) -> StepWords:
    """A step that was not taken. Arguments of a task are brief."""
    if isinstance(step.message, ArgumentText):
        return StepWords(step.component, "actor", _actor_line(step, argument_words(step.message, names)))
    if isinstance(step.message, QuotedMessage) and _kind_of_step(step) == "other" and step.message.text[:1] == "(":
        return StepWords(step.component, "other", _actor_line(step, step.message.text))  # arguments, most likely
    step = step._replace(message=unquoted_message(step.message))
    kind = _kind_of_step(step)
    action, effects = _Writer(names, None, step, ()).words(kind)
    return _printable(StepWords(step.component, kind, action, effects))


def _printable(found: StepWords) -> StepWords:
    """The words without what a terminal would obey: texts of programs and payloads are in them."""
    return found._replace(action=printable_text(found.action), effects=tuple(map(printable_text, found.effects)))


def _kind_of_core(core: Any, step: Step) -> ComponentKind:
    match core:
        case ControllerCore():
            return "controller"
        case SwitchState():
            return "switch"
        case HostCore():
            return "host"
    return "environment" if step.component == ENVIRONMENT else "other"


_SWITCH_ACTIONS: Mapping[str, str] = {
    "connect": "connects to the controller",
    "fail": "loses its power",
    "disconnect": "loses its connection to the controller",
    "join": "connects to the controller again",
    "expire": "lets a timeout expire",
    "settle": "lets a hard timeout expire",
}
_HOST_ACTIONS: Mapping[str, str] = {
    "send": "sends",
    "ask": "asks by ARP",
    "work": "replies",
    "open": "opens a connection",
    "close": "closes the connection",
    "repeat": "repeats",
}


def _kind_of_step(step: Step) -> ComponentKind:
    """What a step is about by its names: nothing else is known of one that is not enabled."""
    if step.component in (CONTROLLER, ENVIRONMENT):
        return "controller" if step.component == CONTROLLER else "environment"
    if step.action in (*_SWITCH_ACTIONS, "packets", "of", "carrier"):
        return "switch"
    if step.action in (*_HOST_ACTIONS, "move", "rest", "receive") or step.action.startswith("receive at "):
        return "host"
    return "other"


class _Writer:
    """Writes the words of one step."""

    def __init__(self, names: Names, memory: StepMemory | None, step: Step, events: Sequence[Any]) -> None:
        self.names, self.memory, self.step = names, memory, step
        self.events = events

    def words(self, kind: ComponentKind) -> tuple[str, tuple[str, ...]]:
        match kind:
            case "controller":
                action, effects = self._controller()
            case "switch":
                action, effects = self._switch()
            case "host":
                action, effects = self._host()
            case "environment":
                action, effects = self._environment()
            case _:
                action, effects = self._line(self.step.action, self.step.message), self._effects()
        return action + _faults(self.step), tuple(effects)

    def _line(self, action: str, message: Any) -> str:
        text = "" if message is None else f" {words(message, self.names)}"
        return f"{action}{text}{self._choice()}"

    def _choice(self) -> str:
        return f" [{self.step.choice}]" if self.step.choice else ""

    def _packet(self, packet: Packet) -> str:
        return packet_words(packet, self.names) if self.memory is None else self.memory.packet(packet, self.names)

    def _effects(self, *left_out: type) -> list[str]:
        """What the events add, but for those of some kinds; equal ones are counted, outputs and removals joined."""
        kinds = (network_events.Forwarded, network_events.EntryRemoved)
        texts = [
            text
            for event in self.events
            if not isinstance(event, (*left_out, *kinds)) and (text := self._effect(event)) is not None
        ]
        shown = [text if count == 1 else f"{text} ({count} times)" for text, count in Counter(texts).items()]
        ports = [event.port for event in self.events if isinstance(event, network_events.Forwarded)]
        counts = Counter(ports)
        out = [f"{port} ({count} times)" if count > 1 else str(port) for port, count in counts.items()]
        return [*([f"out {', '.join(out)}"] if out else []), *self._removals(), *shown]

    def _removals(self) -> list[str]:
        removed = [event for event in self.events if isinstance(event, network_events.EntryRemoved)]
        if self.memory is None or len(removed) <= _MANY_REMOVED:
            texts = [text for event in removed if (text := event_words(event, self.names))]
            return texts if self.memory is None else list(map(brief_match_words, texts))
        reasons = Counter(event.reason for event in removed)
        return [f"{counted(count, 'entry')} removed ({reason})" for reason, count in reasons.items()]

    def _effect(self, event: Any) -> str | None:
        if isinstance(event, network_events.Sent):
            return f"sends {self._packet(event.packet)}"
        if isinstance(event, network_events.MessageSent):
            return f"{event.switch}: {self._sent_message(event.message)}"
        return event_words(event, self.names)

    # -- the controller ------------------------------------------------------------------------------------------

    def _controller(self) -> tuple[str, list[str]]:
        action, message = self.step.action, self.step.message
        effects = self._effects()
        if self.memory is not None:
            sent = [event for event in self.events if isinstance(event, network_events.MessageSent)]
            self.memory.send([(each.switch, type(each.message).__name__, each.message) for each in sent])
        start, _, rest = action.partition(" ")
        if start == "handle":
            return f"{self._input(rest, message)}{self._choice()}", effects
        if action in ("tick", SETTLE_TICK):
            when = "" if action == "tick" else " (nothing else happens)"
            return f"time passes{when}{self._woken()}", effects
        if action == "turn":
            return f"a thread runs{self._woken()}", effects
        if start == "timer":
            return f"timer {rest} fires{self._choice()}", effects
        if start == "external":
            return f"call {rest}{self._choice()}", effects
        return self._line(action, message), effects

    def _input(self, switch: str, message: Any) -> str:
        if isinstance(message, EpochSwitchUp):
            message = message.joined
        if isinstance(message, SwitchUp | SwitchDown):
            return words(message, self.names)
        if isinstance(message, PacketIn):
            kept = re.search(r" buffer \d+(?=:)", words(message, self.names))
            return (
                f"PacketIn from {switch} port {message.in_port}{kept[0] if kept else ''}: "
                f"{self._packet(decode(message.data))}"
            )
        kind, _, rest = words(message, self.names).partition(" ")
        return f"{kind} from {switch}" + (f": {rest}" if rest else "")

    def _woken(self) -> str:
        """The threads that go on, as a choice names them: "wake Monitor.poll#2", "timeout Switches.lldp_loop#3"."""
        if not self.step.choice:
            return ""
        parts = [re.fullmatch(r"(?:wake |timeout )?(\S+?)#(\d+)", each) for each in self.step.choice.split("; ")]
        known = [each for each in parts if each is not None]
        if len(known) != len(parts):
            return self._choice()
        named = [each[1] if self.memory is not None else f"{each[1]} (thread {each[2]})" for each in known]
        return f", {', '.join(named)} goes on"

    def _sent_message(self, message: OpenFlowMessage) -> str:
        """A message that the program sends. The short form leaves out the packet that it was just given."""
        if self.memory is None or not isinstance(message, PacketOut) or not message.data:
            return (
                brief_match_words(words(message, self.names)) if self.memory is not None else words(message, self.names)
            )
        given = [each.message for each in self.events if isinstance(each, network_events.MessageHandled)]
        if any(isinstance(each, PacketIn) and each.data == message.data for each in given):
            return f"PacketOut {actions_words(message.actions, self.names)}"
        return f"PacketOut {actions_words(message.actions, self.names)}: {self._packet(decode(message.data))}"

    # -- switches ------------------------------------------------------------------------------------------------

    def _switch(self) -> tuple[str, list[str]]:
        action, message = self.step.action, self.step.message
        if isinstance(message, EpochMessage):
            message = message.message
        if action == "packets" and at_ports(message):
            came = " and ".join(f"{self._packet(packet)} at port {port}" for port, packet in message)
            return f"receives {came}{self._choice()}", self._effects()
        if action == "of":
            effects = self._effects()
            if isinstance(message, PacketOut) and self.events and not effects:
                effects.append("nothing goes out")  # it names the port where the packet came in, for example
            return f"obeys {self._obeyed(message)}{self._choice()}", effects
        if action == "carrier":
            return words(message, self.names), self._effects()
        if action in ("expire", "settle") and self.events:
            return "a timeout expires", self._effects()
        known = _SWITCH_ACTIONS.get(action)
        if known is None:
            return self._line(action, message), self._effects()
        return f"{known}{_expiry_words(self._choice(), self.names)}", self._effects()

    def _obeyed(self, message: Any) -> str:
        sent = self.memory.obey(self.step.component, message) if self.memory is not None else None
        return words(message, self.names) if sent is None else sent

    # -- hosts and links -----------------------------------------------------------------------------------------

    def _host(self) -> tuple[str, list[str]]:
        action, message = self.step.action, self.step.message
        if action == "rest":
            return "the network is at rest after the move", self._effects(network_events.NetworkRested)
        if action.partition(" ")[0] == "receive" and isinstance(message, Packet):
            where, packet = action.removeprefix("receive"), self._packet(message)
            if any(isinstance(event, network_events.Lost) and event.reason == "moved" for event in self.events):
                return f"is not{where}, {packet} is lost", self._effects(network_events.Lost)
            return f"receives {packet}{where}", self._effects()
        moved = [event for event in self.events if isinstance(event, network_events.HostMoved)]
        if action == "move" and moved:
            return f"moves from {moved[0].old} to {moved[0].new}", self._effects(network_events.HostMoved)
        known, sent = _HOST_ACTIONS.get(action), [e for e in self.events if isinstance(e, network_events.Sent)]
        if known is None:
            return self._line(action, message), self._effects()
        packets = [event.packet for event in sent] or ([message[1]] if is_at_port(message) else [])
        choice = self._choice() if self.memory is None or not packets else ""
        shown = ", ".join(map(self._packet, packets))
        between = " " if action in ("send", "work", "repeat") else ": "
        return f"{known}{between if shown else ''}{shown}{choice}", self._effects(network_events.Sent)

    def _environment(self) -> tuple[str, list[str]]:
        changes = (network_events.LinkFailed, network_events.LinkRestored)
        told = [event_words(event, self.names) or "" for event in self.events if isinstance(event, changes)]
        return ", ".join(told) or self._line(self.step.action, None), self._effects(*changes)


def _expiry_words(choice: str, names: Names) -> str:
    """A choice that has the match of an entry as Python writes it, in words."""

    def in_words(found: re.Match[str]) -> str:
        match = unquoted_message(QuotedMessage(found[0]))
        return match_words(match, names) if isinstance(match, Match) else found[0]

    return re.sub(r"Match\.of\(.*\)(?= priority )", in_words, choice)


_FAULTS: Mapping[str, str] = {"drop": "is dropped", "duplicate": "is duplicated"}


def _faults(step: Step) -> str:
    return "".join(f", {fault_words(each)}" for each in step.faults)


def fault_words(text: str) -> str:
    """What a channel does to a message of a step: "s2.in:drop 2" is that the second packet to s2 is dropped."""
    channel, _, kind = text.rpartition(":") if ":" in text else ("", "", text)
    where = re.fullmatch(r"(.+)\.(in|of|up|carrier)(?:@(.+))?", channel)
    if where is None:
        return f"fault {text}"
    ends = {"in": f"a packet to {where[1]}", "of": f"a message to {where[1]}", "up": f"a message of {where[1]}"}
    subject = ends.get(where[2], f"a change at {where[1]}") + (f" at {where[3]}" if where[3] else "")
    told = []
    for each in kind.split("+"):
        if passed := re.fullmatch(r"overtake (\d+)(?: at (\d+))?", each):
            told.append(f"overtakes {passed[1]}" + (f" at port {passed[2]}" if passed[2] else ""))
        else:
            what, _, number = each.partition(" ")
            told.append(_FAULTS.get(what, what) + (f" (number {number})" if number else ""))
    return f"{subject} {' and '.join(told)}"


# -- actors ------------------------------------------------------------------------------------------------------


_LONG_ARGUMENTS = 30  # characters of arguments that are not printed again when the task begins


def _actor_action(transition: Transition, names: Names, memory: StepMemory | None) -> str:
    step, message = transition.step, transition.step.message
    if not isinstance(message, ArgumentText):
        return _actor_line(step, "" if message is None else f" {words(message, names)}")
    sends = any(isinstance(event, network_events.Sent) for event in transition.events)
    text = argument_words(message, names, brief=not sends)
    if memory is None:
        return _actor_line(step, text)
    sent = memory.obey(step.component, (step.action, message.text)) if not step.choice else None
    if sent is not None and len(text) > _LONG_ARGUMENTS:
        return f"{sent}{_faults(step)}"
    return _actor_line(step, brief_match_words(text))


def _actor_effects(transition: Transition, names: Names, memory: StepMemory | None) -> tuple[str, ...]:
    counts = Counter(effects_words(transition.events, names))
    texts = tuple(text if count == 1 else f"{text} ({count} times)" for text, count in counts.items())
    if memory is None:
        return texts
    sent = [event for event in transition.events if isinstance(event, TaskSent)]
    memory.send([(each.actor, each.method, (each.method, each.arguments.text)) for each in sent])
    return tuple(map(brief_match_words, texts))


def _actor_line(step: Step, arguments: str) -> str:
    shown = step.choice.shown if isinstance(step.choice, ResumedChoice) else step.choice
    choice = f" [{shown}]" if shown else ""
    return f"{step.action}{arguments}{choice}{_faults(step)}"
