"""Steps of a switch on a real switch, and what the model says must come of each."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from sdnloom.confirm.comparison import (
    NumberRoles,
    entry_differences,
    message_contrasts,
    observed_message,
)
from sdnloom.confirm.held_messages import HeldMessage
from sdnloom.confirm.outcome import Contrast, SentBytes
from sdnloom.confirm.packet_contrasts import packet_contrasts
from sdnloom.confirm.real_parts import RealSwitch
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.confirm.switch_input import SwitchInput, entries_of
from sdnloom.confirm.taken_step import Agreement
from sdnloom.engine.semantics import Transition
from sdnloom.network.events import Forwarded
from sdnloom.network.links import Wiring
from sdnloom.network.openflow import (
    FeaturesReply,
    FlowRemoved,
    FlowStats,
    FlowStatsReply,
    FlowStatsRequest,
    Framer,
    GroupDescRequest,
    GroupMod,
    MeterConfigReply,
    MeterConfigRequest,
    MeterFlag,
    MeterMod,
    OpenFlowMessage,
    Port,
    PortDescReply,
    encode,
)
from sdnloom.network.packet import Packet
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.program import SwitchUp
from sdnloom.network.switch import Switch, receive_message
from sdnloom.network.switch_component import Carrier, EpochMessage, EpochSwitchUp, SwitchState
from sdnloom.network.text import message_words
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.switches.bridge import SwitchReaction

_ENTRIES = FlowStatsRequest()
# What tells whether a message had the same effect on both switches.
_QUESTIONS: dict[type, OpenFlowMessage] = {GroupMod: GroupDescRequest(), MeterMod: MeterConfigRequest()}


class SwitchSide:
    """One switch of the model and the real switch that stands for it; `others` are all real switches."""

    def __init__(
        self, name: str, config: Switch, real: RealSwitch, wiring: Wiring, others: Mapping[str, RealSwitch]
    ) -> None:
        self.name, self.config, self.real = name, config, real
        self._input = SwitchInput(name, config, real, others)
        self._targets = {at.port: target for at, target in wiring.targets.items() if at.switch == name}
        self._wires = {target.channel for target in self._targets.values()}
        self._up = f"{name}.up"
        self._asked: dict[OpenFlowMessage, tuple[OpenFlowMessage, ...]] = {}  # answers since the last step

    def perform(
        self, before: SwitchState, transition: Transition, taken: Sequence[HeldMessage], supplied: SuppliedParts
    ) -> SwitchReaction:
        """Take the step on the real switch and return what it did."""
        self._asked.clear()
        return self._input.perform(before, transition, taken, supplied)

    def compare(
        self, transition: Transition, reaction: SwitchReaction, roles: NumberRoles, supplied: SuppliedParts
    ) -> Agreement:
        """What the model says of a step beside what the real switch did."""
        roles, supplied = roles.copy(), supplied.copy()
        contrasts: list[Contrast] = []
        messages = self._compare_messages(transition, reaction, roles, supplied, contrasts)
        frames = self._compare_frames(transition, reaction, contrasts)
        after = transition.outcome.core
        assert isinstance(after, SwitchState)
        contrasts += self._compare_state(_message_of(transition), after, roles, supplied)
        contrasts += self._compare_greeting(transition, supplied)
        sent: list[tuple[str, HeldMessage]] = []
        for channel, message in transition.outcome.sends:
            data = None
            if channel == self._up and isinstance(message, OpenFlowMessage):
                data = next(messages, None)
            elif channel in self._wires and not isinstance(message, Carrier):
                data = frames[channel, message].pop(0) if frames[channel, message] else None
            greeting = self._input.greeting if isinstance(message, SwitchUp | EpochSwitchUp) else b""
            sent.append((channel, HeldMessage(message, data, greeting)))
        return Agreement(tuple(contrasts), tuple(sent), tuple(self._emitted(reaction)), roles, supplied)

    def _compare_greeting(self, transition: Transition, supplied: SuppliedParts) -> list[Contrast]:
        """Compare what a switch that joins says of itself."""
        given = [m.joined if isinstance(m, EpochSwitchUp) else m for _, m in transition.outcome.sends]
        joined = next((each for each in given if isinstance(each, SwitchUp)), None)
        if joined is None or supplied.describes(self.name):
            return []
        version, what = self.config.version, f"{self.name} in the handshake"
        model: dict[type, OpenFlowMessage] = {PortDescReply: PortDescReply(joined.ports)}
        if joined.features is not None:
            model[FeaturesReply] = joined.features
        contrasts: list[Contrast] = []
        for data in Framer().push(self._input.greeting)[1]:
            seen = observed_message(data, version)
            if type(seen) in model:
                contrasts += message_contrasts(what, self.name, model[type(seen)], seen, NumberRoles(), False)
        return contrasts

    def _compare_messages(
        self,
        transition: Transition,
        reaction: SwitchReaction,
        roles: NumberRoles,
        supplied: SuppliedParts,
        contrasts: list[Contrast],
    ) -> Iterator[bytes]:
        """Compare the messages to the controller; return their bytes, with what is supplied, in the model's order."""
        version, what = self.config.version, f"{self.name} to the controller"
        given = [m for channel, m in transition.outcome.sends if channel == self._up and isinstance(m, OpenFlowMessage)]
        order = sorted(range(len(given)), key=lambda number: _place(given[number]))
        observed = [observed_message(each, version) for each in reaction.messages]
        kept = supplied.once(self.name, observed)
        pairs = [each for each, keep in zip(zip(observed, reaction.messages, strict=True), kept, strict=True) if keep]
        seen = sorted(pairs, key=lambda pair: _place(pair[0]))
        data: dict[int, bytes] = {}
        cause = _message_of(transition)
        for number in order:
            expected = given[number]
            if seen and type(seen[0][0]) is type(expected):
                one, raw = seen.pop(0)
                with_supplied = supplied.from_switch(self.name, expected, one)
                compared = with_supplied
                if self._input.quoted is not None:
                    with_supplied, compared = self._input.quoted.as_sent(expected, with_supplied, version)
                contrasts += message_contrasts(what, self.name, expected, compared, roles, answer=True)
                data[number] = raw if with_supplied == one else encode(with_supplied, version)
            elif supplied.is_missing(self.name, cause, expected):
                data[number] = encode(expected, version)
            else:
                other = message_words(seen.pop(0)[0]) if seen else ""
                contrasts.append(Contrast(what, message_words(expected), other))
        contrasts += [Contrast(what, "", message_words(one)) for one, _ in seen]
        return iter([data[number] for number in sorted(data)])

    def _compare_frames(
        self, transition: Transition, reaction: SwitchReaction, contrasts: list[Contrast]
    ) -> defaultdict[tuple[str, object], list[bytes]]:
        """Compare the frames port by port; return the real ones by channel and message of the model."""
        expected: dict[int, list[Packet]] = defaultdict(list)
        for event in transition.outcome.events:
            if isinstance(event, Forwarded) and event.switch == self.name and event.packet.headers:
                expected[event.port].append(event.packet)
        observed: dict[int, list[bytes]] = defaultdict(list)
        for port, frame in reaction.frames:
            if port != Port.LOCAL:
                observed[port].append(frame)
        found: defaultdict[tuple[str, object], list[bytes]] = defaultdict(list)
        for port in sorted({*expected, *observed}):
            what = f"{self.name} out of port {port}"
            packets, frames = expected[port], observed[port]
            target = self._targets.get(port)
            for packet, frame in zip(packets, frames, strict=False):
                contrasts += packet_contrasts(what, encode_packet(packet), frame)
                if target is not None:
                    found[target.channel, target.message(packet)].append(frame)
            for packet in packets[len(frames) :]:
                contrasts += packet_contrasts(what, encode_packet(packet), b"")
            for frame in frames[len(packets) :]:
                contrasts += packet_contrasts(what, b"", frame)
        return found

    def _compare_state(
        self, cause: object, after: SwitchState, roles: NumberRoles, supplied: SuppliedParts
    ) -> Iterator[Contrast]:
        """Compare the flow entries, what a message may have changed beside them, and the packets that are kept."""
        if after.phase != "off":
            for expected, observed in entry_differences(self.model_entries(after), self._entries(), roles):
                yield Contrast(f"entry of {self.name}", expected, observed)
            question = _QUESTIONS.get(type(cause))
            if question is not None and after.phase == "on":
                yield from self._compare_answers(question, after, roles)
        ours, theirs = sorted(each.buffer_id for each in after.core.buffers), sorted(supplied.buffers(self.name))
        if ours != theirs:
            yield Contrast(f"buffers of {self.name}", str(ours), str(theirs))

    def _compare_answers(self, question: OpenFlowMessage, after: SwitchState, roles: NumberRoles) -> Iterator[Contrast]:
        """Ask both switches for their groups or meters; large answers have several parts."""
        (outcome,) = receive_message(self.config, after.core, question)
        if question not in self._asked:
            answers = self.real.request(encode(question, self.config.version))
            self._asked[question] = tuple(_plain(observed_message(each, self.config.version)) for each in answers)
        for expected, observed in zip_longest(outcome.messages, self._asked[question]):
            if expected is None or observed is None:
                texts = ("" if each is None else message_words(each) for each in (expected, observed))
                yield Contrast(f"state of {self.name}", *texts)
            else:
                yield from message_contrasts(
                    f"state of {self.name}", self.name, expected, observed, roles, answer=False
                )

    def _entries(self) -> tuple[FlowStats, ...]:
        """The entries of the real switch after the step, asked for once."""
        if _ENTRIES not in self._asked:
            self._asked[_ENTRIES] = (FlowStatsReply(self.real.entries()),)
        (reply,) = self._asked[_ENTRIES]
        assert isinstance(reply, FlowStatsReply)
        return reply.flows

    def model_entries(self, after: object) -> tuple[FlowStats, ...]:
        """The flow entries of the model, as the switch reports them."""
        assert isinstance(after, SwitchState)
        return entries_of(self.config, after.core)

    def _emitted(self, reaction: SwitchReaction) -> Iterator[SentBytes]:
        for message in reaction.messages:
            yield SentBytes(self._up, message)
        for port, frame in reaction.frames:
            if port != Port.LOCAL:
                target = self._targets.get(port)
                yield SentBytes("" if target is None else target.channel, frame, SwitchPort(self.name, port))


def _plain(answer: OpenFlowMessage) -> OpenFlowMessage:
    """An answer without the size of bursts that no flag gives a meaning: Open vSwitch reports the rate there."""
    if not isinstance(answer, MeterConfigReply):
        return answer
    rows = [
        each
        if each.flags & MeterFlag.BURST
        else replace(each, bands=tuple(replace(band, burst_size=0) for band in each.bands))
        for each in answer.meters
    ]
    return replace(answer, meters=tuple(rows))


def _message_of(transition: Transition) -> object:
    """The message that a step receives, without the number of its connection."""
    message = transition.step.message
    return message.message if isinstance(message, EpochMessage) else message


def _place(message: OpenFlowMessage) -> tuple[bool, str]:
    """Where a message belongs: a switch reports removed entries late, and in an order of its own."""
    late = isinstance(message, FlowRemoved)
    return late, f"{message.table_id} {message.priority} {message.match}" if isinstance(message, FlowRemoved) else ""
