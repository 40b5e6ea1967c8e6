"""Steps of a switch on a real switch: the input that each is, and what the model says must come of it."""

import itertools
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
from sdnloom.confirm.outcome import Contrast, Obstacle, SentBytes
from sdnloom.confirm.packet_contrasts import packet_contrasts
from sdnloom.confirm.quoted_message import Quoted
from sdnloom.confirm.real_parts import NotEnforceable, RealSwitch
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.confirm.taken_step import Agreement, StepImpossible
from sdnloom.engine.semantics import Transition
from sdnloom.network.events import BufferDiscarded, EntryRemoved, Forwarded
from sdnloom.network.links import Wiring
from sdnloom.network.openflow import (
    V10,
    Error,
    FeaturesReply,
    FeaturesRequest,
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
    PortDescRequest,
    encode,
)
from sdnloom.network.packet import Packet
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.program import SwitchUp
from sdnloom.network.switch import Switch, SwitchCore, receive_message
from sdnloom.network.switch_component import Carrier, EpochMessage, EpochSwitchUp, SwitchState
from sdnloom.network.text import message_words
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.switches.bridge import SwitchReaction

_ENTRIES = FlowStatsRequest()
# What tells whether a message had the same effect on both switches.
_QUESTIONS: dict[type, OpenFlowMessage] = {GroupMod: GroupDescRequest(), MeterMod: MeterConfigRequest()}
_SECOND = 1000
_MOST_SECONDS = 0xFFFF  # of a timeout


class SwitchSide:
    """One switch of the model and the real switch that stands for it; `others` are all real switches."""

    def __init__(
        self, name: str, config: Switch, real: RealSwitch, wiring: Wiring, others: Mapping[str, RealSwitch]
    ) -> None:
        self.name, self.config, self.real, self._others = name, config, real, others
        self._targets = {at.port: target for at, target in wiring.targets.items() if at.switch == name}
        self._wires = {target.channel for target in self._targets.values()}
        self._up = f"{name}.up"
        self._asked: dict[OpenFlowMessage, tuple[OpenFlowMessage, ...]] = {}  # answers since the last step
        self._greeting = b""  # what it said of itself when it joined last
        self._is_alone = False  # it has been a bridge since before it joined
        self._quoted: Quoted | None = None

    # -- the input ----------------------------------------------------------------------------------------------------

    def perform(
        self, before: SwitchState, transition: Transition, taken: Sequence[HeldMessage], supplied: SuppliedParts
    ) -> SwitchReaction:
        """Take the step on the real switch and return what it did.

        It is connected to the wire from the start: what it says before it has joined is not passed on.
        """
        self._asked.clear()
        self._quoted = None
        try:
            reaction = self._perform(before, transition, taken, supplied)
        except NotEnforceable as error:
            raise StepImpossible(Obstacle.SWITCH_FAULT, str(error)) from None
        unheard = before.phase == "disconnected" and before.epoch == 0
        return replace(reaction, messages=()) if unheard else reaction

    def _perform(
        self, before: SwitchState, transition: Transition, taken: Sequence[HeldMessage], supplied: SuppliedParts
    ) -> SwitchReaction:
        match transition.action.name:
            case "packets":
                return self._packets(before, taken)
            case "of":
                return self._message(before, taken[0], supplied)
            case "carrier":
                return self._carrier(before, transition)
            case "expire" | "settle":
                return self._expiry(before, transition, supplied)
            case "connect" | "join":
                return self._join(before, supplied)
            case "fail":
                self.real.power_off()
                supplied.forget(self.name)
                return SwitchReaction()
            case "disconnect":
                return self._disconnect()
        raise StepImpossible(Obstacle.SWITCH_FAULT, f"{self.name} cannot {transition.action.name} from outside")

    def _packets(self, before: SwitchState, taken: Sequence[HeldMessage]) -> SwitchReaction:
        """Let frames arrive; a wire without power or carrier at its end carries none."""
        dead = {port for port, _ in before.down}
        arrivals = []
        alone = before.phase == "disconnected" and before.epoch == 0 and self.config.fail_mode == "standalone"
        if alone and self.config.keeps_entries and not self._is_alone:
            self.real.disconnect()  # connected to the wire, it would be no bridge
            self._is_alone = True
        for held in taken:
            assert isinstance(held.message, tuple)
            assert held.data is not None
            if held.message[0] not in dead:
                arrivals.append((held.message[0], held.data))
        return self.real.receive_frames(arrivals) if arrivals and before.phase != "off" else SwitchReaction()

    def _message(self, before: SwitchState, taken: HeldMessage, supplied: SuppliedParts) -> SwitchReaction:
        given = taken.message
        if isinstance(given, EpochMessage) and (given.epoch != before.epoch or before.phase != "on"):
            return SwitchReaction()  # it was lost with its connection
        assert taken.data is not None
        reaction = SwitchReaction()
        model = given.message if isinstance(given, EpochMessage) else given
        assert isinstance(model, OpenFlowMessage)
        for data in supplied.to_switch(self.name, taken.data):
            self._quoted = Quoted(model, data, taken.data)
            more = self.real.receive_message(data)
            reaction = _both(reaction, more)
            if any(isinstance(observed_message(each, self.config.version), Error) for each in more.messages):
                break
        return reaction

    def _carrier(self, before: SwitchState, transition: Transition) -> SwitchReaction:
        change = transition.step.message
        assert isinstance(change, Carrier)
        after = transition.outcome.core
        assert isinstance(after, SwitchState)
        was_down, is_down = (any(port == change.port for port, _ in each.down) for each in (before, after))
        if was_down == is_down:
            return SwitchReaction()
        return self.real.carrier(change.port, not is_down)  # without power, it has that carrier when it is back

    def _join(self, before: SwitchState, supplied: SuppliedParts) -> SwitchReaction:
        if before.phase == "off":
            self.real.power_on()
        connects = (
            before.phase == "off" or before.epoch > 0 or self._is_alone
        )  # otherwise it is connected from the start
        reaction = self.real.connect() if connects else SwitchReaction()
        if not supplied.describes(self.name):
            # It is asked now: when the controller asks, it may have lost its connection again.
            requests = [FeaturesRequest()] if self.config.version == V10 else [FeaturesRequest(), PortDescRequest()]
            replies = [self.real.request(encode(each, self.config.version)) for each in requests]
            self._greeting = b"".join(itertools.chain(*replies))
        return reaction

    def _disconnect(self) -> SwitchReaction:
        reason = why_not_disconnected(self.config)
        if reason:
            raise StepImpossible(Obstacle.SWITCH_FAULT, f"{self.name} {reason} (profile {self.config.profile})")
        return self.real.disconnect()

    # -- time ---------------------------------------------------------------------------------------------------------

    def _expiry(self, before: SwitchState, transition: Transition, supplied: SuppliedParts) -> SwitchReaction:
        """Let the clock of the real switches move on until the entry of this step has gone, and no other one."""
        discarded = [event for event in transition.events if isinstance(event, BufferDiscarded)]
        if discarded:
            for event in discarded:
                supplied.forget(self.name, event.buffer_id)
            return SwitchReaction()
        wanted = self.model_entries(transition.outcome.core)
        elsewhere = {name: _keys(real.entries()) for name, real in self._others.items() if name != self.name}
        reaction = SwitchReaction()
        start = _keys(self.real.entries())
        passed = 0
        now = start
        while now == start and all(_keys(self._others[name].entries()) == keys for name, keys in elsewhere.items()):
            wait = self.real.next_expiry()
            if wait is None or passed > self._longest(before, transition) * _SECOND:
                raise StepImpossible(Obstacle.SWITCH_CLOCK, f"nothing of {self.name} expires, though its time is over")
            reaction = _both(reaction, self.real.advance(wait))
            passed += wait
            now = _keys(self.real.entries())
        others = [name for name, keys in elsewhere.items() if _keys(self._others[name].entries()) != keys]
        if others or now != _keys(wanted):
            where = ", ".join(others) or self.name
            raise StepImpossible(
                Obstacle.SWITCH_CLOCK,
                f"another entry expires before this one, or with it, in {where}; in the model they expire in any "
                "order, on a real clock when their time is over",
            )
        return reaction

    def _longest(self, before: SwitchState, transition: Transition) -> int:
        """The seconds after which the entry of this step must have gone."""
        removed = {(e.table, e.priority, e.match) for e in transition.events if isinstance(e, EntryRemoved)}
        times = [
            max(entry.idle_timeout, entry.hard_timeout)
            for entry in before.core.flows
            if (entry.table, entry.priority, entry.match) in removed
        ]
        return min(max(times, default=0), _MOST_SECONDS) + 2

    # -- the comparison -----------------------------------------------------------------------------------------------

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
            greeting = self._greeting if isinstance(message, SwitchUp | EpochSwitchUp) else b""
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
        for data in Framer().push(self._greeting)[1]:
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
                if self._quoted is not None:
                    with_supplied, compared = self._quoted.as_sent(expected, with_supplied, version)
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


def why_not_disconnected(config: Switch) -> str:
    """Why Open vSwitch cannot lose its connection as this switch does; "" if it can."""
    if not config.keeps_entries:
        return "deletes its entries when its connection is lost; Open vSwitch keeps them"
    if config.fail_mode == "standalone" and not config.traits.bridge_is_empty:
        return "has its entries again after it was a bridge; Open vSwitch deletes them"
    return ""


def entries_of(config: Switch, core: SwitchCore) -> tuple[FlowStats, ...]:
    """The flow entries of a switch of the model, as it reports them when it is asked."""
    quiet = replace(config, counters=False)
    (outcome,) = receive_message(quiet, core, FlowStatsRequest())
    return tuple(row for each in outcome.messages if isinstance(each, FlowStatsReply) for row in each.flows)


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


def _keys(entries: Sequence[FlowStats]) -> set[tuple[int, int, str]]:
    return {(each.table_id, each.priority, str(each.match)) for each in entries}


def _both(one: SwitchReaction, other: SwitchReaction) -> SwitchReaction:
    return SwitchReaction(one.messages + other.messages, one.frames + other.frames)


def _place(message: OpenFlowMessage) -> tuple[bool, str]:
    """Where a message belongs: a switch reports removed entries late, and in an order of its own."""
    late = isinstance(message, FlowRemoved)
    return late, f"{message.table_id} {message.priority} {message.match}" if isinstance(message, FlowRemoved) else ""
