"""Steps of the controller on a real controller: the input that each is, and what the model says must come of it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdnloom.confirm.comparison import (
    NumberRoles,
    is_same_exception,
    message_contrasts,
    observed_message,
)
from sdnloom.confirm.held_messages import HeldMessage
from sdnloom.confirm.outcome import Contrast, Obstacle, SentBytes
from sdnloom.confirm.real_parts import (
    ControllerReaction,
    HandshakeAnswer,
    NotEnforceable,
    ObservedAnswer,
    ObservedException,
    RealController,
    RealSwitch,
)
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.confirm.taken_step import Agreement, StepImpossible
from sdnloom.engine.semantics import Transition
from sdnloom.network.controller_component import SETTLE_TICK, ControllerComponent
from sdnloom.network.events import CONNECTION_ENDS, CallAnswered, HandlerRaised, MessageHandled, ProgramEnded
from sdnloom.network.openflow import (
    BarrierRequest,
    Experimenter,
    FeaturesReply,
    FeaturesRequest,
    Framer,
    GetAsyncRequest,
    GetConfigRequest,
    Hello,
    OpenFlowMessage,
    PortDescReply,
    PortDescRequest,
    QueueGetConfigRequest,
    RoleRequest,
    SetConfig,
    StatsReply,
    StatsRequest,
    encode,
)
from sdnloom.network.program import (
    Call,
    ClockTick,
    Input,
    MessageIn,
    SwitchDown,
    SwitchUp,
    ThreadTurn,
    TimerInput,
)
from sdnloom.network.switch import Switch, features_of, initial_switch_core
from sdnloom.network.switch_component import EpochMessage, EpochSwitchUp
from sdnloom.network.text import message_words

_NOTHING = ControllerReaction()
# What a controller may send in a handshake without an effect on packets.
_HARMLESS = (
    BarrierRequest,
    Experimenter,
    GetAsyncRequest,
    GetConfigRequest,
    QueueGetConfigRequest,
    RoleRequest,
    SetConfig,
    StatsRequest,
)


class ControllerSide:
    """The controller of the model and the real one that stands for it.

    What the real one does before the model's step for it, because a timer or a thread of its own ran, is kept in
    `early`; `may_be_early` says whether a later step of the trace could be about it.
    """

    def __init__(
        self,
        component: ControllerComponent,
        configs: Mapping[str, Switch],
        real: RealController,
        switches: Mapping[str, RealSwitch],
        wait: float,
    ) -> None:
        self._configs, self.real, self._switches, self._wait = configs, real, switches, wait
        self._inputs: dict[str, Input] = {label: given for label, given, _, _ in component.outside}
        self._inputs |= {planned.action: planned.given for planned in component.plan}
        self._inputs[SETTLE_TICK] = ClockTick()
        self.program = component.program
        self.name = component.program.name
        self._who = "the controller" if real.foreign else "the app"
        self.early = _NOTHING
        self.may_be_early = False

    # -- the input ----------------------------------------------------------------------------------------------------

    def runs_by_itself(self, action: str) -> bool:
        """Whether the action is that of a timer or a thread of the program."""
        return action == "turn" or isinstance(self._inputs.get(action), ClockTick)

    def perform(
        self,
        transition: Transition,
        taken: Sequence[HeldMessage],
        roles: NumberRoles,
        supplied: SuppliedParts,
    ) -> ControllerReaction:
        """Take the step on the real controller and return what it did."""
        name = transition.action.name
        raised = [event for event in transition.outcome.events if isinstance(event, HandlerRaised)]
        if raised and self.real.foreign:
            # The property may be about the exception: it would be confirmed unseen.
            raise StepImpossible(
                Obstacle.CONTROLLER, f"whether it raises an exception ({raised[0].text}) is not seen from outside"
            )
        if name.startswith("handle "):
            return self._handle(name.removeprefix("handle "), transition, taken[0], supplied)
        if name == "turn":
            return self.real.wait(lambda _: True, 0.0)
        given = self._inputs[name]
        try:
            match given:
                case ClockTick():
                    return self._tick(transition, roles, supplied)
                case TimerInput():
                    return self.real.fire(given.name)
                case Call():
                    return self.real.call(given.name, given.arguments)
                case MessageIn():
                    return self.real.receive(given.switch, encode(given.message, self.version(given.switch)))
        except NotEnforceable as error:
            raise StepImpossible(Obstacle.CALL, str(error)) from None
        raise StepImpossible(Obstacle.CONTROLLER, f"{name} cannot be done from outside")

    def version(self, switch: str) -> int:
        """The OpenFlow version of a switch."""
        return self._configs[switch].version

    def _handle(
        self, switch: str, transition: Transition, taken: HeldMessage, supplied: SuppliedParts
    ) -> ControllerReaction:
        message = taken.message
        if isinstance(message, EpochSwitchUp):
            message = message.joined
        if isinstance(message, SwitchUp):
            sends = [each for _, each in transition.outcome.sends]
            told = {type(each.message if isinstance(each, EpochMessage) else each) for each in sends}
            return self.real.join(switch, self._answer(message, taken.greeting, supplied, told))
        if isinstance(message, SwitchDown):
            return self.real.leave(switch)
        assert taken.data is not None
        return self.real.receive(switch, self._shown(switch, transition, taken.data))

    def _shown(self, switch: str, transition: Transition, data: bytes) -> bytes:
        """The bytes of a message as the program gets it: with counters that were chosen when it is handled."""
        shown = next(event.message for event in transition.outcome.events if isinstance(event, MessageHandled))
        if not isinstance(shown, StatsReply) or shown == transition.step.message:
            return data
        return encode(replace(shown, xid=int.from_bytes(data[4:8], "big")), self.version(switch))

    def _answer(
        self, joined: SwitchUp, greeting: bytes, supplied: SuppliedParts, told: Collection[type]
    ) -> HandshakeAnswer:
        """The switch's side of the handshake: what it said of itself when it joined, if the real switch says it.

        The first request of each kind belongs to the handshake. A foreign controller may ask more: questions that are
        harmless and not among the messages that the model sends.
        """
        switch, version = joined.switch, self.version(joined.switch)
        config = Switch(joined.datapath_id, joined.ports, version=version)
        features = joined.features or features_of(config, initial_switch_core(config))
        replies: list[OpenFlowMessage] = [features, PortDescReply(joined.ports)]
        if not supplied.describes(switch):
            replies = [observed_message(each, version) for each in Framer().push(greeting)[1]]
        left = {FeaturesRequest: FeaturesReply, PortDescRequest: PortDescReply}

        def answer(data: bytes) -> Sequence[bytes] | None:
            request = observed_message(data, version)
            if isinstance(request, Hello):
                return [encode(Hello(), version)]
            kind = left.pop(type(request), None)
            if kind is not None:
                found = [each for each in replies if isinstance(each, kind)]
                return [encode(replace(each, xid=request.xid), version) for each in found]
            asks = self.real.foreign and isinstance(request, _HARMLESS) and type(request) not in told
            return self._switches[switch].request(data) if asks else None

        return answer

    def _tick(self, transition: Transition, roles: NumberRoles, supplied: SuppliedParts) -> ControllerReaction:
        """Let real time pass until the app has done what the model says its timer makes it do."""
        before, self.early = self.early, _NOTHING

        def enough(reaction: ControllerReaction) -> bool:
            return not self.compare(transition, before + reaction, roles, supplied).contrasts

        if before and enough(_NOTHING):
            return before  # the timer has fired already
        reaction = before + self.real.wait(enough, self._wait)
        if not reaction and not enough(reaction):
            raise StepImpossible(
                Obstacle.APP_TIMER,
                f"no timer of the app fires within {self._wait:g} s; wait longer with --wait SECONDS",
            )
        return reaction

    # -- the comparison -----------------------------------------------------------------------------------------------

    def compare(
        self, transition: Transition, reaction: ControllerReaction, roles: NumberRoles, supplied: SuppliedParts
    ) -> Agreement:
        """What the model says of a step beside what the real controller did."""
        roles = roles.copy()
        contrasts: list[Contrast] = []
        expected, observed = messages_by_switch(transition, reaction)
        left: list[tuple[str, bytes]] = []
        data_of: dict[str, list[bytes | None]] = {}
        for switch in sorted({*expected, *observed}):
            found, more = self._compare_messages(switch, expected[switch], observed[switch], roles, contrasts)
            data_of[switch] = found
            left += [(switch, each) for each in more]
        raised = self._compare_exceptions(transition, reaction, contrasts)
        answers = self._compare_answers(transition, reaction, contrasts)
        ended = any(isinstance(event, ProgramEnded) for event in transition.outcome.events)
        if bool(reaction.ended) != ended:
            says = [event.how for event in transition.outcome.events if isinstance(event, ProgramEnded)]
            contrasts.append(
                Contrast(f"the process of {self._who}", ", ".join(says) or "goes on", reaction.ended or "goes on")
            )
        ends = {event.effect for event in transition.outcome.events if isinstance(event, HandlerRaised)}
        if CONNECTION_ENDS not in ends:
            contrasts += [
                Contrast(f"connection to {each}", "stays open", "the app closes it") for each in reaction.closed
            ]
        early = ControllerReaction(tuple(left), tuple(raised), tuple(answers))
        if early and not self.may_be_early:
            contrasts += self._unexpected(early)
            early = _NOTHING
        sent = tuple(
            (channel, HeldMessage(message, data_of[channel.removesuffix(".of")].pop(0)))
            for channel, message in transition.outcome.sends
        )
        emitted = tuple(SentBytes(channel, held.data) for channel, held in sent if held.data is not None)
        if contrasts:
            emitted = tuple(SentBytes(f"{switch}.of", data) for switch, data in reaction.messages)
        return Agreement(tuple(contrasts), sent, emitted, roles, supplied, early)

    def differs_in_messages_only(self, transition: Transition, reaction: ControllerReaction) -> bool:
        """Whether exceptions and answers to calls are those that the model says, and the controller goes on."""
        contrasts: list[Contrast] = []
        raised = self._compare_exceptions(transition, reaction, contrasts)
        answers = self._compare_answers(transition, reaction, contrasts)
        return not (contrasts or raised or answers or reaction.ended or reaction.closed)

    def given(self, transition: Transition) -> Input:
        """The input of the program in a step of the controller."""
        name, message = transition.action.name, transition.step.message
        if not name.startswith("handle "):
            return self._inputs.get(name, ThreadTurn())
        if isinstance(message, EpochSwitchUp):
            return message.joined
        if isinstance(message, SwitchUp | SwitchDown):
            return message
        shown = next(event.message for event in transition.outcome.events if isinstance(event, MessageHandled))
        return MessageIn(name.removeprefix("handle "), shown)

    def _compare_messages(
        self,
        switch: str,
        expected: Sequence[Any],
        observed: Sequence[bytes],
        roles: NumberRoles,
        contrasts: list[Contrast],
    ) -> tuple[list[bytes | None], list[bytes]]:
        """Return the bytes of each expected message, and those of messages beyond them."""
        version, what = self.version(switch), f"{self._who} to {switch}"
        found: list[bytes | None] = []
        left: list[bytes] = []
        rest = list(observed)
        for message in expected:
            # What the trace does not have here may belong to a later step, such as that of a timer.
            skipped = 0
            while skipped < len(rest):
                seen = observed_message(rest[skipped], version)
                if not message_contrasts(what, switch, message, seen, roles.copy(), answer=False):
                    break
                skipped += 1
            if skipped < len(rest) and (not skipped or self.may_be_early):
                left += rest[:skipped]
                seen = observed_message(rest[skipped], version)
                message_contrasts(what, switch, message, seen, roles, answer=False)
                roles.asked(switch, message, seen)
                found.append(rest[skipped])
                del rest[: skipped + 1]
            elif rest and not self.may_be_early:
                seen = observed_message(rest[0], version)
                contrasts += message_contrasts(what, switch, message, seen, roles, answer=False)
                found.append(rest.pop(0))
            else:
                contrasts.append(Contrast(what, message_words(message), ""))
                found.append(None)
        return found, left + rest

    @staticmethod
    def _compare_exceptions(
        transition: Transition, reaction: ControllerReaction, contrasts: list[Contrast]
    ) -> list[ObservedException]:
        """Return the exceptions beyond those that the model says."""
        left = list(reaction.raised)
        for event in transition.outcome.events:
            if isinstance(event, HandlerRaised):
                same = next((each for each in left if is_same_exception(event, each)), None)
                if same is not None:
                    left.remove(same)
                else:
                    seen = f"{left[0].file}:{left[0].line}: {left[0].text}" if left else ""
                    contrasts.append(Contrast("exception of the app", f"{event.file}:{event.line}: {event.text}", seen))
                    left = left[1:]
        return left

    @staticmethod
    def _compare_answers(
        transition: Transition, reaction: ControllerReaction, contrasts: list[Contrast]
    ) -> list[ObservedAnswer]:
        """Return the answers to calls beyond those that the model says."""
        left = list(reaction.answers)
        for event in transition.outcome.events:
            if isinstance(event, CallAnswered):
                same = next((each for each in left if each.name == event.name), None)
                if same is not None:
                    left.remove(same)
                seen = "no answer" if same is None else f"{same.status} {same.body}"
                if seen.rstrip() != f"{event.status} {event.body}".rstrip():
                    contrasts.append(Contrast(f"answer to {event.name}", f"{event.status} {event.body}", seen))
        return left

    def _unexpected(self, early: ControllerReaction) -> list[Contrast]:
        """What the app did that the trace does not have."""
        messages = [
            Contrast(f"{self._who} to {switch}", "", message_words(observed_message(data, self.version(switch))))
            for switch, data in early.messages
        ]
        raised = [
            Contrast("exception of the app", "", f"{each.file}:{each.line}: {each.text}") for each in early.raised
        ]
        answers = [Contrast(f"answer to {each.name}", "", f"{each.status} {each.body}") for each in early.answers]
        return messages + raised + answers


def messages_by_switch(
    transition: Transition, reaction: ControllerReaction
) -> tuple[dict[str, list[Any]], dict[str, list[bytes]]]:
    """The messages that the model says and those observed, by switch."""
    expected: dict[str, list[Any]] = defaultdict(list)
    for channel, message in transition.outcome.sends:
        plain = message.message if isinstance(message, EpochMessage) else message
        expected[channel.removesuffix(".of")].append(plain)
    observed: dict[str, list[bytes]] = defaultdict(list)
    for switch, data in reaction.messages:
        observed[switch].append(data)
    return expected, observed
